//! All of a chart but its data: grid, axes, texts and legend.
//!
//! ```text
//! title
//! y |----+----+----|  - first series
//! l |    |    |    |  - second series
//! a |----+----+----|
//! b +--------------+
//!     ticks, x label
//! ```

use crate::axis_tick::{self, AxisTick};
use crate::document::{CHART_FONT, DocumentPaper, FigureDocument};
use crate::markup::{text_width, to_f64};
use crate::palette::{AXIS, GRID};
use crate::shape::{
    DocumentForm, Paint, Shape, ShapeStyle, StretchMargins, StretchedPart, TextShape,
};

/// The left, top, right and bottom of the area that holds the data.
pub(crate) const PLOT: [f64; 4] = [70.0, 46.0, 640.0, 424.0];

/// The size of the document, unless the legend or labels need more.
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
/// The distance between two rows of the legend, and the width of the sample in a row.
const LEGEND_STEP: f64 = 22.0;
pub(crate) const SAMPLE_WIDTH: f64 = 28.0;
/// The space beside the sample, from the plot and to the name.
const SAMPLE_GAPS: [f64; 2] = [18.0, 8.0];
/// The space right of the names.
const MARGIN: f64 = 10.0;
/// The chart as a part of a page.
pub(crate) const STRETCHED: DocumentForm = DocumentForm::Stretched(StretchedPart {
    left: PLOT[0],
    right: PLOT[2],
    margins: StretchMargins::Axes,
});
/// The title is no part of an inline chart, and the legend is below it.
const INLINE_TOP: f64 = 36.0;
const INLINE_LEGEND: f64 = 66.0;
/// The most letters of names, labels of axes and of ticks in an inline chart.
const INLINE_NAME: usize = 36;
const INLINE_LABEL: usize = 44;
const INLINE_TICK: usize = 16;
/// Labels that do not fit beside each other rise by this angle, in degrees: its cosine and sine.
const SLANT: f64 = 30.0;
const SLANT_RUN: f64 = 0.867;
const SLANT_RISE: f64 = 0.5;

/// The texts around the data.
#[derive(Clone, Debug)]
pub(crate) struct ChartFrame<'a> {
    pub(crate) title: &'a str,
    /// The description, for screen readers.
    pub(crate) description: String,
    pub(crate) x_label: &'a str,
    pub(crate) y_label: &'a str,
    /// The ticks of both axes, x and y, each from its low to its high end.
    pub(crate) ticks: [Vec<AxisTick>; 2],
    pub(crate) x_labels: TickLabels,
    /// The rows of the legend, from above.
    pub(crate) legend: Vec<LegendRow<'a>>,
}

/// The labels of a horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TickLabels {
    /// Numbers: some may be left out where there is little room.
    Numbers,
    /// Names, and all are needed.
    Names,
}

/// A row of the legend: a sample and a name.
#[derive(Clone, Debug)]
pub(crate) struct LegendRow<'a> {
    pub(crate) name: &'a str,
    /// The height that the row belongs to, such as the height of a curve's end.
    pub(crate) beside: Option<f64>,
    /// Paths from the left end of the sample, half-way up.
    pub(crate) sample: Vec<(String, ShapeStyle)>,
}

