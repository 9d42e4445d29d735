//! Steps of learning, common to all learners.

use std::ops::ControlFlow;

use hatchery_core::{FastRng, InvalidValue, StreamRng, WireValue};
use hatchery_nets::{
    Activations, Adam, AdamState, Dropout, FirstLayerForm, Gradients, InputBatch, Matrix, Network,
    PassOptions, RowNoise,
};
use serde::{Deserialize, Serialize};

use super::samples::TrainingGames;
use crate::features::{FeatureError, FeatureLayout, Information};

/// A network that learns: what it sees, its weights, and the memory of its optimizer.
#[derive(Debug)]
pub struct Learner<'a> {
    /// The layout of its input.
    pub layout: FeatureLayout<'a>,
    /// The knowledge of the player whose turn it is.
    pub information: Information,
    /// The network.
    pub network: &'a mut Network,
    /// The memory of its optimizer, which counts the steps.
    pub optimizer: &'a mut AdamState,
}

/// A function that is called after each step with the number of steps so far in this call; learning
/// ends when it breaks.
pub type Pulse<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// A summary of a learner's steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearnSummary {
    /// The steps: fewer than were asked for if the pulse broke.
    pub steps: u64,
    /// The rows that were learned from.
    pub rows: u64,
    /// The losses, stretch by stretch.
    pub curve: Vec<LossPoint>,
}

/// The losses of a stretch of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, WireValue)]
#[wire(check)]
pub struct LossPoint {
    /// The steps.
    #[wire(tag = 1, range(min = 1, max = 1_000_000))]
    pub steps: u64,
    /// The rows that were learned from.
    #[wire(tag = 2)]
    pub rows: u64,
    /// The sum of their losses: a finite number.
    #[wire(tag = 3)]
    pub loss_sum: f64,
}

/// The most rows of a step: decisions with all of their actions.
const MAX_STEP_ROWS: u64 = 4_096 * 144;

impl LossPoint {
    /// Returns the mean loss of a row; 0 without rows.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 rows")]
    pub fn mean_loss(&self) -> f64 {
        self.loss_sum / self.rows.max(1) as f64
    }

    fn check(&self) -> Result<(), InvalidValue> {
        let Self { steps, rows, loss_sum } = self;
        InvalidValue::check_range("rows", rows, &1, &(steps * MAX_STEP_ROWS))?;
        // Any finite number is a possible loss.
        match loss_sum.is_finite() {
            true => Ok(()),
            false => Err(InvalidValue::new("loss_sum", loss_sum, "a finite number")),
        }
    }
}

impl LearnSummary {
    /// Adds a step to the stretch that it belongs to.
    fn absorb(&mut self, rows: usize, loss_sum: f64, stretch: u64) {
        if self.curve.last().is_none_or(|last| stretch <= last.steps) {
            self.curve.push(LossPoint::default());
        }
        self.steps += 1;
        self.rows += rows as u64;
        let last = self.curve.last_mut().expect("pushed above");
        last.steps += 1;
        last.rows += rows as u64;
        last.loss_sum += loss_sum;
    }
}

/// Learning that ended early: the steps before its end stay.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("learning ended after {} steps", summary.steps)]
pub struct LearnFailure {
    /// The summary of the steps before the error.
    pub summary: LearnSummary,
    /// The reason.
    #[source]
    pub error: LearnError,
}

/// Learning that could not begin.
impl From<LearnError> for LearnFailure {
    fn from(error: LearnError) -> Self {
        Self { summary: LearnSummary::default(), error }
    }
}

/// Takes `steps` steps, or fewer if the pulse breaks: `step` takes one, and returns its number of
/// rows and the sum of their losses.
pub(super) fn take_steps(
    steps: u64,
    stretch: u64,
    pulse: &mut Pulse<'_>,
    mut step: impl FnMut() -> Result<(usize, f64), LearnError>,
) -> Result<LearnSummary, LearnFailure> {
    let mut summary = LearnSummary::default();
    for _ in 0..steps {
        match step() {
            Ok((rows, loss_sum)) => summary.absorb(rows, loss_sum, stretch),
            Err(error) => return Err(LearnFailure { summary, error }),
        }
        if pulse(summary.steps).is_break() {
            break;
        }
    }
    Ok(summary)
}

/// Learning that cannot begin, or had to end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// There is nothing to learn from.
    #[error("no decisions to learn from")]
    NoDecisions,
    /// The network has other sizes than its input and output need.
    #[error("a network of {found} {side}, but must be of {expected}")]
    Shape {
        /// The part of the network.
        side: &'static str,
        /// The size.
        found: usize,
        /// The size that is needed.
        expected: usize,
    },
    /// A loss, a gradient or a weight is not finite: if it is a loss or a gradient, the network is
    /// that before the step.
    #[error("the {what} of step {step} is not finite")]
    NotFinite {
        /// The number of the step, counted from 1 over the life of the optimizer.
        step: u64,
        /// The number that is not finite.
        what: &'static str,
    },
    /// A piece of a deck has no features.
    #[error("a deck cannot be seen")]
    Feature(#[from] FeatureError),
}

