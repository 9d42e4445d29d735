//! Win rates of agents, for people and tables.

use hatchery_core::findings::{RichText, words};
use hatchery_core::table::TableColumns;
use hatchery_core::{IntervalEstimate, SubjectTrial};
use hatchery_figures::{
    MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, ReferenceLine, SeriesForm,
};
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{MeanDifference, StandardError, wilson_interval};

/// Returns the share of won games of losses, draws and wins, with the interval of Wilson.
pub(super) fn win_rate([losses, draws, wins]: [u64; 3]) -> IntervalEstimate {
    let rate = wilson_interval(wins, losses + draws + wins, ErrorRate::FIVE_PERCENT);
    rate.expect("wins are among the games")
}

/// Returns the sums of losses, draws and wins.
pub(super) fn sum(games: impl IntoIterator<Item = [u64; 3]>) -> [u64; 3] {
    games.into_iter().fold([0; 3], |sum, games| std::array::from_fn(|at| sum[at] + games[at]))
}

/// Returns the index of the network with the most points, by losses, draws and wins: two for a win
/// and one for a draw. `None` if no network has games.
pub(super) fn strongest(games: impl Iterator<Item = Option<[u64; 3]>>) -> Option<usize> {
    let points = games.map(|games| games.map(|[_, draws, wins]| draws + 2 * wins));
    Some(SubjectTrial::with_largest(points)?.subject as usize)
}

/// Adds the columns of games to a file: losses, draws and wins, and the share of won games.
pub(super) fn game_columns<'a, R>(
    table: TableColumns<'a, R>,
    games: impl Fn(&'a R) -> [u64; 3],
) -> TableColumns<'a, R> {
    table
        .count("games", |row| games(row).iter().sum::<u64>())
        .each(["losses", "draws", "wins"].into_iter().enumerate(), |table, (at, name)| {
            table.count(name, |row| games(row)[at])
        })
        .estimate(["win_rate", "low", "high"], 4, |row| win_rate(games(row)))
}

/// Returns a curve of win rates. Each point is a number of steps or games, and the rate after them.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(super) fn rate_series(
    name: String,
    points: impl Iterator<Item = (u64, IntervalEstimate)>,
) -> PointSeries {
    let points = points
        .map(|(x, rate)| MeasuredPoint { x: x as f64, y: Quantity::from(rate).scaled(100.0) });
    PointSeries { name, form: SeriesForm::JoinedPoints, points: points.collect() }
}

/// Returns the chart of curves of win rates.
pub(super) fn rate_chart(title: String, x_label: &str, series: Vec<PointSeries>) -> PointChart {
    PointChart {
        title,
        x_label: x_label.to_owned(),
        y_label: "games won, %".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0, 100.0],
        reference: Some(ReferenceLine { name: "50 %".to_owned(), y: 50.0 }),
        series,
    }
}

/// Games by an arm's networks after the same number of steps: every network's losses, draws and
/// wins.
///
/// Means and differences are those over networks where there are two or more, so that their
/// intervals say what other seeds would give, and over games otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) struct NetworkGames<'a>(pub(super) &'a [[u64; 3]]);

impl NetworkGames<'_> {
    /// Returns the mean win rate and its standard error; `None` without networks.
    fn mean(self) -> Option<(f64, StandardError)> {
        let rates: Vec<_> = self.0.iter().map(|&games| win_rate(games)).collect();
        match rates.as_slice() {
            [] => None,
            [rate] => {
                let variance = rate.mean * (1.0 - rate.mean);
                let value = libm::sqrt(variance / to_f64(rate.n.max(1)));
                Some((rate.mean, StandardError { value, degrees: rate.n.max(2) - 1 }))
            }
            rates => {
                let n = to_f64(rates.len() as u64);
                let mean = rates.iter().map(|rate| rate.mean).sum::<f64>() / n;
                let squares = rates.iter().map(|it| (it.mean - mean) * (it.mean - mean));
                let value = libm::sqrt(squares.sum::<f64>() / (n - 1.0) / n);
                Some((mean, StandardError { value, degrees: rates.len() as u64 - 1 }))
            }
        }
    }

    /// Returns the mean win rate of the networks with Student's interval over networks, from 0 to
    /// 1; `None` for fewer than two.
    pub(super) fn mean_of_networks(self) -> Option<IntervalEstimate> {
        let n = self.0.len() as u64;
        if n < 2 {
            return None;
        }
        let (mean, error) = self.mean()?;
        let estimate = MeanDifference { mean, error }.interval(ErrorRate::FIVE_PERCENT, n);
        let [low, high] = [estimate.low.max(0.0), estimate.high.min(1.0)];
        Some(IntervalEstimate { low, high, ..estimate })
    }

    /// Returns the difference of the win rates of two arms with the interval of Welch.
    pub(super) fn difference(self, other: Self) -> Option<IntervalEstimate> {
        let ((a, error_a), (b, error_b)) = (self.mean()?, other.mean()?);
        let n = (self.0.len() + other.0.len()) as u64;
        let difference = MeanDifference::new(a - b, [error_a, error_b]);
        Some(difference.interval(ErrorRate::FIVE_PERCENT, n))
    }

    /// Returns what the interval of a difference is over: `games` or `networks`.
    pub(super) fn compared_over(self, other: Self) -> &'static str {
        if self.0.len().min(other.0.len()) < 2 { "games" } else { "networks" }
    }
}

/// Compares the win rates of two arms in words: `vectors less one-hot is -1.5 points (-5.4 to +2.4,
/// over games): equal within the interval`.
pub(super) fn comparison(
    [first, second]: [&str; 2],
    [games, others]: [NetworkGames<'_>; 2],
) -> Option<RichText> {
    let difference = games.difference(others)?;
    let verdict = if 0.0 < difference.low {
        format!("more wins with {first}")
    } else if difference.high < 0.0 {
        format!("more wins with {second}")
    } else {
        "equal within the interval".to_owned()
    };
    let mean = words::signed_points(difference.mean);
    let interval = words::interval(&difference, words::signed_points);
    let over = games.compared_over(others);
    let less = RichText::new(format!("{first} less {second} is {mean} points"));
    Some(less.soft(format!(" ({interval}, over {over})")).plain(format!(": {verdict}")))
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 games")]
fn to_f64(n: u64) -> f64 {
    n as f64
}
