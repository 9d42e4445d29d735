//! Uniformly random games.

use hatchery_core::StreamRng;

use super::disc_board::DiscBoard;
use super::ops::dispatch::{self, BoardBackend};
use super::ops::plain::PlainOps;
use super::ops::{BoardJob, BoardOps};
use super::position::Position;
use super::score::ScoreRule;

/// The end of a random game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomGameEnd {
    /// The discs of the player that was to move at the beginning.
    pub own: u32,
    /// The discs of its opponent.
    pub other: u32,
    /// The number of moves; passes do not count.
    pub moves: u32,
}

impl RandomGameEnd {
    /// Returns the score, in -64 ..= 64, of the player that was to move at the beginning. After a
    /// game that was cut short it is the score as if the game had ended there.
    #[must_use]
    #[inline(always)]
    pub const fn score(self, rule: ScoreRule) -> i32 {
        rule.score(self.own, self.other)
    }
}

impl<B: BoardOps> DiscBoard<B> {
    /// Plays uniformly random moves until the game ends, but at most `max_moves`; passes do not
    /// count. `draw` returns 64 uniform bits, enough for four moves: the chances of moves differ by
    /// less than one part in 2^40. The same bits give the same game with all instructions.
    ///
    /// This is a function of its own with the instructions of `B`; callers need not be inlined.
    #[inline(always)]
    pub fn playout(self, max_moves: u32, draw: impl FnMut() -> u64) -> RandomGameEnd {
        B::enter(Playout { board: self.with_backend(), max_moves, draw })
    }
}

/// Plays `n_games` random games to their end, each from `start`, and returns the sum of the scores
/// of the player to move there, by `rule`.
pub fn random_games(
    start: &Position,
    n_games: u32,
    rule: ScoreRule,
    backend: BoardBackend,
    rng: &mut StreamRng,
) -> i64 {
    dispatch::dispatch(backend, RandomGames { start, n_games, rule, rng })
}

struct RandomGames<'a> {
    start: &'a Position,
    n_games: u32,
    rule: ScoreRule,
    rng: &'a mut StreamRng,
}

impl BoardJob for RandomGames<'_> {
    type Output = i64;

    #[inline(always)]
    fn run<B: BoardOps>(self) -> i64 {
        let board = self.start.board::<B>();
        let score = |_| i64::from(board.playout(u32::MAX, || self.rng.next_u64()).score(self.rule));
        (0..self.n_games).map(score).sum()
    }
}

struct Playout<D> {
    board: DiscBoard<PlainOps>,
    max_moves: u32,
    draw: D,
}

impl<D: FnMut() -> u64> BoardJob for Playout<D> {
    type Output = RandomGameEnd;

    #[inline(always)]
    fn run<B: BoardOps>(self) -> RandomGameEnd {
        let mut board = self.board.with_backend::<B>();
        let mut draws = MoveDraws { draw: self.draw, word: 0, n_left: 0 };
        let mut n_turns = 0;
        let mut n_moves = 0;
        while n_moves < self.max_moves {
            let mut legal = board.legal_moves();
            if legal.is_empty() {
                let passed = board.passed();
                legal = passed.legal_moves();
                if legal.is_empty() {
                    break;
                }
                board = passed;
                n_turns += 1;
            }
            let n = draws.below(legal.len());
            board = board.play(B::nth_square(legal.bits(), n));
            n_turns += 1;
            n_moves += 1;
        }
        if n_turns % 2 == 1 {
            board = board.passed();
        }
        RandomGameEnd { own: board.mover().len(), other: board.opponent().len(), moves: n_moves }
    }
}

/// Draws of small numbers, several from each 64 random bits.
///
/// A draw below n takes the upper half of word times n, and the lower half is the word of the next
/// draw (Brackett-Rozinsky and Lemire 2024, "Batched Ranged Random Integer Generation", section 3).
/// The chance of a sequence is off by at most one part in 2^64 over the product of its limits.
/// These are at most 60, so four draws are off by less than one part in 2^40: no rejection is
/// needed.
struct MoveDraws<D> {
    draw: D,
    word: u64,
    n_left: u32,
}

impl<D: FnMut() -> u64> MoveDraws<D> {
    const PER_WORD: u32 = 4;

    /// Draws a number below `n`, which is at least 1.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of the product are asked for")]
    fn below(&mut self, n: u32) -> u32 {
        if self.n_left == 0 {
            self.word = (self.draw)();
            self.n_left = Self::PER_WORD;
        }
        self.n_left -= 1;
        let product = u128::from(self.word) * u128::from(n);
        self.word = product as u64;
        (product >> 64) as u32
    }
}
