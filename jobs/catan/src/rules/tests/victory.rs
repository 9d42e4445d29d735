//! The end of the game.

use super::{Table, coast};
use crate::rules::action::{Action, Outcome};
use crate::rules::development::Development;
use crate::rules::seat::Seat::{First, Second, Third};
use crate::rules::state::Phase;

/// The first seat has nine points: four cities and a settlement.
fn nine_points() -> Table {
    let (mut table, coast) = (Table::new(), coast());
    for place in 0..4 {
        table.city(First, coast[2 * place]);
    }
    table.settlement(First, coast[8]);
    table
}

#[test]
fn a_point_just_bought_wins() {
    let mut table = nine_points();
    table.hand(First, [0, 1, 1, 1, 0]);
    table.chance(Action::BuyCard, Outcome::Card(Development::VictoryPoint));
    assert_eq!(table.state.winner(), Some(First));
    assert_eq!((table.state.points(First), table.state.visible_points(First)), (10, 9));
    assert!(table.state.options().is_empty());
}

#[test]
fn another_card_does_not_win() {
    let mut table = nine_points();
    table.hand(First, [0, 1, 1, 1, 0]);
    table.chance(Action::BuyCard, Outcome::Card(Development::Knight));
    assert_eq!(table.state.winner(), None);
}

#[test]
fn points_of_another_turn_win_at_the_start_of_the_own() {
    let (mut table, coast) = (Table::new(), coast());
    for place in 0..4 {
        table.city(Second, coast[2 * place]);
    }
    // Second will have longest road once the first's is cut.
    table.roads(First, &coast[8..16]);
    table.roads(Second, &coast[0..6]);
    assert_eq!(table.state.longest_road(), Some(First));
    table.settlement(Third, coast[12]);
    assert_eq!(table.state.longest_road(), Some(Second));
    assert_eq!((table.state.points(Second), table.state.winner()), (10, None));
    table.act(Action::EndTurn);
    assert_eq!(table.state.phase(), Phase::Won(Second));
    assert_eq!(table.state.actor(), Second);
}

#[test]
fn largest_army_wins_before_the_roll() {
    let mut table = nine_points();
    (table.state.phase, table.state.has_rolled) = (Phase::Start, false);
    table.state.player_mut(First).knights = 2;
    table.state.draw(First, Development::Knight);
    table.state.bought.0 = [0; 5];
    table.act(Action::Knight);
    assert_eq!(table.state.winner(), Some(First));
}

#[test]
fn a_road_wins_by_the_longest_road() {
    let mut table = nine_points();
    let coast = coast();
    table.roads(First, &coast[0..5]);
    table.hand(First, [1, 0, 0, 0, 1]);
    let edge = crate::board::Edge::between(coast[4], coast[5]).unwrap();
    table.act(Action::Road(edge));
    assert_eq!(table.state.winner(), Some(First));
}
