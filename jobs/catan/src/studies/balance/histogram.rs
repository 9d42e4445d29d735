//! The distributions of the seats' win rates over maps, as in Fig. 1 of Hwang & Kaneko.

use hatchery_figures::{Color, HistogramBins, HistogramPanel, Histograms};
use hatchery_stats::normal;

use super::summary::BalanceSummary;
use crate::studies::map_card::{EVEN_RATE, SEAT_COLORS};
use crate::trial::seat_balance::percentage_points;

/// The narrowest bins, in percentage points.
const MIN_BIN_WIDTH: f64 = 0.5;

/// Returns a panel for each seat: a bar for each bin of win rates, and as a line what chance alone
/// would show if all maps were fair.
pub(super) fn chart(summary: &BalanceSummary<'_>) -> Histograms {
    let (mut rates, mut decided) = (Vec::new(), Vec::new());
    for (map, statistics) in summary.maps_with_statistics() {
        rates.push(statistics.balance.rates.map(|rate| percentage_points(rate.mean)));
        decided.push(map.results.decided());
    }
    let shown = rates.iter().flatten().copied().chain([EVEN_RATE - 1.0, EVEN_RATE + 1.0]);
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
        expected: counts_by_chance(&bins, &decided),
        marker: EVEN_RATE,
        panels: SEAT_COLORS.into_iter().enumerate().map(panel).collect(),
    }
}

/// Returns the expected number of maps in each bin if all are fair: rates are nearly normal.
fn counts_by_chance(bins: &HistogramBins, decided: &[u64]) -> Vec<f64> {
    let below = |rate: f64, n: u64| {
        #[expect(clippy::cast_precision_loss, reason = "numbers of games are far below 2^53")]
        let deviation = percentage_points(libm::sqrt(0.1875 / n as f64));
        normal::cdf((rate - EVEN_RATE) / deviation)
    };
    let in_bin =
        |[low, high]: [f64; 2]| decided.iter().map(|&n| below(high, n) - below(low, n)).sum();
    bins.edges().map(in_bin).collect()
}
