//! Curves with intervals, drawn as SVG on two logarithmic axes.

mod scale;

use std::fmt::Write;

use scale::{Scale, label};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
/// The frame that curves are drawn in: left, top, right and bottom.
const FRAME: [f64; 4] = [70.0, 46.0, 640.0, 424.0];
/// How far the lines of the legend are apart.
const LEGEND_STEP: f64 = 22.0;

/// Colors that people with any color vision can tell apart: M. Okabe and K. Ito, "Color Universal
/// Design", 2008, without the yellow, which is too light for lines.
const COLORS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9"];
/// Lines of the same color differ in this.
const DASHES: [&str; 3] = ["", "7 4", "2 3"];

/// A chart. Both axes are logarithmic: whatever is not above 0 is left out.
#[derive(Clone, Debug)]
pub struct Chart<'a> {
    /// What stands above it.
    pub title: String,
    /// What stands below the horizontal axis.
    pub x_label: String,
    /// What stands beside the vertical axis.
    pub y_label: String,
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve<'a>>,
}

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve<'a> {
    /// Its name in the legend.
    pub name: &'a str,
    /// Its points, from left to right.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve, with the interval that its band covers.
#[derive(Clone, Copy, Debug)]
pub struct CurvePoint {
    /// The place on the horizontal axis.
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
        [self.x, self.y, self.low, self.high].iter().all(|value| value.is_finite() && 0.0 < *value)
    }
}

impl Chart<'_> {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        let points = || self.curves.iter().flat_map(|curve| drawn(&curve.points));
        let [left, top, right, bottom] = FRAME;
        let x = Scale::around(points().map(|point| point.x), left, right);
        let y = Scale::around(points().flat_map(|point| [point.low, point.high]), bottom, top);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        self.draw_axes(&mut svg, &x, &y);
        for (idx, curve) in self.curves.iter().enumerate() {
            draw_band(&mut svg, curve, idx, &x, &y);
        }
        for (idx, curve) in self.curves.iter().enumerate() {
            draw_curve(&mut svg, curve, idx, &x, &y);
            draw_legend(&mut svg, curve, idx);
        }
        svg + "</svg>\n"
    }

    fn draw_axes(&self, svg: &mut String, x: &Scale, y: &Scale) {
        let [left, top, right, bottom] = FRAME;
        for (value, is_labeled) in x.ticks() {
            let at = x.place(value);
            line(svg, [at, top, at, bottom], "#e4e4e4");
            if is_labeled {
                text(svg, [at, bottom + 18.0], "middle", &label(value));
            }
        }
        for (value, is_labeled) in y.ticks() {
            let at = y.place(value);
            line(svg, [left, at, right, at], "#e4e4e4");
            if is_labeled {
                text(svg, [left - 8.0, at + 4.5], "end", &label(value));
            }
        }
        for [x1, y1, x2, y2] in [[left, bottom, right, bottom], [left, top, left, bottom]] {
            line(svg, [x1, y1, x2, y2], "#444444");
        }
        text(svg, [left, top - 20.0], "start", &self.title);
        text(svg, [f64::midpoint(left, right), bottom + 42.0], "middle", &self.x_label);
        let middle = f64::midpoint(top, bottom);
        let label = escaped(&self.y_label);
        put(
            svg,
            format_args!(
                "<text transform=\"translate(18 {middle}) rotate(-90)\" \
                 text-anchor=\"middle\">{label}</text>"
            ),
        );
    }
}

/// The points of a curve that can be drawn.
fn drawn(points: &[CurvePoint]) -> impl DoubleEndedIterator<Item = &CurvePoint> {
    points.iter().filter(|point| point.is_drawn())
}

fn draw_band(svg: &mut String, curve: &Curve<'_>, idx: usize, x: &Scale, y: &Scale) {
    let upper = drawn(&curve.points).map(|point| (point.x, point.high));
    let lower = drawn(&curve.points).rev().map(|point| (point.x, point.low));
    let corners = corners(upper.chain(lower), x, y);
    let color = COLORS[idx % COLORS.len()];
    put(
        svg,
        format_args!("<polygon points=\"{corners}\" fill=\"{color}\" fill-opacity=\"0.13\"/>"),
    );
}