impl ChartFrame<'_> {
    /// Returns the document with `content` on the grid.
    pub(crate) fn document(&self, content: &[Shape], form: DocumentForm) -> String {
        let x_ticks = self.x_ticks(form);
        let [beside, drop] = self.slanted_space(&x_ticks, form);
        let document = FigureDocument {
            title: self.title,
            description: &self.description,
            view_box: self.view_box([beside, drop], form),
            inherited: CHART_FONT,
            paper: DocumentPaper::Theme,
        };
        let legend = self.legend(drop, form);
        document.drawn(&[&self.axes(&x_ticks, drop, form), content, &legend].concat(), form)
    }

    /// Returns the view box of a document whose labels below the plot need the `slanted` space to
    /// the left and below.
    fn view_box(&self, [beside, drop]: [f64; 2], form: DocumentForm) -> [f64; 4] {
        let [left, y] = legend_place(self.legend.len(), drop, form);
        if form != DocumentForm::Standalone {
            return [0.0, INLINE_TOP, WIDTH, libm::ceil(y) - INLINE_TOP];
        }
        let widest = self.legend.iter().map(|row| text_width(row.name)).fold(0.0, f64::max);
        let right = left + SAMPLE_WIDTH + SAMPLE_GAPS[1] + widest + MARGIN;
        let width = WIDTH.max(libm::ceil(right));
        [0.0 - beside, 0.0, width + beside, libm::ceil((HEIGHT + drop).max(y))]
    }

    /// Returns the ticks of the horizontal axis, with labels that fit.
    fn x_ticks(&self, form: DocumentForm) -> Vec<AxisTick> {
        let [left, _, right, _] = PLOT;
        let ticks = &self.ticks[0];
        match (form, self.x_labels) {
            (DocumentForm::Standalone | DocumentForm::Fixed, _) => ticks.clone(),
            (DocumentForm::Stretched(_), TickLabels::Numbers) => {
                axis_tick::thinned(ticks, right - left)
            }
            (DocumentForm::Stretched(_), TickLabels::Names) => {
                let short = |tick: &AxisTick| AxisTick {
                    label: tick.label.as_ref().map(|label| form.short(label, INLINE_TICK)),
                    ..*tick
                };
                ticks.iter().map(short).collect()
            }
        }
    }

    /// Returns the space that slanted labels of `ticks` need to the left of the document, and below
    /// the height of level labels; zeros if level labels fit.
    fn slanted_space(&self, ticks: &[AxisTick], form: DocumentForm) -> [f64; 2] {
        let [left, _, right, _] = PLOT;
        let room = match form {
            DocumentForm::Standalone | DocumentForm::Fixed => 1.0,
            DocumentForm::Stretched(_) => axis_tick::MIN_WIDTH / (right - left),
        };
        if axis_tick::is_level(ticks, room) {
            return [0.0; 2];
        }
        let labels = || ticks.iter().filter_map(|tick| Some((tick.at, tick.label.as_ref()?)));
        let beside = labels().map(|(at, label)| libm::ceil(SLANT_RUN * text_width(label) - at));
        let below = labels().map(|(_, label)| SLANT_RISE * text_width(label));
        [beside.fold(0.0, f64::max), below.fold(0.0, f64::max)]
    }

    /// Returns the grid, the axes and all texts but the legend.
    fn axes(&self, x: &[AxisTick], drop: f64, form: DocumentForm) -> Vec<Shape> {
        let [left, top, right, bottom] = PLOT;
        let y = &self.ticks[1];
        let line = |ends, color| {
            let style = ShapeStyle::stroked(Paint::Theme(color), 1.0, "");
            Shape::Line { ends, style }
        };
        let text = |at, offset, anchor, content| Shape::text(at, offset, anchor, content);
        let mut shapes = Vec::new();
        for AxisTick { at, label } in x {
            shapes.push(line([*at, top, *at, bottom], GRID));
            shapes.extend(label.as_ref().map(|label| label_below(*at, label, drop)));
        }
        for AxisTick { at, label } in y {
            shapes.push(line([left, *at, right, *at], GRID));
            let label = label.as_ref().map(|label| text([left, *at], [-8.0, 4.5], "end", label));
            shapes.extend(label);
        }
        shapes.push(line([left, bottom, right, bottom], AXIS));
        shapes.push(line([left, top, left, bottom], AXIS));
        if form == DocumentForm::Standalone {
            shapes.push(text([left, top], [0.0, -20.0], "start", self.title));
        }
        let [x_label, y_label] =
            [self.x_label, self.y_label].map(|label| form.short(label, INLINE_LABEL));
        let center = f64::midpoint(left, right);
        shapes.push(text([center, bottom], [0.0, 42.0 + drop], "middle", &x_label));
        let middle = [left, f64::midpoint(top, bottom)];
        let y_label = TextShape::new(middle, [-52.0, 0.0], "middle", &y_label);
        shapes.push(Shape::Text(TextShape { turn: 90.0, ..y_label }));
        shapes
    }

    /// Returns the heights of the rows of the legend, as near as they can be to the curves' ends
    /// that they name; none if a row belongs nowhere, or if there are too many rows.
    fn heights_beside_plot(&self) -> Option<Vec<f64>> {
        let [_, top, _, bottom] = PLOT;
        let wanted: Option<Vec<_>> = self.legend.iter().map(|row| row.beside).collect();
        let mut rows: Vec<_> = wanted?.into_iter().enumerate().collect();
        if bottom - top < LEGEND_STEP * to_f64(rows.len()) {
            return None;
        }
        rows.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        let mut least = top + LEGEND_STEP / 2.0;
        for (_, height) in &mut rows {
            *height = height.max(least);
            least = *height + LEGEND_STEP;
        }
        let mut most = bottom - LEGEND_STEP / 2.0;
        for (_, height) in rows.iter_mut().rev() {
            *height = height.min(most);
            most = *height - LEGEND_STEP;
        }
        rows.sort_by_key(|(idx, _)| *idx);
        Some(rows.into_iter().map(|(_, height)| height).collect())
    }

    fn legend(&self, drop: f64, form: DocumentForm) -> Vec<Shape> {
        let heights = match form {
            DocumentForm::Standalone => self.heights_beside_plot(),
            DocumentForm::Stretched(_) | DocumentForm::Fixed => None,
        };
        let mut shapes = Vec::new();
        for (idx, LegendRow { name, sample, .. }) in self.legend.iter().enumerate() {
            let [x, y] = legend_place(idx, drop, form);
            let at = [x, heights.as_ref().map_or(y, |heights| heights[idx])];
            let mark = |(path, style): &(String, ShapeStyle)| Shape::Mark {
                at,
                path: path.clone(),
                style: *style,
            };
            shapes.extend(sample.iter().map(mark));
            let offset = [SAMPLE_WIDTH + SAMPLE_GAPS[1], 4.5];
            let name = form.short(name, INLINE_NAME);
            shapes.push(Shape::text(at, offset, "start", &name));
        }
        shapes
    }
}

