//! The setup of a trial of learning.

use hatchery_core::part::MAX_PART_BYTES;
use hatchery_core::{InvalidValue, Part, WireValue};

use crate::features::{Information, VECTOR_LEN};
use crate::learning::StoredLearner;
use crate::learning::imitation::{self, ImitationSettings};
use crate::learning::reinforcement::Returns;
use crate::learning::representation::{self, RepresentationSettings};
use crate::pool::MAX_KINDS;
use crate::rules::Action;
use crate::trial::setup::{RecordSetup, ReinforcementTask, TrainingEncoding};

/// A trial of learning: steps of a learner from recorded games.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct TrainingSetup {
    /// The task.
    #[wire(flatten = 1)]
    pub task: TrainingTask,
    /// The units of the hidden layers of a new network.
    #[wire(tag = 3, length(min = 1, max = 4), inner(range(min = 1, max = 1_024)))]
    pub hidden: Vec<u32>,
    /// The files of the recorded games.
    #[wire(tag = 4, length(max = Self::MAX_FILES))]
    pub games: Vec<Part>,
    /// The learner before; `None` for a new one.
    #[wire(tag = 5)]
    pub before: Option<StoredLearner>,
    /// The steps. Without games and steps, a new network is the result of reinforcement learning.
    #[wire(tag = 6, range(max = Self::MAX_STEPS))]
    pub steps: u32,
}

/// A task of learning, and its settings.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub enum TrainingTask {
    /// Vectors of pieces.
    #[wire(tag = 1)]
    Representation(RepresentationTask),
    /// To play as the players of the games do.
    #[wire(tag = 2)]
    Imitation(ImitationTask),
    /// To play so as to win.
    #[wire(tag = 7)]
    Reinforcement(Box<ReinforcementTask>),
}

/// The task to learn a representation.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub struct RepresentationTask {
    /// The kinds of pieces.
    #[wire(tag = 1, range(min = 1, max = 20_000))]
    pub kinds: u32,
    /// The settings of the learner.
    #[wire(flatten = 3)]
    pub settings: RepresentationSettings,
    /// The number of nearest neighbors that the result lists for every piece; 0 for no list.
    #[wire(tag = 2, range(max = 10))]
    pub neighbors: u32,
    /// The model of a learned agent whose vectors stay. Only the vectors of kinds that the model
    /// lacks are learned, and the result is the agent with the new vectors. `None` to learn vectors
    /// for all kinds.
    #[wire(tag = 9)]
    pub fixed: Option<Part>,
}

/// The task to imitate.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub struct ImitationTask {
    /// The encoding of pieces.
    #[wire(flatten = 1)]
    pub encoding: TrainingEncoding,
    /// The network's knowledge of the game.
    #[wire(tag = 4)]
    pub information: Information,
    /// The settings of the learner.
    #[wire(flatten = 5)]
    pub settings: ImitationSettings,
}

/// The columns of a row that tell which piece is somewhere, in units of an encoding's width, and
/// all others.
const PIECE_COLUMNS: u64 = 77;
const OTHER_COLUMNS: u64 = 3_339;

/// The bytes of a part beside the numbers of a model are left for the head of its file.
const _: () = assert!(4 * TrainingSetup::MAX_NUMBERS + (1 << 20) <= MAX_PART_BYTES as u64);

impl TrainingSetup {
    /// The most steps.
    pub const MAX_STEPS: u32 = 1_000_000;
    /// The most files of games.
    pub const MAX_FILES: usize = 1_000;
    /// The most points of the curve of losses.
    pub const MAX_POINTS: u32 = 1_000;
    /// The most neighbors of a piece.
    pub const MAX_NEIGHBORS: u32 = 10;

    /// The most numbers of a model, which are weights, biases, their deviations and vectors: 64 MB,
    /// so that it is one part.
    pub const MAX_NUMBERS: u64 = 16_000_000;

    /// The most rows of a step: below some GB with the largest hidden layers.
    pub const MAX_ROWS: u64 = 32_768;

    /// The most decisions that come into a replay memory over its life, and the largest number that
    /// a decision can have: far beyond what a run can play, and so small that no sum overflows.
    pub const MAX_ITEMS: u64 = 1 << 48;

    /// Returns the number of weights of a new network: as many products as a row needs.
    #[must_use]
    pub fn n_weights(&self) -> u64 {
        self.layers().iter().map(|[inputs, outputs]| inputs * outputs).sum()
    }

    /// Returns the number of weights, biases, their deviations and vectors in a new model, or a
    /// larger number if the number of vectors is not known.
    #[must_use]
    pub fn n_numbers(&self) -> u64 {
        let kinds = match (&self.task, self.encoding()) {
            (TrainingTask::Representation(task), _) => task.kinds.into(),
            (_, Some(TrainingEncoding::Vectors(_))) => MAX_KINDS as u64,
            _ => 0,
        };
        let layers = self.layers();
        let numbers = |[inputs, outputs]: &[u64; 2]| inputs * outputs + outputs;
        let deviations = match &self.task {
            TrainingTask::Reinforcement(task) if task.settings.noise != 0.0 => layers.last(),
            _ => None,
        };
        layers.iter().chain(deviations).map(numbers).sum::<u64>() + kinds * VECTOR_LEN as u64
    }

