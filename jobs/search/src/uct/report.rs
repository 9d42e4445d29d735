//! The results of a search.

use std::cmp::Reverse;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchReport<'s, M> {
    /// All legal moves, the best first: the 1st, 2nd, 3rd choice and so on. Moves with more visits
    /// are better; among equal visits, moves with a higher mean; among moves with equal means, the
    /// lowest.
    pub ranked: &'s [RootMove<M>],
    /// The number of playouts. Each counts as a visit to a root move.
    pub playouts: u32,
    /// The number of nodes of the tree: the root, and a node for each move that was tried in it.
    pub nodes: u32,
    /// The depth of the deepest node that a playout started from, in plies.
    pub deepest_leaf: u32,
    /// The reason why the search ended.
    pub end: SearchEnd,
}

/// A move of the root with its visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// The number of playouts through the move.
    pub visits: u32,
    /// The half points that the side to move has won in them: 2 for a win and 1 for a draw.
    pub half_points: u32,
}

/// The reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// There is one legal move: it was not searched for.
    Forced,
    /// The budget is spent.
    Budget,
    /// A leaf at the depth cap was reached.
    DepthReached,
    /// Every line of play was visited to the end of the game.
    Exhausted,
}

impl<M: Copy> SearchReport<'_, M> {
    /// Returns the first choice.
    ///
    /// # Panics
    /// Never: a search of a position without moves has no report.
    #[must_use]
    pub fn best(&self) -> M {
        self.ranked.first().expect("a position that is searched has a move").mv
    }
}

impl<M> RootMove<M> {
    /// Returns the mean score of the side to move, from 0 (all lost) to 1 (all won); `None` without
    /// visits.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let points = f64::from(self.half_points) / 2.0;
        (self.visits != 0).then(|| points / f64::from(self.visits))
    }
}

/// Orders root moves from the best to the worst. All moves differ, so the order is total.
pub(super) fn rank<M: Copy + Ord>(moves: &mut [RootMove<M>]) {
    // Of moves with equal visits, the one with more points has the higher mean.
    moves.sort_unstable_by_key(|one| (Reverse(one.visits), Reverse(one.half_points), one.mv));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(moves: &[(u8, u32, u32)], expected: &[u8]) {
        let root_move = |&(mv, visits, half_points)| RootMove { mv, visits, half_points };
        let mut moves: Vec<_> = moves.iter().map(root_move).collect();
        rank(&mut moves);
        let found: Vec<_> = moves.iter().map(|one| one.mv).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn moves_are_ranked_by_visits_then_mean_then_index() {
        check(&[(0, 5, 10), (1, 90, 80), (2, 20, 40)], &[1, 2, 0]);
        check(&[(0, 7, 3), (1, 7, 9), (2, 7, 4)], &[1, 2, 0]);
        check(&[(9, 7, 3), (4, 7, 3), (6, 0, 0), (5, 0, 0)], &[4, 9, 5, 6]);
    }

    #[test]
    fn the_mean_is_a_share_of_points() {
        let mean = |visits, half_points| RootMove { mv: (), visits, half_points }.mean();
        assert_eq!([mean(0, 0), mean(4, 8), mean(4, 3)], [None, Some(1.0), Some(0.375)]);
    }
}
