//! Win rates of agents, for people and tables.

use hatchery_core::IntervalEstimate;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::wilson_interval;

/// The columns of [`cells`].
pub(super) const COLUMNS: &str = "games,losses,draws,wins,win_rate,low,high";

/// Returns the share of won games of losses, draws and wins, with the interval of Wilson.
pub(super) fn win_rate([losses, draws, wins]: [u64; 3]) -> IntervalEstimate {
    let rate = wilson_interval(wins, losses + draws + wins, ErrorRate::FIVE_PERCENT);
    rate.expect("wins are among the games")
}

/// Returns the sums of losses, draws and wins.
pub(super) fn sum(games: impl IntoIterator<Item = [u64; 3]>) -> [u64; 3] {
    games.into_iter().fold([0; 3], |sum, games| std::array::from_fn(|at| sum[at] + games[at]))
}

/// Returns losses, draws and wins, and their rate, as cells of CSV.
pub(super) fn cells(games: [u64; 3]) -> String {
    let [losses, draws, wins] = games;
    let all = losses + draws + wins;
    let IntervalEstimate { mean, low, high, .. } = win_rate(games);
    format!("{all},{losses},{draws},{wins},{mean:.4},{low:.4},{high:.4}")
}

/// Returns a rate in percent with its interval, such as `50.0 % (40.0 to 60.0)`.
pub(super) fn percent(rate: &IntervalEstimate) -> String {
    let [mean, low, high] = [rate.mean, rate.low, rate.high].map(|it| 100.0 * it);
    format!("{mean:.1} % ({low:.1} to {high:.1})")
}
