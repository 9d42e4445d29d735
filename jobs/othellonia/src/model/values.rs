//! The values of actions.

use hatchery_nets::loss::probability;
use hatchery_nets::{Activations, FirstLayerForm, InputBatch};

use super::AgentModel;
use crate::features::SparseRow;
use crate::rules::{Action, Game};

/// Memory for decisions, which is kept from one to the next.
#[derive(Clone, Debug)]
pub struct ModelBuffers {
    row: SparseRow,
    batch: InputBatch,
    activations: Activations,
    values: Vec<(Action, f32)>,
}

/// The meaning of a value of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelValue {
    /// The logarithm of the odds that the action is the one to be played.
    LogOdds,
    /// The mean of a distribution over bins from 0 to 1: the score that the action leads to.
    Score,
}

impl ModelBuffers {
    /// Returns the actions and values of the last decision.
    #[must_use]
    pub fn values(&self) -> &[(Action, f32)] {
        &self.values
    }
}

impl ModelValue {
    /// Returns a value as a number from 0 to 1.
    #[must_use]
    pub fn share(self, value: f32) -> f32 {
        match self {
            Self::LogOdds => probability(value),
            Self::Score => value,
        }
    }
}

impl AgentModel {
    /// Returns empty buffers for its rows.
    #[must_use]
    pub fn buffers(&self) -> ModelBuffers {
        let layout = self.layout();
        ModelBuffers {
            row: SparseRow::default(),
            batch: InputBatch::new(layout.state_len(), layout.action_len()),
            activations: Activations::default(),
            values: Vec::new(),
        }
    }

    /// Returns what its values stand for.
    #[must_use]
    pub fn value_kind(&self) -> ModelValue {
        match self.network().shape().n_outputs {
            1 => ModelValue::LogOdds,
            _ => ModelValue::Score,
        }
    }

    /// Returns the legal actions with their values; none if the game is over.
    ///
    /// # Panics
    /// If a deck has a piece that the encoding lacks: see [`check_decks`](Self::check_decks).
    #[must_use]
    pub fn values(&self, game: &Game<'_>) -> Vec<(Action, f32)> {
        let mut buffers = self.buffers();
        self.evaluate(game, &mut buffers);
        buffers.values
    }

    /// Returns the legal actions with their values, which are finite: as [`values`](Self::values),
    /// without new memory. The buffers are those of this model.
    ///
    /// # Panics
    /// If a deck has a piece that the encoding lacks, or the buffers are those of another model.
    pub fn evaluate<'b>(
        &self,
        game: &Game<'_>,
        buffers: &'b mut ModelBuffers,
    ) -> &'b [(Action, f32)] {
        let ModelBuffers { row, batch, activations, values } = buffers;
        let layout = self.layout();
        batch.clear();
        values.clear();
        let known = "the decks were checked, and legal actions have features";
        layout.sparse_state(game, self.information(), row).expect(known);
        batch.push_state(row.entries());
        for action in game.actions() {
            layout.sparse_action(game, action, row).expect(known);
            batch.push_action(row.entries());
            values.push((action, 0.0));
        }
        self.network().forward(batch, FirstLayerForm::Fastest, activations);
        for (at, (_, value)) in values.iter_mut().enumerate() {
            *value = value_of(activations.outputs().row(at));
        }
        values
    }

    /// Returns the action with the highest value, the first of equals; `None` if the game is over.
    ///
    /// # Panics
    /// As [`evaluate`](Self::evaluate).
    pub fn choose(&self, game: &Game<'_>, buffers: &mut ModelBuffers) -> Option<Action> {
        let mut best: Option<(Action, f32)> = None;
        for &(action, value) in self.evaluate(game, buffers) {
            if best.is_none_or(|(_, best)| best < value) {
                best = Some((action, value));
            }
        }
        best.map(|(action, _)| action)
    }
}

/// Returns the value that outputs stand for: the only one, or the mean of the distribution over
/// bins at 0, 1/(n - 1), 2/(n - 1) and so on to 1 whose logarithms, up to a constant, they are.
fn value_of(outputs: &[f32]) -> f32 {
    if let [output] = outputs {
        return finite(*output);
    }
    let most = outputs.iter().copied().map(finite).fold(f32::MIN, f32::max);
    let (mut sum, mut weighed) = (0.0, 0.0);
    for (bin, &output) in outputs.iter().enumerate() {
        // The difference of finite numbers can be infinite, and its exponential is then 0.
        let weight = libm::expf(finite(output) - most);
        sum += weight;
        weighed += weight * bin as f32;
    }
    weighed / (sum * (outputs.len() - 1) as f32)
}

/// Returns a finite number in place of one that is not: sums of large weights can overflow.
fn finite(output: f32) -> f32 {
    if output.is_nan() { f32::MIN } else { output.clamp(f32::MIN, f32::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_bins_are_means() {
        // Softmax of (0, ln 2, ln 5) is (1/8, 2/8, 5/8), with the mean 6/8 at the bins 0, 1/2, 1.
        let value = value_of(&[0.0, libm::logf(2.0), libm::logf(5.0)]);
        assert!((value - 0.75).abs() < 1e-6, "{value}");
        assert!((value_of(&[7.0; 51]) - 0.5).abs() < 1e-6);
        assert!((value_of(&[-3.25]) + 3.25).abs() < 1e-9);
    }

    #[test]
    fn values_are_finite_whatever_the_outputs_are() {
        let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 0.0];
        for a in odd {
            assert!(value_of(&[a]).is_finite());
            for b in odd {
                let value = value_of(&[a, b]);
                assert!((0.0..=1.0).contains(&value), "{a} and {b} give {value}");
            }
        }
    }
}
