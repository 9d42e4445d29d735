//! `birds-generate`: levels of wanted kinds, as pictures and as files that open in Science Birds.

mod exhibits;
mod findings;
mod spec;
mod state;

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue,
    Measure, Plan, Preset, RunHistory, Series, Step, SubjectTrial, WorkPhase, presets,
};

use super::mean_estimate::MeanEstimate;
use super::stored_results::StoredResults;
use crate::trial::results::{LevelResult, LevelResults};
use crate::trial::setup::{LevelSource, LevelTask};
use crate::trial::simulation::BirdsLevels;

pub use spec::{GenerateSpec, LevelKindParam};
pub use state::GenerateState;

/// Kinds of levels x levels: each level is the best of an evolution of its own.
#[derive(Debug)]
pub struct BirdsGenerate;

impl Experiment for BirdsGenerate {
    const NAME: &'static str = "birds-generate";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str = "levels of Angry Birds with wanted numbers of pigs and blocks";
    const PRESETS: &'static [Preset] = presets!["generate-": "quick", "range", "smoke"];

    type Simulation = BirdsLevels;
    type Spec = GenerateSpec;
    type Checked = GenerateSpec;
    type State = GenerateState;

    fn check(spec: GenerateSpec) -> Result<GenerateSpec, InvalidValue> {
        spec.check()?;
        Ok(spec)
    }

    fn generations(_spec: &GenerateSpec) -> u32 {
        1
    }

    fn phases(spec: &GenerateSpec) -> Vec<WorkPhase> {
        let n_trials = spec.kinds.iter().map(|kind| u64::from(kind.levels)).sum();
        let n_trials = n_trials..=n_trials;
        vec![WorkPhase::new(1, n_trials, CostTrend::Unknown)]
    }

    fn begin(
        _spec: &GenerateSpec,
        _seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<GenerateState, InvalidValue> {
        Ok(GenerateState::default())
    }

    fn plan(spec: &GenerateSpec, _state: &GenerateState) -> Plan<BirdsLevels> {
        let series = spec.kinds.iter().map(|kind| {
            Series::new(
                LevelTask {
                    source: LevelSource::Evolved(kind.goal()),
                    player: None,
                    keeps_level: true,
                },
                kind.levels,
            )
        });
        Plan { shared: spec.rules(), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        _spec: &GenerateSpec,
        _state: GenerateState,
        tallies: &[LevelResults],
        _seed: &GenerationSeed,
    ) -> Step<GenerateState> {
        Step::Done(GenerateState {
            kinds: tallies.iter().cloned().map(StoredResults::from).collect(),
        })
    }

    /// Returns the level with the best fitness, which is the smallest.
    fn best_trial(
        _spec: &GenerateSpec,
        latest: &GenerateState,
        _begun: &GenerateState,
    ) -> Option<SubjectTrial> {
        let fitness = |level: &LevelResult| -level.fitness().unwrap_or(f64::INFINITY);
        SubjectTrial::with_largest(
            latest.kinds.iter().map(|kind| kind.trials().iter().map(fitness)),
        )
    }

    /// Returns the mean fitness, pigs and blocks per kind.
    fn measures(spec: &GenerateSpec, state: &GenerateState) -> Vec<Measure> {
        let mut measures = Vec::new();
        for (kind, results) in spec.kinds.iter().zip(&state.kinds) {
            let trials = results.trials();
            let pigs: Vec<f64> = trials.iter().map(|it| it.pigs.into()).collect();
            let blocks: Vec<f64> = trials.iter().map(|it| it.blocks.into()).collect();
            let fitness: Vec<f64> = trials.iter().filter_map(LevelResult::fitness).collect();
            for (what, unit, values) in
                [("fitness", "", fitness), ("pigs", "pigs", pigs), ("blocks", "blocks", blocks)]
            {
                let mean = MeanEstimate::of_sizes(&values).map(MeanEstimate::measured);
                measures
                    .extend(mean.map(|it| Measure::new(format!("{}/{what}", kind.name), unit, it)));
            }
        }
        let n_levels: usize = state.kinds.iter().map(|results| results.trials().len()).sum();
        measures.push(Measure::new("levels", "levels", n_levels as u64));
        measures
    }

    fn exhibits(spec: &GenerateSpec, state: &GenerateState) -> Vec<Exhibit> {
        if state.kinds.is_empty() { Vec::new() } else { exhibits::exhibits(spec, state) }
    }

    fn findings(
        spec: &GenerateSpec,
        state: &GenerateState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(spec, state))
    }
}
