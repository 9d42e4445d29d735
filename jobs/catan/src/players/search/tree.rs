//! The search tree.

use super::params::MctsParams;
use crate::players::{Player, RandomPlayer};
use crate::rules::{Action, ChanceOutcome, GameMove, GamePhase, GameState, Island, Seat};
use crate::streams::{ChanceDraws, FastRng};

/// Number of visits of a node below which its actions are tried at random (Szita et al.).
const RANDOM_VISITS: u32 = 10;

/// Turns after which a playout has no winner: hardly one random game in 50,000 is so long.
const PLAYOUT_TURNS: u16 = 2_000;

const ROOT: usize = 0;

/// A tree of decisions. Nodes own a row of branches, one for each action; a branch owns a list of
/// nodes, one for each outcome that occurred.
#[derive(Clone, Debug)]
pub(super) struct SearchTree {
    nodes: Vec<TreeNode>,
    branches: Vec<TreeBranch>,
    /// The branches from the root to the end of the current playout, each with the seat that took
    /// it.
    path: Vec<(Seat, usize)>,
}

#[derive(Clone, Copy, Debug)]
struct TreeNode {
    actor: Seat,
    first: usize,
    end: usize,
    /// The outcome of the action that leads here.
    outcome: ChanceOutcome,
    /// The node of another outcome of the same action.
    sibling: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct TreeBranch {
    action: Action,
    child: Option<usize>,
    /// Games through this branch, including virtual ones.
    visits: u32,
    /// The games through this branch that the seat to act won, including virtual games.
    wins: u32,
    /// The virtual games, all won, that the branch started with.
    virtual_wins: u32,
}

impl SearchTree {
    pub(super) const EMPTY: Self =
        Self { nodes: Vec::new(), branches: Vec::new(), path: Vec::new() };

    /// Starts a new tree with the decision at `state`.
    pub(super) fn reset(&mut self, params: &MctsParams, state: &GameState) {
        self.nodes.clear();
        self.branches.clear();
        self.add_node(params, state, ChanceOutcome::Certain, None);
    }

    /// Descends the tree, adds a node, and plays at random to the end.
    pub(super) fn run_playout(
        &mut self,
        params: &MctsParams,
        island: &Island,
        root: &GameState,
        stream: &mut FastRng,
    ) {
        let mut state = *root;
        self.path.clear();
        self.descend(params, island, &mut state, stream);
        let winner = finish(island, state, stream);
        for (seat, branch) in &self.path {
            let branch = &mut self.branches[*branch];
            branch.visits += 1;
            branch.wins += u32::from(winner == Some(*seat));
        }
    }

    /// Returns the action of the root with the best win rate; of equal ones, the one tried most.
    pub(super) fn best_action(&self) -> Action {
        let root = self.nodes[ROOT];
        let tried = self.branches[root.first..root.end].iter().filter(|branch| branch.visits != 0);
        let better = |best: &'_ TreeBranch, branch: &'_ TreeBranch| {
            let [mine, theirs] = [best, branch].map(|branch| (branch.frequency(), branch.visits));
            mine.0.total_cmp(&theirs.0).then(mine.1.cmp(&theirs.1)).is_lt()
        };
        let best = tried.reduce(|best, branch| if better(best, branch) { branch } else { best });
        best.expect("a play-out tries an action").action
    }

    /// Moves to the end of the tree and one node beyond it, passing nodes with a single action.
    fn descend(
        &mut self,
        params: &MctsParams,
        island: &Island,
        state: &mut GameState,
        stream: &mut FastRng,
    ) {
        let mut at = ROOT;
        loop {
            let branch = self.select(params, at, stream);
            self.path.push((self.nodes[at].actor, branch));
            let action = self.branches[branch].action;
            let outcome = stream.outcome(state, action);
            state.apply(island, GameMove { action, outcome });
            if state.winner().is_some() {
                return;
            }
            if let Some(child) = self.child(branch, outcome) {
                at = child;
                continue;
            }
            at = self.nodes.len();
            let sibling = self.branches[branch].child.replace(at);
            self.add_node(params, state, outcome, sibling);
            if 1 < self.nodes[at].end - self.nodes[at].first {
                return;
            }
        }
    }

    fn child(&self, branch: usize, outcome: ChanceOutcome) -> Option<usize> {
        let siblings =
            std::iter::successors(self.branches[branch].child, |node| self.nodes[*node].sibling);
        siblings.into_iter().find(|node| self.nodes[*node].outcome == outcome)
    }

