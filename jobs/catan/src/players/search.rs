//! The player who searches.

mod tree;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Player;
use crate::rules::{Action, GameState, Island, LegalActions, Phase};
use crate::streams::Stream;
use tree::Tree;

/// The parameters of [`Mcts`]; each default is that of Szita, Chaslot & Spronck, "Monte-Carlo tree
/// search in Settlers of Catan" (2009).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Search {
    /// Play-outs per decision between two actions or more.
    #[schemars(range(min = 1, max = 100_000), extend("x-source" = "Szita et al.: 1,000"))]
    pub playouts: u32,
    /// The weight C of exploration in UCB1: frequency of wins + C sqrt(ln N / n).
    #[schemars(range(min = 0.0, max = 1000.0), extend("x-source" = "Szita et al.: 2"))]
    pub exploration: f64,
    /// Won games that a settlement outside the setup begins with.
    #[schemars(range(max = 1000), extend("x-source" = "Szita et al.: 20"))]
    pub settlement_wins: u32,
    /// Won games that a city begins with.
    #[schemars(range(max = 1000), extend("x-source" = "Szita et al.: 10"))]
    pub city_wins: u32,
}

impl Default for Search {
    fn default() -> Self {
        Self { playouts: 1_000, exploration: 2.0, settlement_wins: 20, city_wins: 10 }
    }
}

/// Searches the tree of games by upper confidence bounds (UCT; Kocsis & Szepesvári 2006) as Szita
/// et al. do: every play-out ends in a whole game of uniformly random players and adds one node;
/// every player in the tree looks for his own wins; the action with the best frequency of wins is
/// taken. Each decision has a new tree.
///
/// He has **full information**: his tree begins at the true state, with the cards in all hands, so
/// that there is nothing to determinize. What chance does later he does not know: dice, the order
/// of the deck and stolen cards are drawn anew in each play-out. He offers no trades, declines all,
/// and expects none.
///
/// Where the source leaves a choice: a tree of moves, an outcome of chance being a part of the
/// move, without joining equal states; won games that an action begins with count as games played,
/// too, but only for that action; a node with one action takes no play-out of its own.
#[derive(Clone, Debug)]
pub struct Mcts {
    search: Search,
    tree: Tree,
}

impl Mcts {
    /// A player with these parameters; with less than one play-out he does one.
    #[must_use]
    pub const fn new(search: Search) -> Self {
        Self { search, tree: Tree::EMPTY }
    }
}

impl Player for Mcts {
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut Stream,
    ) -> Action {
        if state.phase() == Phase::Answer {
            return Action::Decline;
        }
        if legal.len() == 1 {
            return legal.get(0).expect("there is one");
        }
        self.tree.plant(&self.search, state);
        for _ in 0..self.search.playouts.max(1) {
            self.tree.play_out(&self.search, island, state, stream);
        }
        self.tree.best_action()
    }
}
