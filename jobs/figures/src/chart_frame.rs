//! All of a chart but its data: background, grid, axes, texts and legend.
//!
//! ```text
//! title
//! y |----+----+----|  - first series
//! l |    |    |    |  - second series
//! a |----+----+----|
//! b +--------------+
//!     ticks, x label
//! ```

use crate::axis_tick::AxisTick;
use crate::markup::{escape_text, line, text, text_width, to_f64};

/// The left, top, right and bottom of the area that holds the data.
pub(crate) const PLOT: [f64; 4] = [70.0, 46.0, 640.0, 424.0];

/// The size of the document, unless the legend or labels need more.
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
/// The distance between two rows of the legend.
const LEGEND_STEP: f64 = 22.0;
const GRID_COLOR: &str = "#e4e4e4";
const AXIS_COLOR: &str = "#444444";
/// The least space between two labels.
const LABEL_GAP: f64 = 6.0;
/// Labels that do not fit beside each other rise by this angle, in degrees: its cosine and sine.
const SLANT: f64 = 30.0;
const SLANT_RUN: f64 = 0.867;
const SLANT_RISE: f64 = 0.5;

/// The texts around the data.
#[derive(Clone, Debug)]
pub(crate) struct ChartFrame<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_label: &'a str,
    pub(crate) y_label: &'a str,
    /// The names in the legend, from above.
    pub(crate) legend: Vec<&'a str>,
}

impl ChartFrame<'_> {
    /// Returns the document with `content` on the grid of the ticks of both axes, x and y, each
    /// from its low to its high end.
    pub(crate) fn document(&self, ticks: [&[AxisTick]; 2], content: &[String]) -> String {
        let [beside, drop] = slanted_space(ticks[0]);
        let [width, height] = self.size(drop);
        let (width, left) = (width + beside, 0.0 - beside);
        let x = if beside <= 0.0 { String::new() } else { format!("x=\"{left:.0}\" ") };
        let mut lines = vec![
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" \
                 viewBox=\"{left:.0} 0 {width:.0} {height:.0}\" \
                 font-family=\"sans-serif\" font-size=\"13\">"
            ),
            format!("<rect {x}width=\"{width:.0}\" height=\"{height:.0}\" fill=\"white\"/>"),
        ];
        lines.extend(self.axes(ticks, drop));
        lines.extend_from_slice(content);
        lines.push("</svg>\n".to_owned());
        lines.join("\n")
    }

    /// Returns the width, from the left edge on, and the height of the document, whose labels below
    /// the plot are `drop` higher than usual.
    fn size(&self, drop: f64) -> [f64; 2] {
        let widest = self.legend.iter().map(|name| text_width(name)).fold(0.0, f64::max);
        let LegendRow { to, .. } = LegendRow::of(0);
        let LegendRow { y, .. } = LegendRow::of(self.legend.len());
        [WIDTH.max(libm::ceil(to + 18.0 + widest)), libm::ceil((HEIGHT + drop).max(y))]
    }

    /// Returns the grid, the axes and all texts but the legend.
    fn axes(&self, [x, y]: [&[AxisTick]; 2], drop: f64) -> Vec<String> {
        let [left, top, right, bottom] = PLOT;
        let mut lines = Vec::new();
        for AxisTick { at, label } in x {
            lines.push(line([*at, top, *at, bottom], GRID_COLOR));
            lines.extend(label.as_ref().map(|label| label_below(*at, label, drop)));
        }
        for AxisTick { at, label } in y {
            lines.push(line([left, *at, right, *at], GRID_COLOR));
            lines.extend(label.as_ref().map(|label| text([left - 8.0, at + 4.5], "end", label)));
        }
        lines.push(line([left, bottom, right, bottom], AXIS_COLOR));
        lines.push(line([left, top, left, bottom], AXIS_COLOR));
        lines.push(text([left, top - 20.0], "start", self.title));
        let center = f64::midpoint(left, right);
        lines.push(text([center, bottom + 42.0 + drop], "middle", self.x_label));
        let middle = f64::midpoint(top, bottom);
        let y_label = escape_text(self.y_label);
        lines.push(format!(
            "<text transform=\"translate(18 {middle}) rotate(-90)\" \
             text-anchor=\"middle\">{y_label}</text>"
        ));
        lines
    }
}

