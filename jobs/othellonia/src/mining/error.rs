//! Errors of mining.

use hatchery_stats::StatsError;

use crate::pool::PoolError;
use crate::rules::Attribute;

/// Used decks or settings that no decks can be made of.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MiningError {
    /// There are no used decks, or too many.
    #[error("{found} used decks, but from 1 to {most} can be mined")]
    DeckCount {
        /// The number of used decks.
        found: usize,
        /// The largest number allowed.
        most: usize,
    },
    /// A used deck is no deck of the pool.
    #[error("used deck {deck} is no deck of the pool")]
    Deck {
        /// The index of the deck.
        deck: usize,
        /// The error.
        source: PoolError,
    },
    /// A used deck won more games than it played.
    #[error("used deck {deck} has {wins} wins in {games} games, at most {games} are possible")]
    Wins {
        /// The index of the deck.
        deck: usize,
        /// The wins.
        wins: u32,
        /// The games.
        games: u32,
    },
    /// A setting is out of its range.
    #[error("{name} is {found}, but must be {expected}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        found: u32,
        /// The values allowed.
        expected: String,
    },
    /// The used decks have too few pieces of an attribute.
    #[error("the used decks have {found} {attribute} pieces, but {needed} are needed")]
    Attribute {
        /// The attribute.
        attribute: Attribute,
        /// The number of its pieces.
        found: usize,
        /// The number needed.
        needed: usize,
    },
    /// The used decks have too few pieces for a balanced deck, over all attributes together.
    #[error(
        "the used decks have pieces for {found} places of a balanced deck, but it has {needed}"
    )]
    Balance {
        /// The number of places.
        found: usize,
        /// The number of places of a deck.
        needed: usize,
    },
    /// The cheapest pieces that make a deck cost too much.
    #[error("the cheapest pieces of the used decks cost {cost}, but at most {cap} are allowed")]
    Cost {
        /// The sum of the costs.
        cost: u32,
        /// The cost cap.
        cap: u32,
    },
    /// Item sets, rules or clusters cannot be found.
    #[error("the used decks cannot be analyzed")]
    Analysis {
        /// The error.
        #[from]
        source: StatsError,
    },
}
