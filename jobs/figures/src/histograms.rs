//! Histograms of several groups, one below the other, with the same bins.

use crate::axis_tick::{self, AxisTick};
use crate::color::Color;
use crate::description;
use crate::document::{DocumentPaper, FigureDocument};
use crate::histogram_bins::{HistogramBins, is_counted};
use crate::linear_scale::LinearScale;
use crate::markup::to_f64;
use crate::palette::{AXIS, GRID, INK, ThemeColor};
use crate::shape::{
    DocumentForm, Paint, Shape, ShapeStyle, StretchMargins, StretchedPart, TextShape,
};

const WIDTH: f64 = 720.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 60.0;
/// The height of a panel's bars, and of the space below them.
const PANEL: f64 = 110.0;
const GAP: f64 = 30.0;
const BOTTOM: f64 = 10.0;
/// The histograms as a part of a page, from this height on.
const STRETCHED: DocumentForm = DocumentForm::Stretched(StretchedPart {
    left: LEFT,
    right: WIDTH - RIGHT,
    margins: StretchMargins::Axes,
});
const INLINE_TOP: f64 = 48.0;
/// The most letters of a name in inline histograms.
const INLINE_NAME: usize = 36;
/// The number of steps of the scale of counts to aim at.
const COUNT_STEPS: f64 = 3.0;
/// A horizontal axis has at most about this many labels.
const MAX_LABELS: usize = 12;
/// Labels with more letters are rounded.
const MAX_DIGITS: usize = 7;

/// Histograms of several groups, one below the other, with the same bins and scale of counts.
#[derive(Clone, Debug)]
pub struct Histograms {
    /// The document's title, for screen readers and tooltips.
    pub title: String,
    /// The text above the panels, in large print.
    pub heading: String,
    /// The text below the heading.
    pub caption: String,
    /// The common bins of the panels.
    pub bins: HistogramBins,
    /// The expected counts of the bins, drawn as a line over the bars of every panel.
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
    /// The values; values that are not finite are not counted.
    pub values: Vec<f64>,
}

impl HistogramPanel {
    /// The color of bars where groups need no colors of their own: the first color of series.
    pub const BARS: Color = Color::rgb(0x00, 0x72, 0xb2);
}