    fn add_node(
        &mut self,
        params: &MctsParams,
        state: &GameState,
        outcome: ChanceOutcome,
        sibling: Option<usize>,
    ) {
        let first = self.branches.len();
        let is_setup = state.phase() == GamePhase::SetupSettlement;
        self.branches.extend(state.legal_actions().iter().map(|action| {
            let wins = match action {
                Action::Settlement(_) if !is_setup => params.settlement_wins,
                Action::City(_) => params.city_wins,
                _ => 0,
            };
            TreeBranch { action, child: None, visits: wins, wins, virtual_wins: wins }
        }));
        let end = self.branches.len();
        self.nodes.push(TreeNode { actor: state.actor(), first, end, outcome, sibling });
    }

    /// Selects the branch with the highest upper confidence bound. Before there are enough visits,
    /// and among branches without visits, it selects one at random.
    fn select(&self, params: &MctsParams, node: usize, stream: &mut FastRng) -> usize {
        let TreeNode { first, end, .. } = self.nodes[node];
        let branches = &self.branches[first..end];
        if branches.len() == 1 {
            return first;
        }
        let visits: u32 = branches.iter().map(|branch| branch.visits).sum();
        let virtual_visits: u32 = branches.iter().map(|branch| branch.virtual_wins).sum();
        if visits - virtual_visits < RANDOM_VISITS {
            let n = u32::try_from(branches.len()).expect("few actions");
            return first + stream.below(n) as usize;
        }
        let mut untried = branches.iter().enumerate().filter(|(_, branch)| branch.visits == 0);
        let n_untried = u32::try_from(untried.clone().count()).expect("few actions");
        if n_untried != 0 {
            let (index, _) = untried.nth(stream.below(n_untried) as usize).expect("below");
            return first + index;
        }
        let log = libm::log(f64::from(visits));
        let mut best = (f64::NEG_INFINITY, first);
        for (index, branch) in branches.iter().enumerate() {
            let spread = (log / f64::from(branch.visits)).sqrt();
            let bound = branch.frequency() + params.exploration * spread;
            if best.0 < bound {
                best = (bound, first + index);
            }
        }
        best.1
    }
}

impl TreeBranch {
    fn frequency(&self) -> f64 {
        f64::from(self.wins) / f64::from(self.visits)
    }
}

/// Plays on with uniformly random players and returns the winner.
fn finish(island: &Island, mut state: GameState, stream: &mut FastRng) -> Option<Seat> {
    let last = state.turn().saturating_add(PLAYOUT_TURNS);
    while state.winner().is_none() && state.turn() <= last {
        let action = RandomPlayer.act(island, &state, &state.legal_actions(), stream);
        let outcome = stream.outcome(&state, action);
        state.apply(island, GameMove { action, outcome });
    }
    state.winner()
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::Map;

    /// A state after `n` random moves.
    fn state_after(n: u32, island: &Island, stream: &mut FastRng) -> GameState {
        let mut state = GameState::new(island);
        for _ in 0..n {
            let action = RandomPlayer.act(island, &state, &state.legal_actions(), stream);
            let outcome = stream.outcome(&state, action);
            state.apply(island, GameMove { action, outcome });
        }
        state
    }

    #[test]
    fn a_play_out_adds_one_decision_and_one_visit() {
        const PLAYOUTS: u32 = 100;
        let island = Island::new(Map::RULEBOOK);
        let mut stream = FastRng::seeded_by(&mut RunSeed::new("tree", 1).generation(0).stream("a"));
        let params = MctsParams::default();
        let mut tree = SearchTree::EMPTY;
        for n in (0..100).step_by(5) {
            let root = state_after(n, &island, &mut stream);
            tree.reset(&params, &root);
            for _ in 0..PLAYOUTS {
                tree.run_playout(&params, &island, &root, &mut stream);
            }
            let TreeNode { first, end, .. } = tree.nodes[ROOT];
            let branches = &tree.branches[first..end];
            let played: u32 = branches.iter().map(|one| one.visits - one.virtual_wins).sum();
            assert_eq!(played, PLAYOUTS);
            let is_choice = |node: &&TreeNode| node.first + 1 < node.end;
            // A game that ends within the tree adds no node.
            assert!(tree.nodes[1..].iter().filter(is_choice).count() <= PLAYOUTS as usize);
            assert!(
                branches.iter().all(|one| one.virtual_wins <= one.wins && one.wins <= one.visits)
            );
        }
    }
}
