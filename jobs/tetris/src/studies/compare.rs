//! `tetris-compare`: learning curves of optimizers with equal numbers of pieces.

mod findings;
mod repetition;
mod report;
mod spec;

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue,
    Measure, Plan, Preset, RunHistory, Series, Step, WorkPhase, presets,
};
use serde::{Deserialize, Serialize};

use crate::trial::results::GameTally;
use crate::trial::setup::TetrisPlayer;
use crate::trial::simulation::TetrisGames;

use repetition::SearchRepetition;
pub use spec::{CheckedCompare, CompareSpec, SearchParams};

/// Searches for the same controller, side by side, each with its own optimizer and the same number
/// of pieces.
///
/// Each time a search has spent a set number of pieces, its best controller so far plays fresh
/// games, from which the search learns nothing: the points of its learning curve. Each search is
/// repeated, because luck decides much of a single one.
#[derive(Debug)]
pub struct TetrisCompare;

/// The repetitions: first the first search's repetitions, then the second search's, and so on.
#[derive(Debug, Serialize, Deserialize)]
pub struct CompareState(Vec<SearchRepetition>);

impl Experiment for TetrisCompare {
    const NAME: &'static str = "tetris-compare";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str =
        "learning curves of optimizers of Tetris controllers with equal numbers of pieces";
    const PRESETS: &'static [Preset] = presets!["compare-": "quick", "standard", "smoke"];

    type Simulation = TetrisGames;
    type Spec = CompareSpec;
    type Checked = CheckedCompare;
    type State = CompareState;

    fn check(spec: CompareSpec) -> Result<CheckedCompare, InvalidValue> {
        spec.checked()
    }

    fn generations(CheckedCompare { spec, .. }: &CheckedCompare) -> u32 {
        let stages = spec.searches.iter().map(SearchParams::n_stages).max();
        // One more generation for the last points.
        spec.generations * stages.unwrap_or(0) + 1
    }

    fn phases(checked: &CheckedCompare) -> Vec<WorkPhase> {
        // Searches end one by one, once they have spent their pieces.
        let n_trials = 0..=checked.spec.most_trials();
        let n_generations = Self::generations(checked);
        vec![WorkPhase::new(n_generations, n_trials, CostTrend::Unknown)]
    }

    fn begin(
        CheckedCompare { spec, .. }: &CheckedCompare,
        seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<CompareState, InvalidValue> {
        let repetitions = spec.repetitions().map(|(search, replicate)| {
            let mut rng = seed.stream(&format!("population/{}/{replicate}", search.name));
            SearchRepetition::begin(spec, search, &mut rng)
        });
        Ok(CompareState(repetitions.collect()))
    }

    fn plan(
        checked: &CheckedCompare,
        CompareState(repetitions): &CompareState,
    ) -> Plan<TetrisGames> {
        let repetitions = checked.spec.repetitions().zip(repetitions);
        let series = repetitions.flat_map(|((search, _), repetition)| {
            let stage = repetition.stage_series(checked, search).into_iter();
            stage.chain(repetition.point_series(checked)).collect::<Vec<Series<TetrisPlayer>>>()
        });
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        CheckedCompare { spec, .. }: &CheckedCompare,
        CompareState(mut repetitions): CompareState,
        tallies: &[GameTally],
        seed: &GenerationSeed,
    ) -> Step<CompareState> {
        let mut tallies = tallies;
        for ((search, replicate), repetition) in spec.repetitions().zip(&mut repetitions) {
            let (stage, rest) = tallies.split_at(repetition.n_active());
            let (points, rest) = rest.split_at(repetition.n_unplayed_points());
            tallies = rest;
            repetition.score_points(points);
            if !stage.is_empty() {
                let mut rng = seed.stream(&format!("breed/{}/{replicate}", search.name));
                repetition.record(spec, search, stage, &mut rng);
            }
        }
        if repetitions.iter().all(SearchRepetition::is_done) {
            Step::Done(CompareState(repetitions))
        } else {
            Step::Continue(CompareState(repetitions))
        }
    }

    fn measures(
        CheckedCompare { spec, .. }: &CheckedCompare,
        CompareState(repetitions): &CompareState,
    ) -> Vec<Measure> {
        report::measures(spec, repetitions)
    }

    fn findings(
        CheckedCompare { spec, .. }: &CheckedCompare,
        CompareState(repetitions): &CompareState,
        _: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(spec, repetitions))
    }

    fn exhibits(
        CheckedCompare { spec, .. }: &CheckedCompare,
        CompareState(repetitions): &CompareState,
    ) -> Vec<Exhibit> {
        report::exhibits(spec, repetitions)
    }
}
