//! The search tree: positions and the moves between them, in two rows of memory.
//!
//! ```text
//! positions  [ root ][ p1 ][ p2 ] ...
//!               |       \________________________
//!               v                                v
//! edges      [ m0 | m1 | m2 | m3 ][ m0 | m1 ][ m0 | m1 | m2 ] ...
//!               |
//!               v  the position after the move; with chance, a list with one for each outcome
//! ```
//!
//! An edge is a node of the tree in the usual sense: it is counted when it is visited first, and
//! the playout starts from there. The position behind it, with edges of its own, is added by the
//! second visit; most nodes never have one, which saves most of the memory.

use std::mem;

use hatchery_core::FastRng;

use super::report::RootMove;
use super::visit_terms::VisitTerms;
use crate::game::{Margin, Side, TurnGame};

/// The largest number of legal moves of a position in the tree.
pub(super) const MAX_MOVES: usize = u16::MAX as usize;

/// The number of edges at which a tree stops growing: half a gigabyte. Playouts then start from its
/// leaves again and again. With up to 30 moves in a position, no budget reaches it.
const MAX_EDGES: usize = 1 << 25;

/// An index that means no position.
const NONE: u32 = u32::MAX;

pub(super) const ROOT: u32 = 0;

/// The tree of a search; the next search reuses its memory.
#[derive(Clone, Debug)]
pub(super) struct UctTree<M, C> {
    positions: Vec<PositionNode<C>>,
    edges: Vec<MoveEdge<M>>,
    terms: VisitTerms,
}

/// A position and its row of edges. The first `n_tried` edges have visits.
#[derive(Clone, Copy, Debug)]
struct PositionNode<C> {
    first: u32,
    visits: u32,
    /// The position after another outcome of the same move.
    sibling: u32,
    n_edges: u16,
    n_tried: u16,
    /// Edges that lead on to something new. Only kept up to date without chance.
    n_open: u16,
    mover: Side,
    /// The move that led here; `None` for the root.
    outcome: Option<C>,
}

#[derive(Clone, Copy, Debug)]
struct MoveEdge<M> {
    visits: u32,
    /// The half points of the side that makes the move.
    half_points: u32,
    /// The position behind the move, or the first of several.
    position: u32,
    mv: M,
}

/// A step of a playout through the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeStep {
    position: u32,
    edge: u32,
    mover: Side,
}

/// The first visit of an edge, or a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeVisit {
    First,
    Later,
}

impl<M: Copy + Ord, C: Copy + Eq> UctTree<M, C> {
    pub(super) fn new() -> Self {
        Self { positions: Vec::new(), edges: Vec::new(), terms: VisitTerms::new() }
    }

