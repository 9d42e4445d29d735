//! Errors of this crate.

use std::fmt::Debug;

use crate::game::Side;

/// Parameters that a search cannot have, or a position that cannot be searched.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// A depth outside its range.
    #[error("the depth is {found}, expected 1 to {max}")]
    DepthOutOfRange {
        /// The depth, in plies.
        found: u32,
        /// The largest depth that a search can be capped at.
        max: u32,
    },
    /// A budget outside its range.
    #[error("the budget is {found} playouts, expected 1 to {max}")]
    PlayoutsOutOfRange {
        /// The number of playouts.
        found: u32,
        /// The largest budget.
        max: u32,
    },
    /// A negative, infinite or undefined weight of exploration.
    #[error("the weight of exploration is {found}, expected a finite number of at least 0")]
    ExplorationOutOfRange {
        /// The weight.
        found: f64,
    },
    /// A growth of budgets that doubles after less than a thousandth of a ply, or never.
    #[error("budgets double every {found} plies, expected 0.001 to 1000")]
    DoublingOutOfRange {
        /// The number of plies until a budget doubles.
        found: f64,
    },
    /// A budget that grows with the depth beyond the largest one.
    #[error(
        "the budget at depth {depth} is {} playouts, expected at most {max}",
        playouts_text(*.found)
    )]
    GrownBudgetOutOfRange {
        /// The depth, in plies.
        depth: u32,
        /// The number of playouts.
        found: f64,
        /// The largest budget.
        max: u32,
    },
    /// A search of a finished game.
    #[error("the game is over: there is no move to search for")]
    GameOver,
    /// More moves than a node can have.
    #[error("the position has {found} legal moves, at most {max} can be searched")]
    TooManyMoves {
        /// The number of legal moves.
        found: usize,
        /// The largest number of moves of a node.
        max: usize,
    },
}

/// Returns a number of playouts for a message: whole, or "more than 1e12".
#[must_use]
pub fn playouts_text(playouts: f64) -> String {
    const MOST_SHOWN: f64 = 1e12;
    if playouts <= MOST_SHOWN { format!("{playouts:.0}") } else { "more than 1e12".to_owned() }
}

/// The reason why a match has no result. Plies are counted from 0 and include passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchError<M: Debug> {
    /// A player chose a move that is not legal.
    #[error("ply {ply}: {side:?} chose the illegal move {found:?}")]
    IllegalMove {
        /// The number of moves before it.
        ply: u32,
        /// The side of the player.
        side: Side,
        /// The move.
        found: M,
    },
    /// The game is not finished, but has no legal move: its rules are broken.
    #[error("ply {ply}: the game is not over, but {side:?} has no legal move")]
    NoLegalMove {
        /// The number of moves before it.
        ply: u32,
        /// The side to move.
        side: Side,
    },
    /// The game is longer than its rules say.
    #[error("the game is not over after {limit} moves, the largest number of its rules")]
    TooLong {
        /// The largest number of moves.
        limit: u32,
    },
}
