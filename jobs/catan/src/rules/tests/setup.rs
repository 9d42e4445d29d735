//! The setup and the rules of placement.

use super::{TestGame, coast, ring, spoke};
use crate::board::{Axial, Edge, EdgeSet, Node, NodeSet};
use crate::map::Map;
use crate::resource::ResourceCards;
use crate::rules::action::{Action, ChanceOutcome, GameMove};
use crate::rules::seat::Seat::{self, First, Fourth, Second, Third};
use crate::rules::state::{GamePhase, GameState};
use crate::rules::{GameVariant, Island};

#[test]
fn snake_order_and_start_cards() {
    check_setup(2, &[First, Second, Second, First]);
    check_setup(3, &[First, Second, Third, Third, Second, First]);
    check_setup(4, &[First, Second, Third, Fourth, Fourth, Third, Second, First]);
}

fn check_setup(n_players: u8, expected: &[Seat]) {
    let variant = GameVariant { n_players, ..GameVariant::BASE };
    let island = Island::of_variant(Map::RULEBOOK, variant);
    let mut state = GameState::new(&island);
    let do_certain = |state: &mut GameState, action| {
        let step = GameMove { action, outcome: ChanceOutcome::Certain };
        state.try_apply(&island, step).unwrap();
    };
    let mut order = Vec::new();
    while state.turn() == 0 {
        order.push(state.actor());
        let before = state.open_nodes();
        let node = state.legal_actions().settlements().next().unwrap();
        do_certain(&mut state, Action::Settlement(node));
        assert_eq!(state.open_nodes(), before.minus(node.near()));
        let is_first = order.len() <= usize::from(n_players);
        let start_cards = if is_first { ResourceCards::NONE } else { island.starting_cards(node) };
        assert_eq!(state.hand(order[order.len() - 1]), start_cards);
        assert_eq!(state.legal_actions().roads(), node.edge_set());
        do_certain(&mut state, Action::Road(node.edges()[0]));
    }
    assert_eq!(order, expected);
    assert_eq!((state.phase(), state.actor(), state.turn()), (GamePhase::Start, First, 1));
    assert_eq!(state.robber(), island.map().desert());
    // The turns go around.
    for turn in 0..usize::from(n_players) + 1 {
        assert_eq!(state.actor(), Seat::ALL[turn % usize::from(n_players)]);
        let step = GameMove { action: Action::Roll, outcome: ChanceOutcome::Dice(2) };
        state.try_apply(&island, step).unwrap();
        do_certain(&mut state, Action::EndTurn);
    }
}

/// The rulebook's example: a settlement of the blue player brings brick, wood and ore.
#[test]
fn rulebook_example_of_start_cards() {
    let hexes = [(-2, 1), (-1, 1), (-2, 2)].map(|(q, r)| Axial::new(q, r));
    let node = Node::between(hexes).unwrap();
    assert_eq!(Island::new(Map::RULEBOOK).starting_cards(node), ResourceCards([1, 1, 0, 0, 1]));
}

#[test]
fn roads_go_on_from_roads_but_not_through_enemies() {
    let mut game = TestGame::new();
    game.roads(First, &[ring(0), ring(1), ring(2)]);
    let before = game.state.road_places(First);
    assert_eq!(before.len(), 5);
    game.settlement(Second, ring(2));
    let beyond = ring(2).edge_set().without(Edge::between(ring(1), ring(2)).unwrap());
    assert_eq!(game.state.road_places(First), before.minus(beyond));
    game.roads(Second, &[ring(0), spoke(0)]);
    let taken = EdgeSet::of(Edge::between(ring(0), spoke(0)).unwrap());
    assert_eq!(game.state.road_places(First), before.minus(beyond).minus(taken));
}

#[test]
fn settlements_keep_their_distance_and_touch_an_own_road() {
    let mut game = TestGame::new();
    game.roads(First, &[ring(0), ring(1), ring(2), ring(3)]);
    game.settlement(Second, ring(0));
    let places: NodeSet = [ring(2), ring(3)].into_iter().collect();
    assert_eq!(game.state.settlement_places(First), places);
    game.hand(First, [1, 0, 1, 1, 1]);
    assert_eq!(game.state.legal_actions().settlements(), places);
    game.act(Action::Settlement(ring(2)));
    assert!(game.state.hand(First).is_empty());
    assert!(game.state.settlement_places(First).is_empty());
}

#[test]
fn a_city_gives_its_settlement_back() {
    let (mut game, coast) = (TestGame::new(), coast());
    for place in 0..5 {
        game.settlement(First, coast[2 * place]);
    }
    game.roads(First, &coast[8..13]);
    game.hand(First, [1, 3, 1, 3, 1]);
    assert!(game.state.legal_actions().settlements().is_empty(), "no piece left");
    game.act(Action::City(coast[0]));
    assert_eq!((game.state.settlements_left(First), game.state.cities_left(First)), (1, 3));
    assert_eq!(game.state.visible_points(First), 6);
    assert!(!game.state.legal_actions().cities().contains(coast[0]));
    assert!(!game.state.legal_actions().settlements().is_empty());
}

#[test]
fn all_pieces_built_leave_no_options() {
    let (mut game, coast) = (TestGame::new(), coast());
    game.roads(First, &coast[0..16]);
    assert_eq!(game.state.roads_left(First), 0);
    game.hand(First, [1, 0, 0, 0, 1]);
    assert!(game.state.legal_actions().roads().is_empty());
    for place in 0..4 {
        game.city(Second, coast[18 + 2 * place]);
    }
    game.settlement(Second, coast[26]);
    game.hand(Second, [0, 3, 0, 2, 0]);
    game.end_turn_and_roll(3);
    assert_eq!(game.state.actor(), Second);
    assert!(game.state.legal_actions().cities().is_empty());
    assert_eq!(Seat::ALL.map(|seat| game.state.points(seat)), [2, 9, 0, 0]);
}
