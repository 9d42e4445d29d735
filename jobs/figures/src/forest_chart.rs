//! Rows of estimates with their intervals.
//!
//! ```text
//! title              reference
//! first name   --o--     |          6.5 (5.5 to 7.7)
//! second name        ----o----      9.5 (8.4 to 10.6)
//!             +----+----+----+----
//!                         x label
//! ```

use crate::axis_tick;
use crate::description;
use crate::document::{CHART_FONT, DocumentPaper, FigureDocument};
use crate::linear_scale::{LinearScale, is_drawn};
use crate::markup::{text_width, to_f64};
use crate::palette::{GRID, PAPER, SERIES, SOFT};
use crate::quantity::Quantity;
use crate::series_style::{DIAMOND, DISK};
use crate::shape::{DocumentForm, Paint, Shape, ShapeStyle, StretchMargins, StretchedPart};

const TOP: f64 = 60.0;
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
/// The mark of an estimate, a disk, or of an exact number, a diamond.
const MARK: ShapeStyle =
    ShapeStyle::filled(Paint::Theme(SERIES[0])).outlined(Paint::Theme(PAPER), 1.0);

/// The places of the parts of a row.
#[derive(Clone, Copy, Debug)]
struct RowLayout {
    form: DocumentForm,
    /// The height of a row, and the distance of its interval from the top.
    row: f64,
    interval: f64,
    /// The distance of text from the ends of the intervals' part, outward and below the row's top.
    text: [f64; 2],
    /// The anchors of name and number.
    anchors: [&'static str; 2],
}

impl RowLayout {
    /// Returns the upper and lower ends of the parts of a vertical line that crosses the intervals
    /// of `n` rows and no text.
    fn reference_spans(&self, n: usize) -> Vec<[f64; 2]> {
        match self.form {
            DocumentForm::Standalone | DocumentForm::Fixed => {
                vec![[TOP - 4.0, TOP + self.row * to_f64(n)]]
            }
            DocumentForm::Stretched(_) => {
                let middles = (0..n).map(|idx| TOP + self.row * to_f64(idx) + self.interval);
                middles.map(|middle| [middle - HALF_SPAN, middle + HALF_SPAN]).collect()
            }
        }
    }
}

/// Names to the left of the intervals, numbers to the right.
const BESIDE: RowLayout = RowLayout {
    form: DocumentForm::Standalone,
    row: 24.0,
    interval: 12.0,
    text: [GAP, 16.5],
    anchors: ["end", "start"],
};
/// Names and numbers above the intervals, which are as wide as the page lets them be.
const ABOVE: RowLayout = RowLayout {
    form: DocumentForm::Stretched(StretchedPart {
        left: 0.0,
        right: PLOT_WIDTH,
        margins: StretchMargins::Rows,
    }),
    row: 38.0,
    interval: 27.0,
    text: [0.0, 14.0],
    anchors: ["start", "end"],
};
/// The reach of a reference line around an interval that has text above it.
const HALF_SPAN: f64 = 9.0;
/// The most letters of a name that has its number beside it, and the top of an inline chart.
const INLINE_NAME: usize = 24;
const INLINE_TOP: f64 = 34.0;

/// A chart of named quantities below one another, each with its interval (a forest plot).
///
/// An estimate is a disk on the line of its interval, an exact number a diamond; both are also
/// written beside their row. A row that cannot be drawn says so.
#[derive(Clone, Debug)]
pub struct ForestChart {
    /// The text above the chart.
    pub title: String,
    /// The text below the axis: the quantity and its unit.
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
        let [numbers, names] = [self.numbers(), self.names()].map(|texts| widest(&texts));
        let left = GAP + names + GAP;
        let right = left + PLOT_WIDTH;
        let width = (right + GAP + numbers).max(GAP + text_width(&self.title)) + GAP;
        self.drawn(&BESIDE, [left, right], libm::ceil(width))
    }

    /// Returns the chart as a part of a page, whose sheet must have [`STYLE_SHEET`]. It is as wide
    /// as the page lets it be, text keeps its size, and the title is left to the page;
    /// names and numbers are above their interval.
    ///
    /// [`STYLE_SHEET`]: crate::STYLE_SHEET
    #[must_use]
    pub fn to_inline_svg(&self) -> String {
        self.drawn(&ABOVE, [0.0, PLOT_WIDTH], PLOT_WIDTH)
    }

    /// Returns the document with intervals between `ends`, from the left to the right.
    fn drawn(&self, layout: &RowLayout, ends: [f64; 2], width: f64) -> String {
        let RowLayout { row, form, .. } = *layout;
        let [left, right] = ends;
        let bottom = TOP + row * to_f64(self.rows.len());
        let x = self.scale(ends);
        let ticks = match form {
            DocumentForm::Standalone | DocumentForm::Fixed => x.ticks(),
            DocumentForm::Stretched(_) => axis_tick::thinned(&x.ticks(), right - left),
        };
        let x_label = form.short(&self.x_label, MAX_LETTERS);
        let mut shapes = axis_tick::x_axis(&ticks, ends, [TOP - 4.0, bottom], &x_label);
        if form == DocumentForm::Standalone {
            shapes.push(Shape::text([left, 26.0], [GAP - left, 0.0], "start", &self.title));
        }
        if let Some(reference) = self.drawn_reference() {
            let at = x.position(reference.value);
            let style = ShapeStyle::stroked(Paint::Theme(SOFT), 1.5, "9 3 2 3");
            let line = |[top, bottom]: [f64; 2]| Shape::Line { ends: [at, top, at, bottom], style };
            shapes.extend(layout.reference_spans(self.rows.len()).into_iter().map(line));
            // The name stays within the chart.
            let anchor = if at < f64::midpoint(left, right) { "start" } else { "end" };
            shapes.push(Shape::text([at, TOP], [0.0, -9.0], anchor, &short(&reference.name)));
        }
        let texts = self.names().into_iter().zip(self.numbers());
        for (idx, (row_of, (name, number))) in self.rows.iter().zip(texts).enumerate() {
            let top = TOP + row * to_f64(idx);
            let y = top + layout.interval;
            let style = ShapeStyle::stroked(Paint::Theme(GRID), 1.0, "");
            shapes.push(Shape::Line { ends: [left, y, right, y], style });
            shapes.extend(marks(&row_of.quantity, &x, y));
            let ([dx, dy], [of_name, of_number]) = (layout.text, layout.anchors);
            shapes.push(Shape::text(
                [left, top],
                [-dx, dy],
                of_name,
                &form.short(&name, INLINE_NAME),
            ));
            shapes.push(Shape::text([right, top], [dx, dy], of_number, &number));
        }
        let top = if form == DocumentForm::Standalone { 0.0 } else { INLINE_TOP };
        let document = FigureDocument {
            title: &self.title,
            description: &self.description(),
            view_box: [0.0, top, width, bottom + FOOTER - top],
            inherited: CHART_FONT,
            paper: DocumentPaper::Theme,
        };
        document.drawn(&shapes, form)
    }

    fn names(&self) -> Vec<String> {
        self.rows.iter().map(|row| short(&row.name)).collect()
    }

    fn numbers(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.quantity.words()).collect()
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
        check(
            Quantity::Estimate { value: 6.5, interval: [5.5, 7.7] },
            1,
            DISK,
            "6.50 (5.50 to 7.70)",
        );
        check(Quantity::Exact(6.5), 0, DIAMOND, "6.5");
        let svg = svg(Quantity::Estimate { value: 6.5, interval: [f64::NAN, 7.7] });
        assert!(svg.contains(">no value</text>") && !svg.contains(DISK), "{svg}");
    }
}
