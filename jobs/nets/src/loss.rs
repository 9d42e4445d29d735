//! Losses: how wrong outputs are, and their gradient in the outputs.
//!
//! Every loss writes the gradient of its **mean** over rows and returns its **sum** over rows,
//! added in 64 bits in the order of rows. Outputs that are not finite make the sum so, without a
//! panic: [`mean_loss`] finds that out before a step is taken.

mod range;
mod row;

use crate::matrix::Matrix;

pub use range::{OutputRange, range_losses};
pub use row::{RowLoss, probability, softmax};
use row::{assert_size, share_of_row};

/// A loss that is not finite: the step that follows would spoil the network.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("loss is {sum}, but must be finite")]
pub struct NonFiniteLoss {
    /// The sum of the losses of rows.
    pub sum: f64,
}

/// Returns the mean loss of rows from its sum; 0 without rows.
///
/// # Errors
/// If the sum is not finite.
pub fn mean_loss(sum: f64, n_rows: usize) -> Result<f64, NonFiniteLoss> {
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 rows")]
    let n_rows = n_rows.max(1) as f64;
    if sum.is_finite() { Ok(sum / n_rows) } else { Err(NonFiniteLoss { sum }) }
}

/// Returns the sum of the binary cross entropies of rows with one output each, which is the
/// logarithm of the odds of 1, and writes the gradient of their mean.
///
/// # Panics
/// If there is not one target, 0 or 1 or between, for each row.
pub fn binary_cross_entropy(outputs: &Matrix, targets: &[f32], gradient: &mut Matrix) -> f64 {
    assert!(outputs.n_cols() == 1 && outputs.n_rows() == targets.len(), "a target for each row");
    gradient.reset(outputs.n_rows(), 1);
    let share = share_of_row(outputs);
    let rows = outputs.values().chunks_exact(1).zip(targets.chunks_exact(1));
    let rows = rows.zip(gradient.values_mut().chunks_exact_mut(1));
    rows.fold(0.0, |sum, ((output, target), gradient)| {
        sum + RowLoss::BinaryCrossEntropy.of_row(output, target, share, gradient)
    })
}

/// Returns the sum of the cross entropies between rows of targets and the softmax of rows of
/// outputs, each row times its weight, and writes the gradient of their mean: the sum over the
/// number of rows, also where weights do not add up to it.
///
/// Writes the losses by row, without their weights, to `losses`.
///
/// # Panics
/// If targets have another size than outputs, or there is not a weight for each row.
pub fn softmax_cross_entropy(
    outputs: &Matrix,
    targets: &Matrix,
    weights: Option<&[f32]>,
    gradient: &mut Matrix,
    losses: &mut Vec<f64>,
) -> f64 {
    assert_size(outputs, targets);
    assert!(weights.is_none_or(|it| it.len() == outputs.n_rows()), "a weight for each row");
    gradient.reset(outputs.n_rows(), outputs.n_cols());
    losses.clear();
    let share = share_of_row(outputs);
    let mut sum = 0.0;
    for row in 0..outputs.n_rows() {
        let weight = weights.map_or(1.0, |weights| weights[row]);
        let (outputs, targets) = (outputs.row(row), targets.row(row));
        let gradient = gradient.row_mut(row);
        let loss = RowLoss::SoftmaxCrossEntropy.of_row(outputs, targets, weight * share, gradient);
        losses.push(loss);
        sum += f64::from(weight) * loss;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_that_are_not_finite_are_found() {
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut gradient = Matrix::default();
            let outputs = Matrix::from_values(2, 1, vec![0.5, value]);
            let sum = binary_cross_entropy(&outputs, &[1.0, 0.5], &mut gradient);
            assert!(mean_loss(sum, 2).is_err(), "binary cross entropy of {value} is {sum}");
            for targets in [[1.0, 0.0], [0.0, 1.0]] {
                let outputs = Matrix::from_values(1, 2, vec![0.5, value]);
                let targets = Matrix::from_values(1, 2, targets.to_vec());
                let sum =
                    softmax_cross_entropy(&outputs, &targets, None, &mut gradient, &mut Vec::new());
                assert!(mean_loss(sum, 1).is_err(), "cross entropy of {value} is {sum}");
            }
        }
        assert_eq!(mean_loss(3.0, 2), Ok(1.5));
        assert_eq!(mean_loss(0.0, 0), Ok(0.0));
    }

    #[test]
    fn rows_count_by_their_weights() {
        let outputs = Matrix::from_values(2, 3, vec![0.5, -1.0, 2.0, 0.1, 0.2, 0.3]);
        let targets = Matrix::from_values(2, 3, vec![1.0, 0.0, 0.0, 0.2, 0.3, 0.5]);
        let check = |weights: Option<&[f32]>| {
            let (mut gradient, mut losses) = (Matrix::default(), Vec::new());
            let sum =
                softmax_cross_entropy(&outputs, &targets, weights, &mut gradient, &mut losses);
            (sum, gradient, losses)
        };
        let (sum, gradient, losses) = check(None);
        // -log softmax = log(e^0.5 + e^-1 + e^2) - 0.5.
        assert!((losses[0] - 1.741_311_3).abs() < 1e-6, "{losses:?}");
        assert!((sum - losses.iter().sum::<f64>()).abs() < 1e-12);
        let (weighted, of_weighted, same) = check(Some(&[0.5, 2.0]));
        assert_eq!(losses, same);
        assert!((weighted - 0.5 * losses[0] - 2.0 * losses[1]).abs() < 1e-12);
        for (row, weight) in [0.5, 2.0].into_iter().enumerate() {
            for (of_weighted, plain) in of_weighted.row(row).iter().zip(gradient.row(row)) {
                assert!((of_weighted - weight * plain).abs() < 1e-7);
            }
        }
    }
}
