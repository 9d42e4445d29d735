//! `othellonia-selfplay`: networks learn from their own games.

mod check;
mod fold;
mod mode;
mod report;
mod schedule;
mod spec;
mod state;
mod tasks;

use hatchery_core::{
    Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue, Measure,
    NamedInput, Part, Plan, Preset, RunHistory, Step, SubjectTrial, WorkPhase, presets,
};

use super::win_rates::{strongest, sum};
use crate::params::deck_param::deck_table;
use crate::params::encoding_param::{check_learned, random_vectors};
use crate::trial::results::TrialResults;
use crate::trial::series::phase;
use crate::trial::simulation::OthelloniaGames;
use check::CheckedVectors;
use tasks::Task;

pub use check::CheckedSelfplay;
pub use mode::{PaperModeParam, SelfplayMode, WideModeParam};
pub use spec::{SelfplaySpec, SelfplayVectorsParam, StrengthParam};
pub use state::{
    LearnerState, LearningPeriod, OpponentLook, SelfplayState, Snapshot, StrengthLook,
};

/// Networks that learn from their own games which actions win (Kono et al., 7.4 and 9.3).
///
/// In the mode `paper`, a generation is a period for all networks, beside the games that show how
/// well the networks played before the period. In the mode `wide`, a generation also has the games
/// that the next generation learns from.
#[derive(Debug)]
pub struct OthelloniaSelfplay;

impl Experiment for OthelloniaSelfplay {
    const NAME: &'static str = "othellonia-selfplay";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str =
        "trains networks to play a card game by playing against themselves";
    const PRESETS: &'static [Preset] = presets![
        "selfplay-":
        "quick", "smoke", "smoke-paper", "standard", "paper",
    ];

    type Simulation = OthelloniaGames;
    type Spec = SelfplaySpec;
    type Checked = CheckedSelfplay;
    type State = SelfplayState;

    fn check(spec: SelfplaySpec) -> Result<CheckedSelfplay, InvalidValue> {
        spec.check()
    }

    fn generations(checked: &CheckedSelfplay) -> u32 {
        checked.schedule.n_generations() + u32::from(checked.spec.evaluation.pairs != 0)
    }

    fn phases(checked: &CheckedSelfplay) -> Vec<WorkPhase> {
        let mut phases: Vec<WorkPhase> = Vec::new();
        for generation in 0..Self::generations(checked) {
            let next = phase(1, &tasks::trial_costs(checked, generation));
            match phases.last_mut() {
                Some(last) if WorkPhase { n_generations: 1, ..last.clone() } == next => {
                    last.n_generations += 1;
                }
                _ => phases.push(next),
            }
        }
        phases
    }

    fn inputs(checked: &CheckedSelfplay) -> Vec<NamedInput> {
        checked.spec.inputs()
    }

    fn check_input(
        checked: &CheckedSelfplay,
        input: &NamedInput,
        bytes: &[u8],
    ) -> Result<(), InvalidValue> {
        check_learned(input, bytes, (checked.kinds(), &checked.decks))
    }

    fn begin(
        checked: &CheckedSelfplay,
        seed: &GenerationSeed,
        parts: &mut InitialParts,
    ) -> Result<SelfplayState, InvalidValue> {
        let vectors = match checked.vectors {
            CheckedVectors::None => None,
            CheckedVectors::File(file) => Some(parts.input(&file)),
            CheckedVectors::Random => Some(random_vectors(&checked.pool, seed, parts)),
        };
        let inputs = checked.opponents.iter().filter_map(|opponent| opponent.agent.input());
        let weights = inputs.map(|input| parts.input(input)).collect();
        let networks = vec![LearnerState::default(); checked.networks.len()];
        Ok(SelfplayState { generation: 0, vectors, weights, networks })
    }

    fn parts(state: &SelfplayState) -> Vec<Part> {
        state.parts()
    }

    fn plan(checked: &CheckedSelfplay, state: &SelfplayState) -> Plan<OthelloniaGames> {
        let tasks = tasks::tasks(checked, state);
        let series = tasks.into_iter().map(|task| tasks::series(checked, state, task));
        let series = series.collect();
        Plan { shared: deck_table(&checked.decks), series, draws: Draws::PerSubject }
    }

    fn fold(
        checked: &CheckedSelfplay,
        mut state: SelfplayState,
        tallies: &[TrialResults],
        seed: &GenerationSeed,
    ) -> Step<SelfplayState> {
        let tasks = tasks::tasks(checked, &state);
        fold::add(checked, &mut state, (&tasks, tallies));
        fold::draw_opponents(checked, &mut state, seed);
        let has_ended = tasks::tasks(checked, &state).is_empty();
        if has_ended { Step::Done(state) } else { Step::Continue(state) }
    }

    /// Returns the games of the network that won most at its last look, with its first deck against
    /// its first opponent.
    fn best_trial(
        checked: &CheckedSelfplay,
        latest: &SelfplayState,
        begun: &SelfplayState,
    ) -> Option<SubjectTrial> {
        let looks = latest.networks.iter().map(|network| network.looks.last());
        let best = strongest(
            looks.map(|look| Some(sum(look?.opponents.iter().map(OpponentLook::games)))),
        )?;
        let tasks = tasks::tasks(checked, begun);
        let is_of_best =
            |task: &Task| matches!(task, Task::Evaluate { network, .. } if *network == best);
        SubjectTrial::first_of(tasks.iter().position(is_of_best)?)
    }

    fn measures(checked: &CheckedSelfplay, state: &SelfplayState) -> Vec<Measure> {
        report::measures(checked, state)
    }

    fn exhibits(checked: &CheckedSelfplay, state: &SelfplayState) -> Vec<Exhibit> {
        report::exhibits(checked, state)
    }

    fn findings(
        checked: &CheckedSelfplay,
        state: &SelfplayState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(report::findings(checked, state))
    }
}
