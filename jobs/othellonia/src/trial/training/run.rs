//! Training that runs: its steps, and the reasons why it cannot begin.

use std::ops::ControlFlow;

use hatchery_core::{DecodeError, StreamRng, TrialContext, error_chain};
use hatchery_nets::TensorError;

use crate::learning::reinforcement::ReinforcementFileError;
use crate::learning::representation::RepresentationFileError;
use crate::learning::samples::SampleError;
use crate::learning::{LearnError, LearnFailure, LearnSummary, Pulse, StoredLearner};
use crate::players::model::ModelError;
use crate::trial::results::{LossPoint, PieceNeighbors, TrainingResult};
use crate::trial::setup::{DeckTable, TrainingSetup};

/// The parts of the stream of training: a new network, and the steps.
pub(super) const NEW_LEARNER: u64 = 0;
const STEPS: u64 = 1;

/// Training that runs.
pub(super) struct TrainingRun<'a> {
    pub(super) table: &'a DeckTable,
    pub(super) setup: &'a TrainingSetup,
    pub(super) stream: &'a StreamRng,
    pub(super) context: &'a TrialContext<'a>,
}

/// The steps that were taken so far.
#[derive(Default)]
pub(super) struct StepCurve {
    points: Vec<LossPoint>,
    steps: u64,
    /// The error that ended them early.
    error: Option<LearnError>,
}

impl StepCurve {
    /// Returns true if an error ended the steps.
    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Adds points. Points within a stretch that has begun become a single point.
    fn extend(&mut self, points: &[LossPoint], stretch: u64) {
        for &LossPoint { steps, rows, loss_sum } in points {
            match self.points.last_mut() {
                Some(last) if !self.steps.is_multiple_of(stretch) => {
                    last.steps += steps;
                    last.rows += rows;
                    last.loss_sum += loss_sum;
                }
                _ => self.points.push(LossPoint { steps, rows, loss_sum }),
            }
            self.steps += steps;
        }
    }
}

impl TrainingRun<'_> {
    /// Takes all steps, stretch by stretch: `take` takes some steps, and calls a pulse after every
    /// step. Returns the curve of all steps that were taken; `None` if the pulse breaks.
    pub(super) fn take_steps(
        &self,
        stretch: u64,
        take: impl FnMut(u64, &StreamRng, &mut Pulse<'_>) -> Result<LearnSummary, LearnFailure>,
    ) -> Option<StepCurve> {
        let mut curve = StepCurve::default();
        self.beat(&curve).continue_value()?;
        self.take_until(u64::from(self.setup.steps), &mut curve, stretch, take)?;
        Some(curve)
    }

    /// Takes steps, as [`take_steps`](Self::take_steps) does, until there are `end` steps or an
    /// error ends them; `None` if the pulse breaks.
    pub(super) fn take_until(
        &self,
        end: u64,
        curve: &mut StepCurve,
        stretch: u64,
        mut take: impl FnMut(u64, &StreamRng, &mut Pulse<'_>) -> Result<LearnSummary, LearnFailure>,
    ) -> Option<()> {
        let all = u64::from(self.setup.steps);
        let stream = self.stream.part(STEPS);
        while curve.steps < end && !curve.has_failed() {
            let done = curve.steps;
            let steps = (stretch - done % stretch).min(end - done);
            let mut is_broken = false;
            let summary = take(steps, &stream, &mut |step| {
                let flow = self.context.beat(done + step, all);
                is_broken = flow.is_break();
                flow
            });
            if is_broken {
                return None;
            }
            let summary = match summary {
                Ok(summary) => summary,
                Err(LearnFailure { summary, error }) => {
                    curve.error = Some(error);
                    summary
                }
            };
            curve.extend(&summary.curve, stretch);
        }
        Some(())
    }

    /// Beats after the steps so far.
    pub(super) fn beat(&self, curve: &StepCurve) -> ControlFlow<()> {
        self.context.beat(curve.steps, u64::from(self.setup.steps))
    }

    /// Returns the result of training.
    pub(super) fn result(
        &self,
        learner: StoredLearner,
        curve: StepCurve,
        neighbors: Vec<PieceNeighbors>,
    ) -> TrainingResult {
        let StepCurve { points, steps, error } = curve;
        let failure = error.as_ref().map(|error| shortened(error_chain(error)));
        let learner = Some(learner);
        TrainingResult { learner, steps, curve: points, neighbors, failure, replay: None }
    }
}

/// Returns the beginning of a text, short enough for a result.
pub(super) fn shortened(mut text: String) -> String {
    let end = text.floor_char_boundary(TrainingResult::MAX_FAILURE);
    text.truncate(end);
    text
}

/// A reason why training cannot begin. Parts come from other machines, so that each may be
/// malformed.
#[derive(Debug, thiserror::Error)]
pub(super) enum TrainingError {
    /// A file of records is malformed.
    #[error("recorded games cannot be read")]
    Records(#[from] DecodeError),
    /// The records are no games.
    #[error("recorded games cannot be replayed")]
    Samples(#[from] SampleError),
    /// The learner refuses.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The model before is malformed.
    #[error("the model before cannot be read")]
    Model(#[from] ModelError),
    /// The memory of the learner is malformed.
    #[error("the memory of the learner cannot be read")]
    Memory(#[from] TensorError),
    /// The memory of the learner is no part of its model and games.
    #[error("the memory of the learner cannot be read")]
    Reinforcement(#[from] ReinforcementFileError),
    /// The representation before is malformed.
    #[error("the representation before cannot be read")]
    Representation(#[from] RepresentationFileError),
}
