//! The end of the game.

use super::{TestGame, coast};
use crate::rules::action::{Action, ChanceOutcome};
use crate::rules::development::DevelopmentCard;
use crate::rules::seat::Seat::{First, Second, Third};
use crate::rules::state::GamePhase;

/// The first seat has nine points: four cities and a settlement.
fn nine_points() -> TestGame {
    let (mut game, coast) = (TestGame::new(), coast());
    for place in 0..4 {
        game.city(First, coast[2 * place]);
    }
    game.settlement(First, coast[8]);
    game
}

#[test]
fn a_point_just_bought_wins() {
    let mut game = nine_points();
    game.hand(First, [0, 1, 1, 1, 0]);
    game.chance(Action::BuyCard, ChanceOutcome::Card(DevelopmentCard::VictoryPoint));
    assert_eq!(game.state.winner(), Some(First));
    assert_eq!((game.state.points(First), game.state.visible_points(First)), (10, 9));
    assert!(game.state.legal_actions().is_empty());
}

#[test]
fn other_points_may_win() {
    for (points_to_win, winner) in [(9, Some(First)), (10, None)] {
        let mut game = nine_points();
        game.state.variant.points_to_win = points_to_win;
        game.hand(First, [0, 1, 1, 1, 0]);
        game.chance(Action::BuyCard, ChanceOutcome::Card(DevelopmentCard::Knight));
        assert_eq!(game.state.winner(), winner);
    }
}

#[test]
fn another_card_does_not_win() {
    let mut game = nine_points();
    game.hand(First, [0, 1, 1, 1, 0]);
    game.chance(Action::BuyCard, ChanceOutcome::Card(DevelopmentCard::Knight));
    assert_eq!(game.state.winner(), None);
}

#[test]
fn points_of_another_turn_win_at_the_start_of_the_own() {
    let (mut game, coast) = (TestGame::new(), coast());
    for place in 0..4 {
        game.city(Second, coast[2 * place]);
    }
    // Second will have longest road once the first's is cut.
    game.roads(First, &coast[8..16]);
    game.roads(Second, &coast[0..6]);
    assert_eq!(game.state.longest_road(), Some(First));
    game.settlement(Third, coast[12]);
    assert_eq!(game.state.longest_road(), Some(Second));
    assert_eq!((game.state.points(Second), game.state.winner()), (10, None));
    game.act(Action::EndTurn);
    assert_eq!(game.state.phase(), GamePhase::Won(Second));
    assert_eq!(game.state.actor(), Second);
}

#[test]
fn largest_army_wins_before_the_roll() {
    let mut game = nine_points();
    (game.state.phase, game.state.has_rolled) = (GamePhase::Start, false);
    game.state.player_mut(First).knights = 2;
    game.state.draw(First, DevelopmentCard::Knight);
    game.state.bought.0 = [0; 5];
    game.act(Action::Knight);
    assert_eq!(game.state.winner(), Some(First));
}

#[test]
fn a_road_wins_by_the_longest_road() {
    let mut game = nine_points();
    let coast = coast();
    game.roads(First, &coast[0..5]);
    game.hand(First, [1, 0, 0, 0, 1]);
    let edge = crate::board::Edge::between(coast[4], coast[5]).unwrap();
    game.act(Action::Road(edge));
    assert_eq!(game.state.winner(), Some(First));
}
