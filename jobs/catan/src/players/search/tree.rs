//! The tree of a search.

use crate::players::{Player, Random};
use crate::rules::{Action, ChanceOutcome, GameMove, GameState, Island, Phase, Seat};
use crate::streams::Stream;

use super::Search;

/// Visits of a node below which its actions are tried at random (Szita et al.).
const RANDOM_VISITS: u32 = 10;

/// Turns after which a play-out has no winner: hardly one random game in 50,000 is so long.
const PLAYOUT_TURNS: u16 = 2_000;

const ROOT: usize = 0;

/// A tree of decisions: nodes own a row of branches, one for each action; a branch owns a list of
/// nodes, one for each outcome that was met.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    branches: Vec<Branch>,
    /// The branches from the root to the end of the current play-out, with who took them.
    path: Vec<(Seat, usize)>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    actor: Seat,
    first: usize,
    end: usize,
    /// What chance made of the action that leads here.
    outcome: ChanceOutcome,
    /// The node of another outcome of the same action.
    sibling: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Branch {
    action: Action,
    child: Option<usize>,
    /// Games through here, those that it began with included.
    visits: u32,
    /// Games of these that the player who acts won.
    wins: u32,
    /// The games that it began with.
    virtual_wins: u32,
}

impl Tree {
    pub(super) const EMPTY: Self =
        Self { nodes: Vec::new(), branches: Vec::new(), path: Vec::new() };

    /// Begins anew, with the decision at `state`.
    pub(super) fn plant(&mut self, search: &Search, state: &GameState) {
        self.nodes.clear();
        self.branches.clear();
        self.add_node(search, state, ChanceOutcome::Certain, None);
    }

    /// Goes down the tree, adds a node, and plays on at random to the end.
    pub(super) fn play_out(
        &mut self,
        search: &Search,
        island: &Island,
        root: &GameState,
        stream: &mut Stream,
    ) {
        let mut state = *root;
        self.path.clear();
        self.descend(search, island, &mut state, stream);
        let winner = finish(island, state, stream);
        for (seat, branch) in &self.path {
            let branch = &mut self.branches[*branch];
            branch.visits += 1;
            branch.wins += u32::from(winner == Some(*seat));
        }
    }

    /// The action of the root with the best frequency of wins; of equal ones the most tried.
    pub(super) fn best_action(&self) -> Action {
        let root = self.nodes[ROOT];
        let tried = self.branches[root.first..root.end].iter().filter(|branch| branch.visits != 0);
        let better = |best: &'_ Branch, branch: &'_ Branch| {
            let [mine, his] = [best, branch].map(|branch| (branch.frequency(), branch.visits));
            mine.0.total_cmp(&his.0).then(mine.1.cmp(&his.1)).is_lt()
        };
        let best = tried.reduce(|best, branch| if better(best, branch) { branch } else { best });
        best.expect("a play-out tries an action").action
    }

    /// Moves to the end of the tree and one node beyond, past nodes with a single action.
    fn descend(
        &mut self,
        search: &Search,
        island: &Island,
        state: &mut GameState,
        stream: &mut Stream,
    ) {
        let mut at = ROOT;
        loop {
            let branch = self.select(search, at, stream);
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
            self.add_node(search, state, outcome, sibling);
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
        search: &Search,
        state: &GameState,
        outcome: ChanceOutcome,
        sibling: Option<usize>,
    ) {
        let first = self.branches.len();
        let is_setup = state.phase() == Phase::SetupSettlement;
        self.branches.extend(state.legal_actions().iter().map(|action| {
            let wins = match action {
                Action::Settlement(_) if !is_setup => search.settlement_wins,
                Action::City(_) => search.city_wins,
                _ => 0,
            };
            Branch { action, child: None, visits: wins, wins, virtual_wins: wins }
        }));
        let end = self.branches.len();
        self.nodes.push(Node { actor: state.actor(), first, end, outcome, sibling });
    }

    /// The branch of the highest upper confidence bound; before there are enough visits, and among
    /// branches without any, one at random.
    fn select(&self, search: &Search, node: usize, stream: &mut Stream) -> usize {
        let Node { first, end, .. } = self.nodes[node];
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
            let bound = branch.frequency() + search.exploration * spread;
            if best.0 < bound {
                best = (bound, first + index);
            }
        }
        best.1
    }
}

impl Branch {
    fn frequency(&self) -> f64 {
        f64::from(self.wins) / f64::from(self.visits)
    }
}

/// Plays on with uniformly random players: who wins.
fn finish(island: &Island, mut state: GameState, stream: &mut Stream) -> Option<Seat> {
    let last = state.turn().saturating_add(PLAYOUT_TURNS);
    while state.winner().is_none() && state.turn() <= last {
        let action = Random.act(island, &state, &state.legal_actions(), stream);
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
    fn state_after(n: u32, island: &Island, stream: &mut Stream) -> GameState {
        let mut state = GameState::new(island);
        for _ in 0..n {
            let action = Random.act(island, &state, &state.legal_actions(), stream);
            let outcome = stream.outcome(&state, action);
            state.apply(island, GameMove { action, outcome });
        }
        state
    }

    #[test]
    fn a_play_out_adds_one_decision_and_one_visit() {
        const PLAYOUTS: u32 = 100;
        let island = Island::new(Map::RULEBOOK);
        let mut stream = Stream::seeded_by(&mut RunSeed::new("tree", 1).generation(0).stream("a"));
        let search = Search::default();
        let mut tree = Tree::EMPTY;
        for n in (0..100).step_by(5) {
            let root = state_after(n, &island, &mut stream);
            tree.plant(&search, &root);
            for _ in 0..PLAYOUTS {
                tree.play_out(&search, &island, &root, &mut stream);
            }
            let Node { first, end, .. } = tree.nodes[ROOT];
            let branches = &tree.branches[first..end];
            let played: u32 = branches.iter().map(|one| one.visits - one.virtual_wins).sum();
            assert_eq!(played, PLAYOUTS);
            let is_choice = |node: &&Node| node.first + 1 < node.end;
            // None is added where a game ends within the tree.
            assert!(tree.nodes[1..].iter().filter(is_choice).count() <= PLAYOUTS as usize);
            assert!(
                branches.iter().all(|one| one.virtual_wins <= one.wins && one.wins <= one.visits)
            );
        }
    }
}
