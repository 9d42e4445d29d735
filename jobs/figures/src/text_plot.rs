//! Lines as text, for terminals.

mod canvas;

use crate::axis_tick::AxisTick;
use crate::linear_scale::{LinearScale, is_drawn};
use crate::markup::to_f64;
use crate::point_chart::MeasuredPoint;
use canvas::{BrailleCanvas, DOTS_ACROSS, DOTS_DOWN};

/// The letters between two labels to aim at, across and down.
const LETTERS_PER_X_STEP: usize = 12;
const LETTERS_PER_Y_STEP: usize = 3;
/// The least size of the field of dots, in letters.
const MIN_ACROSS: usize = 10;
const MIN_DOWN: usize = 3;
/// The most letters across and down: more than a terminal has.
const MAX_ACROSS: usize = 1000;
const MAX_DOWN: usize = 200;
/// A band has one dot of this many, in both directions.
const BAND_GAP: usize = 2;

/// A line with its intervals as text: letters of braille dots, a scale at the left, and one below.
/// Needs no color: the line is solid, the band of its intervals is dotted.
///
/// Points with a number that is not finite (more exactly, of a magnitude above 1e100) are left out.
/// With any number of points, the extreme points in a column are kept.
#[derive(Clone, Debug)]
pub struct TextPlot {
    /// The text below the horizontal axis.
    pub x_label: String,
    /// The points, from left to right.
    pub points: Vec<MeasuredPoint>,
    /// The total width, in letters, from about 20 to 1000.
    pub columns: usize,
    /// The height of the field of dots, in letters, from 3 to 200.
    pub rows: usize,
}

/// A point that can be drawn: its place across, its value, and the ends of its interval.
type DrawnPoint = (f64, f64, [f64; 2]);

/// The lowest and the highest value of the line and of its band in a column of dots.
#[derive(Clone, Copy, Debug)]
struct DotColumn {
    line: [f64; 2],
    band: [f64; 2],
}

impl TextPlot {
    /// Returns the plot, with a line break after each line; no line is longer than `columns`,
    /// unless that is too few for labels. Without a point to draw it says so.
    #[must_use]
    pub fn text(&self) -> String {
        let points = self.drawn();
        if points.is_empty() {
            return "no values to plot\n".to_owned();
        }
        let down = self.rows.clamp(MIN_DOWN, MAX_DOWN);
        let reaches = points.iter().flat_map(|(_, _, interval)| *interval);
        let y_ends = [to_f64(DOTS_DOWN * down - 1), 0.0];
        let y_steps = to_f64(down.div_ceil(LETTERS_PER_Y_STEP));
        let y_scale = LinearScale::around(reaches.clone(), y_ends, y_steps).to_ticks();
        let y_ticks = y_scale.with_ticks_for(reaches).ticks();
        let labels = y_ticks.iter().filter_map(|tick| tick.label.as_ref());
        let margin = labels.map(|label| label.chars().count()).max().unwrap_or(0);
        let across = self.columns.saturating_sub(margin + 2).clamp(MIN_ACROSS, MAX_ACROSS);
        let x_ends = [0.0, to_f64(DOTS_ACROSS * across - 1)];
        let x_steps = to_f64(across.div_ceil(LETTERS_PER_X_STEP));
        let xs = points.iter().map(|(x, ..)| *x);
        let x_scale = LinearScale::around(xs.clone(), x_ends, x_steps);
        let x_ticks = x_scale.with_ticks_for(xs).ticks();

        let mut canvas = BrailleCanvas::new(across, down);
        draw(&dot_columns(&points, &x_scale, DOTS_ACROSS * across), &y_scale, &mut canvas);
        let mut text = String::new();
        for (row, dots) in canvas.rows().enumerate() {
            let here = |tick: &&AxisTick| nearest(tick.at, DOTS_DOWN) == row;
            let label = y_ticks.iter().find(here).and_then(|tick| tick.label.as_deref());
            let axis = if label.is_some() { '┤' } else { '│' };
            let line = format!("{:>margin$} {axis}{dots}", label.unwrap_or_default());
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push_str(&x_axis(&x_ticks, margin, across, &self.x_label));
        text
    }

    /// Returns the points that can be drawn, from left to right.
    fn drawn(&self) -> Vec<DrawnPoint> {
        let drawn = |point: &MeasuredPoint| {
            let (value, [low, high]) = point.y.drawn().filter(|_| is_drawn(point.x))?;
            // An interval that does not hold its value comes from outside.
            Some((point.x, value, [low.min(value), high.max(value)]))
        };
        let mut points: Vec<_> = self.points.iter().filter_map(drawn).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }
}

/// Returns what each of `n` columns of dots shows; `None` for one beside all points.
fn dot_columns(points: &[DrawnPoint], scale: &LinearScale, n: usize) -> Vec<Option<DotColumn>> {
    let mut columns = vec![None; n];
    let mut show = |x: f64, value: f64, interval: [f64; 2]| {
        if let Some(column) = columns.get_mut(nearest(x, 1)) {
            let DotColumn { line, band } =
                column.get_or_insert(DotColumn { line: [value; 2], band: interval });
            *line = [line[0].min(value), line[1].max(value)];
            *band = [band[0].min(interval[0]), band[1].max(interval[1])];
        }
    };
    for &(x, value, interval) in points {
        show(scale.position(x), value, interval);
    }
    for pair in points.windows(2) {
        let [(x, value, interval), (next_x, next_value, next_interval)] = [pair[0], pair[1]];
        let [x, next_x] = [x, next_x].map(|x| scale.position(x));
        for column in nearest(x, 1) + 1..nearest(next_x, 1) {
            let share = (to_f64(column) - x) / (next_x - x);
            let between = |from: f64, to: f64| from + share * (to - from);
            let interval = [0, 1].map(|end| between(interval[end], next_interval[end]));
            show(to_f64(column), between(value, next_value), interval);
        }
    }
    columns
}

/// Draws the line, joined from column to column, and the dots of its band beside it.
fn draw(columns: &[Option<DotColumn>], scale: &LinearScale, canvas: &mut BrailleCanvas) {
    // From top to bottom: the highest value is at the top.
    let rows = |[low, high]: [f64; 2]| [high, low].map(|value| nearest(scale.position(value), 1));
    let mut before: Option<[usize; 2]> = None;
    for (x, column) in columns.iter().enumerate() {
        let Some(DotColumn { line, band }) = column else { continue };
        let [mut top, mut bottom] = rows(*line);
        if let Some([top_before, bottom_before]) = before.replace([top, bottom]) {
            top = top.min(bottom_before + 1);
            bottom = bottom.max(top_before.saturating_sub(1));
        }
        for y in top..=bottom {
            canvas.set(x, y);
        }
        let [band_top, band_bottom] = rows(*band);
        for y in (band_top..=band_bottom).filter(|y| *y + 1 < top || bottom + 1 < *y) {
            if x.is_multiple_of(BAND_GAP) && y.is_multiple_of(BAND_GAP) {
                canvas.set(x, y);
            }
        }
    }
}

/// Returns the lines of the horizontal axis: its ticks, the labels that fit beside each other, and
/// the axis label.
fn x_axis(ticks: &[AxisTick], margin: usize, across: usize, label: &str) -> String {
    let mut line = vec!['─'; across];
    let mut labels = String::new();
    for tick in ticks {
        let column = nearest(tick.at, DOTS_ACROSS).min(across - 1);
        line[column] = '┬';
        let text = tick.label.as_deref().unwrap_or_default();
        let width = text.chars().count();
        let start = (column + 1).saturating_sub(width.div_ceil(2));
        let start = start.min(across.saturating_sub(width));
        let used = labels.chars().count();
        if used == 0 || used < start {
            labels.push_str(&" ".repeat(start - used));
            labels.push_str(text);
        }
    }
    let line: String = line.into_iter().collect();
    let label = label.trim();
    let indent = " ".repeat(margin + 2);
    format!("{:margin$} └{line}\n{indent}{labels}\n{indent}{label:>across$}\n", "")
}

/// Returns the dot nearest to a position that is not negative, in groups of `step` dots.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn nearest(position: f64, step: usize) -> usize {
    libm::round(position).max(0.0) as usize / step
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::quantity::Quantity;