/// Checks the ranges of settings that lack an end: the step size is above 0, and not everything is
/// dropped.
pub(super) fn check_open_ranges(rate: f32, dropout: f32) -> Result<(), InvalidValue> {
    if rate <= 0.0 {
        return Err(InvalidValue::new("rate", &rate, "above 0"));
    }
    match 1.0 <= dropout {
        true => Err(InvalidValue::new("dropout", &dropout, "below 1")),
        false => Ok(()),
    }
}

/// The random numbers in a step: for its samples, and for its dropout.
pub(super) struct StepRandom {
    pub(super) samples: FastRng,
    /// `None` if nothing is dropped.
    pub(super) dropout: Option<Dropout>,
}

impl StepRandom {
    /// Returns the numbers of step number `step`, which are parts of `stream`: so learning in parts
    /// is learning at once.
    pub(super) fn new(stream: &StreamRng, step: u64, dropout: f32) -> Self {
        let of_step = stream.part(step);
        let rng = |part| FastRng::seeded_by(&mut of_step.part(part));
        let dropout = (dropout != 0.0).then(|| Dropout::new(dropout, rng(1)));
        Self { samples: rng(0), dropout }
    }
}

/// The gradient beyond which its square is no number that can be kept.
const LARGEST_GRADIENT: f32 = 1e18;

/// Memory for steps, so that each does not ask for its own.
#[derive(Debug)]
pub(super) struct StepMemory {
    pub(super) activations: Activations,
    pub(super) of_outputs: Matrix,
    pub(super) gradients: Gradients,
}

impl StepMemory {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            activations: Activations::default(),
            of_outputs: Matrix::default(),
            gradients: Gradients::zeros(network),
        }
    }
}

impl Learner<'_> {
    /// Checks that the network fits to its input and to `n_outputs`, and that there are decisions.
    pub(super) fn check(
        &self,
        games: &TrainingGames<'_>,
        n_outputs: usize,
    ) -> Result<(), LearnError> {
        let shape = self.network.shape();
        let sides = [
            ("inputs of states", shape.state_len, self.layout.state_len()),
            ("inputs of actions", shape.action_len, self.layout.action_len()),
            ("outputs", shape.n_outputs, n_outputs),
        ];
        for (side, found, expected) in sides {
            if found != expected {
                return Err(LearnError::Shape { side, found, expected });
            }
        }
        if games.n_decisions() == 0 { Err(LearnError::NoDecisions) } else { Ok(()) }
    }

    /// Changes the network by a step on `batch`: see [`take_step`].
    pub(super) fn step(
        &mut self,
        batch: &InputBatch,
        options: StepOptions<'_>,
        memory: &mut StepMemory,
        loss: impl FnOnce(&Matrix, &mut Matrix) -> f64,
    ) -> Result<f64, LearnError> {
        take_step(self.network, self.optimizer, batch, options, memory, loss)
    }
}

/// Changes a network by a step on `batch`. `loss` returns the sum of the losses of the outputs and
/// writes the gradient of their mean. Returns that sum.
pub(super) fn take_step(
    network: &mut Network,
    optimizer: &mut AdamState,
    batch: &InputBatch,
    options: StepOptions<'_>,
    memory: &mut StepMemory,
    loss: impl FnOnce(&Matrix, &mut Matrix) -> f64,
) -> Result<f64, LearnError> {
    let StepOptions { form, adam, dropout, noise } = options;
    let StepMemory { activations, of_outputs, gradients } = memory;
    let step = optimizer.steps() + 1;
    network.forward_with(batch, form, PassOptions { dropout, noise }, activations);
    let loss_sum = loss(activations.outputs(), of_outputs);
    if !loss_sum.is_finite() {
        return Err(LearnError::NotFinite { step, what: "loss" });
    }
    gradients.clear();
    network.backward(batch, form, activations, of_outputs, gradients);
    if !gradients.parameters().all(are_small) {
        return Err(LearnError::NotFinite { step, what: "gradient" });
    }
    optimizer.step(adam, network, gradients);
    Ok(loss_sum)
}

/// How a step is taken.
pub(super) struct StepOptions<'a> {
    pub(super) form: FirstLayerForm,
    pub(super) adam: &'a Adam,
    pub(super) dropout: Option<&'a mut Dropout>,
    pub(super) noise: Option<&'a RowNoise>,
}

/// Returns the summary if all weights are finite at the end of learning. Steps with finite
/// gradients give finite weights, unless the memory of the optimizer was made up.
pub(super) fn checked_end(
    summary: LearnSummary,
    network: &Network,
    optimizer: &AdamState,
) -> Result<LearnSummary, LearnFailure> {
    if network.parameters().flatten().all(|parameter| parameter.is_finite()) {
        return Ok(summary);
    }
    let error = LearnError::NotFinite { step: optimizer.steps(), what: "weight" };
    Err(LearnFailure { summary, error })
}

/// Returns true if all are numbers whose squares can be kept.
pub(super) fn are_small(gradients: &[f32]) -> bool {
    gradients.iter().fold(true, |small, gradient| small & (gradient.abs() <= LARGEST_GRADIENT))
}
