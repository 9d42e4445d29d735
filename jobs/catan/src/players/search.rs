//! The tree search player.

mod tree;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Player;
use crate::rules::{Action, GamePhase, GameState, Island, LegalActions};
use crate::streams::FastRng;
use tree::SearchTree;

/// The parameters of [`MctsPlayer`]. The defaults are those of Szita, Chaslot & Spronck,
/// "Monte-Carlo tree search in Settlers of Catan" (2009).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MctsParams {
    /// Playouts per decision among at least two actions.
    #[schemars(range(min = 1, max = 100_000), extend("x-source" = "Szita et al.: 1,000"))]
    pub playouts: u32,
    /// The weight C of exploration in UCB1: frequency of wins + C sqrt(ln N / n).
    #[schemars(range(min = 0.0, max = 1000.0), extend("x-source" = "Szita et al.: 2"))]
    pub exploration: f64,
    /// Virtual wins that a settlement after the setup starts with.
    #[schemars(range(max = 1000), extend("x-source" = "Szita et al.: 20"))]
    pub settlement_wins: u32,
    /// Virtual wins that a city starts with.
    #[schemars(range(max = 1000), extend("x-source" = "Szita et al.: 10"))]
    pub city_wins: u32,
}

impl Default for MctsParams {
    fn default() -> Self {
        Self { playouts: 1_000, exploration: 2.0, settlement_wins: 20, city_wins: 10 }
    }
}

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
