//! Errors of pools and decks.

use crate::rules::EffectError;

/// A piece, pool or deck that the rules do not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// A pool has no pieces, or too many.
    #[error("{found} kinds of pieces, but a pool has from 1 to {most}")]
    Kinds {
        /// The number of kinds.
        found: usize,
        /// The largest number allowed.
        most: usize,
    },
    /// A number of a piece is out of its range.
    #[error("{field} of piece {piece} is {found}, but must be {expected}")]
    Piece {
        /// The piece's number in the pool.
        piece: usize,
        /// The field.
        field: &'static str,
        /// Its value.
        found: String,
        /// The values allowed.
        expected: String,
    },
    /// An effect of a piece is not one that the rules have.
    #[error("the {skill} of piece {piece} is wrong")]
    Effect {
        /// The piece's number in the pool.
        piece: usize,
        /// `skill` or `combo`.
        skill: &'static str,
        /// The error.
        source: EffectError,
    },
    /// An echo names a piece that the pool lacks, or one without a skill.
    #[error("the {skill} of piece {piece} echoes {echoed}, but must echo {expected}")]
    Echo {
        /// The piece's number in the pool.
        piece: usize,
        /// `skill` or `combo`.
        skill: &'static str,
        /// The number of the piece that is echoed.
        echoed: u32,
        /// The values allowed.
        expected: String,
    },
    /// Echoes never come to an end, or too late.
    #[error(
        "the {skill} of piece {piece} fires {chain}, but a chain must end after {most} effects"
    )]
    Chain {
        /// The piece's number in the pool.
        piece: usize,
        /// `skill` or `combo`.
        skill: &'static str,
        /// The pieces whose skills fire, in order.
        chain: String,
        /// The most effects of a chain.
        most: usize,
    },
    /// A deck does not have the right number of pieces.
    #[error("{found} pieces, but a deck has {expected}")]
    DeckSize {
        /// The number of pieces.
        found: usize,
        /// The number that a deck has.
        expected: usize,
    },
    /// A piece is in a deck twice.
    #[error("piece {piece} is there twice, but the pieces of a deck are different")]
    Twice {
        /// The piece's number in the pool.
        piece: u32,
    },
    /// A deck names a piece that the pool lacks.
    #[error("there is no piece {piece}: those of the pool are from 0 to {last}")]
    Unknown {
        /// The piece's number.
        piece: u32,
        /// The largest number in the pool.
        last: usize,
    },
    /// A deck's leader is not one of its pieces.
    #[error("the leader is piece {leader}, but must be one of the deck's pieces")]
    Leader {
        /// The leader's number in the pool.
        leader: u32,
    },
    /// The pieces of a deck cost too much.
    #[error("the pieces cost {cost} together, but at most {cap} are allowed")]
    Cost {
        /// The sum of the costs.
        cost: u32,
        /// The cost cap.
        cap: u32,
    },
}
