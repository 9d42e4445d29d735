//! UCT: Monte-Carlo tree search by upper confidence bounds.

mod report;
mod tree;
mod visit_terms;

use hatchery_core::FastRng;

use crate::error::SearchError;
use crate::game::TurnGame;
use crate::params::{PlayoutEnd, StopRule, UctParams};
use tree::{EdgeVisit, ROOT, TreeStep, UctTree};

pub use report::{RootMove, SearchEnd, SearchReport};

/// A search by UCT (Kocsis & Szepesvári 2006), with the memory that it needs, for games with moves
/// `M` and outcomes of chance `C`.
///
/// Each search starts a new tree in the memory of the previous search: after the first searches of
/// a game, no search allocates. Searches with different parameters may share the memory; they have
/// no influence on one another.
///
/// Each playout starts at the root and
///
/// 1. in a position with untried moves, takes an untried move at random; in any other position,
///    takes the move with the highest mean + c sqrt(2 ln N / n), where the mean is the score of the
///    side to move, n counts visits of the move and N visits of the position (UCB1, Auer et al.
///    2002);
/// 2. stops behind the first untried move, at the depth cap, or at the end of the game;
/// 3. plays from there at random and adds the result to all moves on its way: 1 for a win, 1/2 for
///    a draw, 0 for a loss.
///
/// With chance, each outcome of a move leads to a position of its own, and outcomes are drawn anew
/// in each playout.
#[derive(Clone, Debug)]
pub struct UctSearch<M, C = ()> {
    tree: UctTree<M, C>,
    /// The steps of the current playout.
    path: Vec<TreeStep>,
    /// Memory for lists of legal moves.
    moves: Vec<M>,
    ranked: Vec<RootMove<M>>,
}

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
struct SearchProgress {
    playouts: u32,
    nodes: u32,
    deepest_leaf: u32,
}

/// The node that a playout started from.
#[derive(Clone, Copy, Debug)]
struct LeafVisit {
    depth: u32,
    is_new: bool,
    /// True if there is nothing new in the tree any more.
    is_last: bool,
}

impl<M: Copy + Ord, C: Copy + Eq> UctSearch<M, C> {
    /// Creates a search without a tree.
    #[must_use]
    pub fn new() -> Self {
        Self { tree: UctTree::new(), path: Vec::new(), moves: Vec::new(), ranked: Vec::new() }
    }

    /// Searches for the best move in the position `root`.
    ///
    /// The result depends on the position, the parameters and the draws from `rng` only, to the
    /// last bit and on every machine. A position with one legal move is not searched.
    ///
    /// The function is inlined with all that it calls. Call it from one place for each instruction
    /// set that the game is compiled for.
    ///
    /// # Errors
    /// If the game is over or the position has more than 65,535 legal moves.
    #[inline(always)]
    pub fn run<G: TurnGame<Move = M, Chance = C>>(
        &mut self,
        root: &G,
        params: &UctParams,
        rng: &mut FastRng,
    ) -> Result<SearchReport<'_, M>, SearchError> {
        let n_moves = self.start(root)?;
        let mut progress = SearchProgress { playouts: 0, nodes: 1, deepest_leaf: 0 };
        let end = match n_moves {
            1 => SearchEnd::Forced,
            _ => self.run_playouts(root, params, rng, &mut progress),
        };
        self.tree.root_moves(&mut self.ranked);
        report::rank(&mut self.ranked);
        let SearchProgress { playouts, nodes, deepest_leaf } = progress;
        Ok(SearchReport { ranked: &self.ranked, playouts, nodes, deepest_leaf, end })
    }

    /// Starts a tree with the position `root` and returns the number of its moves.
    #[inline(always)]
    fn start<G: TurnGame<Move = M, Chance = C>>(&mut self, root: &G) -> Result<usize, SearchError> {
        self.tree.clear();
        self.ranked.clear();
        self.moves.clear();
        root.legal_moves(&mut self.moves);
        let found = self.moves.len();
        if found == 0 {
            return Err(SearchError::GameOver);
        }
        match self.tree.add_position(root.mover(), &self.moves, None, 0) {
            Some(_) => Ok(found),
            None => Err(SearchError::TooManyMoves { found, max: tree::MAX_MOVES }),
        }
    }

    /// Runs playouts until the search ends.
    #[inline(always)]
    fn run_playouts<G: TurnGame<Move = M, Chance = C>>(
        &mut self,
        root: &G,
        params: &UctParams,
        rng: &mut FastRng,
        progress: &mut SearchProgress,
    ) -> SearchEnd {
        while progress.playouts < params.budget.get() {
            let leaf = self.run_playout(root, params, rng);
            progress.playouts += 1;
            progress.nodes += u32::from(leaf.is_new);
            progress.deepest_leaf = progress.deepest_leaf.max(leaf.depth);
            if params.stop == StopRule::DepthReached {
                if params.depth.is_reached(leaf.depth) {
                    return SearchEnd::DepthReached;
                }
                if leaf.is_last {
                    return SearchEnd::Exhausted;
                }
            }
        }
        SearchEnd::Budget
    }

    /// Descends the tree, adds a node if it may, plays at random from there, and keeps the result.
    #[inline(always)]
    fn run_playout<G: TurnGame<Move = M, Chance = C>>(
        &mut self,
        root: &G,
        params: &UctParams,
        rng: &mut FastRng,
    ) -> LeafVisit {
        let mut state = *root;
        let (mut at, mut depth, mut is_last) = (ROOT, 0, false);
        self.path.clear();
        let (margin, visit) = loop {
            let (step, mv, visit) = self.tree.select(at, params.exploration.get(), rng);
            self.path.push(step);
            depth += state.plies(mv);
            let outcome = state.apply(mv, rng);
            if let Some(child) = self.tree.child(step, outcome) {
                at = child;
                continue;
            }
            if let Some(margin) = state.margin() {
                if visit == EdgeVisit::First {
                    is_last = self.tree.close(&self.path);
                }
                break (margin, visit);
            }
            if visit == EdgeVisit::Later
                && !params.depth.is_reached(depth)
                && let Some(child) = self.tree.expand(step, &state, outcome, &mut self.moves)
            {
                at = child;
                continue;
            }
            let horizon = horizon(params, depth);
            break (state.playout(horizon, rng, &mut self.moves), visit);
        };
        self.tree.score(&self.path, margin);
        LeafVisit { depth, is_new: visit == EdgeVisit::First, is_last }
    }
}