impl Histograms {
    /// Returns the histograms as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn(DocumentForm::Standalone)
    }

    /// Returns the histograms as a part of a page, whose sheet must have [`STYLE_SHEET`]. They are
    /// as wide as the page lets them be, text keeps its size, and title, heading and caption are
    /// left to the page.
    ///
    /// [`STYLE_SHEET`]: crate::STYLE_SHEET
    #[must_use]
    pub fn to_inline_svg(&self) -> String {
        self.drawn(STRETCHED)
    }

    fn drawn(&self, form: DocumentForm) -> String {
        let counts: Vec<_> =
            self.panels.iter().map(|panel| self.bins.counts(&panel.values)).collect();
        let expected = self.expected.iter().copied().filter(|count| is_counted(*count));
        let tallest =
            counts.iter().flatten().map(|&n| to_f64(n)).chain(expected).fold(1.0, f64::max);
        let bold = |at, offset, text: &str, more| {
            Shape::Text(TextShape { more, ..TextShape::new(at, offset, "start", text) })
        };
        let mut shapes = Vec::new();
        if form == DocumentForm::Standalone {
            let large = " font-size=\"16\" font-weight=\"bold\"";
            shapes.push(bold([LEFT, 24.0], [0.0; 2], &self.heading, large));
            shapes.push(bold([LEFT, 42.0], [0.0; 2], &self.caption, ""));
        }
        for (idx, (panel, counts)) in self.panels.iter().zip(counts).enumerate() {
            let floor = TOP + (PANEL + GAP) * to_f64(idx) + PANEL;
            let ends = [floor, floor - PANEL];
            let y = LinearScale::around([0.0, tallest].into_iter(), ends, COUNT_STEPS.min(tallest));
            let y = y.to_ticks();
            shapes.extend(count_axis(&y));
            shapes.extend(self.bars(panel.color, &counts, &y));
            shapes.extend(self.expected_line(&y));
            shapes.extend(self.marker_and_axis(floor));
            let at = [LEFT, floor - PANEL + 12.0];
            let name = form.short(&panel.name, INLINE_NAME);
            shapes.push(bold(at, [6.0, 0.0], &name, " font-weight=\"bold\""));
            shapes.extend(self.labels(floor, form));
        }
        let top = if form == DocumentForm::Standalone { 0.0 } else { INLINE_TOP };
        let height = TOP + (PANEL + GAP) * to_f64(self.panels.len()) + BOTTOM - top;
        let document = FigureDocument {
            title: &self.title,
            description: &self.description(),
            view_box: [0.0, top, WIDTH, height],
            inherited: "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\"",
            paper: DocumentPaper::Theme,
        };
        document.drawn(&shapes, form)
    }

    fn description(&self) -> String {
        let range = |values: &[f64]| {
            let counted = values.iter().copied().filter(|value| is_counted(*value));
            format!(
                "{}, {}",
                description::count(counted.clone().count(), "value"),
                description::range(counted)
            )
        };
        let panels = self
            .panels
            .iter()
            .map(|panel| format!("{}: {}", description::short(&panel.name), range(&panel.values)));
        let text = format!(
            "{} with bins from {}. {}.",
            description::count(self.panels.len(), "histogram"),
            description::range(self.bins.edges().flatten()),
            description::list(panels)
        );
        if !self.is_marker_shown() {
            return text;
        }
        text + &format!(" A dashed line marks {}.", description::number(self.marker))
    }

    /// Returns a bar for each bin that is not empty.
    fn bars(&self, color: Color, counts: &[usize], y: &LinearScale) -> impl Iterator<Item = Shape> {
        let bars = self.bins.edges().zip(counts).filter(|(_, count)| **count != 0);
        bars.map(move |(edges, count)| {
            let [x, end] = edges.map(|edge| self.position(edge));
            let [floor, top] = [0.0, to_f64(*count)].map(|count| y.position(count));
            Shape::Cell {
                corner: [x, top],
                size: [end - x - 0.5, floor - top],
                style: ShapeStyle::faintly_filled(Paint::Fixed(color), 0.75),
                hover: count.to_string(),
            }
        })
    }

    /// Returns the line over the expected counts, if there are any.
    fn expected_line(&self, y: &LinearScale) -> Option<Shape> {
        let expected = self.bins.edges().zip(&self.expected);
        let steps = expected.filter(|(_, count)| is_counted(**count));
        let steps = steps
            .flat_map(|(edges, count)| edges.map(|edge| [self.position(edge), y.position(*count)]));
        let points: Vec<_> = steps.collect();
        (!points.is_empty()).then_some(Shape::Curve { points, style: line(INK, "") })
    }

    /// Returns the marker and the horizontal axis of a panel on `floor`.
    fn marker_and_axis(&self, floor: f64) -> Vec<Shape> {
        let ends = [LEFT, floor, WIDTH - RIGHT, floor];
        let mut shapes = vec![Shape::Line { ends, style: line(AXIS, "") }];
        if self.is_marker_shown() {
            let x = self.position(self.marker);
            shapes
                .push(Shape::Line { ends: [x, floor, x, floor - PANEL], style: line(INK, "3 3") });
        }
        shapes
    }

    fn is_marker_shown(&self) -> bool {
        let [first, last] = [0, self.bins.n()].map(|idx| self.bins.edge(idx));
        first <= self.marker && self.marker <= last
    }

    fn labels(&self, floor: f64, form: DocumentForm) -> impl Iterator<Item = Shape> {
        let n = self.bins.n();
        let labeled = (0..=n).step_by(n.div_ceil(MAX_LABELS)).map(|idx| {
            let edge = self.bins.edge(idx);
            let full = edge.to_string();
            let label = if full.len() <= MAX_DIGITS { full } else { description::number(edge) };
            AxisTick { at: self.position(edge), label: Some(label) }
        });
        let ticks: Vec<_> = labeled.collect();
        let ticks = match form {
            DocumentForm::Standalone | DocumentForm::Fixed => ticks,
            DocumentForm::Stretched(_) => axis_tick::thinned(&ticks, WIDTH - LEFT - RIGHT),
        };
        ticks.into_iter().filter_map(move |AxisTick { at, label }| {
            Some(Shape::text([at, floor], [0.0, 15.0], "middle", &label?))
        })
    }

    /// Returns the horizontal position of `value`.
    fn position(&self, value: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * self.bins.share(value)
    }
}

/// Returns the scale of counts with lines of the grid.
fn count_axis(y: &LinearScale) -> impl Iterator<Item = Shape> {
    y.ticks().into_iter().flat_map(|tick| {
        let ends = [LEFT, tick.at, WIDTH - RIGHT, tick.at];
        let label = tick.label.unwrap_or_default();
        let text = TextShape::new([LEFT, tick.at], [-8.0, 4.0], "end", &label);
        [Shape::Line { ends, style: line(GRID, "") }, Shape::Text(text)]
    })
}

const fn line(color: ThemeColor, dashes: &'static str) -> ShapeStyle {
    ShapeStyle::stroked(Paint::Theme(color), 1.0, dashes)
}
