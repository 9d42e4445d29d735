//! Errors of games against a person.

use hatchery_core::InvalidValue;

use crate::record::RecordError;
use crate::rules::{DiscColor, Square, SquareSet};

/// The reason why a game cannot begin, or a turn cannot be made or taken back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PersonGameError {
    /// A setting of the agent is out of range.
    #[error("the agent cannot play")]
    Agent(#[from] InvalidValue),
    /// The agent searches for too long.
    #[error(
        "the agent searches with up to {found} playouts before a reply, at most {max} are \
             allowed"
    )]
    TooManyPlayouts {
        /// The number of playouts that all the agent's searches make from a move of the person to
        /// the reply.
        found: u64,
        /// The largest number.
        max: u64,
    },
    /// The person's move is illegal.
    #[error(transparent)]
    Move(#[from] RecordError),
    /// The person moves in the agent's turn.
    #[error("the person cannot play {square}: it is the turn of the agent, which is {color}")]
    AgentsTurn {
        /// The square of the move.
        square: Square,
        /// The agent's color.
        color: DiscColor,
    },
    /// The agent is asked for a reply in the person's turn.
    #[error("the agent cannot reply: it is the turn of the person, {color}, who can play {legal}")]
    PersonsTurn {
        /// The person's color.
        color: DiscColor,
        /// The person's legal moves.
        legal: SquareSet,
    },
    /// The agent is asked for a reply after the end.
    #[error("the agent cannot reply: the game is over")]
    Over,
    /// A turn is taken back before the person has moved.
    #[error("there is nothing to take back: the person has not moved yet")]
    NothingToUndo,
}

/// The reason why bytes are no saved game.
#[derive(Debug, thiserror::Error)]
pub enum SavedGameError {
    /// There are too many bytes.
    #[error("{found} bytes; a saved game has at most {max}")]
    TooLong {
        /// The number of bytes.
        found: usize,
        /// The largest number.
        max: usize,
    },
    /// They are not JSON, or fields are missing, unknown or of the wrong type.
    #[error("not a saved game")]
    Json(#[source] serde_json::Error),
    /// The format is that of another version.
    #[error("field format: `{found}`; it is {right}")]
    Format {
        /// The number found.
        found: u32,
        /// The number of this format.
        right: u32,
    },
    /// The agent cannot play.
    #[error("field agent")]
    Agent(#[source] PersonGameError),
    /// The moves are no game.
    #[error("field moves")]
    Moves(#[source] RecordError),
    /// The agent would have made another move.
    #[error("ply {ply}: {found} is not a move of this game, in which the agent plays {right}")]
    NotOfAgent {
        /// The ply, counted from 1, without passes.
        ply: usize,
        /// The move found.
        found: Square,
        /// The agent's move.
        right: Square,
    },
}
