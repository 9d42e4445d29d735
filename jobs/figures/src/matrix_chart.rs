//! Tables of numbers as colored cells, such as win rates by pair of decks.
//!
//! ```text
//! title
//!         / / /  names
//!   y  n | | | |   # high
//!   l  a |-+-+-|   #
//!   a  m | | | |   # center
//!   b  e |-+-+-|   #
//!   e  s | | | |   # low
//!   l    x label     legend label
//! ```

use crate::description;
use crate::diverging_scale::DivergingScale;
use crate::document::{CHART_FONT, DocumentPaper, FigureDocument};
use crate::linear_scale::{LinearScale, is_drawn};
use crate::markup::{escape_text, text, text_width, to_f64};
use crate::palette::{INK, MISSING};
use crate::shape::{DocumentForm, Paint, Shape, ShapeStyle};

/// The size of the letters in cells and in all other texts, which `text_width` is for.
const CELL_FONT: f64 = 12.0;
const FONT: f64 = 13.0;
/// Names beside each other need cells at least this wide.
const MIN_SIDE: f64 = 22.0;
/// The space beside the text of a cell.
const PADDING: f64 = 8.0;
/// The left edge of the row names, and the space around the cells.
const LEFT: f64 = 34.0;
const TOP: f64 = 40.0;
const GAP: f64 = 8.0;
const MARGIN: f64 = 18.0;
const FOOTER: f64 = 40.0;
/// Names of columns rise by 45 degrees: the sine and the cosine.
const SLANT: f64 = 0.708;
/// The height of the legend's bar, its width, and the number of its colors.
const BAR: [f64; 2] = [16.0, 160.0];
const BAR_COLORS: usize = 40;
const BAR_STEPS: f64 = 4.0;

/// A table of numbers as colored cells.
#[derive(Clone, Debug)]
pub struct MatrixChart {
    /// The text above the chart.
    pub title: String,
    /// The text below the columns.
    pub x_label: String,
    /// The text beside the rows.
    pub y_label: String,
    /// The text below the legend: the quantity and its unit.
    pub legend_label: String,
    /// The names of the rows, from above.
    pub rows: Vec<String>,
    /// The names of the columns, from the left.
    pub columns: Vec<String>,
    /// The cells that have a value, in any order; cells beside the table, or with a value that is
    /// not finite (more exactly, of a magnitude above 1e100), are left out.
    pub cells: Vec<MatrixCell>,
    /// The colors of values.
    pub scale: DivergingScale,
}

/// A cell of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixCell {
    /// The index of its row.
    pub row: usize,
    /// The index of its column.
    pub column: usize,
    /// The number that its color shows.
    pub value: f64,
    /// The text in it, empty for none.
    pub text: String,
    /// The text that is shown while the pointer is on it, empty for none.
    pub hover: String,
}

