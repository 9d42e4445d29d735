//! A whole game.

use super::{Board, BoardSize, Outcome, Overflow, Piece, Placement};

/// What a game is played by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The board.
    pub size: BoardSize,
    /// What happens above its top.
    pub overflow: Overflow,
}

/// The number of pieces after which a game is stopped.
pub type Cap = u64;

/// What a game came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// The number of removed rows: the score.
    pub lines: u64,
    /// The number of pieces, the last one included.
    pub pieces: u64,
    /// Whether the game was stopped before it was over.
    pub capped: bool,
}

/// One move of a game, for those who watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The board before it.
    pub board: Board,
    /// The piece.
    pub piece: Piece,
    /// Where it was put.
    pub placement: Placement,
    /// What that did.
    pub outcome: Outcome,
}

/// Plays a game until it is over or `cap` pieces have come: `next_piece` deals, `choose` places,
/// `watch` sees each move.
pub fn play(
    rules: Rules,
    cap: Cap,
    mut next_piece: impl FnMut() -> Piece,
    mut choose: impl FnMut(&Board, Piece) -> Placement,
    mut watch: impl FnMut(&Move),
) -> Score {
    let mut board = Board::new(rules.size);
    let mut score = Score { lines: 0, pieces: 0, capped: false };
    while score.pieces < cap {
        let piece = next_piece();
        let placement = choose(&board, piece);
        let outcome = board.drop(piece, placement, rules.overflow);
        watch(&Move { board, piece, placement, outcome });
        score.pieces += 1;
        score.lines += u64::from(outcome.n_lines);
        board = outcome.board;
        if outcome.game_over {
            return score;
        }
    }
    Score { capped: true, ..score }
}