impl<M: Copy + Ord, C: Copy + Eq> Default for UctSearch<M, C> {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the plies of a playout from a leaf at `depth`; `None` if it goes to the end of the game.
#[inline(always)]
fn horizon(params: &UctParams, depth: u32) -> Option<u32> {
    match params.playout_end {
        PlayoutEnd::GameEnd => None,
        PlayoutEnd::DepthCap => params.depth.get().map(|cap| cap.saturating_sub(depth)),
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::game::{Margin, Side};
    use crate::params::{DepthCap, ExplorationWeight, PlayoutBudget};

    /// Two players take turns for `left` moves with three choices each; the last choice decides.
    #[derive(Clone, Copy)]
    struct LastChoice {
        left: u32,
        last: u8,
        mover: Side,
    }

    impl TurnGame for LastChoice {
        type Move = u8;
        type Chance = ();
        const MAX_MOVES: u32 = 20;

        fn mover(&self) -> Side {
            self.mover
        }

        fn margin(&self) -> Option<Margin> {
            (self.left == 0).then(|| Margin(i32::from(self.last) - 1))
        }

        fn legal_moves(&self, moves: &mut Vec<u8>) {
            if self.left != 0 {
                moves.extend(0..3);
            }
        }

        fn apply(&mut self, mv: u8, _rng: &mut FastRng) {
            self.left -= 1;
            self.last = mv;
            self.mover = self.mover.other();
        }
    }

    #[test]
    fn a_search_uses_the_memory_of_the_one_before() {
        let params = |playouts| UctParams {
            exploration: ExplorationWeight::STANDARD,
            depth: DepthCap::UNCAPPED,
            budget: PlayoutBudget::new(playouts).unwrap(),
            stop: StopRule::Budget,
            playout_end: PlayoutEnd::GameEnd,
        };
        let root = LastChoice { left: 20, last: 0, mover: Side::First };
        let stream = RunSeed::new("memory", 1).generation(0).stream("a");
        let mut search = UctSearch::new();
        let mut run = |playouts, part| {
            let mut rng = FastRng::seeded_by(&mut stream.part(part));
            search.run(&root, &params(playouts), &mut rng).unwrap();
            let UctSearch { tree, path, moves, ranked } = &search;
            (tree.capacity(), [path.capacity(), moves.capacity(), ranked.capacity()])
        };
        let first = run(10_000, 0);
        assert_eq!(run(10_000, 0), first);
        for part in 1..10 {
            assert_eq!(run(5_000, part), first);
        }
    }
}
