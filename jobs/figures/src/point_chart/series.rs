//! The data of a chart of points.

use crate::linear_scale::is_drawn;

/// A series of points and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSeries {
    /// The name in the legend.
    pub name: String,
    /// How the points are drawn.
    pub form: SeriesForm,
    /// The points; those that are joined, from left to right.
    pub points: Vec<MeasuredPoint>,
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesForm {
    /// Points of the series' color and shape.
    Points,
    /// Points, and a line from each to the next.
    JoinedPoints,
    /// A line through the points without the points, such as a fitted curve.
    Line,
}

/// A point of a series, with the interval of its error bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredPoint {
    /// The position on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The lower and the upper end of the value's interval, if there is one.
    pub interval: Option<[f64; 2]>,
}

impl MeasuredPoint {
    /// Returns the interval, if both ends can be drawn.
    pub(super) fn drawn_interval(&self) -> Option<[f64; 2]> {
        self.interval.filter(|ends| ends.iter().all(|end| is_drawn(*end)))
    }
}
