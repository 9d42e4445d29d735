//! Small lines without axes, for rows of tables.

use crate::description;
use crate::document::{CHART_FONT, DocumentPaper, FigureDocument};
use crate::linear_scale::LinearScale;
use crate::markup::to_f64;
use crate::palette::{PAPER, SERIES};
use crate::quantity::Quantity;
use crate::shape::{DocumentForm, Paint, Shape, ShapeStyle};
use crate::thinning::thinned;

const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 28.0;
/// The space around the line, for the mark of the last value.
const MARGIN: f64 = 5.0;
/// The most groups of values that the line is thinned to: its width in pixels.
const MAX_GROUPS: usize = 120;
const COLOR: Paint = Paint::Theme(SERIES[0]);

/// A small line without axes or text, whose last value has a mark: the course of a number beside
/// the number itself.
///
/// The values are at equal distances; intervals of estimates are a band. Values that cannot be
/// drawn are left out, and the line continues behind them. Of more values than the line is wide,
/// the extremes are kept.
#[derive(Clone, Debug)]
pub struct Sparkline {
    /// The name, for screen readers and tooltips.
    pub title: String,
    /// The values, from left to right.
    pub values: Vec<Quantity>,
}

impl Sparkline {
    /// Returns the line as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn(DocumentForm::Standalone)
    }

    /// Returns the line as a part of a page, whose sheet must have [`STYLE_SHEET`]. It is 120
    /// pixels wide.
    ///
    /// [`STYLE_SHEET`]: crate::STYLE_SHEET
    #[must_use]
    pub fn to_inline_svg(&self) -> String {
        self.drawn(DocumentForm::Fixed)
    }

    fn drawn(&self, form: DocumentForm) -> String {
        let document = FigureDocument {
            title: &self.title,
            description: &self.description(),
            view_box: [0.0, 0.0, WIDTH, HEIGHT],
            inherited: CHART_FONT,
            paper: DocumentPaper::Theme,
        };
        document.drawn(&self.shapes(), form)
    }

    fn shapes(&self) -> Vec<Shape> {
        let last = to_f64(self.values.len().saturating_sub(1));
        let x = LinearScale::around([0.0, last].into_iter(), [MARGIN, WIDTH - MARGIN], 1.0);
        let ends = self.drawn_values().flat_map(|(_, (value, [low, high]))| [value, low, high]);
        let y = LinearScale::around(ends, [HEIGHT - MARGIN, MARGIN], 1.0);
        let place = |idx: usize, value: f64| [x.position(to_f64(idx)), y.position(value)];
        let values = thinned(self.drawn_values().collect(), MAX_GROUPS, |(_, (_, ends))| *ends);
        let at = |part: fn((f64, [f64; 2])) -> f64| -> Vec<[f64; 2]> {
            values.iter().map(|(idx, value)| place(*idx, part(*value))).collect()
        };
        let points = at(|(value, _)| value);
        let (lower, upper) = (at(|(_, [low, _])| low), at(|(_, [_, high])| high));
        let corners: Vec<_> = upper.into_iter().chain(lower.into_iter().rev()).collect();
        let Some(end) = points.last().copied() else {
            return Vec::new();
        };
        let mut shapes = Vec::new();
        if self.values.iter().any(|value| matches!(value, Quantity::Estimate { .. })) {
            shapes.push(Shape::Area { corners, style: ShapeStyle::faintly_filled(COLOR, 0.2) });
        }
        shapes.push(Shape::Curve { points, style: ShapeStyle::stroked(COLOR, 1.5, "") });
        shapes.push(Shape::Mark {
            at: end,
            path: "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z".to_owned(),
            style: ShapeStyle::filled(COLOR).outlined(Paint::Theme(PAPER), 1.0),
        });
        shapes
    }

    /// Returns the values that can be drawn, with their indices.
    fn drawn_values(&self) -> impl Iterator<Item = (usize, (f64, [f64; 2]))> {
        let values = self.values.iter().enumerate();
        values.filter_map(|(idx, value)| Some((idx, value.drawn()?)))
    }

    fn description(&self) -> String {
        let drawn: Vec<_> = self.values.iter().filter(|value| value.drawn().is_some()).collect();
        let [Some(first), Some(last)] = [drawn.first(), drawn.last()] else {
            return "Line without values.".to_owned();
        };
        let n = description::count(drawn.len(), "value");
        format!("Line of {n}, from {} to {}.", first.words(), last.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(values: &[Quantity]) -> String {
        Sparkline { title: "t".to_owned(), values: values.to_vec() }.to_svg()
    }

    #[test]
    fn the_last_value_has_a_mark() {
        let svg = svg(&[1.0, 3.0, f64::NAN, 2.0].map(Quantity::Exact));
        let line = "<polyline points=\"5.0,23.0 41.7,5.0 115.0,14.0\"";
        assert!(svg.contains(line) && svg.contains("M115.0 14.0"), "{svg}");
        assert!(!svg.contains("<polygon"), "{svg}");
        assert!(svg.contains("<desc>Line of 3 values, from 1 to 2.</desc>"), "{svg}");
    }

    #[test]
    fn estimates_have_a_band() {
        let estimate = |value| Quantity::Estimate { value, interval: [value - 1.0, value + 1.0] };
        assert!(svg(&[1.0, 2.0].map(estimate)).contains("<polygon"));
        assert!(!svg(&[]).contains("<path"));
    }
}
