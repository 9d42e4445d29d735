//! Points with error bars, and lines, on two linear axes.

mod dodge;
mod drawn_series;
mod series;

pub use series::{MeasuredPoint, PointSeries, SeriesForm};

use crate::axis_tick::AxisTick;
use crate::chart_frame::{self, ChartFrame, LegendRow, PLOT, TickLabels};
use crate::description;
use crate::linear_scale::{LinearScale, is_drawn};
use crate::markup::to_f64;
use crate::palette::SOFT;
use crate::quantity::Quantity;
use crate::series_style::SeriesStyle;
use crate::shape::{DocumentForm, Paint, Shape, ShapeStyle, TextShape};
use crate::thinning::thinned;
use drawn_series::{DrawnPoint, DrawnSeries};

/// The numbers of steps between ticks to aim at: labels fit beside each other.
const X_STEPS: f64 = 8.0;
const Y_STEPS: f64 = 7.0;
/// The space beside the outermost points, as a share of the range of x; points that are moved
/// aside stay within it.
const X_MARGIN: f64 = 0.07;
/// The most groups of points that a line is thinned to: more than the drawing is pixels wide.
const MAX_GROUPS: usize = 600;
const REFERENCE_STYLE: ShapeStyle = ShapeStyle::stroked(Paint::Theme(SOFT), 1.5, "9 3 2 3");

/// A chart of points with error bars, and of lines, on two linear axes.
///
/// Points with a number that is not finite (more exactly, of a magnitude above 1e100) or beside
/// all categories are left out. A chart without a point to draw says so, and has no ticks for
/// numbers. Of a line with more points than its drawing is wide, the extremes are kept.
///
/// Where intervals of several series stand at the same x, all series with intervals are moved
/// sideways, each by its own distance, so that none covers another.
#[derive(Clone, Debug)]
pub struct PointChart {
    /// The text above the chart.
    pub title: String,
    /// The text below the horizontal axis.
    pub x_label: String,
    /// The text beside the vertical axis.
    pub y_label: String,
    /// The horizontal axis.
    pub x_axis: PointAxis,
    /// Values that the vertical axis shows even if no point is there, such as 0.
    pub y_shown: Vec<f64>,
    /// A horizontal line to compare the points with.
    pub reference: Option<ReferenceLine>,
    /// The series, in the order of the legend. Points cover lines, and later series cover earlier
    /// series.
    pub series: Vec<PointSeries>,
}

/// A point that can be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PointValue {
    x: f64,
    value: f64,
    /// The ends of the interval of an estimate.
    ends: Option<[f64; 2]>,
}

/// The horizontal axis of a chart of points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointAxis {
    /// Numbers, such as search depths.
    Numbers,
    /// Names, such as opponents, from left to right. The x of a point is the index of its name,
    /// from 0.
    Categories(Vec<String>),
}

/// A dashed horizontal line and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceLine {
    /// The name in the legend.
    pub name: String,
    /// The height of the line; if it is not finite, there is no line.
    pub y: f64,
}

