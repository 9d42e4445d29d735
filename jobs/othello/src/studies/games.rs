//! `othello-games`: who loses how much per move, and how natural do a player's moves look?

mod findings;
mod spec;
mod state;
mod summary;
mod tables;

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts,
    IntervalEstimate, InvalidValue, Measure, MeasureValue, Plan, Preset, RunHistory, Series, Step,
    SubjectTrial, WorkPhase, presets,
};

use hatchery_stats::ErrorRate;

use self::summary::{GamesSummary, all_moves, row};
use crate::naturalness::{LossZone, NaturalnessMetric, NaturalnessRow};
use crate::params::archive_param;
use crate::trial::review::{GameReviews, OthelloReviews};

pub use spec::{CheckedGames, GameJudgeParam, GamesSpec};
pub use state::GamesState;

/// The games of an archive, judged move by move. One generation judges all games, each as a subject
/// of its own.
#[derive(Debug)]
pub struct OthelloArchive;

impl Experiment for OthelloArchive {
    const NAME: &'static str = "othello-games";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "judges recorded Othello games: the loss of each move, and how \
                                   natural each player's moves look";
    const PRESETS: &'static [Preset] = presets!["games-": "quick", "smoke"];

    type Simulation = OthelloReviews;
    type Spec = GamesSpec;
    type Checked = CheckedGames;
    type State = GamesState;

    fn check(spec: GamesSpec) -> Result<CheckedGames, InvalidValue> {
        spec.checked()
    }

    fn warnings(checked: &CheckedGames) -> Vec<String> {
        archive_param::warnings(&checked.spec.games)
    }

    fn generations(_checked: &CheckedGames) -> u32 {
        1
    }

    fn phases(checked: &CheckedGames) -> Vec<WorkPhase> {
        let n_trials = checked.n_judged() as u64;
        vec![WorkPhase::new(1, n_trials..=n_trials, CostTrend::Steady)]
    }

    /// Draws the games.
    fn begin(
        checked: &CheckedGames,
        seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<GamesState, InvalidValue> {
        let mut order = seed.stream("sample").permutation(checked.n_candidates());
        order.truncate(checked.n_judged());
        order.sort_unstable();
        let sample = order.into_iter().filter_map(|game| u32::try_from(game).ok()).collect();
        Ok(GamesState { sample, reviews: Vec::new() })
    }

    fn plan(checked: &CheckedGames, state: &GamesState) -> Plan<OthelloReviews> {
        let series = state.sample.iter().filter_map(|&game| checked.played(game));
        let series = series.map(|game| Series::new(game, 1)).collect();
        Plan { shared: checked.rules.clone(), series, draws: Draws::PerSubject }
    }

    fn fold(
        _checked: &CheckedGames,
        state: GamesState,
        tallies: &[GameReviews],
        _seed: &GenerationSeed,
    ) -> Step<GamesState> {
        let reviews = tallies.iter().flat_map(|tally| tally.games.iter().cloned());
        Step::Done(GamesState { reviews: reviews.collect(), ..state })
    }

    /// Returns the game with the most moves that lose heavily.
    fn best_trial(
        _checked: &CheckedGames,
        latest: &GamesState,
        _begun: &GamesState,
    ) -> Option<SubjectTrial> {
        let heavy = latest
            .reviews
            .iter()
            .map(|review| review.judged().filter(|it| it.zone().heavy_loss() <= it.loss()).count());
        SubjectTrial::with_largest(heavy.map(Some))
    }

    /// Returns the mean losses of all moves, then the number of judged games and moves.
    fn measures(checked: &CheckedGames, state: &GamesState) -> Vec<Measure> {
        if state.reviews.is_empty() {
            return Vec::new();
        }
        let all = all_moves(checked, state);
        let losses = [("loss_estimated", LossZone::Estimated), ("loss_exact", LossZone::Exact)];
        let losses = losses.into_iter().filter_map(|(name, zone)| {
            let metric = NaturalnessMetric::LossMean(zone);
            let value = measure_value(row(&all, metric)?, checked.spec.error_rate)?;
            Some(Measure::new(name, metric.unit(), value))
        });
        let mut measures: Vec<_> = losses.collect();
        measures.push(Measure::new("games", "games", state.reviews.len() as u64));
        measures.push(Measure::new("moves", "moves", all.total.moves()));
        let n_skipped = archive_param::n_skipped(&checked.spec.games) as u64;
        measures.push(Measure::new("skipped_games", "games", n_skipped));
        measures
    }

    fn exhibits(checked: &CheckedGames, state: &GamesState) -> Vec<Exhibit> {
        if state.reviews.is_empty() {
            return Vec::new();
        }
        let summary = GamesSummary::new(checked, state);
        let mut exhibits = findings::findings(&summary).exhibits();
        exhibits.extend([
            tables::trials(&summary),
            tables::players(&summary.players).csv("players.csv"),
            tables::naturalness(&summary),
            tables::moves(&summary),
            Exhibit::new("games.ggf", "text/plain", tables::ggf(&summary)),
        ]);
        exhibits
    }

    fn findings(
        checked: &CheckedGames,
        state: &GamesState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(&GamesSummary::new(checked, state)))
    }
}

/// Returns the value of a metric, with its interval if it has one.
fn measure_value(row: &NaturalnessRow, error_rate: ErrorRate) -> Option<MeasureValue> {
    let mean = row.value?;
    let Some([low, high]) = row.interval else { return Some(mean.into()) };
    let (n, confidence) = (row.n_games, 1.0 - error_rate.get());
    Some(IntervalEstimate { mean, low, high, n, confidence }.into())
}
