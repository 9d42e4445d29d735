//! Curves with interval bands on two logarithmic axes.

use crate::log_scale::{LogScale, tick_label};
use crate::markup::{escape_text, line, text, to_f64};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
/// The left, top, right and bottom of the frame that holds the curves.
const FRAME: [f64; 4] = [70.0, 46.0, 640.0, 424.0];
/// The distance between two lines of the legend.
const LEGEND_STEP: f64 = 22.0;
const GRID_COLOR: &str = "#e4e4e4";
const AXIS_COLOR: &str = "#444444";

/// Colors that can be told apart with any color vision: M. Okabe and K. Ito, "Color Universal
/// Design", 2008. Their yellow is missing because it is too light for lines.
const COLORS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9"];
/// The dashes that tell curves of the same color apart.
const DASHES: [&str; 3] = ["", "7 4", "2 3"];

/// The values that are drawn: quotients of two of them are finite.
const DRAWN_VALUES: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// A chart of curves. Both axes are logarithmic: points with a value that is not positive and
/// finite (more exactly, outside of 1e-100 to 1e100) are left out.
#[derive(Clone, Debug)]
pub struct CurveChart<'a> {
    /// The text above the chart.
    pub title: String,
    /// The text below the horizontal axis.
    pub x_label: String,
    /// The text beside the vertical axis.
    pub y_label: String,
    /// The curves, in the order of the legend.
    pub curves: Vec<NamedCurve<'a>>,
}

/// A curve and its name.
#[derive(Clone, Debug)]
pub struct NamedCurve<'a> {
    /// The name in the legend.
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
}

impl CurveChart<'_> {
    /// Returns the chart as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let points = || self.curves.iter().flat_map(NamedCurve::drawn_points);
        let [left, top, right, bottom] = FRAME;
        let x = LogScale::around(points().map(|point| point.x), left, right);
        let y = LogScale::around(points().flat_map(|point| [point.low, point.high]), bottom, top);
        let mut lines = vec![
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
                 font-family=\"sans-serif\" font-size=\"13\">"
            ),
            format!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>"),
        ];
        lines.extend(self.axes(&x, &y));
        let curves = || self.curves.iter().zip((0..).map(LineStyle::of));
        lines.extend(curves().map(|(curve, style)| curve.band(&style, &x, &y)));
        for (idx, (curve, style)) in curves().enumerate() {
            lines.extend(curve.line_with_points(&style, &x, &y));
            lines.extend(curve.legend(&style, idx));
        }
        lines.push("</svg>\n".to_owned());
        lines.join("\n")
    }

    /// Returns the grid, the axes and all texts but the legend.
    fn axes(&self, x: &LogScale, y: &LogScale) -> Vec<String> {
        let [left, top, right, bottom] = FRAME;
        let mut lines = Vec::new();
        for (value, is_labeled) in x.ticks() {
            let at = x.position(value);
            lines.push(line([at, top, at, bottom], GRID_COLOR));
            if is_labeled {
                lines.push(text([at, bottom + 18.0], "middle", &tick_label(value)));
            }
        }
        for (value, is_labeled) in y.ticks() {
            let at = y.position(value);
            lines.push(line([left, at, right, at], GRID_COLOR));
            if is_labeled {
                lines.push(text([left - 8.0, at + 4.5], "end", &tick_label(value)));
            }
        }
        lines.push(line([left, bottom, right, bottom], AXIS_COLOR));
        lines.push(line([left, top, left, bottom], AXIS_COLOR));
        lines.push(text([left, top - 20.0], "start", &self.title));
        let center = f64::midpoint(left, right);
        lines.push(text([center, bottom + 42.0], "middle", &self.x_label));
        let middle = f64::midpoint(top, bottom);
        let y_label = escape_text(&self.y_label);
        lines.push(format!(
            "<text transform=\"translate(18 {middle}) rotate(-90)\" \
             text-anchor=\"middle\">{y_label}</text>"
        ));
        lines
    }
}

impl NamedCurve<'_> {
    fn drawn_points(&self) -> impl DoubleEndedIterator<Item = &CurvePoint> {
        self.points.iter().filter(|point| point.is_drawn())
    }

    /// Returns the area between the upper and the lower ends of the intervals.
    fn band(&self, LineStyle { color, .. }: &LineStyle, x: &LogScale, y: &LogScale) -> String {
        let upper = self.drawn_points().map(|point| (point.x, point.high));
        let lower = self.drawn_points().rev().map(|point| (point.x, point.low));
        let corners = positions(upper.chain(lower), x, y);
        format!("<polygon points=\"{corners}\" fill=\"{color}\" fill-opacity=\"0.13\"/>")
    }

    fn line_with_points(&self, style: &LineStyle, x: &LogScale, y: &LogScale) -> Vec<String> {
        let corners = positions(self.drawn_points().map(|point| (point.x, point.y)), x, y);
        let stroke = style.stroke();
        let polyline = format!("<polyline points=\"{corners}\" fill=\"none\" {stroke}/>");
        let circles = self.drawn_points().map(|point| {
            let (cx, cy) = (x.position(point.x), y.position(point.y));
            let color = style.color;
            format!("<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"2.6\" fill=\"{color}\"/>")
        });
        std::iter::once(polyline).chain(circles).collect()
    }

    /// Returns the curve's line of the legend, the `idx`-th from above.
    fn legend(&self, style: &LineStyle, idx: usize) -> [String; 2] {
        let [_, top, right, _] = FRAME;
        let y = top + 10.0 + LEGEND_STEP * to_f64(idx);
        let (from, to) = (right + 18.0, right + 46.0);
        let stroke = style.stroke();
        [
            format!("<line x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\" {stroke}/>"),
            text([to + 8.0, y + 4.5], "start", self.name),
        ]
    }
}

/// The color and the dashes of a curve.
struct LineStyle {
    color: &'static str,
    dashes: &'static str,
}

impl LineStyle {
    /// Returns the style of the `idx`-th curve; the first 21 differ.
    const fn of(idx: usize) -> Self {
        Self {
            color: COLORS[idx % COLORS.len()],
            dashes: DASHES[idx / COLORS.len() % DASHES.len()],
        }
    }

    fn stroke(&self) -> String {
        let Self { color, dashes } = self;
        format!("stroke=\"{color}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"")
    }
}

fn positions(points: impl Iterator<Item = (f64, f64)>, x: &LogScale, y: &LogScale) -> String {
    let positions = points.map(|(px, py)| format!("{:.1},{:.1}", x.position(px), y.position(py)));
    positions.collect::<Vec<_>>().join(" ")
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
        let [left, top, right, bottom] = FRAME;
        let (x, y) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
        let positions = format!("{left:.1},{bottom:.1} {x:.1},{y:.1} {right:.1},{top:.1}");
        assert!(svg.contains(&format!("<polyline points=\"{positions}\"")), "{svg}");
        assert!(svg.contains(">10 k</text>") && svg.contains(">100 k</text>"), "{svg}");
        assert!(svg.contains(">a&lt;b</text>"), "{svg}");
    }

    #[test]
    fn points_without_a_logarithm_are_left_out() {
        let point = |y| CurvePoint { x: 100.0, y, low: 0.5, high: 2000.0 };
        let drawn = svg(vec![point(f64::INFINITY), point(0.0), point(10.0)]);
        assert_eq!(drawn.matches("<circle").count(), 1);
        assert_eq!(svg(Vec::new()).matches("<circle").count(), 0);
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
    }
}
