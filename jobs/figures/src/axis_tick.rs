//! The ticks of an axis, and units of their labels.

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
