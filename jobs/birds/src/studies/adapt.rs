//! `birds-adapt`: do levels that adapt to a player get cleared more often?

mod findings;
mod history;
mod pictures;
mod spec;
mod state;
mod summary;
mod tables;
mod trials;

use std::cmp::Reverse;

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue,
    Measure, Plan, Preset, RunHistory, Series, Step, SubjectTrial, WorkPhase, presets,
};

use crate::trial::results::LevelResults;
use crate::trial::setup::{LevelSource, LevelTask};
use crate::trial::simulation::BirdsLevels;
use state::AdaptStage;
use summary::AdaptSummary;

pub use history::{FitnessHistory, HistorySums};
pub use spec::{
    AdaptSpec, ConventionalBlocks, ConventionalRule, LevelCondition, SubjectGroupParam,
};
pub use state::{AdaptState, AdaptTrack, FinalPlay, RoundRecord, ShownPigs};

/// Subjects x alphas: the study of Kaidan et al. with simulated players.
///
/// ```text
///            ten rounds: for each subject and alpha                     once
///   P, B -> a level evolves -> the subject plays it -> P, B     P_player -> levels, shuffled
///    ^                                                  |       conventional ---^   -> clear rates
///    `--------------------------------------------------'
/// ```
///
/// A generation is a round; the last one has the levels at the end.
#[derive(Debug)]
pub struct BirdsAdapt;

impl Experiment for BirdsAdapt {
    const NAME: &'static str = "birds-adapt";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str = "levels of Angry Birds that adapt to the skill of their player";
    const PRESETS: &'static [Preset] = presets!["adapt-": "quick", "paper", "many", "smoke"];

    type Simulation = BirdsLevels;
    type Spec = AdaptSpec;
    type Checked = AdaptSpec;
    type State = AdaptState;

    fn check(spec: AdaptSpec) -> Result<AdaptSpec, InvalidValue> {
        spec.check()?;
        Ok(spec)
    }

    fn generations(spec: &AdaptSpec) -> u32 {
        spec.rounds + 1
    }

    fn phases(spec: &AdaptSpec) -> Vec<WorkPhase> {
        let [of_round, of_end] = spec.n_trials();
        let phase = |n_generations, n_trials: u64| {
            WorkPhase::new(n_generations, n_trials..=n_trials, CostTrend::Unknown)
        };
        vec![phase(spec.rounds, of_round), phase(1, of_end)]
    }

    fn begin(
        spec: &AdaptSpec,
        seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<AdaptState, InvalidValue> {
        Ok(AdaptState::begin(spec, seed))
    }

    fn plan(spec: &AdaptSpec, state: &AdaptState) -> Plan<BirdsLevels> {
        let series = match state.stage(spec) {
            AdaptStage::Round => {
                let task = |(track, goal)| {
                    Series::new(
                        LevelTask {
                            source: LevelSource::Evolved(goal),
                            player: Some(spec.skill_of(state.subject_of(spec, track))),
                            keeps_level: false,
                        },
                        1,
                    )
                };
                state.round_goals(spec).into_iter().enumerate().map(task).collect()
            }
            AdaptStage::End | AdaptStage::Over => {
                let task = |level: &state::FinalLevel| {
                    Series::new(
                        LevelTask {
                            source: LevelSource::Evolved(level.goal),
                            player: level.subject.map(|subject| spec.skill_of(subject)),
                            keeps_level: false,
                        },
                        level.n_levels,
                    )
                };
                state.final_levels(spec).iter().map(task).collect()
            }
        };
        Plan { shared: spec.rules(), series, draws: Draws::PerSubject }
    }

    fn fold(
        spec: &AdaptSpec,
        state: AdaptState,
        tallies: &[LevelResults],
        _seed: &GenerationSeed,
    ) -> Step<AdaptState> {
        match state.stage(spec) {
            AdaptStage::Round => Step::Continue(state.after_round(spec, tallies)),
            AdaptStage::End | AdaptStage::Over => Step::Done(state.after_end(spec, tallies)),
        }
    }

    /// Returns the best play of a level at the end: among the plays that killed every pig, a play
    /// that killed the most pigs, with the fewest birds.
    fn best_trial(
        spec: &AdaptSpec,
        latest: &AdaptState,
        begun: &AdaptState,
    ) -> Option<SubjectTrial> {
        let played =
            begun.final_levels(spec).iter().filter(|level| level.subject.is_some()).count();
        // Plays are in the order of the levels that somebody plays, which come first.
        if begun.stage(spec) == AdaptStage::Round || latest.plays.len() != played {
            return None;
        }
        let plays = latest.plays.iter();
        SubjectTrial::with_largest(plays.map(|play| {
            let killed = if play.is_cleared { play.pigs } else { 0 };
            [(play.is_cleared, killed, Reverse(play.birds_used))]
        }))
    }

    fn measures(spec: &AdaptSpec, state: &AdaptState) -> Vec<Measure> {
        AdaptSummary::new(spec, state).measures()
    }

    fn exhibits(spec: &AdaptSpec, state: &AdaptState) -> Vec<Exhibit> {
        if state.tracks.iter().all(|track| track.rounds.is_empty()) {
            return Vec::new();
        }
        exhibits(&AdaptSummary::new(spec, state))
    }

    fn findings(
        spec: &AdaptSpec,
        state: &AdaptState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(&AdaptSummary::new(spec, state)))
    }
}

/// Returns the files of a run that has ended a round.
fn exhibits(summary: &AdaptSummary<'_>) -> Vec<Exhibit> {
    let mut exhibits = findings::findings(summary).exhibits();
    exhibits.extend([
        trials::table(summary),
        tables::pigs_by_round(summary),
        tables::fitness(summary),
        tables::rounds(summary),
    ]);
    if !summary.state.plays.is_empty() {
        exhibits.extend([
            tables::clear_rates(summary, &tables::compared_rates(summary)).csv("clear-rates.csv"),
            tables::plays(summary),
            tables::pigs(summary),
        ]);
    }
    exhibits
}