impl PointChart {
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
        let (x, x_ticks) = self.x_scale();
        let y = self.y_scale();
        let series = self.drawn_series(&x, &y);
        let mut content = Vec::new();
        let names: Vec<_> = self.series.iter().map(PointSeries::legend_name).collect();
        let rows = self.series.iter().zip(&series);
        let mut legend: Vec<_> =
            rows.zip(&names).map(|((_, drawn), name)| drawn.legend_row(name)).collect();
        let [left, top, right, bottom] = PLOT;
        if let Some((reference, at)) = self.reference_at(&y) {
            content.push(Shape::Line { ends: [left, at, right, at], style: REFERENCE_STYLE });
            legend.push(LegendRow::of_line(&reference.name, REFERENCE_STYLE));
        }
        content.extend(series.iter().filter_map(DrawnSeries::band));
        content.extend(series.iter().filter_map(DrawnSeries::line));
        content.extend(series.iter().flat_map(DrawnSeries::bars_and_points));
        let mut frame = ChartFrame {
            title: &self.title,
            description: self.description(),
            x_label: &self.x_label,
            y_label: &self.y_label,
            ticks: [x_ticks, y.ticks()],
            x_labels: match self.x_axis {
                PointAxis::Numbers => TickLabels::Numbers,
                PointAxis::Categories(_) => TickLabels::Names,
            },
            legend,
        };
        if self.drawn_points().next().is_some() {
            return frame.document(&content, form);
        }
        let center = [f64::midpoint(left, right), f64::midpoint(top, bottom)];
        frame.ticks[1].clear();
        if self.x_axis == PointAxis::Numbers {
            frame.ticks[0].clear();
        }
        let text = TextShape::new(center, [0.0; 2], "middle", "no points");
        frame.document(&[Shape::Text(text)], form)
    }

    fn description(&self) -> String {
        let series = self.series.iter().map(|series| {
            let points: Vec<_> = self.points_of(series).collect();
            let (n, y) = (points.len(), description::range(points.iter().map(|point| point.value)));
            let name = description::short(&series.name);
            format!("{name}: {}, {y}", description::count(n, "point"))
        });
        let x = match &self.x_axis {
            PointAxis::Numbers => description::range(self.drawn_points().map(|point| point.x)),
            PointAxis::Categories(names) => {
                description::list(names.iter().map(|name| description::short(name)))
            }
        };
        let reference = self.reference.iter().filter(|reference| is_drawn(reference.y));
        let reference = reference.map(|reference| {
            let name = description::short(&reference.name);
            format!(" Reference line {name} at {}.", description::number(reference.y))
        });
        format!(
            "Chart of points with error bars. {} by {}: {x}. {}.{}",
            description::short(&self.y_label),
            description::short(&self.x_label),
            description::list(series),
            reference.collect::<String>()
        )
    }

    fn x_scale(&self) -> (LinearScale, Vec<AxisTick>) {
        let [left, _, right, _] = PLOT;
        match &self.x_axis {
            PointAxis::Numbers => {
                let values = || self.drawn_points().map(|point| point.x);
                let scale = LinearScale::around(values(), [left, right], X_STEPS)
                    .with_ticks_for(values())
                    .with_margins(X_MARGIN);
                let ticks = scale.ticks();
                (scale, ticks)
            }
            PointAxis::Categories(names) => {
                let ends = [-0.5, to_f64(names.len()) - 0.5];
                let scale = LinearScale::around(ends.into_iter(), [left, right], X_STEPS);
                let tick = |(idx, name): (usize, &String)| AxisTick {
                    at: scale.position(to_f64(idx)),
                    label: Some(name.clone()),
                };
                (scale, names.iter().enumerate().map(tick).collect())
            }
        }
    }

    fn y_scale(&self) -> LinearScale {
        let [_, top, _, bottom] = PLOT;
        let reference = || self.reference.iter().map(|reference| reference.y);
        let shown = || self.y_shown.iter().copied().chain(reference()).filter(|it| is_drawn(*it));
        let values = || {
            let points = self.drawn_points();
            let numbers = points.flat_map(|point| {
                std::iter::once(point.value).chain(point.ends.into_iter().flatten())
            });
            numbers.chain(shown())
        };
        let scale = LinearScale::around(values(), [bottom, top], Y_STEPS);
        scale.with_ticks_for(values()).to_ticks()
    }

    /// Returns the reference line and its height.
    fn reference_at(&self, y: &LinearScale) -> Option<(&ReferenceLine, f64)> {
        let reference = self.reference.as_ref().filter(|reference| is_drawn(reference.y))?;
        Some((reference, y.position(reference.y)))
    }

    /// Returns the drawable points of every series.
    fn drawn_points(&self) -> impl Iterator<Item = PointValue> {
        self.series.iter().flat_map(|series| self.points_of(series))
    }

    fn points_of(&self, series: &PointSeries) -> impl Iterator<Item = PointValue> {
        let points = series.points.iter().filter(|point| match &self.x_axis {
            PointAxis::Numbers => is_drawn(point.x),
            PointAxis::Categories(names) => -0.5 <= point.x && point.x <= to_f64(names.len()) - 0.5,
        });
        let values = points.filter_map(|&MeasuredPoint { x, y }| {
            let (value, ends) = y.drawn()?;
            let ends = matches!(y, Quantity::Estimate { .. }).then_some(ends);
            Some(PointValue { x, value, ends })
        });
        match series.form.is_line() {
            true => {
                let reach = |point: &PointValue| point.ends.unwrap_or([point.value; 2]);
                thinned(values.collect(), MAX_GROUPS, reach).into_iter()
            }
            false => values.collect::<Vec<_>>().into_iter(),
        }
    }

    /// Returns all series in places of the drawing.
    fn drawn_series(&self, x: &LinearScale, y: &LinearScale) -> Vec<DrawnSeries> {
        let mut n_lines = 0;
        let mut drawn = Vec::new();
        for (idx, series) in self.series.iter().enumerate() {
            let place = |point: PointValue| DrawnPoint {
                at: [x.position(point.x), y.position(point.value)],
                bar: point.ends.map(|ends| ends.map(|end| y.position(end))),
            };
            let style = match series.form {
                SeriesForm::Points | SeriesForm::JoinedPoints => SeriesStyle::of(idx),
                SeriesForm::Line => {
                    n_lines += 1;
                    SeriesStyle::of(idx).dashed(n_lines - 1)
                }
                // A line without dashes could pass for one of values that were not selected.
                SeriesForm::SelectedLine => SeriesStyle::of(idx).dashed(idx.max(1)),
            };
            let points = self.points_of(series).map(place).collect();
            drawn.push(DrawnSeries { form: series.form, style, points });
        }
        dodge::move_aside(&mut drawn);
        drawn
    }
}

#[cfg(test)]
mod tests;
