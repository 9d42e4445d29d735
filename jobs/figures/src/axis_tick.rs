//! The ticks of an axis, and units of their labels.

use crate::palette::{AXIS, GRID};
use crate::shape::{Paint, Shape, ShapeStyle, TextShape};

/// A place on an axis with a line of the grid.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AxisTick {
    /// The position, in the direction of the axis.
    pub(crate) at: f64,
    /// The text beside it, if any.
    pub(crate) label: Option<String>,
}

/// Returns the largest unit (a trillion, a billion and so on) that is not above `value`, with what
/// stands behind a number of them, such as (1,000, " k").
pub(crate) fn unit_of(value: f64) -> (f64, &'static str) {
    [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")]
        .into_iter()
        .find(|(unit, _)| *unit * 0.999_999 <= value)
        .unwrap_or((1.0, ""))
}

/// Returns the ticks of a horizontal axis, with lines of the grid from the top to the bottom, and
/// its label below its right end.
pub(crate) fn x_axis(
    ticks: &[AxisTick],
    [left, right]: [f64; 2],
    [top, bottom]: [f64; 2],
    label: &str,
) -> Vec<Shape> {
    let line = |ends, color| {
        let style = ShapeStyle::stroked(Paint::Theme(color), 1.0, "");
        Shape::Line { ends, style }
    };
    let text = |at, offset, anchor, content: &str| {
        Shape::Text(TextShape::new(at, offset, anchor, content))
    };
    let mut shapes = Vec::new();
    for AxisTick { at, label } in ticks {
        shapes.push(line([*at, top, *at, bottom], GRID));
        let label = label.as_ref();
        shapes.extend(label.map(|label| text([*at, bottom], [0.0, 18.0], "middle", label)));
    }
    shapes.push(line([left, bottom, right, bottom], AXIS));
    shapes.push(text([right, bottom], [0.0, 38.0], "end", label));
    shapes
}
