//! The loss of a prediction (Kono et al., 8.2): regression of normalized numbers, cross entropy of
//! events that exclude each other.
//!
//! ```text
//! outputs  0..11      11..35                   35..60            60..64
//!          numbers    kinds that fire or not   skill's kind      end
//!          squares    binary cross entropies   cross entropy     cross entropy
//! ```

use hatchery_nets::Matrix;
use hatchery_nets::loss::{OutputRange, RowLoss, range_losses};

use super::outcome::{END_CLASSES, REGRESSED, SKILL_CLASSES, TurnOutcome};
use super::scales::OutcomeScales;
use crate::rules::EffectKind;

const KINDS_START: usize = REGRESSED.len();
const SKILL_START: usize = KINDS_START + EffectKind::ALL.len();
const END_START: usize = SKILL_START + SKILL_CLASSES;

/// The number of outputs of a network that predicts.
pub const N_OUTPUTS: usize = END_START + END_CLASSES;

/// The names of the parts of the loss, in their order.
pub const LOSS_PARTS: [&str; 4] = ["numbers", "kinds that fire", "kind of the skill", "end"];

/// Computes the losses of predictions.
#[derive(Debug)]
pub(super) struct PredictionLoss {
    ranges: [OutputRange; LOSS_PARTS.len()],
    targets: Matrix,
}

impl PredictionLoss {
    pub(super) fn new() -> Self {
        let range = |outputs, loss, weight| OutputRange { outputs, loss, weight };
        let ranges = [
            // As usual, half the squares.
            range(0..KINDS_START, RowLoss::SquaredError, 0.5),
            range(KINDS_START..SKILL_START, RowLoss::BinaryCrossEntropy, 1.0),
            range(SKILL_START..END_START, RowLoss::SoftmaxCrossEntropy, 1.0),
            range(END_START..N_OUTPUTS, RowLoss::SoftmaxCrossEntropy, 1.0),
        ];
        Self { ranges, targets: Matrix::default() }
    }

    /// Returns the sums of the losses of rows, by [`LOSS_PARTS`], and writes the gradient of the
    /// mean loss of rows.
    pub(super) fn losses(
        &mut self,
        outputs: &Matrix,
        outcomes: &[TurnOutcome],
        scales: &OutcomeScales,
        gradient: &mut Matrix,
    ) -> [f64; LOSS_PARTS.len()] {
        self.targets.reset(outcomes.len(), N_OUTPUTS);
        for (row, outcome) in outcomes.iter().enumerate() {
            write_targets(outcome, scales, self.targets.row_mut(row));
        }
        let sums = range_losses(&self.ranges, outputs, &self.targets, gradient);
        let mut losses = [0.0; LOSS_PARTS.len()];
        for ((loss, sum), range) in losses.iter_mut().zip(sums).zip(&self.ranges) {
            *loss = sum * f64::from(range.weight);
        }
        losses
    }
}

/// Writes what the outputs should be into a row of zeros.
fn write_targets(outcome: &TurnOutcome, scales: &OutcomeScales, row: &mut [f32]) {
    row[..KINDS_START].copy_from_slice(&scales.normalized(outcome.regressed));
    for (kind, target) in row[KINDS_START..SKILL_START].iter_mut().enumerate() {
        *target = if outcome.fired >> kind & 1 == 1 { 1.0 } else { 0.0 };
    }
    row[SKILL_START + outcome.skill] = 1.0;
    row[END_START + outcome.end] = 1.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradient is that of finite differences of the loss.
    #[test]
    fn gradients_are_those_of_differences() {
        let scales = OutcomeScales { means: [100.0; 11], spreads: [50.0; 11] };
        let mut at = 0.0;
        let regressed = [(); 11].map(|()| {
            at += 20.0;
            at
        });
        let outcome = TurnOutcome { regressed, fired: 0b1010, skill: 3, end: 1 };
        let mut value = 0.0;
        let outputs: Vec<f32> = (0..N_OUTPUTS)
            .map(|_| {
                value = if 0.9 < value { -0.9 } else { value + 0.3 };
                value
            })
            .collect();
        let loss = |outputs: &[f32], gradient: &mut Matrix| {
            let outputs = Matrix::from_values(1, N_OUTPUTS, outputs.to_vec());
            let losses = PredictionLoss::new().losses(&outputs, &[outcome], &scales, gradient);
            losses.iter().sum::<f64>()
        };
        let mut gradient = Matrix::default();
        loss(&outputs, &mut gradient);
        for at in 0..N_OUTPUTS {
            let moved = |step: f32| {
                let mut moved = outputs.clone();
                moved[at] += step;
                loss(&moved, &mut Matrix::default())
            };
            let slope = (moved(0.01) - moved(-0.01)) / 0.02;
            let found = f64::from(gradient.row(0)[at]);
            assert!((slope - found).abs() < 1e-3, "output {at}: {slope}, but {found}");
        }
    }
}
