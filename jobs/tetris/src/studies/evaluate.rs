//! `tetris-evaluate`: the lines that controllers clear, with honest intervals.

mod condition;
mod correlation;
mod findings;
mod spec;
mod table;

use hatchery_core::{
    CostTrend, DataTable, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts,
    InvalidValue, Measure, Plan, Preset, RunHistory, Series, Step, SubjectTrial, WorkPhase,
    presets,
};
use serde::{Deserialize, Serialize};

use super::player_results::PlayerResults;
use crate::params::estimator_param::EstimatorParam;
use crate::trial::results::GameTally;
use crate::trial::simulation::TetrisGames;

pub use spec::{CheckedEvaluate, EvaluateSpec};

/// Controllers x boards x ways to draw pieces: every combination gets a score.
#[derive(Debug)]
pub struct TetrisEvaluate;

/// Every combination's trials, in the plan's order. A combination has no trials before it is
/// played.
#[derive(Debug, Serialize, Deserialize)]
pub struct EvaluateState(Vec<PlayerResults>);

impl Experiment for TetrisEvaluate {
    const NAME: &'static str = "tetris-evaluate";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str = "how many lines Tetris controllers clear, with intervals";
    const PRESETS: &'static [Preset] = presets![
        "evaluate-":
        "quick", "published", "bdu", "proxies", "proxy-correlation", "paper", "people",
        "table", "splitting", "headline", "two-levels", "search-games", "search-splitting",
        "weight-sets", "next-piece", "speed", "speed-network", "smoke",
    ];

    type Simulation = TetrisGames;
    type Spec = EvaluateSpec;
    type Checked = CheckedEvaluate;
    type State = EvaluateState;

    fn check(spec: EvaluateSpec) -> Result<CheckedEvaluate, InvalidValue> {
        spec.checked()
    }

    fn generations(_checked: &CheckedEvaluate) -> u32 {
        1
    }

    fn phases(CheckedEvaluate { spec, .. }: &CheckedEvaluate) -> Vec<WorkPhase> {
        let n_trials = spec.draws.iter().map(|draw| u64::from(spec.n_trials(draw))).sum::<u64>()
            * (spec.controllers.len() * spec.boards.len()) as u64;
        vec![WorkPhase::new(1, n_trials..=n_trials, CostTrend::Unknown)]
    }

    fn begin(
        _checked: &CheckedEvaluate,
        _seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<EvaluateState, InvalidValue> {
        Ok(EvaluateState(Vec::new()))
    }

    fn plan(checked: &CheckedEvaluate, _state: &EvaluateState) -> Plan<TetrisGames> {
        let CheckedEvaluate { spec, players } = checked;
        // The plan has the ways to draw within boards, and boards within controllers.
        let n_trials = spec.draws.iter().map(|draw| spec.n_trials(draw)).cycle();
        let players = players.iter().zip(n_trials);
        let series = players.map(|((_, subject), n_trials)| Series::new(subject.clone(), n_trials));
        // Common random numbers gain nothing here: scores of two controllers on the same pieces
        // hardly correlate.
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        _: &CheckedEvaluate,
        _: EvaluateState,
        tallies: &[GameTally],
        _: &GenerationSeed,
    ) -> Step<EvaluateState> {
        Step::Done(EvaluateState(tallies.iter().map(PlayerResults::from).collect()))
    }

    /// Returns the game with the most lines; of splitting, which has no games, the first trial.
    fn best_trial(
        _: &CheckedEvaluate,
        EvaluateState(all): &EvaluateState,
        _: &EvaluateState,
    ) -> Option<SubjectTrial> {
        let first = || (!all.is_empty()).then(|| SubjectTrial::first_of(0)).flatten();
        SubjectTrial::with_largest(all.iter().map(|played| &played.lines)).or_else(first)
    }

    fn measures(checked: &CheckedEvaluate, EvaluateState(all): &EvaluateState) -> Vec<Measure> {
        let played = checked.players.iter().zip(all);
        let of_players = played.flat_map(|((name, player), played)| {
            played.measures(&|what| format!("{name}/{what}"), player)
        });
        of_players.chain(correlation::measures(&checked.spec, all)).collect()
    }

    /// Adds the number of pieces in every game with fixed pieces, which no state holds.
    fn generation_measures(
        checked: &CheckedEvaluate,
        _: &EvaluateState,
        tallies: &[GameTally],
        next: &EvaluateState,
    ) -> Vec<Measure> {
        let players = checked.players.iter().zip(tallies);
        let fixed = players.filter(|((_, player), _)| player.dealing.is_fixed());
        let pieces = fixed.map(|((name, _), games)| {
            Measure::new(format!("{name}/pieces"), "pieces", games.pieces)
        });
        Self::measures(checked, next).into_iter().chain(pieces).collect()
    }

    fn findings(
        checked: &CheckedEvaluate,
        EvaluateState(all): &EvaluateState,
        _: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(&checked.spec, all))
    }

    fn exhibits(checked: &CheckedEvaluate, EvaluateState(all): &EvaluateState) -> Vec<Exhibit> {
        let markdown = table::markdown(&checked.players, all);
        let table = Exhibit::new("table.md", "text/markdown", markdown);
        let mut exhibits = vec![table, results(checked, all)];
        if checked.spec.estimator == EstimatorParam::Games && !all.is_empty() {
            exhibits.push(trials(checked, all));
        }
        exhibits
    }
}

/// Returns the lines in every game, or the climbs in every replicate.
fn results(checked: &CheckedEvaluate, all: &[PlayerResults]) -> Exhibit {
    let played = checked.players.iter().zip(all);
    match checked.spec.estimator {
        EstimatorParam::Games => {
            let games = played.flat_map(|((name, _), played)| {
                (0_u32..).zip(&played.lines).map(move |(game, lines)| (name, game, *lines))
            });
            DataTable::of(&games.collect::<Vec<_>>())
                .text("combination", |(name, ..)| *name)
                .count("game", |(_, game, _)| *game)
                .count("lines", |(.., lines)| *lines)
                .csv("scores.csv")
        }
        EstimatorParam::Splitting => {
            let climbs = played.flat_map(|((name, player), played)| {
                let levels = player.splitting.as_ref().map(|it| it.levels(player.game.rules.size));
                let levels = levels.unwrap_or_default();
                let climbs = (0_u32..).zip(&played.splits).flat_map(|(replicate, split)| {
                    let first = (0, split.pieces, split.rises);
                    let levels = levels.iter().zip(&split.levels);
                    let levels = levels.map(|(height, it)| (*height, it.begun, it.reached));
                    std::iter::once(first).chain(levels).map(move |climbs| (replicate, climbs))
                });
                climbs.map(|climbs| (name, climbs)).collect::<Vec<_>>()
            });
            DataTable::of(&climbs.collect::<Vec<_>>())
                .text("combination", |(name, _)| *name)
                .count("replicate", |(_, (replicate, _))| *replicate)
                .count("height", |(_, (_, (height, ..)))| *height)
                .count("begun", |(_, (_, (_, begun, _)))| *begun)
                .count("reached", |(_, (_, (.., reached)))| *reached)
                .csv("splits.csv")
        }
    }
}

/// Returns the table of games.
fn trials(checked: &CheckedEvaluate, all: &[PlayerResults]) -> Exhibit {
    let games = checked
        .players
        .iter()
        .zip(all)
        .zip(0..)
        .flat_map(|(((name, _), played), subject)| played.trial_rows(0, subject, name));
    Exhibit::trials(games)
}
