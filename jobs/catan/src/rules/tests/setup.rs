//! The setup and the rules of placement.

use super::{Table, coast, ring, spoke};
use crate::board::{Axial, Edge, EdgeSet, Node, NodeSet};
use crate::map::Map;
use crate::resource::Cards;
use crate::rules::Island;
use crate::rules::action::{Action, Move, Outcome};
use crate::rules::seat::Seat::{self, First, Fourth, Second, Third};
use crate::rules::state::{Phase, State};

#[test]
fn snake_order_and_start_cards() {
    let island = Island::new(Map::RULEBOOK);
    let mut state = State::new(&island);
    let do_certain = |state: &mut State, action| {
        let step = Move { action, outcome: Outcome::Certain };
        state.try_apply(&island, step).unwrap();
    };
    let mut order = Vec::new();
    while state.turn() == 0 {
        order.push(state.actor());
        let before = state.open_nodes();
        let node = state.options().settlements().next().unwrap();
        do_certain(&mut state, Action::Settlement(node));
        assert_eq!(state.open_nodes(), before.minus(node.near()));
        let start_cards = if order.len() <= 4 { Cards::NONE } else { island.harvest(node) };
        assert_eq!(state.hand(order[order.len() - 1]), start_cards);
        assert_eq!(state.options().roads(), node.edge_set());
        do_certain(&mut state, Action::Road(node.edges()[0]));
    }
    assert_eq!(order, [First, Second, Third, Fourth, Fourth, Third, Second, First]);
    assert_eq!((state.phase(), state.actor(), state.turn()), (Phase::Start, First, 1));
    assert_eq!(state.robber(), island.map().desert());
}

/// The rulebook's example: a settlement of the blue player brings brick, wood and ore.
#[test]
fn rulebook_example_of_start_cards() {
    let hexes = [(-2, 1), (-1, 1), (-2, 2)].map(|(q, r)| Axial::new(q, r));
    let node = Node::between(hexes).unwrap();
    assert_eq!(Island::new(Map::RULEBOOK).harvest(node), Cards([1, 1, 0, 0, 1]));
}

#[test]
fn roads_go_on_from_roads_but_not_through_enemies() {
    let mut table = Table::new();
    table.roads(First, &[ring(0), ring(1), ring(2)]);
    let before = table.state.road_places(First);
    assert_eq!(before.len(), 5);
    table.settlement(Second, ring(2));
    let beyond = ring(2).edge_set().without(Edge::between(ring(1), ring(2)).unwrap());
    assert_eq!(table.state.road_places(First), before.minus(beyond));
    table.roads(Second, &[ring(0), spoke(0)]);
    let taken = EdgeSet::of(Edge::between(ring(0), spoke(0)).unwrap());
    assert_eq!(table.state.road_places(First), before.minus(beyond).minus(taken));
}

#[test]
fn settlements_keep_their_distance_and_touch_an_own_road() {
    let mut table = Table::new();
    table.roads(First, &[ring(0), ring(1), ring(2), ring(3)]);
    table.settlement(Second, ring(0));
    let places: NodeSet = [ring(2), ring(3)].into_iter().collect();
    assert_eq!(table.state.settlement_places(First), places);
    table.hand(First, [1, 0, 1, 1, 1]);
    assert_eq!(table.state.options().settlements(), places);
    table.act(Action::Settlement(ring(2)));
    assert!(table.state.hand(First).is_empty());
    assert!(table.state.settlement_places(First).is_empty());
}

#[test]
fn a_city_gives_its_settlement_back() {
    let (mut table, coast) = (Table::new(), coast());
    for place in 0..5 {
        table.settlement(First, coast[2 * place]);
    }
    table.roads(First, &coast[8..13]);
    table.hand(First, [1, 3, 1, 3, 1]);
    assert!(table.state.options().settlements().is_empty(), "no piece left");
    table.act(Action::City(coast[0]));
    assert_eq!((table.state.settlements_left(First), table.state.cities_left(First)), (1, 3));
    assert_eq!(table.state.visible_points(First), 6);
    assert!(!table.state.options().cities().contains(coast[0]));
    assert!(!table.state.options().settlements().is_empty());
}

#[test]
fn all_pieces_built_leave_no_options() {
    let (mut table, coast) = (Table::new(), coast());
    table.roads(First, &coast[0..16]);
    assert_eq!(table.state.roads_left(First), 0);
    table.hand(First, [1, 0, 0, 0, 1]);
    assert!(table.state.options().roads().is_empty());
    for place in 0..4 {
        table.city(Second, coast[18 + 2 * place]);
    }
    table.settlement(Second, coast[26]);
    table.hand(Second, [0, 3, 0, 2, 0]);
    table.end_turn_and_roll(3);
    assert_eq!(table.state.actor(), Second);
    assert!(table.state.options().cities().is_empty());
    assert_eq!(Seat::ALL.map(|seat| table.state.points(seat)), [2, 9, 0, 0]);
}
