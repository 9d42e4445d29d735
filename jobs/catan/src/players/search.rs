//! The tree search player.

mod params;
mod tree;

use super::Player;
use crate::rules::{Action, GamePhase, GameState, Island, LegalActions};
use crate::streams::FastRng;
use tree::SearchTree;

pub use params::MctsParams;

/// A player that searches the game tree by upper confidence bounds (UCT; Kocsis & Szepesvári 2006)
/// as Szita et al. do: every playout ends in a whole game of uniformly random players and adds one
/// node; every player in the tree maximizes its own wins; the action with the best win rate is
/// taken. Each decision starts a new tree.
///
/// The player has **full information**: its tree starts at the true state, with the cards in all
/// hands, so nothing has to be determinized. Future chance is unknown to it: dice, the order of the
/// deck and stolen cards are drawn anew in each playout. It offers no trades, declines all offers,
/// and expects none.
///
/// Where the source leaves a choice: the tree is one of moves (an outcome of chance is part of the
/// move) and does not join equal states; the virtual wins of an action count as games played, too,
/// but only for that action; a node with a single action takes no playout of its own.
#[derive(Clone, Debug)]
pub struct MctsPlayer {
    search: MctsParams,
    tree: SearchTree,
}

impl MctsPlayer {
    /// Creates a player with these parameters, which makes at least one playout per decision.
    #[must_use]
    pub const fn new(search: MctsParams) -> Self {
        Self { search, tree: SearchTree::EMPTY }
    }
}

impl Player for MctsPlayer {
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut FastRng,
    ) -> Action {
        if state.phase() == GamePhase::Answer {
            return Action::Decline;
        }
        if legal.len() == 1 {
            return legal.get(0).expect("there is one");
        }
        self.tree.reset(&self.search, state);
        for _ in 0..self.search.playouts.max(1) {
            self.tree.run_playout(&self.search, island, state, stream);
        }
        self.tree.best_action()
    }
}
