//! Results of learning on the wire.

use hatchery_core::part::{LargeValue, Part};
use hatchery_core::{DecodeError, PartMessage};

use super::fields::{part, within};
use super::replay_use::ReplayUseMessage;
use crate::learning::StoredLearner;
use crate::results::{LossPoint, PieceNeighbors, TrainingResult};
use crate::setup::TrainingSetup;

/// A [`StoredLearner`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct StoredLearnerMessage {
    #[prost(message, optional, tag = "1")]
    model: Option<PartMessage>,
    #[prost(message, repeated, tag = "2")]
    memory: Vec<PartMessage>,
}

/// A [`TrainingResult`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TrainingResultMessage {
    #[prost(message, optional, tag = "1")]
    learner: Option<StoredLearnerMessage>,
    #[prost(uint64, tag = "2")]
    steps: u64,
    #[prost(message, repeated, tag = "3")]
    curve: Vec<LossPointMessage>,
    #[prost(message, repeated, tag = "4")]
    neighbors: Vec<PieceNeighborsMessage>,
    #[prost(string, optional, tag = "5")]
    failure: Option<String>,
    #[prost(message, optional, tag = "6")]
    replay: Option<ReplayUseMessage>,
}

/// A [`LossPoint`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LossPointMessage {
    #[prost(uint64, tag = "1")]
    steps: u64,
    #[prost(uint64, tag = "2")]
    rows: u64,
    #[prost(double, tag = "3")]
    loss_sum: f64,
}

/// A [`PieceNeighbors`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PieceNeighborsMessage {
    #[prost(uint32, tag = "1")]
    piece: u32,
    #[prost(uint32, tag = "2")]
    placed: u32,
    #[prost(uint32, repeated, tag = "3")]
    nearest: Vec<u32>,
    #[prost(float, repeated, tag = "4")]
    cosines: Vec<f32>,
}

/// The most parts of a learner's memory: three times as many as the largest one needs.
const MAX_MEMORY_PARTS: usize = 8;

/// The most rows of a step: decisions with all of their actions.
const MAX_STEP_ROWS: u64 = 4_096 * 144;

impl From<&StoredLearner> for StoredLearnerMessage {
    fn from(learner: &StoredLearner) -> Self {
        let StoredLearner { model, memory } = learner;
        let memory = memory.parts().iter().map(Part::to_message).collect();
        Self { model: Some(model.to_message()), memory }
    }
}

impl StoredLearnerMessage {
    pub(super) fn checked(self) -> Result<StoredLearner, DecodeError> {
        let Self { model, memory } = self;
        let n_parts = memory.len();
        if n_parts == 0 || MAX_MEMORY_PARTS < n_parts {
            let expected = format!("from 1 to {MAX_MEMORY_PARTS} parts");
            return Err(DecodeError::field("memory", &n_parts, expected));
        }
        let memory = memory.into_iter().map(Part::from_message).collect::<Result<_, _>>()?;
        Ok(StoredLearner { model: part("model", model)?, memory: LargeValue::new(memory) })
    }
}

impl From<&TrainingResult> for TrainingResultMessage {
    fn from(result: &TrainingResult) -> Self {
        let TrainingResult { learner, steps, curve, neighbors, failure, replay } = result;
        let point = |&LossPoint { steps, rows, loss_sum }: &LossPoint| LossPointMessage {
            steps,
            rows,
            loss_sum,
        };
        Self {
            learner: learner.as_ref().map(StoredLearnerMessage::from),
            steps: *steps,
            curve: curve.iter().map(point).collect(),
            neighbors: neighbors.iter().map(PieceNeighborsMessage::from).collect(),
            failure: failure.clone(),
            replay: replay.as_ref().map(ReplayUseMessage::from),
        }
    }
}

