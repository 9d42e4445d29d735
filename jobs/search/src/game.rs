//! Two-player turn games: the trait that a game implements to be searched and played.

use std::fmt::Debug;

use hatchery_core::FastRng;

/// One of the two sides of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The side that moves first from the start position.
    First,
    /// The other side.
    Second,
}

impl Side {
    /// Both sides, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// Returns the other side.
    #[inline(always)]
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// Returns 0 for the first side and 1 for the second.
    #[inline(always)]
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }
}

/// The result of a game: the score of [`Side::First`] minus the score of [`Side::Second`], in the
/// unit of the game. Positive if the first side won, 0 for a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Margin(pub i32);

impl Margin {
    /// A drawn game.
    pub const DRAW: Self = Self(0);

    /// Returns the half points of `side`: 2 for a win, 1 for a draw, 0 for a loss.
    #[inline(always)]
    #[must_use]
    pub fn half_points(self, side: Side) -> u32 {
        let first = u32::from(0 < self.0) + u32::from(0 <= self.0);
        match side {
            Side::First => first,
            Side::Second => 2 - first,
        }
    }
}

/// A position of a two-player game whose sides move in turn, with or without chance.
///
/// Positions are small values that are copied for every playout. [`conformance::check_game`] plays
/// random games and checks this contract:
///
/// - A position is either over, with a margin and no legal moves, or it has legal moves and no
///   margin. A forced pass is a legal move, the only one.
/// - Legal moves are in ascending order, each once, and depend on nothing but the position.
/// - Every game ends within [`MAX_MOVES`](Self::MAX_MOVES) moves.
/// - [`apply`](Self::apply) depends on the position, the move and the draws only. Of two outcomes
///   that are equal, so are the positions.
///
/// Games with hidden information are searched with open information: the caller draws the hidden
/// information before the search.
///
/// Implementations mark what runs in playouts with `#[inline(always)]`: a search is then compiled
/// as one function, with the instructions that the caller is compiled for.
///
/// [`conformance::check_game`]: crate::conformance::check_game
pub trait TurnGame: Copy {
    /// A move. Its order breaks ties, so it does not depend on the position.
    type Move: Copy + Ord + Debug;

    /// The outcome of chance in a move: `()` for a game without chance, which costs nothing.
    type Chance: Copy + Eq + Debug;

    /// The largest number of moves of a game, passes included.
    const MAX_MOVES: u32;

    /// Returns the side to move. Of a finished game, any side.
    fn mover(&self) -> Side;

    /// Returns the result of a finished game, and `None` before its end.
    fn margin(&self) -> Option<Margin>;

    /// Appends the legal moves to `moves`, in ascending order.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);

    /// Makes a legal move, draws what chance decides from `rng`, and returns it.
    fn apply(&mut self, mv: Self::Move, rng: &mut FastRng) -> Self::Chance;

    /// Returns the number of plies that the legal move `mv` counts toward the depth of a search:
    /// 1, or 0 for a forced pass.
    #[inline(always)]
    fn plies(&self, mv: Self::Move) -> u32 {
        let _ = mv;
        1
    }

    /// Returns the game's own estimate of the result, for playouts that stop before the end, such
    /// as the majority of the pieces on the board. Without one it is a draw.
    #[inline(always)]
    fn estimate(&self) -> Margin {
        Margin::DRAW
    }

    /// Plays uniformly random moves to the end of the game, or until `horizon` plies are made, and
    /// returns the result or the estimate. A finished game has its result at any horizon.
    ///
    /// `moves` is memory that the playout may use. A game with a faster way to play at random
    /// overrides this; every legal move must remain equally likely.
    #[inline(always)]
    fn playout(
        mut self,
        horizon: Option<u32>,
        rng: &mut FastRng,
        moves: &mut Vec<Self::Move>,
    ) -> Margin {
        let mut plies = 0;
        for _ in 0..Self::MAX_MOVES {
            if let Some(margin) = self.margin() {
                return margin;
            }
            if horizon.is_some_and(|horizon| horizon <= plies) {
                break;
            }
            moves.clear();
            self.legal_moves(moves);
            let n = u32::try_from(moves.len()).unwrap_or(u32::MAX);
            let Some(&mv) = moves.get(rng.below(n) as usize) else { break };
            plies += self.plies(mv);
            self.apply(mv, rng);
        }
        self.margin().unwrap_or_else(|| self.estimate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_points_of_both_sides_add_up_to_two() {
        for (margin, expected) in
            [(-64, [0, 2]), (-1, [0, 2]), (0, [1, 1]), (1, [2, 0]), (i32::MAX, [2, 0])]
        {
            let found = Side::BOTH.map(|side| Margin(margin).half_points(side));
            assert_eq!(found, expected, "margin {margin}");
        }
        assert_eq!(Side::BOTH.map(Side::other).map(Side::index), [1, 0]);
    }
}
