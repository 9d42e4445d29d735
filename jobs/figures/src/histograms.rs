//! Histograms of several groups, one below the other, with the same bins.

use crate::color::Color;
use crate::markup::{escape_text, to_f64};

const WIDTH: f64 = 720.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 60.0;
/// The height of a panel's bars, and of the space below them.
const PANEL: f64 = 110.0;
const GAP: f64 = 30.0;
const BOTTOM: f64 = 10.0;
/// Bins become wider rather than more numerous than this; 60 are 10.7 units wide each.
const MAX_BINS: usize = 60;
/// A horizontal axis has at most about this many labels.
const MAX_LABELS: usize = 12;
/// Values beyond this count as infinite: sums and widths of bins stay finite.
const MAX_VALUE: f64 = 1e100;

/// Histograms of several groups, one below the other, with the same bins and scale of counts.
#[derive(Clone, Debug)]
pub struct Histograms {
    /// The document's title, for screen readers and tooltips.
    pub title: String,
    /// The text above the panels, in large print.
    pub heading: String,
    /// The text below the heading.
    pub caption: String,
    /// The bins of all panels.
    pub bins: HistogramBins,
    /// The expected count of each bin, drawn as a line over the bars of every panel.
    pub expected: Vec<f64>,
    /// The value at a dashed vertical line, such as what would be fair.
    pub marker: f64,
    /// The panels, from top to bottom.
    pub panels: Vec<HistogramPanel>,
}

/// The histogram of a group.
#[derive(Clone, Debug)]
pub struct HistogramPanel {
    /// The group's name.
    pub name: String,
    /// The color of its bars.
    pub color: Color,
    /// The values; those that are not finite are not counted.
    pub values: Vec<f64>,
}

/// Bins of equal width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistogramBins {
    low: f64,
    width: f64,
    n: usize,
}

impl HistogramBins {
    /// Returns bins of `min_width`, doubled until there are about 60 at most, that begin with a
    /// multiple of their width and hold all finite `values`; one bin if there are none.
    ///
    /// # Panics
    /// If `min_width` is not positive.
    #[must_use]
    pub fn around(values: impl IntoIterator<Item = f64>, min_width: f64) -> Self {
        assert!(0.0 < min_width, "bins have a width");
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| is_counted(*value)) {
            least = least.min(value);
            most = most.max(value);
        }
        if most < least {
            (least, most) = (0.0, 0.0);
        }
        let mut width = min_width;
        while most - least > to_f64(MAX_BINS) * width {
            width *= 2.0;
        }
        let low = libm::floor(least / width) * width;
        let past = |n: &usize| low + width * to_f64(*n) > most;
        let n = (1..=MAX_BINS).find(past).unwrap_or(MAX_BINS + 1);
        Self { low, width, n }
    }

    /// Returns `n` bins that divide the range evenly.
    ///
    /// # Panics
    /// If the range is empty or not finite, or `n` is 0.
    #[must_use]
    pub fn between([low, high]: [f64; 2], n: usize) -> Self {
        assert!(low < high && is_counted(low) && is_counted(high), "a range has a width");
        assert!(n != 0, "there is a bin");
        Self { low, width: (high - low) / to_f64(n), n }
    }

    /// Returns the lower and the upper edge of each bin, from left to right.
    pub fn edges(&self) -> impl Iterator<Item = [f64; 2]> {
        (0..self.n).map(|idx| [self.edge(idx), self.edge(idx + 1)])
    }

    /// Returns the number of bins.
    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// Returns the index of the bin that `value` is in, or is nearest to.
    pub(crate) fn index(&self, value: f64) -> usize {
        (0..self.n).rev().find(|&idx| self.edge(idx) <= value).unwrap_or(0)
    }

    fn edge(&self, idx: usize) -> f64 {
        self.low + self.width * to_f64(idx)
    }

    /// Returns the number of finite `values` in each bin; what is outside of all bins counts in the
    /// nearest one.
    fn counts(&self, values: &[f64]) -> Vec<usize> {
        let mut counts = vec![0; self.n];
        for value in values.iter().filter(|value| is_counted(**value)) {
            counts[self.index(*value)] += 1;
        }
        counts
    }

    /// Returns the horizontal position of `value`.
    fn position(&self, value: f64) -> f64 {
        let width = WIDTH - LEFT - RIGHT;
        LEFT + width * (value - self.low) / (self.width * to_f64(self.n))
    }
}

fn is_counted(value: f64) -> bool {
    value.abs() <= MAX_VALUE
}

