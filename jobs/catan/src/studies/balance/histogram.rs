//! The distributions of the seats' win rates over maps, as in Fig. 1 of Hwang & Kaneko.

use hatchery_figures::{Color, HistogramBins, HistogramPanel, Histograms};
use hatchery_stats::normal;

use super::summary::BalanceSummary;
use crate::studies::map_card::{SEAT_COLORS, even_rate};
use crate::trial::seat_balance::percentage_points;

/// The narrowest bins, in percentage points.
const MIN_BIN_WIDTH: f64 = 0.5;

/// Returns a panel for each seat: a bar for each bin of win rates, and as a line what chance alone
/// would show if all maps were fair.
pub(super) fn chart(summary: &BalanceSummary<'_>) -> Histograms {
    let (mut rates, mut decided) = (Vec::new(), Vec::new());
    for (map, statistics) in summary.maps_with_statistics() {
        let of_map = statistics.balance.rates.iter().map(|rate| percentage_points(rate.mean));
        rates.push(of_map.collect::<Vec<_>>());
        decided.push(map.results.decided());
    }
    let n_seats = summary.checked.look_schedule.n_seats();
    let even = even_rate(n_seats);
    let shown = rates.iter().flatten().copied().chain([even - 1.0, even + 1.0]);
    let bins = HistogramBins::around(shown, MIN_BIN_WIDTH);
    let panel = |(seat, color): (usize, Color)| HistogramPanel {
        name: format!("seat {}", seat + 1),
        color,
        values: rates.iter().map(|rates| rates[seat]).collect(),
    };
    Histograms {
        title: "Win rates of the seats over maps".to_owned(),
        heading: format!("Win rates of the seats over {} maps", rates.len()),
        caption: "% of decided games; seats by the order of the first settlements; line: what \
                  chance shows of fair maps"
            .to_owned(),
        bins,
        expected: counts_by_chance(&bins, &decided, even),
        marker: even,
        panels: SEAT_COLORS.into_iter().take(n_seats).enumerate().map(panel).collect(),
    }
}

/// Returns the expected number of maps in each bin if all are fair, with a rate of `even` percent:
/// rates are nearly normal.
fn counts_by_chance(bins: &HistogramBins, decided: &[u64], even: f64) -> Vec<f64> {
    let variance = even / 100.0 * (1.0 - even / 100.0);
    let below = |rate: f64, n: u64| {
        #[expect(clippy::cast_precision_loss, reason = "numbers of games are far below 2^53")]
        let deviation = percentage_points(libm::sqrt(variance / n as f64));
        normal::cdf((rate - even) / deviation)
    };
    let in_bin =
        |[low, high]: [f64; 2]| decided.iter().map(|&n| below(high, n) - below(low, n)).sum();
    bins.edges().map(in_bin).collect()
}
