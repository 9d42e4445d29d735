//! A series as markup.

use super::series::SeriesForm;
use crate::chart_frame::LegendRow;
use crate::series_style::{LegendMarks, SeriesStyle};
use crate::shape::Shape;

const BAND_OPACITY: f64 = 0.18;

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
        !self.form.is_line() && self.points.iter().any(|point| point.bar.is_some())
    }

    /// Returns the band of the intervals of a line, if there are any. Points without one have a
    /// band of no height.
    pub(super) fn band(&self) -> Option<Shape> {
        let has_band = self.form.is_line() && self.points.iter().any(|point| point.bar.is_some());
        let ends = |point: &DrawnPoint| point.bar.unwrap_or([point.at[1]; 2]);
        let lower = self.points.iter().map(|point| [point.at[0], ends(point)[0]]);
        let upper = self.points.iter().rev().map(|point| [point.at[0], ends(point)[1]]);
        let corners = lower.chain(upper).collect();
        has_band.then(|| Shape::Area { corners, style: self.style.band(BAND_OPACITY) })
    }

    /// Returns the line through the points, if there is one.
    pub(super) fn line(&self) -> Option<Shape> {
        let has_line = self.form != SeriesForm::Points && !self.points.is_empty();
        let points = self.points.iter().map(|point| point.at).collect();
        has_line.then(|| Shape::Curve { points, style: self.style.line() })
    }

    /// Returns the error bars, and the points on top.
    pub(super) fn bars_and_points(&self) -> Vec<Shape> {
        if self.form.is_line() {
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
            SeriesForm::Line | SeriesForm::SelectedLine => LegendMarks::Line,
        };
        self.style.legend_row(name, marks)
    }
}