/// A row of the legend: a sample from `from` to `to` at the height `y`, and a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LegendRow {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) y: f64,
}

impl LegendRow {
    /// Returns the `idx`-th row from above.
    pub(crate) fn of(idx: usize) -> Self {
        let [_, top, right, _] = PLOT;
        Self { from: right + 18.0, to: right + 46.0, y: top + 10.0 + LEGEND_STEP * to_f64(idx) }
    }

    /// Returns a line with the attributes `stroke` as the sample.
    pub(crate) fn line(&self, stroke: &str) -> String {
        let Self { from, to, y } = self;
        format!("<line x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\" {stroke}/>")
    }

    /// Returns the row's name.
    pub(crate) fn name(&self, name: &str) -> String {
        text([self.to + 8.0, self.y + 4.5], "start", name)
    }
}

/// Returns the space that slanted labels of `ticks` need to the left of the document, and below
/// that of level ones; zeros if level ones fit.
fn slanted_space(ticks: &[AxisTick]) -> [f64; 2] {
    let labels = ticks
        .iter()
        .filter_map(|AxisTick { at, label }| label.as_ref().map(|label| (at, text_width(label))));
    let labels: Vec<_> = labels.collect();
    let is_level = labels.windows(2).all(|pair| {
        let [(left, left_width), (right, right_width)] = [pair[0], pair[1]];
        f64::midpoint(left_width, right_width) + LABEL_GAP <= right - left
    });
    if is_level {
        return [0.0; 2];
    }
    let beside = labels.iter().map(|(at, width)| libm::ceil(SLANT_RUN * width - *at));
    let below = labels.iter().map(|(_, width)| SLANT_RISE * width);
    [beside.fold(0.0, f64::max), below.fold(0.0, f64::max)]
}

/// Returns a label below the plot, level if `drop` is 0.
fn label_below(at: f64, label: &str, drop: f64) -> String {
    let [_, _, _, bottom] = PLOT;
    if drop <= 0.0 {
        return text([at, bottom + 18.0], "middle", label);
    }
    let label = escape_text(label);
    format!(
        "<text transform=\"translate({:.1} {:.1}) rotate(-{SLANT})\" \
         text-anchor=\"end\">{label}</text>",
        at + 4.0,
        bottom + 15.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(legend: &[&str], labels: &[&str]) -> String {
        let ticks = |labels: &[&str]| -> Vec<_> {
            let label = |(idx, label): (usize, &&str)| AxisTick {
                at: 100.0 + 60.0 * to_f64(idx),
                label: Some((*label).to_owned()),
            };
            labels.iter().enumerate().map(label).collect()
        };
        let frame = ChartFrame { title: "t", x_label: "x", y_label: "y", legend: legend.to_vec() };
        frame.document([&ticks(labels), &ticks(&[])], &[])
    }

    #[test]
    fn the_document_grows_with_what_it_holds() {
        let check = |legend: &[&str], labels: &[&str], view_box: &str| {
            let svg = document(legend, labels);
            assert!(svg.contains(&format!("viewBox=\"{view_box}\"")), "{view_box}: {svg}");
        };
        check(&["short"], &["1", "2"], "0 0 860 480");
        // 704 to the name's start and its margin, and 40 letters of 7.8.
        check(&["a".repeat(40).as_str()], &["1", "2"], "0 0 1016 480");
        check(&["a"; 30], &["1", "2"], "0 0 860 716");
        // Half of 16 letters of 7.8.
        check(&["short"], &["sixteen letters.", "2"], "-9 0 869 543");
    }

    #[test]
    fn labels_slant_if_they_would_touch() {
        assert_eq!(document(&[], &["1,000", "2,000"]).matches("rotate").count(), 1);
        let svg = document(&[], &["adjusting", "adjusting", "a<b"]);
        assert_eq!(svg.matches("rotate(-30)").count(), 3);
        assert!(svg.contains(">a&lt;b</text>"), "{svg}");
    }
}
