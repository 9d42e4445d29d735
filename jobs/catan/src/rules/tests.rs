//! Tests of the rules on positions set up by hand.

mod cards;
mod longest_road;
mod production;
mod robber;
mod setup;
mod trade;
mod victory;

use super::action::{Action, ChanceOutcome, GameMove};
use super::apply::IllegalMove;
use super::island::Island;
use super::seat::Seat;
use super::state::{GamePhase, GameState};
use crate::board::{Edge, Hex, Node};
use crate::map::Map;
use crate::resource::ResourceCards;

/// A position under construction: seat 1 has rolled in the first turn, and the board is empty.
struct TestGame {
    island: Island,
    state: GameState,
}

impl TestGame {
    fn new() -> Self {
        let island = Island::new(Map::RULEBOOK);
        let mut state = GameState::new(&island);
        (state.phase, state.turn, state.has_rolled) = (GamePhase::Main, 1, true);
        Self { island, state }
    }

    /// Starts before the roll instead of after it.
    fn before_roll() -> Self {
        let mut game = Self::new();
        (game.state.phase, game.state.has_rolled) = (GamePhase::Start, false);
        game
    }

    fn settlement(&mut self, seat: Seat, node: Node) {
        self.state.place_settlement(&self.island, seat, node);
    }

    fn city(&mut self, seat: Seat, node: Node) {
        self.settlement(seat, node);
        self.state.upgrade_to_city(seat, node);
    }

    /// Places roads along a path of nodes.
    fn roads(&mut self, seat: Seat, way: &[Node]) {
        for ends in way.windows(2) {
            self.state.place_road(seat, Edge::between(ends[0], ends[1]).unwrap());
        }
    }

    /// Gives cards from the bank: brick, ore, sheep, wheat, wood.
    fn hand(&mut self, seat: Seat, cards: [u8; 5]) {
        self.state.receive(seat, ResourceCards(cards));
    }

    fn try_act(&mut self, action: Action, outcome: ChanceOutcome) -> Result<(), IllegalMove> {
        self.state.try_apply(&self.island, GameMove { action, outcome })
    }

    #[track_caller]
    fn act(&mut self, action: Action) {
        self.chance(action, ChanceOutcome::Certain);
    }

    #[track_caller]
    fn chance(&mut self, action: Action, outcome: ChanceOutcome) {
        self.try_act(action, outcome).unwrap();
    }

    #[track_caller]
    fn end_turn_and_roll(&mut self, dice: u8) {
        self.act(Action::EndTurn);
        self.chance(Action::Roll, ChanceOutcome::Dice(dice));
    }
}

/// Returns the nodes of the coast, around the island.
fn coast() -> Vec<Node> {
    let is_coast = |node: &Node| node.hexes().len() < 3;
    let mut way = vec![Node::ALL[0]];
    while way.len() < 30 {
        let last = way[way.len() - 1];
        let next = last.neighbors().iter().find(|node| is_coast(node) && !way.contains(node));
        way.push(*next.unwrap());
    }
    way
}

/// Returns corner `index` of the middle hex, clockwise from the north.
fn ring(index: usize) -> Node {
    Hex::ALL[9].nodes()[index % 6]
}

/// Returns the neighbor of that corner away from the middle.
fn spoke(index: usize) -> Node {
    let corners = Hex::ALL[9].nodes();
    *ring(index).neighbors().iter().find(|node| !corners.contains(node)).unwrap()
}
