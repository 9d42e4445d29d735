//! Losses of a row of outputs.

use crate::matrix::Matrix;

/// A loss of outputs that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLoss {
    /// The sum of the binary cross entropies of outputs that are logarithms of odds; targets are
    /// probabilities.
    BinaryCrossEntropy,
    /// The cross entropy of targets and the softmax of outputs; targets are the probabilities of
    /// events, and exactly one event happens. A row of zeros does not count.
    SoftmaxCrossEntropy,
    /// The sum of the squares of differences.
    SquaredError,
}

impl RowLoss {
    /// Returns the loss of a row and writes its gradient times `share`.
    pub(super) fn of_row(
        self,
        outputs: &[f32],
        targets: &[f32],
        share: f32,
        gradient: &mut [f32],
    ) -> f64 {
        match self {
            Self::BinaryCrossEntropy => binary_cross_entropy(outputs, targets, share, gradient),
            Self::SoftmaxCrossEntropy => softmax_cross_entropy(outputs, targets, share, gradient),
            Self::SquaredError => squared_error(outputs, targets, share, gradient),
        }
    }
}

/// Returns the probability whose odds have the logarithm `log_odds`.
#[must_use]
pub fn probability(log_odds: f32) -> f32 {
    let small = libm::expf(-log_odds.abs());
    match log_odds < 0.0 {
        true => small / (1.0 + small),
        false => 1.0 / (1.0 + small),
    }
}

/// Writes the probabilities that are proportional to the exponentials of `outputs`, and returns
/// the logarithm of the sum of these exponentials.
///
/// # Panics
/// If there is not a probability for each output.
pub fn softmax(outputs: &[f32], probabilities: &mut [f32]) -> f32 {
    assert_eq!(outputs.len(), probabilities.len(), "a probability for each output");
    let largest = outputs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (&output, probability) in outputs.iter().zip(&mut *probabilities) {
        *probability = libm::expf(output - largest);
        sum += *probability;
    }
    probabilities.iter_mut().for_each(|probability| *probability /= sum);
    largest + libm::logf(sum)
}

fn binary_cross_entropy(outputs: &[f32], targets: &[f32], share: f32, gradient: &mut [f32]) -> f64 {
    let mut sum = 0.0;
    for ((&output, &target), gradient) in outputs.iter().zip(targets).zip(gradient) {
        // log(1 + e^x) - t x, without overflow.
        let tail = libm::log1pf(libm::expf(-output.abs()));
        sum += f64::from(output.max(0.0) - target * output + tail);
        *gradient = (probability(output) - target) * share;
    }
    sum
}

fn softmax_cross_entropy(
    outputs: &[f32],
    targets: &[f32],
    share: f32,
    gradient: &mut [f32],
) -> f64 {
    let log_sum = softmax(outputs, gradient);
    let (mut sum, mut n_events) = (0.0, 0.0);
    for (&output, &target) in outputs.iter().zip(targets) {
        sum += f64::from(target) * f64::from(log_sum - output);
        n_events += target;
    }
    for (gradient, &target) in gradient.iter_mut().zip(targets) {
        *gradient = (n_events * *gradient - target) * share;
    }
    sum
}

fn squared_error(outputs: &[f32], targets: &[f32], share: f32, gradient: &mut [f32]) -> f64 {
    let mut sum = 0.0;
    for ((&output, &target), gradient) in outputs.iter().zip(targets).zip(gradient) {
        let off = output - target;
        sum += f64::from(off) * f64::from(off);
        *gradient = 2.0 * off * share;
    }
    sum
}

/// Returns the part that each row has in a mean.
#[expect(clippy::cast_precision_loss, reason = "fewer than 2^24 rows")]
pub(super) fn share_of_row(outputs: &Matrix) -> f32 {
    1.0 / outputs.n_rows().max(1) as f32
}

/// Checks that there is a target for each output.
pub(super) fn assert_size(outputs: &Matrix, targets: &Matrix) {
    let size = |matrix: &Matrix| [matrix.n_rows(), matrix.n_cols()];
    assert_eq!(size(outputs), size(targets), "a target for each output");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_outputs_have_finite_losses() {
        let outputs = [f32::MAX / 4.0, -f32::MAX / 4.0, 0.0];
        for loss in
            [RowLoss::BinaryCrossEntropy, RowLoss::SoftmaxCrossEntropy, RowLoss::SquaredError]
        {
            let mut gradient = [f32::NAN; 3];
            let sum = loss.of_row(&outputs, &[0.0, 1.0, 0.0], 1.0, &mut gradient);
            assert!(sum.is_finite() && 0.0 < sum, "{loss:?} gives {sum}");
            assert!(gradient.iter().all(|it| it.is_finite()), "{loss:?} gives {gradient:?}");
        }
    }

    #[test]
    fn a_row_without_events_does_not_count() {
        let mut gradient = [f32::NAN; 3];
        let loss =
            RowLoss::SoftmaxCrossEntropy.of_row(&[1.0, 5.0, -2.0], &[0.0; 3], 1.0, &mut gradient);
        assert_eq!((loss.to_bits(), gradient), (0, [0.0; 3]));
    }

    #[test]
    fn probabilities_are_those_of_log_odds() {
        // 1 / (1 + e^-x), to seven digits.
        for (log_odds, expected) in
            [(0.0, 0.5), (2.0, 0.880_797_1), (-2.0, 0.119_202_92), (200.0, 1.0), (-200.0, 0.0)]
        {
            assert!((probability(log_odds) - expected).abs() < 1e-7, "{log_odds}");
        }
        let mut probabilities = [0.0; 2];
        let log_sum = softmax(&[102.0, 100.0], &mut probabilities);
        assert!((log_sum - 102.126_93).abs() < 1e-4, "{log_sum}");
        assert!((probabilities[0] - 0.880_797_1).abs() < 1e-7, "{probabilities:?}");
    }
}