    /// Returns the most rows of a decision: its actions.
    #[must_use]
    pub fn decision_rows(&self) -> u64 {
        match &self.task {
            TrainingTask::Representation(_) => 1,
            TrainingTask::Imitation(task) => 1 + u64::from(task.settings.negatives),
            TrainingTask::Reinforcement(task) => match task.settings.returns {
                // The one that was chosen, and all of the decision that follows.
                Returns::Steps(_) => 1 + u64::from(Action::COUNT),
                Returns::End => 1,
            },
        }
    }

    /// Returns the most rows of a step.
    #[must_use]
    pub fn n_rows(&self) -> u64 {
        let decisions = match &self.task {
            TrainingTask::Representation(task) => task.settings.decisions,
            TrainingTask::Imitation(task) => task.settings.decisions,
            TrainingTask::Reinforcement(task) => task.settings.batch,
        };
        u64::from(decisions) * self.decision_rows()
    }

    /// Returns the numbers of inputs and outputs for every layer of a new network.
    fn layers(&self) -> Vec<[u64; 2]> {
        let width = match self.encoding() {
            Some(TrainingEncoding::PoolOneHot { kinds }) => u64::from(*kinds),
            Some(TrainingEncoding::DeckOneHot) => 18,
            Some(TrainingEncoding::Vectors(_)) | None => VECTOR_LEN as u64,
        };
        let n_outputs = match &self.task {
            TrainingTask::Representation(_) => representation::N_OUTPUTS,
            TrainingTask::Imitation(_) => imitation::N_OUTPUTS,
            TrainingTask::Reinforcement(task) => task.settings.bins.into(),
        };
        // As many columns as a row has with vectors, and 77 pieces in another encoding.
        let columns = PIECE_COLUMNS * width + OTHER_COLUMNS;
        let hidden = || self.hidden.iter().map(|&units| u64::from(units));
        let inputs = [columns].into_iter().chain(hidden());
        let outputs = hidden().chain([n_outputs as u64]);
        inputs.zip(outputs).map(|(inputs, outputs)| [inputs, outputs]).collect()
    }

    /// Returns the number of points of the curve of losses.
    #[must_use]
    pub fn n_points(&self) -> u64 {
        let stretch = match &self.task {
            TrainingTask::Representation(task) => task.settings.stretch,
            TrainingTask::Imitation(task) => task.settings.stretch,
            TrainingTask::Reinforcement(task) => task.settings.stretch,
        };
        u64::from(self.steps).div_ceil(stretch.max(1))
    }

    /// Checks the settings of the learner that are not in a plain range.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check_settings(&self) -> Result<(), InvalidValue> {
        match &self.task {
            TrainingTask::Representation(task) => task.settings.check(),
            TrainingTask::Imitation(task) => task.settings.check(),
            TrainingTask::Reinforcement(task) => task.settings.check(),
        }
    }

    /// Checks the size of training, and that its games belong to its learner and its steps.
    fn check(&self) -> Result<(), InvalidValue> {
        // A new network is a result of reinforcement learning; others have games to learn from.
        let least = u64::from(!matches!(self.task, TrainingTask::Reinforcement(_)));
        let sizes = [
            ("games", self.games.len() as u64, least, Self::MAX_FILES as u64),
            ("steps", self.steps.into(), least, Self::MAX_STEPS.into()),
            ("curve", self.n_points(), least, Self::MAX_POINTS.into()),
            ("weights", self.n_numbers(), 1, Self::MAX_NUMBERS),
            ("rows", self.n_rows(), 1, Self::MAX_ROWS),
        ];
        for (key, size, least, most) in sizes {
            InvalidValue::check_range(key, &size, &least, &most)?;
        }
        let TrainingTask::Reinforcement(task) = &self.task else { return Ok(()) };
        if self.before.is_none() && task.first_item != 0 {
            let expected = "0 without a learner before";
            return Err(InvalidValue::new("first_item", &task.first_item, expected));
        }
        let Some(rounds) = &task.rounds else { return Ok(()) };
        if !self.steps.is_multiple_of(rounds.steps) {
            let expected = format!("a multiple of {}, the steps of a round", rounds.steps);
            return Err(InvalidValue::new("steps", &self.steps, expected));
        }
        let n_rounds = self.steps / rounds.steps;
        InvalidValue::check_range("rounds", &n_rounds, &0, &RecordSetup::MAX_PAIRS)
    }

    /// Returns the encoding of pieces; `None` for vectors that are learned.
    const fn encoding(&self) -> Option<&TrainingEncoding> {
        match &self.task {
            TrainingTask::Representation(_) => None,
            TrainingTask::Imitation(task) => Some(&task.encoding),
            TrainingTask::Reinforcement(task) => Some(&task.encoding),
        }
    }
}
