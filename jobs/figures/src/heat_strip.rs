//! Distributions over time as a strip of colored cells.
//!
//! ```text
//! title
//!   highest | | | | | |
//!      75 % | | | | | |
//!    median | | | | | |
//!      25 % | | | | | |
//!    lowest | | | | | |
//!            1   3   5   x label
//! ```

use crate::axis_tick::{self, AxisTick};
use crate::description;
use crate::document::{CHART_FONT, DocumentPaper, FigureDocument};
use crate::linear_scale::{LinearScale, is_drawn};
use crate::markup::{text_width, to_f64};
use crate::palette::{HEAT, ThemeColor};
use crate::shape::{DocumentForm, Paint, Shape, ShapeStyle, StretchMargins, StretchedPart};

/// The names of the quantiles, from the lowest.
const QUANTILES: [&str; 5] = ["lowest", "25 %", "median", "75 %", "highest"];
const LEFT: f64 = 76.0;
const RIGHT: f64 = 640.0;
const TOP: f64 = 46.0;
const ROW: f64 = 22.0;
/// The bottom of the cells, and the height of the document.
const BOTTOM: f64 = TOP + 5.0 * ROW;
const HEIGHT: f64 = BOTTOM + 102.0;
const MARGIN: f64 = 20.0;
/// The width of the ends of the scale of colors.
const NUMBERS: f64 = 160.0;
/// The strip as a part of a page, from this height on, with texts of this many letters at most.
const STRETCHED: DocumentForm = DocumentForm::Stretched(StretchedPart {
    left: LEFT,
    right: RIGHT,
    margins: StretchMargins::Axes,
});
const INLINE_TOP: f64 = 40.0;
const INLINE_LABEL: usize = 40;
/// The most columns; of more columns, evenly spaced columns are drawn, and the last.
const MAX_COLUMNS: usize = 200;
/// A horizontal axis has about this many labels.
const MAX_LABELS: usize = 8;

/// Five quantiles of a distribution in each of many columns, such as the fitness in each
/// generation, as cells that are darker (on dark paper: lighter) the higher their value is.
///
/// Values that are not finite (more exactly, of a magnitude above 1e100) leave their cell empty. Of
/// more than 200 columns, evenly spaced columns are drawn, and the last.
#[derive(Clone, Debug)]
pub struct HeatStrip {
    /// The text above the strip.
    pub title: String,
    /// The text below the columns.
    pub x_label: String,
    /// The text before the scale of colors: the quantity and its unit.
    pub value_label: String,
    /// The columns, from the left.
    pub columns: Vec<QuantileColumn>,
}

/// A column of a heat strip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantileColumn {
    /// The number below the column, such as a generation's number.
    pub x: f64,
    /// The lowest value, the lower quartile, the median, the upper quartile and the highest value.
    pub quantiles: [f64; 5],
}

