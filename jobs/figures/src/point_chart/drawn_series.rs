//! A series as markup.

use super::series::SeriesForm;
use crate::chart_frame::LegendRow;
use crate::series_style::{LegendMarks, SeriesStyle};
use crate::shape::Shape;

/// A series in its place in the drawing.
#[derive(Clone, Debug)]
pub(super) struct DrawnSeries {
    pub(super) form: SeriesForm,
    pub(super) style: SeriesStyle,
    pub(super) points: Vec<DrawnPoint>,
}

/// A point in its place in the drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawnPoint {
    pub(super) at: [f64; 2],
    /// The heights of the ends of the error bar.
    pub(super) bar: Option<[f64; 2]>,
}

impl DrawnSeries {
    /// Returns true if the series has error bars.
    pub(super) fn has_bars(&self) -> bool {
        self.form != SeriesForm::Line && self.points.iter().any(|point| point.bar.is_some())
    }

    /// Returns the line through the points, if there is one.
    pub(super) fn line(&self) -> Option<Shape> {
        let has_line = self.form != SeriesForm::Points && !self.points.is_empty();
        let points = self.points.iter().map(|point| point.at).collect();
        has_line.then(|| Shape::Curve { points, style: self.style.line() })
    }

    /// Returns the error bars, and the points on top of them.
    pub(super) fn bars_and_points(&self) -> Vec<Shape> {
        if self.form == SeriesForm::Line {
            return Vec::new();
        }
        let bars = self.points.iter().filter_map(|point| Some((point.at[0], point.bar?)));
        let bars = bars.map(|(x, ends)| self.style.error_bar(x, ends));
        bars.chain(self.points.iter().map(|point| self.style.marker(point.at))).collect()
    }

    /// Returns the series' row in the legend.
    pub(super) fn legend_row<'a>(&self, name: &'a str) -> LegendRow<'a> {
        let marks = match self.form {
            SeriesForm::Points => LegendMarks::Point,
            SeriesForm::JoinedPoints => LegendMarks::LineAndPoint,
            SeriesForm::Line => LegendMarks::Line,
        };
        self.style.legend_row(name, marks)
    }
}
