//! `othellonia-imitate`: networks learn from games to play like their players.

mod check;
mod report;
mod spec;
mod state;
mod tasks;

use hatchery_core::{
    Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue, Measure,
    NamedInput, Part, Plan, Preset, RunHistory, Step, SubjectTrial, WorkPhase, presets,
};

use super::win_rates::strongest;
use crate::params::deck_param::{NamedDeck, deck_table};
use crate::params::encoding_param::{check_learned, random_vectors};
use crate::trial::results::TrialResults;
use crate::trial::series::{PAIR_BY_NETWORK, TrialCosts, phase};
use crate::trial::simulation::OthelloniaGames;
use check::CheckedVectors;
use state::NetworkState as Network;
use tasks::Task;

pub use check::CheckedImitate;
pub use spec::{EvaluationParam, FirstLayerParam, ImitateSpec, LearnedVectorsParam, VectorsParam};
pub use state::{ImitateState, NetworkLook, NetworkState};

/// Networks that imitate (Kono et al., 7.3 and 9.2). Generation 0 plays the games. If the run
/// learns vectors, the next generations learn the vectors. Each later generation is a period for
/// all networks, beside the games that show how well the networks played before the period.
#[derive(Debug)]
pub struct OthelloniaImitate;

impl Experiment for OthelloniaImitate {
    const NAME: &'static str = "othellonia-imitate";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "trains networks to play a card game as recorded players do";
    const PRESETS: &'static [Preset] = presets![
        "imitate-":
        "quick", "smoke", "paper", "speed-vectors", "speed-one-hot", "speed-sparse",
    ];

    type Simulation = OthelloniaGames;
    type Spec = ImitateSpec;
    type Checked = CheckedImitate;
    type State = ImitateState;

    fn check(spec: ImitateSpec) -> Result<CheckedImitate, InvalidValue> {
        spec.check()
    }

    fn generations(checked: &CheckedImitate) -> u32 {
        let vectors = match checked.vectors {
            CheckedVectors::Learned { periods } => periods,
            _ => 0,
        };
        let last = u32::from(checked.spec.evaluation.pairs != 0);
        (1 + last).saturating_add(vectors).saturating_add(checked.spec.learn.periods)
    }

    fn phases(checked: &CheckedImitate) -> Vec<WorkPhase> {
        let n_networks = checked.networks.len() as u64;
        let learning = || checked.spec.learn.trial_costs(n_networks);
        let n_pairs =
            n_networks * checked.decks.len() as u64 * u64::from(checked.spec.evaluation.pairs);
        let looks = || TrialCosts::new(n_pairs, PAIR_BY_NETWORK);
        let mut phases = vec![phase(1, &[checked.spec.games.trial_costs()])];
        if let CheckedVectors::Learned { periods } = checked.vectors
            && let VectorsParam::Learned(LearnedVectorsParam { learn, .. }) = &checked.spec.vectors
        {
            phases.push(phase(periods, &[learn.trial_costs(1)]));
        }
        phases.push(phase(1, &[learning()]));
        if 1 < checked.spec.learn.periods {
            phases.push(phase(checked.spec.learn.periods - 1, &[learning(), looks()]));
        }
        if n_pairs != 0 {
            phases.push(phase(1, &[looks()]));
        }
        phases
    }

    fn inputs(checked: &CheckedImitate) -> Vec<NamedInput> {
        checked.spec.inputs()
    }

    fn check_input(
        checked: &CheckedImitate,
        input: &NamedInput,
        bytes: &[u8],
    ) -> Result<(), InvalidValue> {
        check_learned(input, bytes, (checked.games.kinds(), &checked.decks))
    }

    fn begin(
        checked: &CheckedImitate,
        seed: &GenerationSeed,
        parts: &mut InitialParts,
    ) -> Result<ImitateState, InvalidValue> {
        let vectors = match checked.vectors {
            CheckedVectors::None | CheckedVectors::Learned { .. } => None,
            CheckedVectors::File(file) => Some(parts.input(&file)),
            CheckedVectors::Random => Some(random_vectors(&checked.games.pool, seed, parts)),
        };
        let weights = checked.opponent.input().map(|input| parts.input(input));
        Ok(ImitateState {
            weights: weights.into_iter().collect(),
            vectors,
            networks: vec![Network::default(); checked.networks.len()],
            ..ImitateState::default()
        })
    }

    fn parts(state: &ImitateState) -> Vec<Part> {
        state.parts()
    }

    fn plan(checked: &CheckedImitate, state: &ImitateState) -> Plan<OthelloniaGames> {
        let tasks = tasks::tasks(checked, state);
        let series = tasks.into_iter().map(|task| tasks::series(checked, state, task));
        let series = series.collect();
        Plan { shared: deck_table(&all_decks(checked)), series, draws: Draws::PerSubject }
    }

    fn fold(
        checked: &CheckedImitate,
        mut state: ImitateState,
        tallies: &[TrialResults],
        _seed: &GenerationSeed,
    ) -> Step<ImitateState> {
        let tasks = tasks::tasks(checked, &state);
        tasks::add(checked, &mut state, &tasks, tallies);
        let has_ended = tasks::tasks(checked, &state).is_empty();
        if has_ended { Step::Done(state) } else { Step::Continue(state) }
    }

    /// Returns the games of the network that won most at its last look, with its first deck.
    fn best_trial(
        checked: &CheckedImitate,
        latest: &ImitateState,
        begun: &ImitateState,
    ) -> Option<SubjectTrial> {
        let looks = latest.networks.iter().map(|network| network.looks.last());
        let best = strongest(looks.map(|look| Some(look?.games())))?;
        let tasks = tasks::tasks(checked, begun);
        let is_of_best =
            |task: &Task| matches!(task, Task::Evaluate { network, .. } if *network == best);
        SubjectTrial::first_of(tasks.iter().position(is_of_best)?)
    }

    fn measures(checked: &CheckedImitate, state: &ImitateState) -> Vec<Measure> {
        report::measures(checked, state)
    }

    fn exhibits(checked: &CheckedImitate, state: &ImitateState) -> Vec<Exhibit> {
        report::exhibits(checked, state)
    }

    fn findings(
        checked: &CheckedImitate,
        state: &ImitateState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(report::findings(checked, state))
    }
}

/// Returns the decks in the games to learn from, and then the decks in the games that show how well
/// networks play.
fn all_decks(checked: &CheckedImitate) -> Vec<NamedDeck> {
    [&checked.games.decks[..], &checked.decks].concat()
}
