//! Curves with interval bands on two logarithmic axes.

use crate::chart_frame::{self, ChartFrame, PLOT, TickLabels};
use crate::description;
use crate::log_scale::LogScale;
use crate::series_style::{LegendMarks, SeriesStyle};
use crate::shape::{DocumentForm, Shape};

/// Of more curves, only the first has a band: overlapping bands cannot be told apart.
const MAX_BANDS: usize = 3;
/// The most whiskers of a curve.
const MAX_WHISKERS: usize = 12;
/// The opacity of interval bands.
const BAND_OPACITY: f64 = 0.13;

/// The values that are drawn: quotients of two such values are finite.
const DRAWN_VALUES: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// A chart of curves with intervals: bands or, in a chart of more than three curves, a band of the
/// first curve, which the chart is about, and whiskers of the others. A file has the names of
/// curves beside their ends. Both axes are logarithmic: points with a value that is not positive
/// and finite (more exactly, outside of 1e-100 to 1e100) are left out.
#[derive(Clone, Debug)]
pub struct CurveChart<'a> {
    /// The text above the chart.
    pub title: String,
    /// The text below the horizontal axis.
    pub x_label: String,
    /// The text beside the vertical axis.
    pub y_label: String,
    /// The curves; the others are compared with the first.
    pub curves: Vec<NamedCurve<'a>>,
}

/// A curve and its name.
#[derive(Clone, Debug)]
pub struct NamedCurve<'a> {
    /// The name beside the curve's end, or in the legend.
    pub name: &'a str,
    /// The points, from left to right.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve, with the interval that the curve's band covers there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The position on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The lower end of the value's interval.
    pub low: f64,
    /// The upper end of the value's interval.
    pub high: f64,
}

impl CurvePoint {
    fn is_drawn(&self) -> bool {
        let Self { x, y, low, high } = self;
        [x, y, low, high].into_iter().all(|value| DRAWN_VALUES.contains(value))
    }

    /// Returns the value and its interval in words.
    fn words(&self) -> String {
        let [y, low, high] = [self.y, self.low, self.high].map(description::number);
        format!("{y} ({low} to {high})")
    }
}

impl CurveChart<'_> {
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
        let x = LogScale::around(self.drawn_points().map(|point| point.x), left, right);
        let ends = self.drawn_points().flat_map(|point| [point.low, point.high]);
        let y = LogScale::around(ends, bottom, top);
        let curves = || self.curves.iter().zip((0..).map(SeriesStyle::of)).enumerate();
        let intervals = curves().flat_map(|(idx, (curve, style))| {
            let is_band = idx == 0 || self.curves.len() <= MAX_BANDS;
            if is_band {
                vec![curve.band(&style, &x, &y)]
            } else {
                curve.whiskers(idx, &style, &x, &y)
            }
        });
        let lines = curves().flat_map(|(_, (curve, style))| curve.line_with_points(&style, &x, &y));
        let content: Vec<_> = intervals.chain(lines).collect();
        let rows = curves().map(|(_, (curve, style))| {
            let end = curve.drawn_points().next_back().map(|point| y.position(point.y));
            style.legend_row(curve.name, LegendMarks::LineAndPoint).placed(end)
        });
        let frame = ChartFrame {
            title: &self.title,
            description: self.description(),
            x_label: &self.x_label,
            y_label: &self.y_label,
            ticks: [x.ticks(), y.ticks()],
            x_labels: TickLabels::Numbers,
            legend: rows.collect(),
        };
        frame.document(&content, form)
    }

    fn drawn_points(&self) -> impl Iterator<Item = &CurvePoint> {
        self.curves.iter().flat_map(NamedCurve::drawn_points)
    }

    fn description(&self) -> String {
        let x = description::range(self.drawn_points().map(|point| point.x));
        let curves = self.curves.iter().map(|curve| {
            let name = description::short(curve.name);
            let ends = [curve.drawn_points().next(), curve.drawn_points().next_back()];
            let [Some(first), Some(last)] = ends.map(|end| end.map(CurvePoint::words)) else {
                return format!("{name}: no points");
            };
            format!("{name}: from {first} to {last}")
        });
        format!(
            "Line chart with intervals and logarithmic axes. {} by {}, {x}. {}: {}.",
            description::short(&self.y_label),
            description::short(&self.x_label),
            description::count(self.curves.len(), "curve"),
            description::list(curves)
        )
    }
}

