//! The setup of a trial of learning.

use hatchery_core::part::Part;

use crate::features::{Information, VECTOR_LEN};
use crate::learning::imitation::ImitationSettings;
use crate::learning::representation::RepresentationSettings;
use crate::learning::{LearnError, StoredLearner};

/// A trial of learning: steps of a learner from recorded games.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnSetup {
    /// What is learned.
    pub lesson: Lesson,
    /// The units of the hidden layers of a new network.
    pub hidden: Vec<u32>,
    /// The files of the recorded games.
    pub games: Vec<Part>,
    /// The learner before; `None` for a new one.
    pub before: Option<StoredLearner>,
    /// The steps, from 1 to [`MAX_STEPS`](Self::MAX_STEPS).
    pub steps: u32,
}

/// What is learned, and how.
#[derive(Clone, Debug, PartialEq)]
pub enum Lesson {
    /// Vectors of pieces.
    Representation(RepresentationLesson),
    /// To play as the players of the games do.
    Imitation(ImitationLesson),
}

/// A lesson of representation.
#[derive(Clone, Debug, PartialEq)]
pub struct RepresentationLesson {
    /// The kinds of pieces.
    pub kinds: u32,
    /// The settings of the learner.
    pub settings: RepresentationSettings,
    /// The nearest neighbors of each piece that the result lists; 0 for no list.
    pub neighbors: u32,
}

/// A lesson of imitation.
#[derive(Clone, Debug, PartialEq)]
pub struct ImitationLesson {
    /// The encoding of pieces.
    pub encoding: LessonEncoding,
    /// What the network knows of the game.
    pub information: Information,
    /// The settings of the learner.
    pub settings: ImitationSettings,
}

/// The encoding of pieces in a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonEncoding {
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

impl LearnSetup {
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

    /// The most weights of the first layer: 60 MB, so that a model is one part.
    pub const MAX_WEIGHTS: u64 = 15_000_000;

    /// Returns the parts that hold games, vectors and the learner before.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = self.games.clone();
        if let Lesson::Imitation(ImitationLesson {
            encoding: LessonEncoding::Vectors(file), ..
        }) = &self.lesson
        {
            parts.push(*file);
        }
        parts.extend(self.before.iter().flat_map(StoredLearner::parts));
        parts
    }

    /// Returns the weights of the first layer of a new network.
    #[must_use]
    pub fn first_weights(&self) -> u64 {
        let width = match &self.lesson {
            Lesson::Imitation(ImitationLesson { encoding, .. }) => match encoding {
                LessonEncoding::PoolOneHot { kinds } => u64::from(*kinds),
                LessonEncoding::DeckOneHot => 18,
                LessonEncoding::Vectors(_) => VECTOR_LEN as u64,
            },
            Lesson::Representation(_) => VECTOR_LEN as u64,
        };
        // As many columns as a row has with vectors, and 77 pieces in another encoding.
        let columns = PIECE_COLUMNS * width + OTHER_COLUMNS;
        columns * self.hidden.first().copied().map_or(0, u64::from)
    }

    /// Returns the number of points of the curve of losses.
    #[must_use]
    pub fn n_points(&self) -> u64 {
        let stretch = match &self.lesson {
            Lesson::Representation(lesson) => lesson.settings.stretch,
            Lesson::Imitation(lesson) => lesson.settings.stretch,
        };
        u64::from(self.steps).div_ceil(stretch.max(1))
    }

    /// Checks the settings of the learner.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check_settings(&self) -> Result<(), LearnError> {
        match &self.lesson {
            Lesson::Representation(lesson) => lesson.settings.check(),
            Lesson::Imitation(lesson) => lesson.settings.check(),
        }
    }
}
