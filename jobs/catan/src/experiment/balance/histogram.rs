//! `win-rates.svg`: how often which win rate, seat by seat, as Fig. 1 of Hwang & Kaneko.

use hatchery_stats::normal;

use super::summary::Summary;
use crate::balance::points;
use crate::rules::Seat;

const WIDTH: f64 = 720.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 60.0;
/// Of each seat's panel, and the space below it.
const PANEL: f64 = 110.0;
const GAP: f64 = 30.0;
const COLORS: [&str; Seat::COUNT] = ["#b5452c", "#2f6f9f", "#c98a1b", "#4d7f3d"];

/// The bins that all panels share: from `low` by `step`, in percent.
struct Bins {
    low: f64,
    step: f64,
    n: usize,
}

impl Bins {
    /// Bins of 0.5 points, or wider ones if there were more than 60, that hold all `rates` and 25.
    fn of(rates: &[[f64; Seat::COUNT]]) -> Self {
        const MOST: f64 = 60.0;
        let all = || rates.iter().flatten().copied();
        let least = all().fold(24.0, f64::min);
        let most = all().fold(26.0, f64::max);
        let step = [0.5, 1.0, 2.0].into_iter().find(|step| most - least <= MOST * step);
        let step = step.unwrap_or(5.0);
        let low = libm::floor(least / step) * step;
        let mut n = 1;
        while low + step * to_f64(n) <= most {
            n += 1;
        }
        Self { low, step, n }
    }

    fn edge(&self, idx: usize) -> f64 {
        self.low + self.step * to_f64(idx)
    }

    fn place(&self, rate: f64) -> usize {
        (0..self.n).rev().find(|&idx| self.edge(idx) <= rate).unwrap_or(0)
    }

    fn x(&self, rate: f64) -> f64 {
        let width = WIDTH - LEFT - RIGHT;
        LEFT + width * (rate - self.low) / (self.step * to_f64(self.n))
    }
}

/// A panel for each seat: a bar for each bin of win rates, and as a line what chance alone would
/// show if all maps were fair.
pub(super) fn svg(summary: &Summary<'_>) -> String {
    let (mut rates, mut decided) = (Vec::new(), Vec::new());
    for (map, shown) in summary.shown() {
        rates.push(shown.balance.rates.map(|rate| points(rate.mean)));
        decided.push(map.results.decided());
    }
    let bins = Bins::of(&rates);
    let expected = by_chance(&bins, &decided);
    let counts: Vec<Vec<usize>> = (0..Seat::COUNT)
        .map(|seat| {
            let mut counts = vec![0; bins.n];
            rates.iter().for_each(|rates| counts[bins.place(rates[seat])] += 1);
            counts
        })
        .collect();
    let tallest = counts.iter().flatten().map(|&n| to_f64(n)).fold(1.0, f64::max);
    let tallest = expected.iter().copied().fold(tallest, f64::max);
    let height = TOP + (PANEL + GAP) * to_f64(Seat::COUNT) + 10.0;
    let mut lines = vec![
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#33302b\" \
             role=\"img\">"
        ),
        "<title>Win rates of the seats over maps</title>".to_owned(),
        format!("<rect width=\"{WIDTH:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>"),
        format!(
            "<text x=\"{LEFT}\" y=\"24\" font-size=\"16\" font-weight=\"bold\">Win rates of the \
             seats over {} maps</text>",
            rates.len()
        ),
        format!(
            "<text x=\"{LEFT}\" y=\"42\">% of decided games; seats by the order of the first \
             settlements; line: what chance shows of fair maps</text>"
        ),
    ];
    for (seat, counts) in counts.iter().enumerate() {
        let floor = TOP + (PANEL + GAP) * to_f64(seat) + PANEL;
        lines.push(panel(&bins, seat, counts, &expected, (floor, PANEL / tallest)));
    }
    lines.push("</svg>\n".to_owned());
    lines.join("\n")
}

/// The panel of `seat` on `floor`, with so much height for a map.
fn panel(
    bins: &Bins,
    seat: usize,
    counts: &[usize],
    expected: &[f64],
    (floor, unit): (f64, f64),
) -> String {
    let color = COLORS[seat];
    let bars = counts.iter().enumerate().filter(|(_, count)| **count != 0).map(|(idx, count)| {
        let (x, end) = (bins.x(bins.edge(idx)), bins.x(bins.edge(idx + 1)));
        let height = unit * to_f64(*count);
        format!(
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" \
             fill=\"{color}\" fill-opacity=\"0.75\"/>",
            floor - height,
            end - x - 0.5
        )
    });
    let steps = expected.iter().enumerate().map(|(idx, count)| {
        let [from, to] = [idx, idx + 1].map(|idx| bins.x(bins.edge(idx)));
        let y = floor - unit * count;
        format!("{from:.1},{y:.1} {to:.1},{y:.1}")
    });
    let labels = (0..=bins.n).filter(|idx| idx % label_every(bins.n) == 0).map(|idx| {
        let rate = bins.edge(idx);
        format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{rate}</text>",
            bins.x(rate),
            floor + 15.0
        )
    });
    let fair = bins.x(25.0);
    let mut parts: Vec<String> = bars.collect();
    parts.push(format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#33302b\"/>",
        steps.collect::<Vec<_>>().join(" ")
    ));
    parts.push(format!(
        "<path d=\"M{fair:.1} {floor:.1}v-{PANEL}\" stroke=\"#33302b\" stroke-dasharray=\"3 3\"/>\
         <path d=\"M{LEFT} {floor:.1}H{:.0}\" stroke=\"#33302b\"/>\
         <text x=\"{LEFT}\" y=\"{:.1}\" font-weight=\"bold\">seat {}</text>",
        WIDTH - RIGHT,
        floor - PANEL + 12.0,
        seat + 1
    ));
    parts.extend(labels);
    parts.join("\n")
}

/// The expected number of maps in each bin if all are fair: rates are nearly normal.
fn by_chance(bins: &Bins, decided: &[u64]) -> Vec<f64> {
    let below = |rate: f64, n: u64| {
        #[expect(clippy::cast_precision_loss, reason = "numbers of games are far below 2^53")]
        let deviation = points(libm::sqrt(0.1875 / n as f64));
        normal::cdf((rate - 25.0) / deviation)
    };
    let of_bin = |idx| {
        let (low, high) = (bins.edge(idx), bins.edge(idx + 1));
        decided.iter().map(|&n| below(high, n) - below(low, n)).sum()
    };
    (0..bins.n).map(of_bin).collect()
}

/// How many bins there are from one label to the next.
fn label_every(n_bins: usize) -> usize {
    n_bins.div_ceil(12)
}

#[expect(clippy::cast_precision_loss, reason = "numbers of maps and bins are far below 2^53")]
fn to_f64(n: usize) -> f64 {
    n as f64
}
