//! A series as markup.

use super::series::SeriesForm;
use crate::chart_frame::LegendRow;
use crate::markup::corners;
use crate::series_style::SeriesStyle;

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
    pub(super) fn line(&self) -> Option<String> {
        let has_line = self.form != SeriesForm::Points && !self.points.is_empty();
        let corners = corners(self.points.iter().map(|point| point.at));
        has_line.then(|| self.style.polyline(&corners))
    }

    /// Returns the error bars, and the points on top of them.
    pub(super) fn bars_and_points(&self) -> Vec<String> {
        if self.form == SeriesForm::Line {
            return Vec::new();
        }
        let bars = self.points.iter().filter_map(|point| Some((point.at[0], point.bar?)));
        let bars = bars.map(|(x, ends)| self.style.error_bar(x, ends));
        bars.chain(self.points.iter().map(|point| self.style.marker(point.at))).collect()
    }

    /// Returns the series' sample in the legend.
    pub(super) fn legend_sample(&self, row: LegendRow) -> Vec<String> {
        let center = f64::midpoint(row.from, row.to);
        let mut sample = Vec::new();
        if self.form != SeriesForm::Points {
            sample.push(row.line(&self.style.stroke()));
        }
        if self.form != SeriesForm::Line {
            sample.push(self.style.marker([center, row.y]));
        }
        sample
    }
}