impl Histograms {
    /// Returns the histograms as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let counts: Vec<_> =
            self.panels.iter().map(|panel| self.bins.counts(&panel.values)).collect();
        let expected = self.expected.iter().copied().filter(|count| is_counted(*count));
        let tallest =
            counts.iter().flatten().map(|&n| to_f64(n)).chain(expected).fold(1.0, f64::max);
        let height = TOP + (PANEL + GAP) * to_f64(self.panels.len()) + BOTTOM;
        let [title, heading, caption] =
            [&self.title, &self.heading, &self.caption].map(|text| escape_text(text));
        let mut lines = vec![
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" \
                 font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#33302b\" \
                 role=\"img\">"
            ),
            format!("<title>{title}</title>"),
            format!("<rect width=\"{WIDTH:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>"),
            format!(
                "<text x=\"{LEFT}\" y=\"24\" font-size=\"16\" font-weight=\"bold\">{heading}</text>"
            ),
            format!("<text x=\"{LEFT}\" y=\"42\">{caption}</text>"),
        ];
        for (idx, (panel, counts)) in self.panels.iter().zip(counts).enumerate() {
            let floor = TOP + (PANEL + GAP) * to_f64(idx) + PANEL;
            lines.extend(self.bars(panel.color, &counts, floor, PANEL / tallest));
            lines.extend(self.expected_line(floor, PANEL / tallest));
            lines.push(self.frame(&panel.name, floor));
            lines.extend(self.labels(floor));
        }
        lines.push("</svg>\n".to_owned());
        lines.join("\n")
    }

    /// Returns a bar on `floor` for each bin that is not empty, `unit` high for each value.
    fn bars(
        &self,
        color: Color,
        counts: &[usize],
        floor: f64,
        unit: f64,
    ) -> impl Iterator<Item = String> {
        let bars = self.bins.edges().zip(counts).filter(|(_, count)| **count != 0);
        bars.map(move |(edges, count)| {
            let [x, end] = edges.map(|edge| self.bins.position(edge));
            let height = unit * to_f64(*count);
            format!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" \
                 fill=\"{color}\" fill-opacity=\"0.75\"/>",
                floor - height,
                end - x - 0.5
            )
        })
    }

    /// Returns the line over the expected counts, if there are any.
    fn expected_line(&self, floor: f64, unit: f64) -> Option<String> {
        let expected = self.bins.edges().zip(&self.expected);
        let steps = expected.filter(|(_, count)| is_counted(**count)).map(|(edges, count)| {
            let [start, end] = edges.map(|edge| self.bins.position(edge));
            let y = floor - unit * count;
            format!("{start:.1},{y:.1} {end:.1},{y:.1}")
        });
        let steps: Vec<_> = steps.collect();
        let points = steps.join(" ");
        let line = format!("<polyline points=\"{points}\" fill=\"none\" stroke=\"#33302b\"/>");
        (!steps.is_empty()).then_some(line)
    }

    /// Returns the marker, the horizontal axis and the name of a panel on `floor`.
    fn frame(&self, name: &str, floor: f64) -> String {
        let name = escape_text(name);
        let [first, last] = [0, self.bins.n].map(|idx| self.bins.edge(idx));
        let mut frame = String::new();
        if first <= self.marker && self.marker <= last {
            let marker = self.bins.position(self.marker);
            frame = format!(
                "<path d=\"M{marker:.1} {floor:.1}v-{PANEL}\" stroke=\"#33302b\" \
                 stroke-dasharray=\"3 3\"/>"
            );
        }
        let (right, top) = (WIDTH - RIGHT, floor - PANEL + 12.0);
        frame
            + &format!(
                "<path d=\"M{LEFT} {floor:.1}H{right:.0}\" stroke=\"#33302b\"/>\
                 <text x=\"{LEFT}\" y=\"{top:.1}\" font-weight=\"bold\">{name}</text>"
            )
    }

    fn labels(&self, floor: f64) -> impl Iterator<Item = String> {
        let labeled = (0..=self.bins.n).step_by(self.bins.n.div_ceil(MAX_LABELS));
        labeled.map(move |idx| {
            let edge = self.bins.edge(idx);
            format!(
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{edge}</text>",
                self.bins.position(edge),
                floor + 15.0
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(values: &[f64]) -> (Vec<[f64; 2]>, Vec<usize>) {
        let bins = HistogramBins::around(values.iter().copied(), 0.5);
        (bins.edges().collect(), bins.counts(values))
    }

    #[test]
    fn bins_begin_with_a_multiple_of_their_width_and_hold_all_values() {
        let (edges, counts) = bins(&[25.25, 24.75, 25.0]);
        assert_eq!(edges, [[24.5, 25.0], [25.0, 25.5]]);
        assert_eq!(counts, [1, 2]);
    }

    #[test]
    fn bins_widen_before_there_are_too_many() {
        let (edges, counts) = bins(&[0.25, 99.75]);
        assert_eq!((edges[0], edges.len()), ([0.0, 2.0], 50));
        assert_eq!((counts[0], counts[49]), (1, 1));
    }

    #[test]
    fn values_without_a_bin_are_not_counted() {
        let (edges, counts) = bins(&[f64::NAN, f64::INFINITY, -1e200]);
        assert_eq!((edges, counts), (vec![[0.0, 0.5]], vec![0]));
    }
}