impl TrainingResultMessage {
    pub(super) fn checked(self) -> Result<TrainingResult, DecodeError> {
        let Self { learner, steps, curve, neighbors, failure, replay } = self;
        let learner = learner.map(StoredLearnerMessage::checked).transpose()?;
        within("steps", steps, 0, TrainingSetup::MAX_STEPS.into())?;
        within("curve", curve.len() as u64, 0, TrainingSetup::MAX_POINTS.into())?;
        let curve = curve.into_iter().map(LossPointMessage::checked);
        let curve = curve.collect::<Result<Vec<_>, _>>()?;
        // No sum of so few numbers below 2^20 goes beyond 64 bits.
        let in_curve: u64 = curve.iter().map(|point| point.steps).sum();
        if in_curve != steps {
            let expected = format!("{in_curve}, as many as the curve has");
            return Err(DecodeError::field("steps", &steps, expected));
        }
        match (&learner, &failure) {
            (None, None) => {
                let expected = "a learner, unless there is a failure";
                return Err(DecodeError::field("learner", &"missing", expected));
            }
            (_, Some(text)) if TrainingResult::MAX_FAILURE < text.len() => {
                let expected = format!("at most {} bytes", TrainingResult::MAX_FAILURE);
                return Err(DecodeError::field("failure", &text.len(), expected));
            }
            _ => {}
        }
        let neighbors = neighbors.into_iter().map(PieceNeighborsMessage::checked);
        let neighbors = neighbors.collect::<Result<Vec<_>, _>>()?;
        if neighbors.windows(2).any(|pair| pair[1].piece <= pair[0].piece) {
            let expected = "in ascending order of pieces";
            return Err(DecodeError::field("neighbors", &"a list in another order", expected));
        }
        let replay = replay.map(ReplayUseMessage::checked).transpose()?;
        Ok(TrainingResult { learner, steps, curve, neighbors, failure, replay })
    }
}

impl LossPointMessage {
    fn checked(self) -> Result<LossPoint, DecodeError> {
        let Self { steps, rows, loss_sum } = self;
        within("steps", steps, 1, TrainingSetup::MAX_STEPS.into())?;
        within("rows", rows, 1, steps * MAX_STEP_ROWS)?;
        // As to the sum of a curve: any finite number is a possible loss.
        match loss_sum.is_finite() {
            true => Ok(LossPoint { steps, rows, loss_sum }),
            false => Err(DecodeError::field("loss_sum", &loss_sum, "a finite number")),
        }
    }
}

impl From<&PieceNeighbors> for PieceNeighborsMessage {
    fn from(neighbors: &PieceNeighbors) -> Self {
        let PieceNeighbors { piece, placed, nearest } = neighbors;
        Self {
            piece: u32::from(*piece),
            placed: *placed,
            nearest: nearest.iter().map(|(piece, _)| u32::from(*piece)).collect(),
            cosines: nearest.iter().map(|(_, cosine)| *cosine).collect(),
        }
    }
}

impl PieceNeighborsMessage {
    fn checked(self) -> Result<PieceNeighbors, DecodeError> {
        let Self { piece, placed, nearest, cosines } = self;
        let number = |piece: u32| {
            u16::try_from(piece).map_err(|_| DecodeError::field("piece", &piece, "below 65536"))
        };
        within("nearest", nearest.len() as u64, 0, TrainingSetup::MAX_NEIGHBORS.into())?;
        if cosines.len() != nearest.len() {
            let expected = format!("{}, one for each neighbor", nearest.len());
            return Err(DecodeError::field("cosines", &cosines.len(), expected));
        }
        // Rounding may go beyond 1.
        if let Some(cosine) = cosines.iter().find(|cosine| !(-1.01..=1.01).contains(*cosine)) {
            return Err(DecodeError::field("cosines", cosine, "from -1 to 1"));
        }
        let nearest = nearest.into_iter().map(number).collect::<Result<Vec<_>, _>>()?;
        let nearest = nearest.into_iter().zip(cosines).collect();
        Ok(PieceNeighbors { piece: number(piece)?, placed, nearest })
    }
}
