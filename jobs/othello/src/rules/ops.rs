//! The operations on bitboards that instruction sets do in ways of their own.

mod avx2;
pub(super) mod dispatch;
pub(super) mod plain;
mod rays;

use std::fmt::Debug;

use super::square::Square;

/// The operations on bitboards with one set of instructions.
///
/// A bitboard has a bit for each square, by [`Square::index`]. Implementations have the same
/// results; no other crate can add one. Code that is generic in `B: BoardOps` gets its `B` from
/// [`dispatch`](super::dispatch). It is fast only where the compiler has the whole code in one
/// function: mark the functions between [`BoardJob::run`] and these operations `#[inline(always)]`,
/// and enter recursive functions by [`BoardOps::enter`].
pub trait BoardOps: sealed::Sealed + Copy + Debug + Eq + Send + Sync + 'static {
    /// The discs of the player to move and of its opponent, in the form that the instructions need.
    type Discs: Copy + Send + Sync;

    /// Returns discs in that form. No square has two.
    fn load(mover: u64, opponent: u64) -> Self::Discs;

    /// Returns the discs of the player to move and of its opponent.
    fn store(discs: Self::Discs) -> (u64, u64);

    /// Returns the squares where the player to move can play.
    fn legal_moves(discs: Self::Discs) -> u64;

    /// Returns the opponent's discs that a disc on `square`, which must be empty, flips.
    fn flips(discs: Self::Discs, square: Square) -> u64;

    /// Returns the discs after a move on `square`, which must be legal, as the other player sees
    /// them.
    fn play(discs: Self::Discs, square: Square) -> Self::Discs;

    /// Returns the discs as the other player sees them.
    fn pass(discs: Self::Discs) -> Self::Discs;

    /// Returns square number `n` of `squares`, counted from 0 and from a1. `n` must be below the
    /// number of squares; otherwise the result is any square.
    fn nth_square(squares: u64, n: u32) -> Square;

    /// Runs `job` with these operations in a function of its own, as recursive functions need it.
    fn enter<J: BoardJob>(job: J) -> J::Output;
}

/// A computation that [`dispatch`](super::dispatch) runs with one of several instruction sets.
pub trait BoardJob {
    /// The result.
    type Output;

    /// Runs the computation. Implementations are `#[inline(always)]`; see [`BoardOps`].
    fn run<B: BoardOps>(self) -> Self::Output;
}

pub(super) mod sealed {
    /// Keeps implementations of [`BoardOps`](super::BoardOps) in this crate.
    #[expect(unnameable_types, reason = "only this crate may implement it")]
    pub trait Sealed {}
}
