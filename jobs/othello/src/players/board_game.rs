//! Othello as searches see it.

use hatchery_core::FastRng;
use hatchery_search::{Margin, Side, TurnGame};

use crate::rules::{
    BoardOps, DiscBoard, DiscColor, Position, ScoreRule, Square, SquareSet, TurnState,
};

/// A turn: a move on a square, or a pass by a player without a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BoardTurn {
    /// A disc on this square.
    Play(Square),
    /// A pass.
    Pass,
}

/// A position for searches, with the instructions of `B`. Black is the first side.
#[derive(Clone, Copy, Debug)]
pub struct OthelloGame<B: BoardOps> {
    board: DiscBoard<B>,
    mover: Side,
}

impl<B: BoardOps> OthelloGame<B> {
    /// Returns the game that starts from `position`.
    #[inline(always)]
    #[must_use]
    pub fn new(position: &Position) -> Self {
        Self { board: position.board(), mover: side_of(position.turn()) }
    }

    /// Returns the position.
    #[must_use]
    pub fn position(&self) -> Position {
        let turn = color_of_side(self.mover);
        Position::of_mover(self.board.mover(), self.board.opponent(), turn)
    }

    /// Returns the margin as it would be if the game ended here.
    #[inline(always)]
    fn margin_now(&self) -> Margin {
        let score = self.board.score(ScoreRule::WinnerTakesEmpties);
        seen_by_first(score, self.mover)
    }
}

/// Returns the side that plays `color`.
#[inline(always)]
#[must_use]
pub const fn side_of(color: DiscColor) -> Side {
    match color {
        DiscColor::Black => Side::First,
        DiscColor::White => Side::Second,
    }
}

const fn color_of_side(side: Side) -> DiscColor {
    match side {
        Side::First => DiscColor::Black,
        Side::Second => DiscColor::White,
    }
}

/// Returns the margin if the score for `side` is `score`.
#[inline(always)]
const fn seen_by_first(score: i32, side: Side) -> Margin {
    match side {
        Side::First => Margin(score),
        Side::Second => Margin(-score),
    }
}

impl<B: BoardOps> TurnGame for OthelloGame<B> {
    type Move = BoardTurn;
    type Chance = ();

    /// 60 moves, and a pass between any two moves.
    const MAX_MOVES: u32 = 120;

    #[inline(always)]
    fn mover(&self) -> Side {
        self.mover
    }

    #[inline(always)]
    fn margin(&self) -> Option<Margin> {
        let is_over =
            self.board.legal_moves().is_empty() && self.board.passed().legal_moves().is_empty();
        is_over.then(|| self.margin_now())
    }

    #[inline(always)]
    fn legal_moves(&self, moves: &mut Vec<BoardTurn>) {
        let squares = self.board.legal_moves();
        moves.extend(squares.iter().map(BoardTurn::Play));
        if squares.is_empty() && !self.board.passed().legal_moves().is_empty() {
            moves.push(BoardTurn::Pass);
        }
    }

    #[inline(always)]
    fn apply(&mut self, turn: BoardTurn, _rng: &mut FastRng) {
        self.board = match turn {
            BoardTurn::Play(square) => self.board.play(square),
            BoardTurn::Pass => self.board.passed(),
        };
        self.mover = self.mover.other();
    }

    /// A pass counts no ply.
    #[inline(always)]
    fn plies(&self, turn: BoardTurn) -> u32 {
        u32::from(turn != BoardTurn::Pass)
    }

    /// The player with more discs is ahead.
    #[inline(always)]
    fn estimate(&self) -> Margin {
        self.margin_now()
    }

    #[inline(always)]
    fn playout(
        self,
        horizon: Option<u32>,
        rng: &mut FastRng,
        _moves: &mut Vec<BoardTurn>,
    ) -> Margin {
        let end = self.board.playout(horizon.unwrap_or(u32::MAX), || rng.next_u64());
        seen_by_first(end.score(ScoreRule::WinnerTakesEmpties), self.mover)
    }
}

/// Returns the squares of a position's legal moves, or `None` if its player has no choice: at most
/// one move.
#[must_use]
pub fn choices(position: &Position) -> Option<SquareSet> {
    let legal = position.legal_moves();
    (1 < legal.len()).then_some(legal)
}

/// Returns true if the game in `position` is over.
#[must_use]
pub fn is_over(position: &Position) -> bool {
    position.state() == TurnState::Over
}
