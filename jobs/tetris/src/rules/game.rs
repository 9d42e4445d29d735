//! Playing a whole game.

use hatchery_core::WireValue;

use super::{Board, BoardSize, DropOutcome, OverflowRule, Piece, Placement};

/// The board size and rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireValue)]
pub struct GameRules {
    /// The size of the board.
    #[wire(flatten = 3)]
    pub size: BoardSize,
    /// The rule for pieces that reach above the board's top.
    #[wire(tag = 5)]
    pub overflow: OverflowRule,
}

/// The number of pieces after which a game is stopped.
pub type PieceCap = u64;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameScore {
    /// The number of removed rows: the score.
    pub lines: u64,
    /// The number of pieces, the last one included.
    pub pieces: u64,
    /// True if the game was stopped before it was over.
    pub capped: bool,
}

/// One move of a game, as shown to an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceMove {
    /// The board before the move.
    pub board: Board,
    /// The piece.
    pub piece: Piece,
    /// The placement of the piece.
    pub placement: Placement,
    /// The result of the move.
    pub outcome: DropOutcome,
}

/// Plays a game until it is over or `cap` pieces have been placed: `next_piece` deals pieces,
/// `choose` places them, and `watch` observes each move.
pub fn play(
    rules: GameRules,
    cap: PieceCap,
    mut next_piece: impl FnMut() -> Piece,
    mut choose: impl FnMut(&Board, Piece) -> Placement,
    mut watch: impl FnMut(&PieceMove),
) -> GameScore {
    let mut board = Board::new(rules.size);
    let mut score = GameScore { lines: 0, pieces: 0, capped: false };
    while score.pieces < cap {
        let piece = next_piece();
        let placement = choose(&board, piece);
        let outcome = board.drop(piece, placement, rules.overflow);
        watch(&PieceMove { board, piece, placement, outcome });
        score.pieces += 1;
        score.lines += u64::from(outcome.n_lines);
        board = outcome.board;
        if outcome.game_over {
            return score;
        }
    }
    GameScore { capped: true, ..score }
}
