//! Perft: the number of games with a given length, a standard number for comparing move generators.

use super::disc_board::DiscBoard;
use super::ops::dispatch::{self, BoardBackend};
use super::ops::plain::PlainOps;
use super::ops::{BoardJob, BoardOps};
use super::position::Position;

/// A convention about passes and finished games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerftConvention {
    /// A pass is a ply, and a game that has ended earlier counts (Aart Bik, magpie).
    PassesCount,
    /// A pass is a ply, and a game that has ended earlier does not count (Edax).
    PassesCountLivingOnly,
    /// A pass is no ply, and a game that has ended earlier counts (Egaroucid).
    PassesAreFree,
}

/// Returns the number of different games of `depth` plies from `start`.
#[must_use]
pub fn perft(
    start: &Position,
    depth: u32,
    convention: PerftConvention,
    backend: BoardBackend,
) -> u64 {
    if depth == 0 {
        return 1;
    }
    dispatch::dispatch(backend, PerftNode { board: start.board(), depth, convention })
}

/// A node with at least one ply to go.
#[derive(Clone, Copy)]
struct PerftNode {
    board: DiscBoard<PlainOps>,
    depth: u32,
    convention: PerftConvention,
}

impl PerftNode {
    #[inline(always)]
    fn enter<B: BoardOps>(self, board: DiscBoard<B>, depth: u32) -> u64 {
        B::enter(Self { board: board.with_backend(), depth, ..self })
    }
}

impl BoardJob for PerftNode {
    type Output = u64;

    #[inline(always)]
    fn run<B: BoardOps>(self) -> u64 {
        let depth = self.depth;
        let board = self.board.with_backend::<B>();
        let legal = board.legal_moves();
        if legal.is_empty() {
            return self.without_moves(board);
        }
        if depth == 1 {
            return u64::from(legal.len());
        }
        let mut n_games = 0;
        for square in legal {
            let next = board.play(square);
            if depth == 2 {
                // The last ply is counted, not played.
                let last = next.legal_moves();
                if !last.is_empty() {
                    n_games += u64::from(last.len());
                    continue;
                }
            }
            n_games += self.enter(next, depth - 1);
        }
        n_games
    }
}

impl PerftNode {
    #[inline(always)]
    fn without_moves<B: BoardOps>(self, board: DiscBoard<B>) -> u64 {
        let Self { depth, convention, .. } = self;
        let passed = board.passed();
        if passed.legal_moves().is_empty() {
            return u64::from(convention != PerftConvention::PassesCountLivingOnly);
        }
        match convention {
            PerftConvention::PassesAreFree => self.enter(passed, depth),
            _ if depth == 1 => 1,
            _ => self.enter(passed, depth - 1),
        }
    }
}
