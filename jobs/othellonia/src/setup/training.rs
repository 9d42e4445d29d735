//! The setup of a trial of learning.

use hatchery_core::part::{MAX_PART_BYTES, Part};

use crate::features::{Information, VECTOR_LEN};
use crate::learning::imitation::{self, ImitationSettings};
use crate::learning::reinforcement::Returns;
use crate::learning::representation::{self, RepresentationSettings};
use crate::learning::{LearnError, StoredLearner};
use crate::pool::MAX_KINDS;
use crate::rules::Action;
use crate::setup::{ReinforcementTask, SelfPlayOpponents, TrainingEncoding};

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
    /// To play so as to win.
    Reinforcement(Box<ReinforcementTask>),
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
    /// The model of a learned agent whose vectors stay: only those of kinds that it lacks are
    /// learned, and the result is the agent with them. `None` for vectors of all kinds.
    pub fixed: Option<Part>,
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

    /// The most numbers of a model, which are weights, biases, their deviations and vectors: 64 MB,
    /// so that it is one part.
    pub const MAX_NUMBERS: u64 = 16_000_000;

    /// The most rows of a step: below some GB with the largest hidden layers.
    pub const MAX_ROWS: u64 = 32_768;

    /// The most decisions that come into a replay memory over its life, and the largest number of
    /// one: far beyond what a run can play, and so small that no sum overflows.
    pub const MAX_ITEMS: u64 = 1 << 48;

    /// Returns the parts that training reads, each once: those that hold games, vectors, the
    /// learner before or the model that it begins with, and opponents.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = self.games.clone();
        if let Some(TrainingEncoding::Vectors(file)) = self.encoding() {
            parts.push(*file);
        }
        if let TrainingTask::Representation(task) = &self.task {
            parts.extend(task.fixed);
        }
        if let TrainingTask::Reinforcement(task) = &self.task {
            parts.extend(task.initial);
            let opponents = task.rounds.iter().map(|rounds| &rounds.opponents);
            parts.extend(opponents.flat_map(SelfPlayOpponents::parts));
        }
        parts.extend(self.before.iter().flat_map(StoredLearner::parts));
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// Returns the number of weights of a new network: as many products as a row needs.
    #[must_use]
    pub fn n_weights(&self) -> u64 {
        self.layers().iter().map(|[inputs, outputs]| inputs * outputs).sum()
    }

    /// Returns the number of weights, biases, their deviations and vectors of a new model, or more
    /// of them where the number of vectors is not known.
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

    /// Returns the numbers of inputs and outputs of each layer of a new network.
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

    /// Checks the settings of the learner.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check_settings(&self) -> Result<(), LearnError> {
        match &self.task {
            TrainingTask::Representation(task) => task.settings.check(),
            TrainingTask::Imitation(task) => task.settings.check(),
            TrainingTask::Reinforcement(task) => task.settings.check(),
        }
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
