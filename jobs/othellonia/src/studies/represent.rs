//! `othellonia-represent`: vectors of pieces, learned from what their placement leads to.

mod report;
mod spec;
mod state;

use hatchery_core::part::Part;
use hatchery_core::{
    Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue, Measure,
    Plan, Preset, RunHistory, Step, WireValue, WorkPhase, presets,
};

use super::vector_learning::representation_setup;
use crate::learning::StoredLearner;
use crate::params::deck_param::deck_table;
use crate::trial::results::TrialResults;
use crate::trial::series::{phase, training_series};
use crate::trial::setup::TrainingTask;
use crate::trial::simulation::OthelloniaGames;

pub use spec::{CheckedRepresent, RepresentSpec};
pub use state::RepresentState;

/// Vectors of 30 numbers for each kind of piece (Kono et al., 8). Generation 0 plays the games,
/// and each later one is a period of steps.
#[derive(Debug)]
pub struct OthelloniaRepresent;

impl Experiment for OthelloniaRepresent {
    const NAME: &'static str = "othellonia-represent";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "learns vectors of a card game's pieces from what they do";
    const PRESETS: &'static [Preset] = presets!["represent-": "quick", "smoke", "paper"];

    type Simulation = OthelloniaGames;
    type Spec = RepresentSpec;
    type Checked = CheckedRepresent;
    type State = RepresentState;

    fn check(spec: RepresentSpec) -> Result<CheckedRepresent, InvalidValue> {
        spec.check()
    }

    fn generations(checked: &CheckedRepresent) -> u32 {
        checked.spec.learn.periods.saturating_add(1)
    }

    fn phases(checked: &CheckedRepresent) -> Vec<WorkPhase> {
        let learning = phase(checked.spec.learn.periods, &[checked.spec.learn.trial_costs(1)]);
        vec![phase(1, &[checked.spec.games.trial_costs()]), learning]
    }

    fn begin(
        _checked: &CheckedRepresent,
        _seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<RepresentState, InvalidValue> {
        Ok(RepresentState::default())
    }

    fn parts(state: &RepresentState) -> Vec<Part> {
        let mut parts: Vec<_> = state.games.iter().map(|games| games.file).collect();
        parts.extend(state.learner.iter().flat_map(StoredLearner::parts));
        parts
    }

    fn plan(checked: &CheckedRepresent, state: &RepresentState) -> Plan<OthelloniaGames> {
        let series = if state.games.is_empty() {
            checked.games.series()
        } else {
            let mut setup =
                representation_setup(&checked.games, &checked.spec.learn, checked.spec.explored);
            setup.games = state.games.iter().map(|games| games.file).collect();
            setup.before.clone_from(&state.learner);
            let is_last = state.periods + 1 == checked.spec.learn.periods;
            if let (true, TrainingTask::Representation(task)) = (is_last, &mut setup.task) {
                task.neighbors = checked.spec.neighbors;
            }
            training_series(setup)
        };
        let shared = deck_table(&checked.games.decks);
        Plan { shared, series: vec![series], draws: Draws::PerSubject }
    }

    fn fold(
        checked: &CheckedRepresent,
        mut state: RepresentState,
        tallies: &[TrialResults],
        _seed: &GenerationSeed,
    ) -> Step<RepresentState> {
        tallies.iter().for_each(|results| state.add(results));
        let has_ended = state.failure.is_some() || checked.spec.learn.periods <= state.periods;
        if has_ended { Step::Done(state) } else { Step::Continue(state) }
    }

    fn measures(checked: &CheckedRepresent, state: &RepresentState) -> Vec<Measure> {
        report::measures(checked, state)
    }

    fn exhibits(checked: &CheckedRepresent, state: &RepresentState) -> Vec<Exhibit> {
        report::exhibits(checked, state)
    }

    fn findings(
        checked: &CheckedRepresent,
        state: &RepresentState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(report::findings(checked, state))
    }
}
