//! Losses of networks whose outputs mean different things.

use std::ops::Range;

use super::row::{RowLoss, assert_size, share_of_row};
use crate::matrix::Matrix;

/// Outputs that belong together, and their loss.
///
/// ```text
/// output  0  1  2  3  4  5  6
///         squares  softmax  odds of two events
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OutputRange {
    /// The numbers of the outputs.
    pub outputs: Range<usize>,
    /// The loss of these outputs.
    pub loss: RowLoss,
    /// The weight of the loss beside the losses of other ranges.
    pub weight: f32,
}

/// Returns for each range the sum of its losses over rows, without its weight, and writes the
/// gradient of the weighted mean of the losses. Outputs in no range have no gradient.
///
/// # Panics
/// If targets have another size than outputs, ranges overlap or are not in ascending order, or one
/// ends behind the outputs.
pub fn range_losses(
    ranges: &[OutputRange],
    outputs: &Matrix,
    targets: &Matrix,
    gradient: &mut Matrix,
) -> Vec<f64> {
    assert_size(outputs, targets);
    let ascend = ranges.windows(2).all(|pair| pair[0].outputs.end <= pair[1].outputs.start);
    assert!(ascend, "ranges of outputs ascend and do not overlap");
    gradient.reset(outputs.n_rows(), outputs.n_cols());
    let share = share_of_row(outputs);
    let mut sums = vec![0.0; ranges.len()];
    for row in 0..outputs.n_rows() {
        for (OutputRange { outputs: range, loss, weight }, sum) in ranges.iter().zip(&mut sums) {
            let (outputs, targets) = (&outputs.row(row)[range.clone()], targets.row(row));
            let gradient = &mut gradient.row_mut(row)[range.clone()];
            *sum += loss.of_row(outputs, &targets[range.clone()], weight * share, gradient);
        }
    }
    sums
}
