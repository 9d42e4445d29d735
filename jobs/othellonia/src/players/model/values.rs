//! The values of actions.

use hatchery_core::FastRng;
use hatchery_nets::loss::probability;
use hatchery_nets::{Activations, FirstLayerForm, InputBatch, PassOptions, RowNoise};

use super::AgentModel;
use crate::features::SparseRow;
use crate::players::GameAgent;
use crate::rules::{Action, Game};

/// Memory for decisions, which is kept from one to the next.
#[derive(Clone, Debug)]
pub struct ModelBuffers {
    row: SparseRow,
    batch: InputBatch,
    activations: Activations,
    noise: RowNoise,
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
            noise: RowNoise::default(),
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
    /// without new memory. The buffers must come from this model.
    ///
    /// # Panics
    /// If a deck has a piece that the encoding lacks, or the buffers come from another model.
    pub fn evaluate<'b>(
        &self,
        game: &Game<'_>,
        buffers: &'b mut ModelBuffers,
    ) -> &'b [(Action, f32)] {
        self.fill(game, buffers);
        let ModelBuffers { batch, activations, values, .. } = buffers;
        self.network().forward(batch, FirstLayerForm::Fastest, activations);
        set_values(activations, values);
        values
    }

    /// Fills the rows of the legal actions.
    fn fill(&self, game: &Game<'_>, buffers: &mut ModelBuffers) {
        let ModelBuffers { row, batch, values, .. } = buffers;
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
    }

    /// Returns the action with the highest value, the first of equals; `None` if the game is over.
    ///
    /// # Panics
    /// As [`evaluate`](Self::evaluate).
    pub fn choose(&self, game: &Game<'_>, buffers: &mut ModelBuffers) -> Option<Action> {
        best(self.evaluate(game, buffers))
    }

    /// Returns an action for a game to learn from; `None` if the game is over. With a probability
    /// of `epsilon` millionths it is any legal one. Otherwise it is the best one, where a network
    /// with noise values each action with a noise of its own (Kono et al., 7.4.1): the buffers then
    /// have these values.
    ///
    /// # Panics
    /// As [`evaluate`](Self::evaluate).
    pub fn explore(
        &self,
        game: &Game<'_>,
        buffers: &mut ModelBuffers,
        rng: &mut FastRng,
        epsilon: u32,
    ) -> Option<Action> {
        if epsilon != 0 && rng.below(MILLION) < epsilon {
            return game.outcome().is_none().then(|| GameAgent::Random.choose(game, rng));
        }
        if self.network().deviation().is_none() {
            return self.choose(game, buffers);
        }
        self.fill(game, buffers);
        let ModelBuffers { batch, activations, noise, values, .. } = buffers;
        noise.draw(self.network(), batch.n_rows(), rng);
        let options = PassOptions { noise: Some(noise), ..PassOptions::default() };
        self.network().forward_with(batch, FirstLayerForm::Fastest, options, activations);
        set_values(activations, values);
        best(values)
    }
}

/// The whole of a probability.
const MILLION: u32 = 1_000_000;

/// Sets the values of actions to the values that the outputs of their rows mean.
fn set_values(activations: &Activations, values: &mut [(Action, f32)]) {
    for (at, (_, value)) in values.iter_mut().enumerate() {
        *value = value_of(activations.outputs().row(at));
    }
}

/// Returns the action with the highest value, the first of equals.
fn best(values: &[(Action, f32)]) -> Option<Action> {
    let mut best: Option<(Action, f32)> = None;
    for &(action, value) in values {
        if best.is_none_or(|(_, best)| best < value) {
            best = Some((action, value));
        }
    }
    best.map(|(action, _)| action)
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

/// Returns `output`, or a finite number if `output` is not finite: sums of large weights can
/// overflow.
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
