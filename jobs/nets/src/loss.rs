//! Losses: how wrong outputs are, and their gradient in the outputs.

use crate::matrix::Matrix;

/// Returns the sum of the binary cross entropies of rows with one output each, which is the
/// logarithm of the odds of 1, and writes the gradient of their mean.
///
/// # Panics
/// If there is not one target, 0 or 1 or between, for each row.
pub fn binary_cross_entropy(outputs: &Matrix, targets: &[f32], gradient: &mut Matrix) -> f64 {
    assert!(outputs.n_cols() == 1 && outputs.n_rows() == targets.len(), "a target for each row");
    gradient.reset(outputs.n_rows(), 1);
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^24 rows")]
    let share = 1.0 / targets.len().max(1) as f32;
    let mut sum = 0.0;
    let rows = outputs.values().iter().zip(targets).zip(gradient.values_mut());
    for ((&output, &target), gradient) in rows {
        // log(1 + e^x) - t x, without overflow.
        let tail = libm::log1pf(libm::expf(-output.abs()));
        sum += f64::from(output.max(0.0) - target * output + tail);
        *gradient = (probability(output) - target) * share;
    }
    sum
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
