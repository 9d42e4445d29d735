//! The boards on which levels were reached: climbs start from them.

use crate::rules::Board;

/// The state of a game when its wall reached a level.
#[derive(Clone, Copy)]
pub(super) enum LevelEntry {
    /// The board in play.
    Board(Board),
    /// The game is already over, so it has passed all levels. Holds the number of full cells of its
    /// board.
    Over(u64),
}

impl LevelEntry {
    pub(super) fn over(board: &Board) -> Self {
        Self::Over(board.columns().iter().map(|column| u64::from(column.count_ones())).sum())
    }
}
