//! A board as searches see it: the discs of the player to move and of its opponent.

use std::marker::PhantomData;

use super::ops::BoardOps;
use super::score::ScoreRule;
use super::square::{Square, SquareSet};

/// A board without colors, with the instructions that work on it: the discs of the player to move
/// and those of its opponent, which never share a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscBoard<B> {
    mover: u64,
    opponent: u64,
    backend: PhantomData<B>,
}

impl<B: BoardOps> DiscBoard<B> {
    /// Returns the board with these discs, or `None` if a square has both.
    #[must_use]
    #[inline(always)]
    pub const fn new(mover: SquareSet, opponent: SquareSet) -> Option<Self> {
        if mover.bits() & opponent.bits() != 0 {
            return None;
        }
        Some(Self::of(mover.bits(), opponent.bits()))
    }

    #[inline(always)]
    pub(super) const fn of(mover: u64, opponent: u64) -> Self {
        Self { mover, opponent, backend: PhantomData }
    }

    /// Returns the same board for other instructions.
    #[must_use]
    #[inline(always)]
    pub const fn with_backend<C: BoardOps>(self) -> DiscBoard<C> {
        DiscBoard::of(self.mover, self.opponent)
    }

    /// Returns the discs of the player to move.
    #[must_use]
    #[inline(always)]
    pub const fn mover(self) -> SquareSet {
        SquareSet::from_bits(self.mover)
    }

    /// Returns the discs of its opponent.
    #[must_use]
    #[inline(always)]
    pub const fn opponent(self) -> SquareSet {
        SquareSet::from_bits(self.opponent)
    }

    /// Returns the empty squares.
    #[must_use]
    #[inline(always)]
    pub const fn empties(self) -> SquareSet {
        SquareSet::from_bits(!(self.mover | self.opponent))
    }

    /// Returns the squares where the player to move can play.
    #[must_use]
    #[inline(always)]
    pub fn legal_moves(self) -> SquareSet {
        SquareSet::from_bits(B::legal_moves(self.mover, self.opponent))
    }

    /// Returns the discs that a move on `square` flips: none if the move is illegal.
    #[must_use]
    #[inline(always)]
    pub fn flips(self, square: Square) -> SquareSet {
        if self.empties().contains(square) {
            SquareSet::from_bits(B::flips(self.mover, self.opponent, square))
        } else {
            SquareSet::from_bits(0)
        }
    }

    /// Returns the board after a move on `square`, or `None` if the move is illegal.
    #[must_use]
    #[inline(always)]
    pub fn apply(self, square: Square) -> Option<Self> {
        let flips = self.flips(square);
        if flips.is_empty() { None } else { Some(self.flipped(square, flips.bits())) }
    }

    /// Returns the board after a pass, which is not checked.
    #[must_use]
    #[inline(always)]
    pub const fn passed(self) -> Self {
        Self::of(self.opponent, self.mover)
    }

    /// Returns the board after a legal move on `square`.
    #[inline(always)]
    pub(crate) fn play(self, square: Square) -> Self {
        self.flipped(square, B::flips(self.mover, self.opponent, square))
    }

    #[inline(always)]
    const fn flipped(self, square: Square, flips: u64) -> Self {
        Self::of(self.opponent ^ flips, self.mover ^ flips ^ square.bit())
    }

    /// Returns the score of the player to move, in -64 ..= 64, as if the game ended here.
    #[must_use]
    #[inline(always)]
    pub const fn score(self, rule: ScoreRule) -> i32 {
        rule.score(self.mover.count_ones(), self.opponent.count_ones())
    }
}
