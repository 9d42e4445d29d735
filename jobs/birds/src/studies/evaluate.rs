//! `birds-evaluate`: how stable and how difficult levels are, for players of several skills.

mod cells;
mod exhibits;
mod findings;
mod fit;
mod fit_section;
mod replays;
mod spec;

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue,
    Measure, Plan, Preset, RunHistory, Series, Step, SubjectTrial, WorkPhase, presets,
};

use super::stored_results::StoredResults;
use crate::trial::results::{LevelResult, LevelResults, PlayRecord};
use crate::trial::setup::{LevelSource, LevelTask};
use crate::trial::simulation::BirdsLevels;
use cells::EvaluatedLevels;

pub use cells::LevelEvaluationState;
pub use spec::{LevelEvaluation, LevelEvaluationSpec};

/// Levels x players: each trial is a play-out.
#[derive(Debug)]
pub struct BirdsEvaluate;

impl Experiment for BirdsEvaluate {
    const NAME: &'static str = "birds-evaluate";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str = "how stable and how difficult levels of Angry Birds are";
    const PRESETS: &'static [Preset] = presets!["evaluate-": "quick", "smoke"];

    type Simulation = BirdsLevels;
    type Spec = LevelEvaluationSpec;
    type Checked = LevelEvaluation;
    type State = LevelEvaluationState;

    fn check(spec: LevelEvaluationSpec) -> Result<LevelEvaluation, InvalidValue> {
        spec.checked()
    }

    fn generations(_spec: &LevelEvaluation) -> u32 {
        1
    }

    fn phases(checked: &LevelEvaluation) -> Vec<WorkPhase> {
        let n_trials = checked.spec.n_trials();
        let n_trials = n_trials..=n_trials;
        vec![WorkPhase::new(1, n_trials, CostTrend::Unknown)]
    }

    fn warnings(checked: &LevelEvaluation) -> Vec<String> {
        checked.warnings()
    }

    fn begin(
        _spec: &LevelEvaluation,
        _seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<LevelEvaluationState, InvalidValue> {
        Ok(LevelEvaluationState::default())
    }

    fn plan(checked: &LevelEvaluation, _state: &LevelEvaluationState) -> Plan<BirdsLevels> {
        let LevelEvaluation { spec, levels } = checked;
        let mut series = Vec::new();
        for named in levels {
            for player in &spec.players {
                let subject = LevelTask {
                    source: LevelSource::Given(named.level.clone()),
                    player: Some(player.skill()),
                    keeps_level: false,
                };
                series.push(Series::new(subject, spec.trials));
            }
        }
        Plan { shared: spec.rules(), series, draws: Draws::PerSubject }
    }

    fn fold(
        _spec: &LevelEvaluation,
        _state: LevelEvaluationState,
        tallies: &[LevelResults],
        _seed: &GenerationSeed,
    ) -> Step<LevelEvaluationState> {
        Step::Done(LevelEvaluationState {
            cells: tallies.iter().cloned().map(StoredResults::from).collect(),
        })
    }

    /// Returns the best play-out: among the play-outs that killed every pig, a play-out that killed
    /// the most pigs, with the fewest birds.
    fn best_trial(
        _spec: &LevelEvaluation,
        latest: &LevelEvaluationState,
        _begun: &LevelEvaluationState,
    ) -> Option<SubjectTrial> {
        let success = |result: &LevelResult| result.play.as_ref().map(PlayRecord::success);
        let cells = latest.cells.iter().map(|cell| cell.trials().iter().map(success));
        SubjectTrial::with_largest(cells)
    }

    /// Returns each player's clear rate over all levels, then each player's clear rate on every
    /// level.
    fn measures(checked: &LevelEvaluation, state: &LevelEvaluationState) -> Vec<Measure> {
        let evaluated = EvaluatedLevels::new(checked, state);
        let mut measures = Vec::new();
        for (player, column) in evaluated.by_player() {
            let rate = column.clear_rate();
            measures.extend(rate.map(|it| Measure::new(format!("{player}/clear_rate"), "", it)));
        }
        for cell in evaluated.cells() {
            let name = format!("{}/{}/clear_rate", cell.level, cell.player);
            measures.extend(cell.plays.clear_rate().map(|rate| Measure::new(name, "", rate)));
        }
        measures
    }

    fn exhibits(checked: &LevelEvaluation, state: &LevelEvaluationState) -> Vec<Exhibit> {
        if state.cells.is_empty() {
            return Vec::new();
        }
        exhibits::exhibits(checked, &EvaluatedLevels::new(checked, state))
    }

    fn findings(
        checked: &LevelEvaluation,
        state: &LevelEvaluationState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(checked, &EvaluatedLevels::new(checked, state)))
    }
}
