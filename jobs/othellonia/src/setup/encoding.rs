//! The encoding of pieces in training.

use hatchery_core::Part;

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
