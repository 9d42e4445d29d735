//! The setup of a trial of learning.

use hatchery_core::part::{MAX_PART_BYTES, Part};

use crate::features::{Information, VECTOR_LEN};
use crate::learning::imitation::{self, ImitationSettings};
use crate::learning::representation::{self, RepresentationSettings};
use crate::learning::{LearnError, StoredLearner};
use crate::pool::MAX_KINDS;

/// A trial of learning: steps of a learner from recorded games.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSetup {
    /// The task.
    pub task: TrainingTask,
    /// The units of the hidden layers of a new network.
    pub hidden: Vec<u32>,
    /// The files of the recorded games.
    pub games: Vec<Part>,
    /// The learner before; `None` for a new one.
    pub before: Option<StoredLearner>,
    /// The steps, from 1 to [`MAX_STEPS`](Self::MAX_STEPS).
    pub steps: u32,
}

/// A task of learning, and its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum TrainingTask {
    /// Vectors of pieces.
    Representation(RepresentationTask),
    /// To play as the players of the games do.
    Imitation(ImitationTask),
}

/// The task to learn a representation.
#[derive(Clone, Debug, PartialEq)]
pub struct RepresentationTask {
    /// The kinds of pieces.
    pub kinds: u32,
    /// The settings of the learner.
    pub settings: RepresentationSettings,
    /// The nearest neighbors of each piece that the result lists; 0 for no list.
    pub neighbors: u32,
}

/// The task to imitate.
#[derive(Clone, Debug, PartialEq)]
pub struct ImitationTask {
    /// The encoding of pieces.
    pub encoding: TrainingEncoding,
    /// The network's knowledge of the game.
    pub information: Information,
    /// The settings of the learner.
    pub settings: ImitationSettings,
}

/// The encoding of pieces in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainingEncoding {
    /// Vectors: a file of them.
    Vectors(Part),
    /// A column for each of so many kinds.
    PoolOneHot {
        /// The number of kinds.
        kinds: u32,
    },
    /// A column for each piece of a deck.
    DeckOneHot,
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
    /// The most hidden layers.
    pub const MAX_LAYERS: usize = 4;
    /// The most units of a hidden layer.
    pub const MAX_UNITS: u32 = 1_024;
    /// The most files of games.
    pub const MAX_FILES: usize = 1_000;
    /// The most points of the curve of losses.
    pub const MAX_POINTS: u32 = 1_000;
    /// The most neighbors of a piece.
    pub const MAX_NEIGHBORS: u32 = 10;

    /// The most numbers of a model, which are weights, biases and vectors: 64 MB, so that it is one
    /// part.
    pub const MAX_NUMBERS: u64 = 16_000_000;

    /// The most rows of a step: below some GB with the largest hidden layers.
    pub const MAX_ROWS: u64 = 32_768;

    /// Returns the parts that hold games, vectors and the learner before.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = self.games.clone();
        if let TrainingTask::Imitation(ImitationTask {
            encoding: TrainingEncoding::Vectors(file),
            ..
        }) = &self.task
        {
            parts.push(*file);
        }
        parts.extend(self.before.iter().flat_map(StoredLearner::parts));
        parts
    }

    /// Returns the number of weights of a new network: as many products as a row needs.
    #[must_use]
    pub fn n_weights(&self) -> u64 {
        self.layers().iter().map(|[inputs, outputs]| inputs * outputs).sum()
    }

    /// Returns the number of weights, biases and vectors of a new model, or more of them where the
    /// number of vectors is not known.
    #[must_use]
    pub fn n_numbers(&self) -> u64 {
        let kinds = match &self.task {
            TrainingTask::Imitation(ImitationTask { encoding, .. }) => match encoding {
                TrainingEncoding::Vectors(_) => MAX_KINDS as u64,
                TrainingEncoding::PoolOneHot { .. } | TrainingEncoding::DeckOneHot => 0,
            },
            TrainingTask::Representation(task) => task.kinds.into(),
        };
        let biases: u64 = self.layers().iter().map(|[_, outputs]| outputs).sum();
        self.n_weights() + biases + kinds * VECTOR_LEN as u64
    }

    /// Returns the most rows of a decision: its actions.
    #[must_use]
    pub fn decision_rows(&self) -> u64 {
        match &self.task {
            TrainingTask::Representation(_) => 1,
            TrainingTask::Imitation(task) => 1 + u64::from(task.settings.negatives),
        }
    }

    /// Returns the most rows of a step.
    #[must_use]
    pub fn n_rows(&self) -> u64 {
        let decisions = match &self.task {
            TrainingTask::Representation(task) => task.settings.decisions,
            TrainingTask::Imitation(task) => task.settings.decisions,
        };
        u64::from(decisions) * self.decision_rows()
    }

    /// Returns the numbers of inputs and outputs of each layer of a new network.
    fn layers(&self) -> Vec<[u64; 2]> {
        let (width, n_outputs) = match &self.task {
            TrainingTask::Imitation(ImitationTask { encoding, .. }) => {
                let width = match encoding {
                    TrainingEncoding::PoolOneHot { kinds } => u64::from(*kinds),
                    TrainingEncoding::DeckOneHot => 18,
                    TrainingEncoding::Vectors(_) => VECTOR_LEN as u64,
                };
                (width, imitation::N_OUTPUTS)
            }
            TrainingTask::Representation(_) => (VECTOR_LEN as u64, representation::N_OUTPUTS),
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
        };
        u64::from(self.steps).div_ceil(stretch.max(1))
    }

    /// Checks the settings of the learner.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check_settings(&self) -> Result<(), LearnError> {
        match &self.task {
            TrainingTask::Representation(task) => task.settings.check(),
            TrainingTask::Imitation(task) => task.settings.check(),
        }
    }
}