    /// Removes all positions.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.positions.clear();
        self.edges.clear();
    }

    /// Adds a position with the legal moves `moves` and returns its index. `visits` are its visits
    /// as a leaf. `None` if the tree is full or the moves are too many.
    #[inline(always)]
    pub(super) fn add_position(
        &mut self,
        mover: Side,
        moves: &[M],
        outcome: Option<C>,
        visits: u32,
    ) -> Option<u32> {
        let n_edges = u16::try_from(moves.len()).ok()?;
        if MAX_EDGES < self.edges.len() + moves.len() {
            return None;
        }
        let at = index(self.positions.len());
        let first = index(self.edges.len());
        for &mv in moves {
            self.edges.push(MoveEdge { visits: 0, half_points: 0, position: NONE, mv });
        }
        self.positions.push(PositionNode {
            first,
            visits,
            sibling: NONE,
            n_edges,
            n_tried: 0,
            n_open: n_edges,
            mover,
            outcome,
        });
        Some(at)
    }

    /// Adds the position `state` behind the edge of `step`, reached by `outcome`.
    #[inline(always)]
    pub(super) fn expand<G: TurnGame<Move = M, Chance = C>>(
        &mut self,
        step: TreeStep,
        state: &G,
        outcome: C,
        moves: &mut Vec<M>,
    ) -> Option<u32> {
        moves.clear();
        state.legal_moves(moves);
        if moves.is_empty() {
            return None;
        }
        // Which outcomes the earlier visits had is not known.
        let visits = if is_certain::<C>() { self.edges[step.edge as usize].visits - 1 } else { 0 };
        let at = self.add_position(state.mover(), moves, Some(outcome), visits)?;
        let edge = &mut self.edges[step.edge as usize];
        self.positions[at as usize].sibling = mem::replace(&mut edge.position, at);
        Some(at)
    }

    /// Returns the position behind the edge of `step` that `outcome` leads to.
    #[inline(always)]
    pub(super) fn child(&self, step: TreeStep, outcome: C) -> Option<u32> {
        let mut at = self.edges[step.edge as usize].position;
        if !is_certain::<C>() {
            while at != NONE && self.positions[at as usize].outcome != Some(outcome) {
                at = self.positions[at as usize].sibling;
            }
        }
        (at != NONE).then_some(at)
    }

    /// Selects an edge of `position` and counts the visit: an edge without visits, at random, or
    /// the edge with the highest upper confidence bound.
    #[inline(always)]
    pub(super) fn select(
        &mut self,
        position: u32,
        exploration: f64,
        rng: &mut FastRng,
    ) -> (TreeStep, M, EdgeVisit) {
        let node = &mut self.positions[position as usize];
        let PositionNode { first, visits, n_edges, n_tried, mover, .. } = *node;
        node.visits += 1;
        let row = &mut self.edges[first as usize..first as usize + usize::from(n_edges)];
        let (selected, visit) = if n_tried < n_edges {
            node.n_tried += 1;
            let any = rng.below(u32::from(n_edges - n_tried)) as usize;
            row.swap(usize::from(n_tried), usize::from(n_tried) + any);
            (usize::from(n_tried), EdgeVisit::First)
        } else {
            let width = exploration * self.terms.width(visits);
            (highest_bound(row, width, &self.terms), EdgeVisit::Later)
        };
        row[selected].visits += 1;
        let edge = first + index(selected);
        (TreeStep { position, edge, mover }, row[selected].mv, visit)
    }

    /// Gives the result of a playout to the steps that led to it.
    #[inline(always)]
    pub(super) fn score(&mut self, path: &[TreeStep], margin: Margin) {
        for step in path {
            self.edges[step.edge as usize].half_points += margin.half_points(step.mover);
        }
    }

    /// Records that the last step of `path` is the end of the game, which was not known before, and
    /// returns true if nothing new is left in the tree. With chance there may always be more.
    #[inline(always)]
    pub(super) fn close(&mut self, path: &[TreeStep]) -> bool {
        if !is_certain::<C>() {
            return false;
        }
        for step in path.iter().rev() {
            let node = &mut self.positions[step.position as usize];
            node.n_open -= 1;
            if node.n_open != 0 {
                return false;
            }
        }
        true
    }

    /// Appends the moves of the root to `ranked`.
    pub(super) fn root_moves(&self, ranked: &mut Vec<RootMove<M>>) {
        let Some(root) = self.positions.first() else { return };
        let row = &self.edges[..usize::from(root.n_edges)];
        ranked.extend(row.iter().map(|edge| RootMove {
            mv: edge.mv,
            visits: edge.visits,
            half_points: edge.half_points,
        }));
    }

    /// Returns the numbers of positions and edges that there is memory for.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> [usize; 2] {
        [self.positions.capacity(), self.edges.capacity()]
    }
}

/// Returns true if the game has no chance: a type without size has a single value.
#[inline(always)]
const fn is_certain<C>() -> bool {
    size_of::<C>() == 0
}

/// Returns the first edge with the highest bound mean + width / sqrt n. All have visits.
#[inline(always)]
fn highest_bound<M>(row: &[MoveEdge<M>], width: f64, terms: &VisitTerms) -> usize {
    let (mut best, mut highest) = (0, f64::NEG_INFINITY);
    for (at, edge) in row.iter().enumerate() {
        let shares = terms.shares(edge.visits);
        let mean = f64::from(edge.half_points) * shares.per_half_point;
        let bound = mean + width * shares.inverse_root;
        if highest < bound {
            (best, highest) = (at, bound);
        }
    }
    best
}

/// Returns an index of the tree: `MAX_EDGES` keeps all indices small.
#[expect(clippy::cast_possible_truncation, reason = "at most MAX_EDGES")]
#[inline(always)]
const fn index(at: usize) -> u32 {
    at as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_with_a_small_move_takes_16_bytes() {
        assert_eq!(size_of::<MoveEdge<u8>>(), 16);
        assert_eq!(size_of::<PositionNode<()>>(), 20);
    }
}
