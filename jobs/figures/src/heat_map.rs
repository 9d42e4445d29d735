//! Histograms of points in two dimensions.

use crate::chart_frame::{self, ChartFrame, LegendRow, PLOT, TickLabels};
use crate::color::Color;
use crate::description;
use crate::histogram_bins::HistogramBins;
use crate::linear_scale::{LinearScale, is_drawn};
use crate::markup::to_f64;
use crate::shape::{DocumentForm, Paint, Shape, ShapeStyle};

/// The numbers of steps between ticks to aim at: labels fit beside each other.
const X_STEPS: f64 = 8.0;
const Y_STEPS: f64 = 7.0;
/// The colors for a single point and for the most points in a cell.
const LIGHT: [f64; 3] = [198.0, 219.0, 239.0];
const DARK: [f64; 3] = [8.0, 48.0, 107.0];
/// The most rows of the legend.
const LEGEND_ROWS: usize = 6;

/// A histogram of points in two dimensions, whose cells are darker the more points they have.
///
/// Points with a coordinate that is not finite (more exactly, of a magnitude above 1e100) are left
/// out; points beside all bins count in the nearest bins.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// The text above the chart.
    pub title: String,
    /// The text below the horizontal axis.
    pub x_label: String,
    /// The text beside the vertical axis.
    pub y_label: String,
    /// The bins of the horizontal axis.
    pub x_bins: HistogramBins,
    /// The bins of the vertical axis.
    pub y_bins: HistogramBins,
    /// The points.
    pub points: Vec<[f64; 2]>,
}

/// A cell of a heat map with points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatCell {
    /// The left and the right end.
    pub x: [f64; 2],
    /// The lower and the upper end.
    pub y: [f64; 2],
    /// The number of points, at least one.
    pub count: usize,
}

impl HeatMap {
    /// Returns the cells that have points, from left to right, and from below in each column.
    #[must_use]
    pub fn cells(&self) -> Vec<HeatCell> {
        let (columns, rows) = (self.x_bins.n(), self.y_bins.n());
        let mut counts = vec![0; columns * rows];
        for [x, y] in self.points.iter().filter(|point| point.iter().copied().all(is_drawn)) {
            counts[self.x_bins.index(*x) * rows + self.y_bins.index(*y)] += 1;
        }
        let places = self.x_bins.edges().flat_map(|x| self.y_bins.edges().map(move |y| (x, y)));
        let cells = places.zip(counts).map(|((x, y), count)| HeatCell { x, y, count });
        cells.filter(|cell| cell.count != 0).collect()
    }

    /// Returns the chart as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn(DocumentForm::Standalone)
    }

    /// Returns the chart as a part of a page, whose sheet must have [`STYLE_SHEET`]. It is as wide
    /// as the page lets it be, text keeps its size, and the title is left to the page.
    ///
    /// [`STYLE_SHEET`]: crate::STYLE_SHEET
    #[must_use]
    pub fn to_inline_svg(&self) -> String {
        self.drawn(chart_frame::STRETCHED)
    }

    fn drawn(&self, form: DocumentForm) -> String {
        let [left, top, right, bottom] = PLOT;
        let scale = |bins: &HistogramBins, ends, n_steps| {
            LinearScale::around(bins.edges().flatten(), ends, n_steps)
        };
        let x_axis = scale(&self.x_bins, [left, right], X_STEPS);
        let y_axis = scale(&self.y_bins, [bottom, top], Y_STEPS);
        let cells = self.cells();
        let most = cells.iter().map(|cell| cell.count).max().unwrap_or(0);
        let style = |count| ShapeStyle::filled(Paint::Fixed(shade(count, most)));
        let drawn = cells.iter().map(|cell| {
            let [x, end] = cell.x.map(|edge| x_axis.position(edge));
            let [low, y] = cell.y.map(|edge| y_axis.position(edge));
            let (corner, size) = ([x, y], [end - x, low - y]);
            Shape::Cell { corner, size, style: style(cell.count), hover: cell.count.to_string() }
        });
        let shown = legend_counts(most);
        let names: Vec<_> = shown.iter().map(usize::to_string).collect();
        let rows = shown.iter().zip(&names);
        let frame = ChartFrame {
            title: &self.title,
            description: self.description(most),
            x_label: &self.x_label,
            y_label: &self.y_label,
            ticks: [x_axis.ticks(), y_axis.ticks()],
            x_labels: TickLabels::Numbers,
            legend: rows.map(|(count, name)| LegendRow::of_area(name, style(*count))).collect(),
        };
        frame.document(&drawn.collect::<Vec<_>>(), form)
    }

    fn description(&self, most: usize) -> String {
        let range = |bins: &HistogramBins| description::range(bins.edges().flatten());
        format!(
            "Heat map of {}: {} from {}, {} from {}. The darkest cell has {most}.",
            description::count(self.points.len(), "point"),
            description::short(&self.x_label),
            range(&self.x_bins),
            description::short(&self.y_label),
            range(&self.y_bins)
        )
    }
}

/// Returns the counts that the legend shows, from the most down to one.
fn legend_counts(most: usize) -> Vec<usize> {
    let rows = LEGEND_ROWS.min(most);
    let mut counts: Vec<_> =
        (0..rows).map(|row| most - row * (most - 1) / (rows - 1).max(1)).collect();
    counts.dedup();
    counts
}

/// Returns the color of a cell with `count` points where the most are `most`.
fn shade(count: usize, most: usize) -> Color {
    let share = to_f64(count.saturating_sub(1)) / to_f64(most.saturating_sub(1).max(1));
    Color::mixed(LIGHT, DARK, share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(points: &[[f64; 2]]) -> HeatMap {
        let [title, x_label, y_label] = ["t", "x", "y"].map(str::to_owned);
        let x_bins = HistogramBins::between([0.0, 1.0], 4);
        let y_bins = HistogramBins::between([0.0, 10.0], 2);
        HeatMap { title, x_label, y_label, x_bins, y_bins, points: points.to_vec() }
    }

    #[test]
    fn points_are_counted_in_their_cells() {
        let cells =
            map(&[[0.3, 7.0], [0.26, 5.0], [1.0, 0.0], [9.0, -3.0], [f64::NAN, 1.0]]).cells();
        let expected = [
            HeatCell { x: [0.25, 0.5], y: [5.0, 10.0], count: 2 },
            HeatCell { x: [0.75, 1.0], y: [0.0, 5.0], count: 2 },
        ];
        assert_eq!(cells, expected);
        assert_eq!(map(&[]).cells(), []);
    }

    #[test]
    fn cells_fill_the_plot() {
        let svg = map(&[[0.1, 1.0], [0.9, 9.0], [0.9, 9.0]]).to_svg();
        // The plot reaches from 70 to 640 and from 46 to 424.
        let light =
            "<rect x=\"70.0\" y=\"235.0\" width=\"142.5\" height=\"189.0\" fill=\"#c6dbef\">";
        let dark =
            "<rect x=\"497.5\" y=\"46.0\" width=\"142.5\" height=\"189.0\" fill=\"#08306b\">";
        assert!(svg.contains(light) && svg.contains(dark), "{svg}");
    }

    #[test]
    fn the_legend_ends_with_one() {
        assert_eq!(legend_counts(0), [0; 0]);
        assert_eq!(legend_counts(1), [1]);
        assert_eq!(legend_counts(2), [2, 1]);
        assert_eq!(legend_counts(101), [101, 81, 61, 41, 21, 1]);
    }
}
