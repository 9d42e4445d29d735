//! `tetris-compare`: learning curves of optimizers with equal numbers of pieces.

mod findings;
mod repetition;
mod report;
mod spec;

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue,
    Measure, Plan, Preset, RunHistory, Series, Step, WorkPhase,
};
use serde::{Deserialize, Serialize};

use super::simulation::TetrisGames;
use crate::wire::{GameTally, TetrisPlayer};

use repetition::SearchRepetition;
pub use spec::{CompareSpec, SearchParams};

/// Searches for the same controller, side by side, each with its own optimizer and the same number
/// of pieces.
///
/// Each time a search has spent a set number of pieces, its best controller so far plays fresh
/// games, from which the search learns nothing: the points of its learning curve. Each search is
/// repeated, because luck decides much of a single one.
#[derive(Debug)]
pub struct TetrisCompare;

/// The repetitions of the first search, then those of the second, and so on.
#[derive(Debug, Serialize, Deserialize)]
pub struct CompareState(Vec<SearchRepetition>);

impl Experiment for TetrisCompare {
    const NAME: &'static str = "tetris-compare";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str =
        "learning curves of optimizers of Tetris controllers with equal numbers of pieces";
    const PRESETS: &'static [Preset] = &[
        Preset { name: "quick", text: include_str!("../../specs/compare-quick.toml") },
        Preset { name: "standard", text: include_str!("../../specs/compare-standard.toml") },
        Preset { name: "smoke", text: include_str!("../../specs/compare-smoke.toml") },
    ];

    type Simulation = TetrisGames;
    type Spec = CompareSpec;
    type Checked = CompareSpec;
    type State = CompareState;

    fn check(spec: CompareSpec) -> Result<CompareSpec, InvalidValue> {
        spec.check()?;
        Ok(spec)
    }

    fn generations(spec: &CompareSpec) -> u32 {
        let stages = spec.searches.iter().map(SearchParams::n_stages).max();
        // One more generation for the last points.
        spec.generations * stages.unwrap_or(0) + 1
    }

    fn phases(spec: &CompareSpec) -> Vec<WorkPhase> {
        // Searches end one by one, once they have spent their pieces.
        let n_trials = 0..=spec.most_trials();
        let n_generations = Self::generations(spec);
        vec![WorkPhase::new(n_generations, n_trials, CostTrend::Unknown)]
    }

    fn begin(
        spec: &CompareSpec,
        seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<CompareState, InvalidValue> {
        let repetitions = spec.repetitions().map(|(search, replicate)| {
            let mut rng = seed.stream(&format!("population/{}/{replicate}", search.name));
            SearchRepetition::begin(spec, search, &mut rng)
        });
        Ok(CompareState(repetitions.collect()))
    }

    fn plan(spec: &CompareSpec, CompareState(repetitions): &CompareState) -> Plan<TetrisGames> {
        let series = spec.repetitions().zip(repetitions).flat_map(|((search, _), repetition)| {
            let stage = repetition.stage_series(spec, search).into_iter();
            stage.chain(repetition.point_series(spec)).collect::<Vec<Series<TetrisPlayer>>>()
        });
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        spec: &CompareSpec,
        CompareState(mut repetitions): CompareState,
        tallies: &[GameTally],
        seed: &GenerationSeed,
    ) -> Step<CompareState> {
        let mut tallies = tallies.iter().cloned();
        for ((search, replicate), repetition) in spec.repetitions().zip(&mut repetitions) {
            let stage: Vec<_> = tallies.by_ref().take(repetition.n_active()).collect();
            let points: Vec<_> = tallies.by_ref().take(repetition.n_unplayed_points()).collect();
            repetition.score_points(&points);
            if !stage.is_empty() {
                let mut rng = seed.stream(&format!("breed/{}/{replicate}", search.name));
                repetition.record(spec, search, &stage, &mut rng);
            }
        }
        if repetitions.iter().all(SearchRepetition::is_done) {
            Step::Done(CompareState(repetitions))
        } else {
            Step::Continue(CompareState(repetitions))
        }
    }

    fn measures(spec: &CompareSpec, CompareState(repetitions): &CompareState) -> Vec<Measure> {
        report::measures(spec, repetitions)
    }

    fn findings(
        spec: &CompareSpec,
        CompareState(repetitions): &CompareState,
        _: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(spec, repetitions))
    }

    fn exhibits(spec: &CompareSpec, CompareState(repetitions): &CompareState) -> Vec<Exhibit> {
        report::exhibits(spec, repetitions)
    }
}