impl HeatStrip {
    /// Returns the strip as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn(DocumentForm::Standalone)
    }

    /// Returns the strip as a part of a page, whose sheet must have [`STYLE_SHEET`]. It is as wide
    /// as the page lets it be, text keeps its size, and the title is left to the page.
    ///
    /// [`STYLE_SHEET`]: crate::STYLE_SHEET
    #[must_use]
    pub fn to_inline_svg(&self) -> String {
        self.drawn(STRETCHED)
    }

    fn drawn(&self, form: DocumentForm) -> String {
        let columns = self.drawn_columns();
        let width = (RIGHT - LEFT) / to_f64(columns.len().max(1));
        let place = |idx: usize| LEFT + width * to_f64(idx);
        let steps = self.steps();
        let mut shapes = Vec::new();
        for (idx, column) in columns.iter().enumerate() {
            for (row, value) in column.quantiles.iter().copied().enumerate() {
                let y = BOTTOM - ROW * to_f64(row + 1);
                let color = steps.color(value);
                shapes.extend(color.map(|color| Shape::Cell {
                    corner: [place(idx), y],
                    size: [width, ROW - 1.0],
                    style: ShapeStyle::filled(Paint::Theme(color)),
                    hover: format!(
                        "{} {}: {} {}",
                        self.x_label,
                        description::number(column.x),
                        QUANTILES[row],
                        description::number(value)
                    ),
                }));
            }
        }
        let labeled = (0..columns.len()).step_by(columns.len().div_ceil(MAX_LABELS).max(1));
        let ticks = labeled.map(|idx| AxisTick {
            at: place(idx) + width / 2.0,
            label: Some(description::number(columns[idx].x)),
        });
        let mut ticks: Vec<_> = ticks.collect();
        if form != DocumentForm::Standalone {
            ticks = axis_tick::thinned(&ticks, RIGHT - LEFT);
        }
        let x_label = form.short(&self.x_label, INLINE_LABEL);
        // The lines of the grid have no height: cells cover the strip.
        shapes.extend(axis_tick::x_axis(&ticks, [LEFT, RIGHT], [BOTTOM; 2], &x_label));
        for (row, name) in QUANTILES.iter().enumerate() {
            let y = BOTTOM - ROW * (to_f64(row) + 0.5);
            shapes.push(Shape::text([LEFT, y], [-8.0, 4.5], "end", name));
        }
        if form == DocumentForm::Standalone {
            shapes.push(Shape::text([LEFT, TOP], [0.0, -20.0], "start", &self.title));
        }
        shapes.extend(steps.legend(&form.short(&self.value_label, INLINE_LABEL)));
        let top = if form == DocumentForm::Standalone { 0.0 } else { INLINE_TOP };
        let widest = text_width(&self.title).max(text_width(&self.value_label) + NUMBERS);
        let document = FigureDocument {
            title: &self.title,
            description: &self.description(),
            view_box: [0.0, top, libm::ceil(RIGHT.max(LEFT + widest) + MARGIN), HEIGHT - top],
            inherited: CHART_FONT,
            paper: DocumentPaper::Theme,
        };
        document.drawn(&shapes, form)
    }

    /// Returns the columns to draw: columns with a number, and not too many.
    fn drawn_columns(&self) -> Vec<QuantileColumn> {
        let columns = self.columns.iter().copied().filter(|column| is_drawn(column.x));
        let columns: Vec<_> = columns.collect();
        let step = columns.len().div_ceil(MAX_COLUMNS).max(1);
        // Backward, so that the last is among them.
        let mut drawn: Vec<_> = columns.into_iter().rev().step_by(step).collect();
        drawn.reverse();
        drawn
    }

    fn steps(&self) -> ColorSteps {
        let columns = self.drawn_columns();
        let values = columns.iter().flat_map(|column| column.quantiles);
        ColorSteps(LinearScale::around(
            values.filter(|value| is_drawn(*value)),
            [0.0, to_f64(HEAT.len())],
            to_f64(HEAT.len()),
        ))
    }

    fn description(&self) -> String {
        let columns = self.drawn_columns();
        let ends = [columns.first(), columns.last()].map(|column| {
            column.map(|QuantileColumn { x, quantiles }| {
                let quantiles = quantiles.map(|value| match is_drawn(value) {
                    true => description::number(value),
                    false => "no value".to_owned(),
                });
                let [lowest, _, median, _, highest] = quantiles;
                let x = description::number(*x);
                format!("At {x}, median {median}, from {lowest} to {highest}.")
            })
        });
        let [Some(first), Some(last)] = ends else {
            return "Strip of quantiles without columns.".to_owned();
        };
        format!(
            "Strip of five quantiles in each of {}: {} by {}. {first} {last}",
            description::count(self.columns.len(), "column"),
            description::short(&self.value_label),
            description::short(&self.x_label)
        )
    }
}

/// Equal steps of values, each with a color: the positions of the scale are indices of colors.
#[derive(Clone, Copy, Debug)]
struct ColorSteps(LinearScale);

impl ColorSteps {
    /// Returns the color of a value, none if it cannot be drawn.
    fn color(self, value: f64) -> Option<ThemeColor> {
        let position = self.0.position(value);
        let last = HEAT.len() - 1;
        let step = (1..=last).rev().find(|&step| to_f64(step) <= position).unwrap_or(0);
        is_drawn(value).then_some(HEAT[step])
    }

    /// Returns a sample for each color below the strip, with the ends of the scale.
    fn legend(self, label: &str) -> Vec<Shape> {
        let [x, y] = [LEFT, BOTTOM + 54.0];
        let sample = |(idx, color): (usize, ThemeColor)| Shape::Mark {
            at: [x, y],
            path: format!("m{} 0h28v14h-28z", 28 * idx),
            style: ShapeStyle::filled(Paint::Theme(color)),
        };
        let mut shapes: Vec<_> = HEAT.into_iter().enumerate().map(sample).collect();
        let [low, high] = self.0.ends().map(description::number);
        let content = format!("{label}, {low} to {high}");
        shapes.push(Shape::text([x, y], [0.0, 30.0], "start", &content));
        shapes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(columns: &[QuantileColumn]) -> HeatStrip {
        let [title, x_label, value_label] = ["t", "generation", "a<b"].map(str::to_owned);
        HeatStrip { title, x_label, value_label, columns: columns.to_vec() }
    }

    #[test]
    fn cells_are_darker_the_higher_their_value_is() {
        let columns = [QuantileColumn { x: 1.0, quantiles: [0.0, 1.0, 3.0, 6.0, f64::NAN] }];
        let strip = strip(&columns);
        let steps = strip.steps();
        let names = columns[0].quantiles.map(|value| steps.color(value).map(|color| color.name));
        assert_eq!(names, [Some("h0"), Some("h1"), Some("h3"), Some("h5"), None]);
        assert_eq!(strip.to_svg().matches("<rect").count(), 1 + 4);
    }

    #[test]
    fn of_many_columns_the_last_is_drawn() {
        let column = |x| QuantileColumn { x: f64::from(x), quantiles: [0.0; 5] };
        let columns: Vec<_> = (1..=1001).map(column).collect();
        let drawn = strip(&columns).drawn_columns();
        assert!(drawn.len() <= MAX_COLUMNS && drawn.last() == columns.last());
        assert_eq!(strip(&[]).drawn_columns(), []);
    }
}
