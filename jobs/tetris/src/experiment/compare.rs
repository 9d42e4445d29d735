//! `tetris-compare`: what optimizers come to with equal numbers of pieces.

mod report;
mod runner;
mod spec;

use hatchery_core::{
    Draws, Exhibit, Experiment, GenerationSeed, InvalidParam, Measure, Plan, Preset, Series, Step,
};
use serde::{Deserialize, Serialize};

use super::simulation::TetrisGames;
use crate::wire::{Games, Player};

use runner::Runner;
pub use spec::{SearchParams, Spec};

/// Searches for the same controller, side by side, each with its own optimizer and as many pieces.
///
/// What a search has come to whenever it has spent another number of pieces plays fresh games, of
/// which the search learns nothing: the points of its learning curve. Each search is repeated, as
/// luck decides much of a single one.
#[derive(Debug)]
pub struct TetrisCompare;

/// The repetitions of the first search, then those of the second, and so on.
#[derive(Debug, Serialize, Deserialize)]
pub struct State(Vec<Runner>);

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
    type Spec = Spec;
    type State = State;

    fn generations(spec: &Spec) -> u32 {
        let stages = spec.searches.iter().map(SearchParams::n_stages).max();
        // One more for the last points.
        spec.generations * stages.unwrap_or(0) + 1
    }

    fn begin(spec: &Spec, seed: &GenerationSeed) -> Result<State, InvalidParam> {
        spec.check()?;
        let runners = spec.runners().map(|(search, replicate)| {
            let mut rng = seed.stream(&format!("population/{}/{replicate}", search.name));
            Runner::begin(spec, search, &mut rng)
        });
        Ok(State(runners.collect()))
    }

    fn plan(spec: &Spec, State(runners): &State) -> Plan<TetrisGames> {
        let series = spec.runners().zip(runners).flat_map(|((search, _), runner)| {
            let stage = runner.stage(spec, search).into_iter();
            stage.chain(runner.due(spec)).collect::<Vec<Series<Player>>>()
        });
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        spec: &Spec,
        State(mut runners): State,
        tallies: Vec<Games>,
        seed: &GenerationSeed,
    ) -> Step<State> {
        let mut tallies = tallies.into_iter();
        for ((search, replicate), runner) in spec.runners().zip(&mut runners) {
            let stage: Vec<_> = tallies.by_ref().take(runner.n_active()).collect();
            let points: Vec<_> = tallies.by_ref().take(runner.n_due()).collect();
            runner.score_points(&points);
            if !stage.is_empty() {
                let mut rng = seed.stream(&format!("breed/{}/{replicate}", search.name));
                runner.record(spec, search, &stage, &mut rng);
            }
        }
        if runners.iter().all(Runner::is_done) {
            Step::Done(State(runners))
        } else {
            Step::Continue(State(runners))
        }
    }

    fn measures(spec: &Spec, State(runners): &State) -> Vec<Measure> {
        report::measures(spec, runners)
    }

    fn exhibits(spec: &Spec, State(runners): &State) -> Vec<Exhibit> {
        report::exhibits(spec, runners)
    }
}
