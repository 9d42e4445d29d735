//! The legal moves of a position in the order of an agent.

use crate::rules::{Square, SquareSet};

/// A move with its visits in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedMove {
    /// The square of the move.
    pub square: Square,
    /// The number of playouts through the move.
    pub visits: u32,
    /// The half points that the player to move has won in them.
    pub half_points: u32,
}

impl RankedMove {
    /// Returns the mean score of the player to move, from 0 to 1; 1/2 without visits.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self.visits {
            0 => 0.5,
            visits => f64::from(self.half_points) / 2.0 / f64::from(visits),
        }
    }
}

/// All legal moves of a position in the order in which an agent prefers them: its 1st, 2nd, 3rd
/// choice and so on.
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
        let place = self.moves.iter().position(|ranked| ranked.square == square)?;
        u32::try_from(place + 1).ok()
    }

    /// Returns the first `n` choices.
    #[must_use]
    pub fn top(&self, n: usize) -> SquareSet {
        let bits = self.moves.iter().take(n).fold(0, |bits, ranked| bits | ranked.square.bit());
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