impl<'a> LegendRow<'a> {
    /// Returns the row, to be placed beside a height where there is room.
    pub(crate) fn placed(self, beside: Option<f64>) -> Self {
        Self { beside, ..self }
    }

    /// Returns a row with a sample of a line.
    pub(crate) fn of_line(name: &'a str, style: ShapeStyle) -> Self {
        Self { name, beside: None, sample: vec![(format!("h{SAMPLE_WIDTH}"), style)] }
    }

    /// Returns a row with a sample of an area.
    pub(crate) fn of_area(name: &'a str, style: ShapeStyle) -> Self {
        let path = format!("m0 -8h{SAMPLE_WIDTH}v16h-{SAMPLE_WIDTH}z");
        Self { name, beside: None, sample: vec![(path, style)] }
    }
}

/// Returns the left end of the sample of the `idx`-th row from above: beside the plot, or below it
/// in a chart that a page may make narrow.
fn legend_place(idx: usize, drop: f64, form: DocumentForm) -> [f64; 2] {
    let [left, top, right, bottom] = PLOT;
    let row = LEGEND_STEP * to_f64(idx);
    match form {
        DocumentForm::Standalone | DocumentForm::Fixed => {
            [right + SAMPLE_GAPS[0], top + 10.0 + row]
        }
        DocumentForm::Stretched(_) => [left, bottom + INLINE_LEGEND + drop + row],
    }
}

/// Returns a label below the plot, level if `drop` is 0.
fn label_below(at: f64, label: &str, drop: f64) -> Shape {
    let at = [at, PLOT[3]];
    if drop <= 0.0 {
        return Shape::text(at, [0.0, 18.0], "middle", label);
    }
    let text = TextShape::new(at, [4.0, 15.0], "end", label);
    Shape::Text(TextShape { turn: SLANT, ..text })
}

#[cfg(test)]
mod tests;
