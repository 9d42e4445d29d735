//! Development cards.

use super::{Table, coast, ring};
use crate::resource::{Cards, Resource};
use crate::rules::action::{Action, Outcome};
use crate::rules::development::{Deck, Development};
use crate::rules::seat::Seat::{self, First, Second, Third};
use crate::rules::state::Phase;

/// Gives a card of the deck, bought in an earlier turn.
fn own(table: &mut Table, seat: Seat, card: Development) {
    table.state.draw(seat, card);
    table.state.bought = Deck::NONE;
}

/// An empty hex away from the robber.
fn move_robber(table: &mut Table) {
    let action = table.state.options().iter().next().unwrap();
    let outcome = table.state.outcomes(action).at(0);
    table.chance(action, outcome);
}

#[test]
fn not_in_the_turn_bought() {
    let mut table = Table::new();
    table.hand(First, [0, 1, 1, 1, 0]);
    table.chance(Action::BuyCard, Outcome::Card(Development::Knight));
    assert!(!table.state.allows(Action::Knight));
    for _ in 0..4 {
        table.end_turn_and_roll(3);
    }
    assert!(table.state.allows(Action::Knight));
}

#[test]
fn an_older_card_of_the_kind_may_be_played() {
    let mut table = Table::new();
    own(&mut table, First, Development::Knight);
    table.hand(First, [0, 1, 1, 1, 0]);
    table.chance(Action::BuyCard, Outcome::Card(Development::Knight));
    assert!(table.state.allows(Action::Knight));
}

#[test]
fn one_in_a_turn() {
    let mut table = Table::new();
    own(&mut table, First, Development::Knight);
    own(&mut table, First, Development::Monopoly);
    table.act(Action::Knight);
    move_robber(&mut table);
    assert!(!table.state.allows(Action::Monopoly(Resource::Ore)));
    table.end_turn_and_roll(3);
    assert!(!table.state.allows(Action::Monopoly(Resource::Ore)), "not the other's card");
}

#[test]
fn knight_before_the_roll() {
    let mut table = Table::before_roll();
    own(&mut table, First, Development::Knight);
    table.hand(First, [8, 0, 0, 0, 0]);
    table.act(Action::Knight);
    assert_eq!(table.state.phase(), Phase::Robber, "without discards");
    move_robber(&mut table);
    assert_eq!(table.state.phase(), Phase::Start);
    assert!(!table.state.allows(Action::EndTurn));
    table.chance(Action::Roll, Outcome::Dice(3));
    assert_eq!(table.state.knights(First), 1);
}

#[test]
fn every_card_before_the_roll() {
    let mut table = Table::before_roll();
    for card in Development::ALL {
        own(&mut table, First, card);
    }
    assert!(!table.state.allows(Action::RoadBuilding), "no place for a road");
    table.settlement(First, ring(0));
    for action in [
        Action::Knight,
        Action::RoadBuilding,
        Action::YearOfPlenty(Resource::Brick, Resource::Wood),
        Action::Monopoly(Resource::Sheep),
    ] {
        assert!(table.state.allows(action), "{action:?}");
    }
    assert!(!table.state.allows(Action::BuyCard));
}

#[test]
fn road_building_lays_two_free_roads() {
    let mut table = Table::before_roll();
    own(&mut table, First, Development::RoadBuilding);
    table.settlement(First, ring(0));
    table.act(Action::RoadBuilding);
    for left in [2, 1] {
        assert_eq!(table.state.phase(), Phase::FreeRoads(left));
        let edge = table.state.options().roads().next().unwrap();
        table.act(Action::Road(edge));
    }
    assert_eq!(table.state.phase(), Phase::Start);
    assert_eq!(table.state.roads(First).len(), 2);
}

#[test]
fn road_building_lays_one_road_if_there_is_one_piece() {
    let (mut table, coast) = (Table::new(), coast());
    own(&mut table, First, Development::RoadBuilding);
    table.roads(First, &coast[0..15]);
    table.act(Action::RoadBuilding);
    let edge = table.state.options().roads().next().unwrap();
    table.act(Action::Road(edge));
    assert_eq!(table.state.phase(), Phase::Main);
    assert_eq!(table.state.roads_left(First), 0);
    table.state.has_played_card = false;
    own(&mut table, First, Development::RoadBuilding);
    assert!(!table.state.allows(Action::RoadBuilding), "no piece left");
}

#[test]
fn road_building_lays_one_road_if_there_is_one_place() {
    let (mut table, coast) = (Table::new(), coast());
    own(&mut table, First, Development::RoadBuilding);
    // A coastal corner with two edges: one road is the enemy's, the other leads to his house.
    let corner = (1..29).find(|place| coast[*place].neighbors().len() == 2).unwrap();
    table.settlement(First, coast[corner]);
    table.roads(Second, &coast[corner - 1..=corner]);
    table.state.players[1].settlements = table.state.players[1].settlements.with(coast[corner + 1]);
    table.act(Action::RoadBuilding);
    let edge = table.state.options().roads().next().unwrap();
    table.act(Action::Road(edge));
    assert_eq!(table.state.phase(), Phase::Main);
}

#[test]
fn year_of_plenty_takes_what_the_bank_has() {
    let mut table = Table::new();
    own(&mut table, First, Development::YearOfPlenty);
    table.hand(Second, [18, 19, 0, 0, 0]);
    use Resource::{Brick, Ore, Sheep, Wood};
    assert!(!table.state.allows(Action::YearOfPlenty(Brick, Brick)), "one is left");
    assert!(!table.state.allows(Action::YearOfPlenty(Brick, Ore)), "none is left");
    assert!(!table.state.allows(Action::YearOfPlenty(Wood, Sheep)), "each pair once");
    assert!(table.state.allows(Action::YearOfPlenty(Sheep, Sheep)));
    table.act(Action::YearOfPlenty(Brick, Sheep));
    assert_eq!(table.state.hand(First), Cards([1, 0, 1, 0, 0]));
}

#[test]
fn monopoly_takes_from_players_only() {
    let mut table = Table::new();
    own(&mut table, First, Development::Monopoly);
    table.hand(First, [0, 0, 1, 0, 0]);
    table.hand(Second, [0, 0, 2, 1, 0]);
    table.hand(Third, [0, 0, 3, 0, 0]);
    table.act(Action::Monopoly(Resource::Sheep));
    assert_eq!(table.state.hand(First), Cards([0, 0, 6, 0, 0]));
    assert_eq!(table.state.hand(Second), Cards([0, 0, 0, 1, 0]));
    assert_eq!(table.state.bank().count(Resource::Sheep), 13);
}

#[test]
fn an_empty_deck_sells_nothing() {
    let mut table = Table::new();
    table.hand(First, [0, 1, 1, 1, 0]);
    assert!(table.state.allows(Action::BuyCard));
    table.state.deck = Deck::NONE;
    assert!(!table.state.allows(Action::BuyCard));
}

#[test]
fn largest_army_needs_three_and_then_strictly_more() {
    let mut table = Table::new();
    let mut play_knight = |seat: Seat| {
        table.state.on_turn = seat;
        table.state.actor = seat;
        table.state.has_played_card = false;
        own(&mut table, seat, Development::Knight);
        table.act(Action::Knight);
        move_robber(&mut table);
        table.state.largest_army()
    };
    assert_eq!([First; 2].map(&mut play_knight), [None; 2]);
    assert_eq!(play_knight(First), Some(First));
    assert_eq!([Second; 3].map(&mut play_knight), [Some(First); 3]);
    assert_eq!(play_knight(Second), Some(Second));
}