impl NamedCurve<'_> {
    fn drawn_points(&self) -> impl DoubleEndedIterator<Item = &CurvePoint> {
        self.points.iter().filter(|point| point.is_drawn())
    }

    /// Returns the area between the upper and the lower ends of the intervals.
    fn band(&self, style: &SeriesStyle, x: &LogScale, y: &LogScale) -> Shape {
        let upper = self.drawn_points().map(|point| (point.x, point.high));
        let lower = self.drawn_points().rev().map(|point| (point.x, point.low));
        let corners = positions(upper.chain(lower), x, y);
        Shape::Area { corners, style: style.band(BAND_OPACITY) }
    }

    /// Returns whiskers in place of a band, at evenly spaced points that differ from the whiskers'
    /// points of the neighboring curves.
    fn whiskers(&self, idx: usize, style: &SeriesStyle, x: &LogScale, y: &LogScale) -> Vec<Shape> {
        let step = self.drawn_points().count().div_ceil(MAX_WHISKERS).max(1);
        let points = self.drawn_points().skip(idx % step).step_by(step);
        let whisker = |point: &CurvePoint| {
            style.error_bar(x.position(point.x), [point.low, point.high].map(|it| y.position(it)))
        };
        points.map(whisker).collect()
    }

    fn line_with_points(&self, style: &SeriesStyle, x: &LogScale, y: &LogScale) -> Vec<Shape> {
        let points = positions(self.drawn_points().map(|point| (point.x, point.y)), x, y);
        let markers: Vec<_> = points.iter().map(|point| style.marker(*point)).collect();
        std::iter::once(Shape::Curve { points, style: style.line() }).chain(markers).collect()
    }
}

fn positions(
    points: impl Iterator<Item = (f64, f64)>,
    x: &LogScale,
    y: &LogScale,
) -> Vec<[f64; 2]> {
    points.map(|(px, py)| [x.position(px), y.position(py)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(points: Vec<CurvePoint>) -> String {
        let curves = vec![NamedCurve { name: "a<b", points }];
        let [title, x_label, y_label] = ["title", "pieces", "lines"].map(str::to_owned);
        CurveChart { title, x_label, y_label, curves }.to_svg()
    }

    #[test]
    fn decades_are_as_far_apart_as_they_should_be() {
        let point = |x, y| CurvePoint { x, y, low: y, high: y };
        let svg = svg(vec![point(1e3, 10.0), point(1e4, 1e3), point(1e5, 1e5)]);
        let [left, top, right, bottom] = PLOT;
        let (x, y) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
        let positions = format!("{left:.1},{bottom:.1} {x:.1},{y:.1} {right:.1},{top:.1}");
        assert!(svg.contains(&format!("<polyline points=\"{positions}\"")), "{svg}");
        assert!(svg.contains(">10 k</text>") && svg.contains(">100 k</text>"), "{svg}");
        assert!(svg.contains(">a&lt;b</text>"), "{svg}");
    }

    #[test]
    fn more_than_three_curves_have_one_band() {
        let points: Vec<_> = (1..=100)
            .map(|x| CurvePoint { x: f64::from(x), y: 2.0, low: 1.0, high: 3.0 })
            .collect();
        let check = |n: usize, n_bands: usize, n_whiskers: usize| {
            let curves = vec![NamedCurve { name: "a", points: points.clone() }; n];
            let [title, x_label, y_label] = ["title", "pieces", "lines"].map(str::to_owned);
            let svg = CurveChart { title, x_label, y_label, curves }.to_svg();
            assert_eq!(svg.matches("<polygon").count(), n_bands, "{n}");
            assert_eq!(svg.matches("stroke-width=\"1.5\"").count(), n_whiskers, "{n}");
        };
        check(3, 3, 0);
        // Of a hundred points, those at a distance of nine.
        check(4, 1, 3 * 11);
    }

    #[test]
    fn points_without_a_logarithm_are_left_out() {
        let point = |y| CurvePoint { x: 100.0, y, low: 0.5, high: 2000.0 };
        let drawn = svg(vec![point(f64::INFINITY), point(0.0), point(10.0)]);
        // Of the curve and of the legend.
        assert_eq!(drawn.matches("<path").count(), 3);
        assert_eq!(svg(Vec::new()).matches("<path").count(), 2);
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
    }
}
