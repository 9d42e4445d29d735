//! Targets: the distributions that the values of decisions are learned towards.

use std::ops::Range;

use hatchery_core::FastRng;
use hatchery_nets::loss::softmax;
use hatchery_nets::{
    Activations, FirstLayerForm, InputBatch, Matrix, Network, PassOptions, RowNoise, ValueBins,
};

use super::settings::NextActions;
use super::transitions::{Successor, TransitionBatch};

/// The random numbers for the noise in a step.
pub(super) struct TargetNoise {
    /// The random numbers for the network that chooses the next action.
    pub(super) choice: FastRng,
    /// The random numbers for the target network, which values the next action.
    pub(super) value: FastRng,
}

/// Targets, with the memory to compute the targets of the next step.
#[derive(Debug)]
pub(super) struct Targets {
    /// The transitions' distributions over the bins.
    pub(super) rows: Matrix,
    bins: ValueBins,
    /// The states with their best actions.
    best: InputBatch,
    /// The actions in a single state.
    one: InputBatch,
    noise: RowNoise,
    activations: Activations,
    probabilities: Vec<f32>,
}

impl Targets {
    /// Returns none yet.
    pub(super) fn new(bins: ValueBins, [state_len, action_len]: [usize; 2]) -> Self {
        let empty = || InputBatch::new(state_len, action_len);
        Self {
            rows: Matrix::default(),
            bins,
            best: empty(),
            one: empty(),
            noise: RowNoise::default(),
            activations: Activations::default(),
            probabilities: vec![0.0; bins.n_bins()],
        }
    }

    /// Computes the targets of `batch`: `online` chooses the best next action by the mean of its
    /// distribution, and the distribution that `target` gives it counts (double Q-learning).
    pub(super) fn compute(
        &mut self,
        batch: &TransitionBatch,
        [online, target]: [&Network; 2],
        mut noise: TargetNoise,
        form: NextActions,
    ) {
        self.choose(&batch.next, online, &mut noise.choice, form);
        if self.best.n_rows() != 0 {
            forward(target, &self.best, &mut noise.value, &mut self.noise, &mut self.activations);
        }
        self.rows.reset(batch.successors.len(), self.bins.n_bins());
        let mut state = 0;
        for (row, successor) in batch.successors.iter().enumerate() {
            let to = self.rows.row_mut(row);
            match *successor {
                Successor::End { value } => self.bins.project(value, 1.0, None, to),
                Successor::Decision { discount, .. } => {
                    softmax(self.activations.outputs().row(state), &mut self.probabilities);
                    self.bins.project(0.0, discount, Some(&self.probabilities), to);
                    state += 1;
                }
            }
        }
    }

    /// Fills in every state's best action, the first if several actions are equally good.
    fn choose(
        &mut self,
        next: &InputBatch,
        online: &Network,
        rng: &mut FastRng,
        form: NextActions,
    ) {
        self.best.clear();
        let mut first = 0;
        if form == NextActions::LongBatch && next.n_rows() != 0 {
            forward(online, next, rng, &mut self.noise, &mut self.activations);
        }
        for state in 0..next.states.n_rows() {
            let n_actions = next.state_of[first..].partition_point(|of| *of as usize == state);
            let rows = first..first + n_actions;
            let first_output = match form {
                NextActions::LongBatch => first,
                NextActions::OneByOne => {
                    self.one.clear();
                    self.one.push_state(next.states.row(state));
                    rows.clone().for_each(|row| self.one.push_action(next.actions.row(row)));
                    forward(online, &self.one, rng, &mut self.noise, &mut self.activations);
                    0
                }
            };
            let best = self.best_row(first_output..first_output + n_actions) - first_output;
            self.best.push_state(next.states.row(state));
            self.best.push_action(next.actions.row(first + best));
            first = rows.end;
        }
    }

    /// Returns the row of outputs with the highest mean among `rows`.
    fn best_row(&mut self, rows: Range<usize>) -> usize {
        let (mut best, mut most) = (rows.start, f64::NEG_INFINITY);
        for row in rows {
            softmax(self.activations.outputs().row(row), &mut self.probabilities);
            let mean = self.bins.mean(&self.probabilities);
            if most < mean {
                (best, most) = (row, mean);
            }
        }
        best
    }
}

/// Computes the outputs of a network for a batch, with noise of its own for each row.
fn forward(
    network: &Network,
    batch: &InputBatch,
    rng: &mut FastRng,
    noise: &mut RowNoise,
    to: &mut Activations,
) {
    let options = match network.deviation() {
        None => PassOptions::default(),
        Some(_) => {
            noise.draw(network, batch.n_rows(), rng);
            PassOptions { noise: Some(noise), ..PassOptions::default() }
        }
    };
    network.forward_with(batch, FirstLayerForm::Fastest, options, to);
}
