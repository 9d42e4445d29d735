//! Rows of estimates with their intervals.
//!
//! ```text
//! title              reference
//! first name   --o--     |          6.5 (5.5 to 7.7)
//! second name        ----o----      9.5 (8.4 to 10.6)
//!             +----+----+----+----
//!                         x label
//! ```

use crate::axis_tick::x_axis;
use crate::description;
use crate::document::{CHART_FONT, DocumentPaper, FigureDocument};
use crate::linear_scale::{LinearScale, is_drawn};
use crate::markup::{text_width, to_f64};
use crate::palette::{GRID, PAPER, SERIES, SOFT};
use crate::quantity::Quantity;
use crate::shape::{Form, Paint, Shape, ShapeStyle, TextShape};

const TOP: f64 = 60.0;
const ROW: f64 = 24.0;
/// The space below the rows, with the axis.
const FOOTER: f64 = 52.0;
/// The space between columns, and at the edges.
const GAP: f64 = 14.0;
/// The width of the intervals' part.
const PLOT_WIDTH: f64 = 480.0;
/// The number of steps between ticks to aim at.
const STEPS: f64 = 6.0;
/// The space beside the outermost numbers, as a share of their range.
const MARGIN: f64 = 0.04;
/// Names and numbers are cut to this many letters.
const MAX_LETTERS: usize = 40;
/// The marks of an estimate, a disk, and of an exact number, a diamond.
const DISK: &str = "m-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0z";
const DIAMOND: &str = "m0 -5.8l5.2 5.8l-5.2 5.8l-5.2 -5.8z";
const MARK: ShapeStyle =
    ShapeStyle::filled(Paint::Theme(SERIES[0])).outlined(Paint::Theme(PAPER), 1.0);

/// A chart of named quantities below one another, each with its interval (a forest plot).
///
/// An estimate is a disk on the line of its interval, an exact number a diamond; both are also
/// written beside their row. A row that cannot be drawn says so.
#[derive(Clone, Debug)]
pub struct ForestChart {
    /// The text above the chart.
    pub title: String,
    /// The text below the axis: what is measured, and its unit.
    pub x_label: String,
    /// Values that the axis shows even if no row is there, such as 0.
    pub x_shown: Vec<f64>,
    /// A vertical line to compare the rows with.
    pub reference: Option<ReferenceValue>,
    /// The rows, from above.
    pub rows: Vec<ForestRow>,
}

/// A row of a forest chart.
#[derive(Clone, Debug, PartialEq)]
pub struct ForestRow {
    /// The name, to the left.
    pub name: String,
    /// The quantity.
    pub quantity: Quantity,
}

/// A value to compare others with, and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceValue {
    /// The name, beside the line.
    pub name: String,
    /// The value; if it is not finite, there is no line.
    pub value: f64,
}