impl MatrixChart {
    /// Returns the chart as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn(DocumentForm::Standalone)
    }

    /// Returns the chart as a part of a page, in its own size in pixels: a page that is narrower
    /// scrolls it, so that text keeps its size. The page's sheet must have [`STYLE_SHEET`].
    ///
    /// [`STYLE_SHEET`]: crate::STYLE_SHEET
    #[must_use]
    pub fn to_inline_svg(&self) -> String {
        self.drawn(DocumentForm::Fixed)
    }

    fn drawn(&self, form: DocumentForm) -> String {
        let layout = MatrixLayout::of(self);
        let MatrixLayout { left, top, side, size, width, height } = layout;
        let [right, bottom] = [left + size[0], top + size[1]];
        let missing = Shape::Cell {
            corner: [left, top],
            size,
            style: ShapeStyle::filled(Paint::Theme(MISSING)),
            hover: String::new(),
        };
        let in_cells = INK.light;
        let mut lines = vec![text([LEFT, 26.0], "start", &self.title), missing.markup(form)];
        let middle = |idx: usize| side * (to_f64(idx) + 0.5);
        for idx in 0..self.rows.len().max(self.columns.len()) {
            lines.extend(
                self.rows
                    .get(idx)
                    .map(|name| text([left - GAP, top + middle(idx) + 4.5], "end", name)),
            );
            lines.extend(self.columns.get(idx).map(|name| {
                format!(
                    "<text transform=\"translate({:.1} {:.1}) rotate(-45)\">{}</text>",
                    left + middle(idx) + 3.0,
                    top - GAP,
                    escape_text(name)
                )
            }));
        }
        // Cells have the same colors on any paper, and so has the text in them.
        lines.push(format!(
            "<g font-size=\"{CELL_FONT}\" text-anchor=\"middle\" fill=\"{in_cells}\">"
        ));
        lines.extend(self.drawn_cells().map(|cell| self.cell(cell, &layout)));
        lines.push("</g>".to_owned());
        let center = f64::midpoint(left, right);
        lines.push(text([center, bottom + 24.0], "middle", &self.x_label));
        lines.push(format!(
            "<text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            f64::midpoint(top, bottom),
            escape_text(&self.y_label)
        ));
        lines.extend(self.legend(&layout));
        let document = FigureDocument {
            title: &self.title,
            description: &self.description(),
            view_box: [0.0, 0.0, width, height],
            inherited: CHART_FONT,
            paper: DocumentPaper::Theme,
        };
        document.with_lines(&lines, form)
    }

    fn description(&self) -> String {
        let values = description::range(self.drawn_cells().map(|cell| cell.value));
        let named = |names: &[String], what: &str| {
            let list = description::list(names.iter().map(|name| description::short(name)));
            format!("{}: {list}", description::count(names.len(), what))
        };
        let names = match self.rows == self.columns {
            true => named(&self.rows, "name"),
            false => format!("{}. {}", named(&self.rows, "row"), named(&self.columns, "column")),
        };
        format!(
            "Table of {} by {}, {} with values: {values}. Red is below {}, blue above. {names}.",
            description::short(&self.y_label),
            description::short(&self.x_label),
            description::count(self.drawn_cells().count(), "cell"),
            description::number(self.scale.center_and_reach()[0]),
        )
    }

    fn drawn_cells(&self) -> impl Iterator<Item = &MatrixCell> {
        let [n_rows, n_columns] = [self.rows.len(), self.columns.len()];
        let is_inside = move |it: &MatrixCell| it.row < n_rows && it.column < n_columns;
        self.cells.iter().filter(move |it| is_inside(it) && is_drawn(it.value))
    }

    fn cell(&self, cell: &MatrixCell, layout: &MatrixLayout) -> String {
        let MatrixLayout { left, top, side, .. } = *layout;
        let MatrixCell { row, column, value, text, hover } = cell;
        let [x, y] = [left + side * to_f64(*column), top + side * to_f64(*row)];
        let (mut title, mut label) = (String::new(), String::new());
        if !hover.is_empty() {
            title = format!("<title>{}</title>", escape_text(hover));
        }
        if !text.is_empty() {
            let (x, y) = (x + side / 2.0, y + side / 2.0 + 4.0);
            let (fill, text) = (self.scale.text_fill(*value), escape_text(text));
            label = format!("<text x=\"{x:.1}\" y=\"{y:.1}\"{fill}>{text}</text>");
        }
        let color = self.scale.color(*value);
        format!(
            "<g>{title}<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" \
             fill=\"{color}\" stroke=\"white\" stroke-width=\"0.5\"/>{label}</g>"
        )
    }

    /// Returns the bar of colors right of the table, with its ticks and the label below.
    fn legend(&self, layout: &MatrixLayout) -> Vec<String> {
        let [center, reach] = self.scale.center_and_reach();
        let [width, height] = BAR;
        let (x, top) = (layout.left + layout.size[0] + MARGIN, layout.top);
        let (ends, step) = ([top + height, top], height / to_f64(BAR_COLORS));
        let axis =
            LinearScale::around([center - reach, center + reach].into_iter(), ends, BAR_STEPS);
        let color = |idx: usize| {
            let share = 1.0 - (to_f64(idx) + 0.5) / to_f64(BAR_COLORS) * 2.0;
            let color = self.scale.color(center + share * reach);
            let y = top + step * to_f64(idx);
            // A little of the next color below keeps the page from showing between two.
            let overlap = if idx + 1 < BAR_COLORS { 0.5 } else { 0.0 };
            format!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\" \
                 fill=\"{color}\"/>",
                step + overlap
            )
        };
        let mut lines: Vec<String> = (0..BAR_COLORS).map(color).collect();
        for tick in axis.ticks() {
            let label = tick.label.unwrap_or_default();
            lines.push(text([x + width + GAP, tick.at + 4.5], "start", &label));
        }
        lines.push(text([x, top + height + 24.0], "start", &self.legend_label));
        lines
    }
}

/// The places of the parts of a chart.
#[derive(Clone, Copy, Debug)]
struct MatrixLayout {
    /// The left and the upper edge of the table.
    left: f64,
    top: f64,
    /// The side of a cell.
    side: f64,
    /// The total width and height of the cells.
    size: [f64; 2],
    /// The size of the document.
    width: f64,
    height: f64,
}

impl MatrixLayout {
    fn of(chart: &MatrixChart) -> Self {
        let widest_of = |names: &[String]| widest(names.iter().map(String::as_str));
        let [row_name, column_name] = [widest_of(&chart.rows), widest_of(&chart.columns)];
        let in_cell = widest(chart.drawn_cells().map(|cell| cell.text.as_str()));
        let side = libm::ceil((in_cell * CELL_FONT / FONT + PADDING).max(MIN_SIDE));
        let size = [chart.columns.len(), chart.rows.len()].map(|n| side * to_f64(n));
        let left = LEFT + row_name + GAP;
        let top = TOP + libm::ceil(SLANT * column_name) + GAP;
        let [bar_width, bar_height] = BAR;
        // A label of the bar has hardly more than seven letters.
        let legend = text_width(&chart.legend_label).max(bar_width + GAP + 60.0);
        let ends = [
            left + size[0] + MARGIN + legend,
            left + size[0] + SLANT * (column_name + FONT),
            LEFT + text_width(&chart.title),
        ];
        Self {
            left,
            top,
            side,
            size,
            width: libm::ceil(ends.into_iter().fold(0.0, f64::max)) + MARGIN,
            height: top + size[1].max(bar_height) + FOOTER,
        }
    }
}

/// Returns the width of the widest of some texts.
fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> f64 {
    libm::ceil(texts.map(text_width).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests;