fn draw_curve(svg: &mut String, curve: &Curve<'_>, idx: usize, x: &Scale, y: &Scale) {
    let corners = corners(drawn(&curve.points).map(|point| (point.x, point.y)), x, y);
    let stroke = stroke(idx);
    put(svg, format_args!("<polyline points=\"{corners}\" fill=\"none\" {stroke}/>"));
    let color = COLORS[idx % COLORS.len()];
    for point in drawn(&curve.points) {
        let (cx, cy) = (x.place(point.x), y.place(point.y));
        put(
            svg,
            format_args!("<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"2.6\" fill=\"{color}\"/>"),
        );
    }
}

fn draw_legend(svg: &mut String, curve: &Curve<'_>, idx: usize) {
    let [_, top, right, _] = FRAME;
    #[expect(clippy::cast_precision_loss, reason = "some curves")]
    let at = top + 10.0 + LEGEND_STEP * idx as f64;
    let (from, to) = (right + 18.0, right + 46.0);
    let stroke = stroke(idx);
    put(svg, format_args!("<line x1=\"{from}\" y1=\"{at}\" x2=\"{to}\" y2=\"{at}\" {stroke}/>"));
    text(svg, [to + 8.0, at + 4.5], "start", curve.name);
}

/// How the line of a curve is drawn.
fn stroke(idx: usize) -> String {
    let color = COLORS[idx % COLORS.len()];
    let dashes = DASHES[idx / COLORS.len() % DASHES.len()];
    format!("stroke=\"{color}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"")
}

fn corners(points: impl Iterator<Item = (f64, f64)>, x: &Scale, y: &Scale) -> String {
    let places = points.map(|(px, py)| format!("{:.1},{:.1}", x.place(px), y.place(py)));
    places.collect::<Vec<_>>().join(" ")
}

fn line(svg: &mut String, [x1, y1, x2, y2]: [f64; 4], color: &str) {
    put(
        svg,
        format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" \
             stroke=\"{color}\"/>"
        ),
    );
}

fn text(svg: &mut String, [x, y]: [f64; 2], anchor: &str, content: &str) {
    let content = escaped(content);
    put(
        svg,
        format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>"),
    );
}

fn put(svg: &mut String, element: std::fmt::Arguments<'_>) {
    writeln!(svg, "{element}").expect("a string can be written to");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<CurvePoint>) -> String {
        let curves = vec![Curve { name: "a<b", points }];
        let [title, x_label, y_label] = ["title", "pieces", "lines"].map(str::to_owned);
        Chart { title, x_label, y_label, curves }.svg()
    }

    #[test]
    fn decades_are_as_far_apart_as_they_should_be() {
        let point = |x, y| CurvePoint { x, y, low: y, high: y };
        let svg = chart(vec![point(1e3, 10.0), point(1e4, 1e3), point(1e5, 1e5)]);
        let [left, top, right, bottom] = FRAME;
        let (x, y) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
        let places = format!("{left:.1},{bottom:.1} {x:.1},{y:.1} {right:.1},{top:.1}");
        assert!(svg.contains(&format!("<polyline points=\"{places}\"")), "{svg}");
        assert!(svg.contains(">10 k</text>") && svg.contains(">100 k</text>"), "{svg}");
        assert!(svg.contains(">a&lt;b</text>"), "{svg}");
    }

    #[test]
    fn what_a_logarithm_does_not_have_is_left_out() {
        let point = |y| CurvePoint { x: 100.0, y, low: 0.5, high: 2000.0 };
        let svg = chart(vec![point(f64::INFINITY), point(0.0), point(10.0)]);
        assert_eq!(svg.matches("<circle").count(), 1);
        assert_eq!(chart(Vec::new()).matches("<circle").count(), 0);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
