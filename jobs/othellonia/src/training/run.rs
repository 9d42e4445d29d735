//! Training that runs: its games and its steps.

use hatchery_core::{StreamRng, TrialContext, error_chain};
use hatchery_nets::TensorError;

use crate::learning::representation::RepresentationFileError;
use crate::learning::samples::{SampleError, TrainingGames};
use crate::learning::{CurvePoint, LearnError, LearnFailure, LearnSummary, Pulse, StoredLearner};
use crate::model::ModelError;
use crate::record_file::RecordFileError;
use crate::results::{LossPoint, PieceNeighbors, TrainingResult};
use crate::setup::TrainingSetup;

/// The parts of the stream of training: a new network, and the steps.
pub(super) const NEW_LEARNER: u64 = 0;
const STEPS: u64 = 1;

/// Training with its games.
pub(super) struct TrainingRun<'a> {
    pub(super) setup: &'a TrainingSetup,
    pub(super) games: &'a TrainingGames<'a>,
    pub(super) stream: &'a StreamRng,
    pub(super) context: &'a TrialContext<'a>,
}

impl TrainingRun<'_> {
    /// Takes the steps, stretch by stretch: `take` takes some, and calls a pulse after each of
    /// them. Returns the curve of all steps that were taken, and the error that ended it early;
    /// `None` if the pulse breaks.
    pub(super) fn take_steps(
        &self,
        stretch: u64,
        mut take: impl FnMut(u64, &StreamRng, &mut Pulse<'_>) -> Result<LearnSummary, LearnFailure>,
    ) -> Option<(Vec<LossPoint>, Option<LearnError>)> {
        let all = u64::from(self.setup.steps);
        let mut curve = Vec::new();
        let mut done = 0;
        let stream = self.stream.part(STEPS);
        if self.context.beat(0, all).is_break() {
            return None;
        }
        while done < all {
            let steps = stretch.min(all - done);
            let mut is_broken = false;
            let summary = take(steps, &stream, &mut |step| {
                let flow = self.context.beat(done + step, all);
                is_broken = flow.is_break();
                flow
            });
            if is_broken {
                return None;
            }
            let (summary, error) = match summary {
                Ok(summary) => (summary, None),
                Err(LearnFailure { summary, error }) => (summary, Some(error)),
            };
            curve.extend(summary.curve.iter().map(loss_point));
            if error.is_some() {
                return Some((curve, error));
            }
            done += steps;
        }
        Some((curve, None))
    }

    /// Returns the result of training.
    pub(super) fn result(
        &self,
        learner: StoredLearner,
        (curve, error): (Vec<LossPoint>, Option<LearnError>),
        neighbors: Vec<PieceNeighbors>,
    ) -> TrainingResult {
        let steps = curve.iter().map(|point| point.steps).sum();
        let failure = error.as_ref().map(|error| shortened(error_chain(error)));
        TrainingResult { learner: Some(learner), steps, curve, neighbors, failure }
    }
}

fn loss_point(&CurvePoint { steps, rows, loss_sum }: &CurvePoint) -> LossPoint {
    LossPoint { steps, rows, loss_sum }
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
    Records(#[from] RecordFileError),
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
    /// The representation before is malformed.
    #[error("the representation before cannot be read")]
    Representation(#[from] RepresentationFileError),
}
