//! The data of a chart of points.

use crate::quantity::Quantity;

/// A series of points and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSeries {
    /// The name in the legend.
    pub name: String,
    /// How the points are drawn.
    pub form: SeriesForm,
    /// The points; joined points go from left to right.
    pub points: Vec<MeasuredPoint>,
}

impl PointSeries {
    /// Returns the name in the legend, with a warning about selected values.
    pub(super) fn legend_name(&self) -> String {
        match self.form {
            SeriesForm::SelectedLine => format!("{} (selected: biased upward)", self.name),
            SeriesForm::Points | SeriesForm::JoinedPoints | SeriesForm::Line => self.name.clone(),
        }
    }
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesForm {
    /// Points of the series' color and shape.
    Points,
    /// Points, and a line from each to the next.
    JoinedPoints,
    /// A line through the points without the points, such as a fitted curve or the course of a
    /// number over many generations. Intervals are a band.
    Line,
    /// The same, dashed, for values that are each the best of several noisy measurements: such a
    /// line is biased upward, and the legend says so.
    SelectedLine,
}

impl SeriesForm {
    /// Returns true for a line without points.
    pub(super) fn is_line(self) -> bool {
        matches!(self, Self::Line | Self::SelectedLine)
    }
}

/// A point of a series. The interval of an estimate is its error bar, or a part of the band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredPoint {
    /// The position on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: Quantity,
}