impl ForestChart {
    /// Returns the chart as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn(Form::Standalone)
    }

    fn drawn(&self, form: Form) -> String {
        let numbers: Vec<_> = self.rows.iter().map(|row| row.quantity.words()).collect();
        let names: Vec<_> = self.rows.iter().map(|row| short(&row.name)).collect();
        let left = GAP + widest(&names) + GAP;
        let right = left + PLOT_WIDTH;
        let bottom = TOP + ROW * to_f64(self.rows.len());
        let x = self.scale([left, right]);
        let mut shapes = x_axis(&x.ticks(), [left, right], [TOP - 4.0, bottom], &self.x_label);
        shapes.push(text([left, 26.0], [GAP - left, 0.0], "start", &self.title));
        if let Some(reference) = self.drawn_reference() {
            let at = x.position(reference.value);
            let style = ShapeStyle::stroked(Paint::Theme(SOFT), 1.5, "9 3 2 3");
            shapes.push(Shape::Line { ends: [at, TOP - 4.0, at, bottom], style });
            shapes.push(text([at, TOP], [0.0, -9.0], "middle", &short(&reference.name)));
        }
        for (idx, (row, name)) in self.rows.iter().zip(&names).enumerate() {
            let y = TOP + ROW * (to_f64(idx) + 0.5);
            let style = ShapeStyle::stroked(Paint::Theme(GRID), 1.0, "");
            shapes.push(Shape::Line { ends: [left, y, right, y], style });
            shapes.extend(marks(&row.quantity, &x, y));
            shapes.push(text([left, y], [-GAP, 4.5], "end", name));
            shapes.push(text([right, y], [GAP, 4.5], "start", &numbers[idx]));
        }
        let title = GAP + text_width(&self.title);
        let width = (right + GAP + widest(&numbers)).max(title) + GAP;
        let document = FigureDocument {
            title: &self.title,
            description: &self.description(),
            view_box: [0.0, 0.0, libm::ceil(width), bottom + FOOTER],
            inherited: CHART_FONT,
            paper: DocumentPaper::Theme,
        };
        document.drawn(&shapes, form)
    }

    fn scale(&self, ends: [f64; 2]) -> LinearScale {
        let drawn = self.rows.iter().filter_map(|row| row.quantity.drawn());
        let values = drawn.flat_map(|(value, [low, high])| [value, low, high]);
        let reference = self.reference.iter().map(|reference| reference.value);
        let shown = self.x_shown.iter().copied().chain(reference).filter(|value| is_drawn(*value));
        LinearScale::around(values.chain(shown), ends, STEPS).with_margins(MARGIN)
    }

    fn drawn_reference(&self) -> Option<&ReferenceValue> {
        self.reference.as_ref().filter(|reference| is_drawn(reference.value))
    }

    fn description(&self) -> String {
        let rows = self
            .rows
            .iter()
            .map(|row| format!("{}: {}", description::short(&row.name), row.quantity.words()));
        let reference = self.drawn_reference().map(|reference| {
            let name = description::short(&reference.name);
            format!(" Reference line {name} at {}.", description::number(reference.value))
        });
        format!(
            "{} with intervals, {}. {}.{}",
            description::count(self.rows.len(), "row"),
            description::short(&self.x_label),
            description::list(rows),
            reference.unwrap_or_default()
        )
    }
}

/// Returns the interval of a quantity and its mark.
fn marks(quantity: &Quantity, x: &LinearScale, y: f64) -> Vec<Shape> {
    let Some((value, interval)) = quantity.drawn() else {
        return Vec::new();
    };
    let at = [x.position(value), y];
    let mark = |path: &str| Shape::Mark { at, path: path.to_owned(), style: MARK };
    match quantity {
        Quantity::Exact(_) => vec![mark(DIAMOND)],
        Quantity::Estimate { .. } => {
            let [low, high] = interval.map(|end| x.position(end));
            let style = ShapeStyle::stroked(Paint::Theme(SERIES[0]), 2.0, "");
            vec![Shape::Line { ends: [low, y, high, y], style }, mark(DISK)]
        }
    }
}

fn text(at: [f64; 2], offset: [f64; 2], anchor: &'static str, content: &str) -> Shape {
    Shape::Text(TextShape::new(at, offset, anchor, content))
}

fn short(name: &str) -> String {
    description::shortened(name, MAX_LETTERS)
}

fn widest(texts: &[String]) -> f64 {
    libm::ceil(texts.iter().map(|text| text_width(text)).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(quantity: Quantity) -> String {
        let [title, x_label, name] = ["t", "points", "a<b"].map(str::to_owned);
        let reference = Some(ReferenceValue { name: "fair".to_owned(), value: 1.0 });
        let rows = vec![ForestRow { name, quantity }];
        ForestChart { title, x_label, x_shown: vec![0.0], reference, rows }.to_svg()
    }

    #[test]
    fn an_estimate_has_an_interval_and_an_exact_number_a_mark_of_its_own() {
        let check = |quantity: Quantity, n_intervals: usize, path: &str, words: &str| {
            let svg = svg(quantity);
            assert_eq!(svg.matches("class=\"stroke-1\"").count(), n_intervals, "{svg}");
            assert_eq!(svg.matches(path).count(), 1, "{svg}");
            assert!(svg.contains(&format!(">{words}</text>")), "{svg}");
        };
        check(Quantity::Estimate { value: 6.5, interval: [5.5, 7.7] }, 1, DISK, "6.5 (5.5 to 7.7)");
        check(Quantity::Exact(6.5), 0, DIAMOND, "6.5");
        let svg = svg(Quantity::Estimate { value: 6.5, interval: [f64::NAN, 7.7] });
        assert!(svg.contains(">no value</text>") && !svg.contains(DISK), "{svg}");
    }
}
