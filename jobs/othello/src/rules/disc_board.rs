//! A board as searches see it: the discs of the player to move and of its opponent.

use std::fmt;

use super::ops::BoardOps;
use super::score::ScoreRule;
use super::square::{Square, SquareSet};

/// A board without colors, with the instructions that work on it. It holds the discs of the player
/// to move and the discs of its opponent. The two sets never share a square.
#[derive(Clone, Copy)]
pub struct DiscBoard<B: BoardOps>(B::Discs);

impl<B: BoardOps> DiscBoard<B> {
    /// Returns the board with these discs, or `None` if a square has both.
    #[must_use]
    #[inline(always)]
    pub fn new(mover: SquareSet, opponent: SquareSet) -> Option<Self> {
        if mover.bits() & opponent.bits() != 0 {
            return None;
        }
        Some(Self::of(mover.bits(), opponent.bits()))
    }

    #[inline(always)]
    pub(super) fn of(mover: u64, opponent: u64) -> Self {
        Self(B::load(mover, opponent))
    }

    /// Returns the same board for other instructions.
    #[must_use]
    #[inline(always)]
    pub fn with_backend<C: BoardOps>(self) -> DiscBoard<C> {
        let (mover, opponent) = B::store(self.0);
        DiscBoard::of(mover, opponent)
    }

    /// Returns the discs of the player to move.
    #[must_use]
    #[inline(always)]
    pub fn mover(self) -> SquareSet {
        SquareSet::from_bits(B::store(self.0).0)
    }

    /// Returns the discs of its opponent.
    #[must_use]
    #[inline(always)]
    pub fn opponent(self) -> SquareSet {
        SquareSet::from_bits(B::store(self.0).1)
    }

    /// Returns the empty squares.
    #[must_use]
    #[inline(always)]
    pub fn empties(self) -> SquareSet {
        let (mover, opponent) = B::store(self.0);
        SquareSet::from_bits(!(mover | opponent))
    }

    /// Returns the squares where the player to move can play.
    #[must_use]
    #[inline(always)]
    pub fn legal_moves(self) -> SquareSet {
        SquareSet::from_bits(B::legal_moves(self.0))
    }

    /// Returns the discs that a move on `square` flips: none if the move is illegal.
    #[must_use]
    #[inline(always)]
    pub fn flips(self, square: Square) -> SquareSet {
        if self.empties().contains(square) {
            SquareSet::from_bits(B::flips(self.0, square))
        } else {
            SquareSet::from_bits(0)
        }
    }

    /// Returns the board after a move on `square`, or `None` if the move is illegal.
    #[must_use]
    #[inline(always)]
    pub fn apply(self, square: Square) -> Option<Self> {
        let flips = self.flips(square).bits();
        let (mover, opponent) = B::store(self.0);
        (flips != 0).then(|| Self::of(opponent ^ flips, mover ^ flips ^ square.bit()))
    }

    /// Returns the board after a pass, which is not checked.
    #[must_use]
    #[inline(always)]
    pub fn passed(self) -> Self {
        Self(B::pass(self.0))
    }

    /// Returns the board after a legal move on `square`.
    #[inline(always)]
    pub(crate) fn play(self, square: Square) -> Self {
        Self(B::play(self.0, square))
    }

    /// Returns the score of the player to move, in -64 ..= 64, as if the game ended here.
    #[must_use]
    #[inline(always)]
    pub fn score(self, rule: ScoreRule) -> i32 {
        rule.score(self.mover().len(), self.opponent().len())
    }
}

impl<B: BoardOps> PartialEq for DiscBoard<B> {
    fn eq(&self, other: &Self) -> bool {
        B::store(self.0) == B::store(other.0)
    }
}

impl<B: BoardOps> Eq for DiscBoard<B> {}

impl<B: BoardOps> fmt::Debug for DiscBoard<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = &mut f.debug_struct("DiscBoard");
        board.field("mover", &self.mover()).field("opponent", &self.opponent()).finish()
    }
}
