//! The legal moves of a position in the order of an agent.

use hatchery_search::RootMove;

use crate::rules::{Square, SquareSet};

/// The number of first choices of an agent that are compared with a move, or named.
pub const FIRST_CHOICES: usize = 3;

/// A legal move with its visits in a search.
pub type RankedMove = RootMove<Square>;

/// All legal moves in a position, in an agent's order of preference: its 1st, 2nd, 3rd choice and
/// so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveRanking {
    moves: Vec<RankedMove>,
}

impl MoveRanking {
    /// Returns the ranking of `moves`, the best first, at least one.
    pub(super) fn new(moves: Vec<RankedMove>) -> Self {
        debug_assert!(!moves.is_empty(), "a position that is searched has a move");
        Self { moves }
    }

    /// Returns the moves, the best first.
    #[must_use]
    pub fn moves(&self) -> &[RankedMove] {
        &self.moves
    }

    /// Returns the first choice.
    ///
    /// # Panics
    /// Never: a ranking has a move.
    #[must_use]
    pub fn best(&self) -> &RankedMove {
        self.moves.first().expect("a ranking has a move")
    }

    /// Returns the rank of a move, from 1; `None` if it is not legal.
    #[must_use]
    pub fn rank(&self, square: Square) -> Option<u32> {
        let place = self.moves.iter().position(|ranked| ranked.mv == square)?;
        u32::try_from(place + 1).ok()
    }

    /// Returns the first `n` choices.
    #[must_use]
    pub fn top(&self, n: usize) -> SquareSet {
        let bits = self.moves.iter().take(n).fold(0, |bits, ranked| bits | ranked.mv.bit());
        SquareSet::from_bits(bits)
    }

    /// Returns the mean score of the player to move over all playouts, from 0 to 1; 1/2 without
    /// playouts.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum = |part: fn(&RankedMove) -> u32| {
            self.moves.iter().map(|ranked| u64::from(part(ranked))).sum::<u64>()
        };
        let (visits, half_points) = (sum(|ranked| ranked.visits), sum(|ranked| ranked.half_points));
        if visits == 0 {
            return 0.5;
        }
        #[expect(clippy::cast_precision_loss, reason = "at most 2 x 10^6 of each")]
        let mean = half_points as f64 / 2.0 / visits as f64;
        mean
    }
}
