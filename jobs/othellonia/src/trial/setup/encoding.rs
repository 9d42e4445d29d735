//! The encoding of pieces in training.

use hatchery_core::{Part, WireValue};

/// The encoding of pieces in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireValue)]
pub enum TrainingEncoding {
    /// Vectors: the part is a file of vectors.
    #[wire(tag = 1)]
    Vectors(Part),
    /// A column for each of so many kinds.
    #[wire(tag = 2)]
    PoolOneHot {
        /// The number of kinds.
        #[wire(range(min = 1, max = 20_000))]
        kinds: u32,
    },
    /// A column for each piece of a deck.
    #[wire(tag = 3, flag)]
    DeckOneHot,
}
