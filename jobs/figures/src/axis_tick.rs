//! The ticks of an axis, and units of their labels.

use crate::markup::text_width;
use crate::palette::{AXIS, GRID};
use crate::shape::{Paint, Shape, ShapeStyle};

/// The least space between two labels.
const LABEL_GAP: f64 = 6.0;
/// The width that an inline chart has at least, for labels to fit.
pub(crate) const MIN_WIDTH: f64 = 280.0;

/// A place on an axis with a line of the grid.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AxisTick {
    /// The position, in the direction of the axis.
    pub(crate) at: f64,
    /// The text beside it, if any.
    pub(crate) label: Option<String>,
}

/// Returns the largest unit (a trillion, a billion and so on) that is not above `value`, with its
/// suffix for a number, such as (1,000, " k").
pub(crate) fn unit_of(value: f64) -> (f64, &'static str) {
    [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")]
        .into_iter()
        .find(|(unit, _)| *unit * 0.999_999 <= value)
        .unwrap_or((1.0, ""))
}

/// Returns true if the labels of a horizontal axis fit beside each other, where distances are a
/// `share` of the distances between the ticks.
pub(crate) fn is_level(ticks: &[AxisTick], share: f64) -> bool {
    let labels = ticks.iter().filter_map(|tick| Some((tick.at, text_width(tick.label.as_ref()?))));
    let labels: Vec<_> = labels.collect();
    labels.windows(2).all(|pair| {
        let [(left, left_width), (right, right_width)] = [pair[0], pair[1]];
        f64::midpoint(left_width, right_width) + LABEL_GAP <= share * (right - left)
    })
}

/// Returns the ticks of an axis of the given width with every second label, every third or so on,
/// so that the labels fit beside each other in a narrow inline chart.
pub(crate) fn thinned(ticks: &[AxisTick], width: f64) -> Vec<AxisTick> {
    let n_labels = ticks.iter().filter(|tick| tick.label.is_some()).count();
    let every = |step: usize| {
        let mut thinned = ticks.to_vec();
        let labeled = thinned.iter_mut().filter(|tick| tick.label.is_some()).enumerate();
        for (_, tick) in labeled.filter(|(idx, _)| idx % step != 0) {
            tick.label = None;
        }
        thinned
    };
    let share = MIN_WIDTH / width;
    let fitting = (1..=n_labels).map(every).find(|ticks| is_level(ticks, share));
    fitting.unwrap_or_else(|| ticks.to_vec())
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
    let text = |at, offset, anchor, content: &str| Shape::text(at, offset, anchor, content);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_thinned_until_they_fit() {
        let tick =
            |idx: u32| AxisTick { at: 60.0 * f64::from(idx), label: Some("1.234".to_owned()) };
        let ticks: Vec<_> = (0..10).map(tick).collect();
        assert!(is_level(&ticks, 1.0) && !is_level(&ticks, 0.5));
        let shown = |width: f64| -> Vec<_> {
            let ticks = thinned(&ticks, width);
            ticks.iter().enumerate().filter(|(_, it)| it.label.is_some()).map(|(i, _)| i).collect()
        };
        assert_eq!(shown(280.0), (0..10).collect::<Vec<_>>());
        assert_eq!(shown(560.0), [0, 2, 4, 6, 8]);
    }
}
