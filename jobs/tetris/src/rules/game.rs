//! Playing a whole game.

use hatchery_core::WireValue;

use super::{
    Board, BoardSize, DropOutcome, OverflowRule, Piece, PieceSupply, Placement, QueueRules, Turn,
};

/// The board size and rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireValue)]
pub struct GameRules {
    /// The size of the board.
    #[wire(flatten = 3)]
    pub size: BoardSize,
    /// The rule for pieces that reach above the board's top.
    #[wire(tag = 5)]
    pub overflow: OverflowRule,
    /// The rules for the pieces to come.
    #[wire(tag = 13, default)]
    pub queue: QueueRules,
}

impl GameRules {
    /// Creates the rules of the published results on a board of `size`: overflow ends the game, and
    /// nothing is known of the pieces to come.
    #[must_use]
    pub fn published(size: BoardSize) -> Self {
        Self { size, overflow: OverflowRule::EndsGame, queue: QueueRules::default() }
    }
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
    /// The pieces to come: those that are known, and the held one.
    pub supply: PieceSupply,
}

/// Plays a game until it is over or `cap` pieces have been placed: `next_piece` deals pieces,
/// `choose` places them, with the pieces to come in view, and `watch` observes each move.
pub fn play(
    rules: GameRules,
    cap: PieceCap,
    mut next_piece: impl FnMut() -> Piece,
    mut choose: impl FnMut(&Board, Piece, &PieceSupply) -> Turn,
    mut watch: impl FnMut(&PieceMove),
) -> GameScore {
    let mut board = Board::new(rules.size);
    let mut supply = PieceSupply::new(rules.queue);
    let mut score = GameScore { lines: 0, pieces: 0, capped: false };
    while score.pieces < cap {
        let mut piece = supply.take(&mut next_piece);
        let Turn { holds, placement } = choose(&board, piece, &supply);
        if holds {
            piece = supply.hold(piece, &mut next_piece);
        }
        let outcome = board.drop(piece, placement, rules.overflow);
        watch(&PieceMove { board, piece, placement, outcome, supply });
        score.pieces += 1;
        score.lines += u64::from(outcome.n_lines);
        board = outcome.board;
        if outcome.game_over {
            return score;
        }
    }
    GameScore { capped: true, ..score }
}