    fn plot(points: Vec<MeasuredPoint>, columns: usize, rows: usize) -> String {
        TextPlot { x_label: "generation".to_owned(), points, columns, rows }.text()
    }

    fn exact(values: &[f64]) -> Vec<MeasuredPoint> {
        let point = |(x, y): (usize, &f64)| MeasuredPoint { x: to_f64(x), y: Quantity::Exact(*y) };
        values.iter().enumerate().map(point).collect()
    }

    #[test]
    fn a_line_has_scales() {
        let expected = ["4 ┤        ⢀⠔⠊", "  │      ⡤⠊⠁", "2 ┤  ⢀⡠⠒⠉", "0 ┤⡠⠔⠁"];
        let text = plot(exact(&[0.0, 1.0, 2.0, 3.0, 4.0]), 14, 4);
        assert_eq!(text.lines().take(4).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn extremes_of_many_points_are_kept() {
        let mut values = vec![1.0; 100_000];
        values[54_321] = 99.0;
        let text = plot(exact(&values), 80, 10);
        assert!(text.starts_with("100 ┤") && text.contains("50 ┤"), "{text}");
        assert_eq!(text.matches('⢸').count(), 9, "{text}");
    }

    #[test]
    fn bands_are_dotted() {
        let n_dots = |interval: [f64; 2]| {
            let inner =
                |x: u32| MeasuredPoint { x: x.into(), y: Quantity::estimate(10.0, interval) };
            // The ends keep the scale.
            let end = |x: f64| MeasuredPoint { x, y: Quantity::estimate(10.0, [0.0, 20.0]) };
            let points = [end(-1.0)].into_iter().chain((0..10).map(inner)).chain([end(10.0)]);
            let text = plot(points.collect(), 40, 8);
            let letters = text.chars().filter(|c| ('\u{2800}'..='\u{28ff}').contains(c));
            letters.map(|c| (c as u32 - 0x2800).count_ones()).sum::<u32>()
        };
        let [line, band] = [[10.0; 2], [0.0, 20.0]].map(n_dots);
        // The field has 70 columns or so of 32 dots; a band has every fourth of them at most.
        assert!(70 <= line && 2 * line < band && band < 70 + 75 * 32 / 4, "{line} {band}");
    }

    #[test]
    fn nothing_to_plot_is_said() {
        assert_eq!(plot(exact(&[f64::NAN, f64::INFINITY]), 80, 10), "no values to plot\n");
        assert_eq!(plot(Vec::new(), 80, 10), "no values to plot\n");
    }

    proptest! {
        #[test]
        fn no_line_is_wider(
            points in proptest::collection::vec(any::<(f64, f64, f64, f64)>(), 0..40),
            columns in 40_usize..=200,
            rows in 0_usize..40,
        ) {
            let point = |(x, value, low, high)| MeasuredPoint {
                x,
                y: Quantity::estimate(value, [low, high]),
            };
            let text = plot(points.into_iter().map(point).collect(), columns, rows);
            for line in text.lines() {
                prop_assert!(line.chars().count() <= columns, "{line}");
            }
        }
    }
}
