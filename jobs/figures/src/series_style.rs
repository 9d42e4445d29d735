//! How the series of a chart are told apart: colors, dashes and shapes of points.

use crate::chart_frame::{LegendRow, SAMPLE_WIDTH};
use crate::palette::{PAPER, SERIES, ThemeColor};
use crate::shape::{Paint, Shape, ShapeStyle};

/// The dashes that tell lines apart without color.
const DASHES: [&str; 5] = ["", "7 4", "2 3", "9 3 2 3", "12 4"];
/// The outlines of a disk and a diamond, from their center.
pub(crate) const DISK: &str = "m-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0z";
pub(crate) const DIAMOND: &str = "m0 -5.8l5.2 5.8l-5.2 5.8l-5.2 -5.8z";
/// Outlines of points, from their center: a disk, a square, two triangles, a diamond, and a cross
/// upright and aslant.
const SHAPES: [&str; 7] = [
    DISK,
    "m-4 -4h8v8h-8z",
    "m0 -5.4l5.2 9h-10.4z",
    DIAMOND,
    "m0 5.4l5.2 -9h-10.4z",
    "m-1.7 -5.4h3.4v3.7h3.7v3.4h-3.7v3.7h-3.4v-3.7h-3.7v-3.4h3.7z",
    "m0 -2.4l2.6 -2.6l2.4 2.4l-2.6 2.6l2.6 2.6l-2.4 2.4l-2.6 -2.6l-2.6 2.6l-2.4 -2.4l2.6 -2.6\
     l-2.6 -2.6l2.4 -2.4z",
];

/// The color, the dashes and the shape of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeriesStyle {
    color: ThemeColor,
    dashes: &'static str,
    shape: &'static str,
}

impl SeriesStyle {
    /// Returns the style of the `idx`-th series: of the first 30, no two have the same color and
    /// dashes, of the first 42, no two have the same color and shape, and neighbors differ in all.
    pub(crate) const fn of(idx: usize) -> Self {
        Self {
            color: SERIES[idx % SERIES.len()],
            dashes: DASHES[idx % DASHES.len()],
            shape: SHAPES[idx % SHAPES.len()],
        }
    }

    /// Returns the style with the dashes of the `idx`-th line.
    pub(crate) const fn dashed(self, idx: usize) -> Self {
        Self { dashes: DASHES[idx % DASHES.len()], ..self }
    }

    /// Returns the style of a line.
    pub(crate) const fn line(&self) -> ShapeStyle {
        ShapeStyle::stroked(Paint::Theme(self.color), 2.0, self.dashes)
    }

    /// Returns the style of an area, such as an interval band.
    pub(crate) const fn band(&self, opacity: f64) -> ShapeStyle {
        ShapeStyle::faintly_filled(Paint::Theme(self.color), opacity)
    }

    /// Returns the style of an area with a border that contrasts with the paper.
    pub(crate) const fn area(&self, opacity: f64) -> ShapeStyle {
        self.band(opacity).outlined(Paint::Theme(self.color), 1.5)
    }

    /// Returns a point.
    pub(crate) fn marker(&self, at: [f64; 2]) -> Shape {
        Shape::Mark { at, path: self.shape.to_owned(), style: self.marker_style() }
    }

    /// Returns the bar of the interval from `low` to `high` at `x`, with caps.
    pub(crate) fn error_bar(&self, x: f64, [low, high]: [f64; 2]) -> Shape {
        let length = high - low;
        Shape::Mark {
            at: [x, low],
            path: format!("m-3.5 0h7m-3.5 0v{length:.1}m-3.5 0h7"),
            style: ShapeStyle::stroked(Paint::Theme(self.color), 1.5, ""),
        }
    }

    /// Returns a row of the legend with a sample of the marks of a series.
    pub(crate) fn legend_row<'a>(&self, name: &'a str, marks: LegendMarks) -> LegendRow<'a> {
        let point = (format!("m{} 0{}", SAMPLE_WIDTH / 2.0, self.shape), self.marker_style());
        match marks {
            LegendMarks::Point => LegendRow { name, beside: None, sample: vec![point] },
            LegendMarks::Line => LegendRow::of_line(name, self.line()),
            LegendMarks::LineAndPoint => {
                let mut row = LegendRow::of_line(name, self.line());
                row.sample.push(point);
                row
            }
        }
    }

    const fn marker_style(&self) -> ShapeStyle {
        ShapeStyle::filled(Paint::Theme(self.color)).outlined(Paint::Theme(PAPER), 1.0)
    }
}

/// The marks in the legend's sample of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegendMarks {
    Point,
    Line,
    LineAndPoint,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn series_differ() {
        let styles = |n| (0..n).map(SeriesStyle::of);
        let lines: BTreeSet<_> = styles(30).map(|style| (style.color.name, style.dashes)).collect();
        let points: BTreeSet<_> = styles(42).map(|style| (style.color.name, style.shape)).collect();
        let shapes: BTreeSet<_> = styles(7).map(|style| style.shape).collect();
        assert_eq!((lines.len(), points.len(), shapes.len()), (30, 42, 7));
    }
}
