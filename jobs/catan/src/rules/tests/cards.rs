//! Development cards.

use super::{TestGame, coast, ring};
use crate::resource::{Resource, ResourceCards};
use crate::rules::action::{Action, ChanceOutcome};
use crate::rules::development::{DevelopmentCard, DevelopmentCards};
use crate::rules::seat::Seat::{self, First, Second, Third};
use crate::rules::state::GamePhase;

/// Gives a card of the deck, bought in an earlier turn.
fn own(game: &mut TestGame, seat: Seat, card: DevelopmentCard) {
    game.state.draw(seat, card);
    game.state.bought = DevelopmentCards::NONE;
}

/// An empty hex away from the robber.
fn move_robber(game: &mut TestGame) {
    let action = game.state.legal_actions().iter().next().unwrap();
    let outcome = game.state.outcomes(action).at(0);
    game.chance(action, outcome);
}

#[test]
fn not_in_the_turn_bought() {
    let mut game = TestGame::new();
    game.hand(First, [0, 1, 1, 1, 0]);
    game.chance(Action::BuyCard, ChanceOutcome::Card(DevelopmentCard::Knight));
    assert!(!game.state.allows(Action::Knight));
    for _ in 0..4 {
        game.end_turn_and_roll(3);
    }
    assert!(game.state.allows(Action::Knight));
}

#[test]
fn an_older_card_of_the_kind_may_be_played() {
    let mut game = TestGame::new();
    own(&mut game, First, DevelopmentCard::Knight);
    game.hand(First, [0, 1, 1, 1, 0]);
    game.chance(Action::BuyCard, ChanceOutcome::Card(DevelopmentCard::Knight));
    assert!(game.state.allows(Action::Knight));
}

#[test]
fn one_in_a_turn() {
    let mut game = TestGame::new();
    own(&mut game, First, DevelopmentCard::Knight);
    own(&mut game, First, DevelopmentCard::Monopoly);
    game.act(Action::Knight);
    move_robber(&mut game);
    assert!(!game.state.allows(Action::Monopoly(Resource::Ore)));
    game.end_turn_and_roll(3);
    assert!(!game.state.allows(Action::Monopoly(Resource::Ore)), "not the other's card");
}

#[test]
fn knight_before_the_roll() {
    let mut game = TestGame::before_roll();
    own(&mut game, First, DevelopmentCard::Knight);
    game.hand(First, [8, 0, 0, 0, 0]);
    game.act(Action::Knight);
    assert_eq!(game.state.phase(), GamePhase::Robber, "without discards");
    move_robber(&mut game);
    assert_eq!(game.state.phase(), GamePhase::Start);
    assert!(!game.state.allows(Action::EndTurn));
    game.chance(Action::Roll, ChanceOutcome::Dice(3));
    assert_eq!(game.state.knights(First), 1);
}

#[test]
fn every_card_before_the_roll() {
    let mut game = TestGame::before_roll();
    for card in DevelopmentCard::ALL {
        own(&mut game, First, card);
    }
    assert!(!game.state.allows(Action::RoadBuilding), "no place for a road");
    game.settlement(First, ring(0));
    for action in [
        Action::Knight,
        Action::RoadBuilding,
        Action::YearOfPlenty(Resource::Brick, Resource::Wood),
        Action::Monopoly(Resource::Sheep),
    ] {
        assert!(game.state.allows(action), "{action:?}");
    }
    assert!(!game.state.allows(Action::BuyCard));
}

#[test]
fn road_building_lays_two_free_roads() {
    let mut game = TestGame::before_roll();
    own(&mut game, First, DevelopmentCard::RoadBuilding);
    game.settlement(First, ring(0));
    game.act(Action::RoadBuilding);
    for left in [2, 1] {
        assert_eq!(game.state.phase(), GamePhase::FreeRoads(left));
        let edge = game.state.legal_actions().roads().next().unwrap();
        game.act(Action::Road(edge));
    }
    assert_eq!(game.state.phase(), GamePhase::Start);
    assert_eq!(game.state.roads(First).len(), 2);
}

#[test]
fn road_building_lays_one_road_if_there_is_one_piece() {
    let (mut game, coast) = (TestGame::new(), coast());
    own(&mut game, First, DevelopmentCard::RoadBuilding);
    game.roads(First, &coast[0..15]);
    game.act(Action::RoadBuilding);
    let edge = game.state.legal_actions().roads().next().unwrap();
    game.act(Action::Road(edge));
    assert_eq!(game.state.phase(), GamePhase::Main);
    assert_eq!(game.state.roads_left(First), 0);
    game.state.has_played_card = false;
    own(&mut game, First, DevelopmentCard::RoadBuilding);
    assert!(!game.state.allows(Action::RoadBuilding), "no piece left");
}

#[test]
fn road_building_lays_one_road_if_there_is_one_place() {
    let (mut game, coast) = (TestGame::new(), coast());
    own(&mut game, First, DevelopmentCard::RoadBuilding);
    // A coastal corner with two edges: one road is the opponent's, the other leads to its
    // settlement.
    let corner = (1..29).find(|place| coast[*place].neighbors().len() == 2).unwrap();
    game.settlement(First, coast[corner]);
    game.roads(Second, &coast[corner - 1..=corner]);
    game.state.players[1].settlements = game.state.players[1].settlements.with(coast[corner + 1]);
    game.act(Action::RoadBuilding);
    let edge = game.state.legal_actions().roads().next().unwrap();
    game.act(Action::Road(edge));
    assert_eq!(game.state.phase(), GamePhase::Main);
}

#[test]
fn year_of_plenty_takes_what_the_bank_has() {
    let mut game = TestGame::new();
    own(&mut game, First, DevelopmentCard::YearOfPlenty);
    game.hand(Second, [18, 19, 0, 0, 0]);
    use Resource::{Brick, Ore, Sheep, Wood};
    assert!(!game.state.allows(Action::YearOfPlenty(Brick, Brick)), "one is left");
    assert!(!game.state.allows(Action::YearOfPlenty(Brick, Ore)), "none is left");
    assert!(!game.state.allows(Action::YearOfPlenty(Wood, Sheep)), "each pair once");
    assert!(game.state.allows(Action::YearOfPlenty(Sheep, Sheep)));
    game.act(Action::YearOfPlenty(Brick, Sheep));
    assert_eq!(game.state.hand(First), ResourceCards([1, 0, 1, 0, 0]));
}

#[test]
fn monopoly_takes_from_players_only() {
    let mut game = TestGame::new();
    own(&mut game, First, DevelopmentCard::Monopoly);
    game.hand(First, [0, 0, 1, 0, 0]);
    game.hand(Second, [0, 0, 2, 1, 0]);
    game.hand(Third, [0, 0, 3, 0, 0]);
    game.act(Action::Monopoly(Resource::Sheep));
    assert_eq!(game.state.hand(First), ResourceCards([0, 0, 6, 0, 0]));
    assert_eq!(game.state.hand(Second), ResourceCards([0, 0, 0, 1, 0]));
    assert_eq!(game.state.bank().count(Resource::Sheep), 13);
}

#[test]
fn an_empty_deck_sells_nothing() {
    let mut game = TestGame::new();
    game.hand(First, [0, 1, 1, 1, 0]);
    assert!(game.state.allows(Action::BuyCard));
    game.state.deck = DevelopmentCards::NONE;
    assert!(!game.state.allows(Action::BuyCard));
}

#[test]
fn largest_army_needs_three_and_then_strictly_more() {
    let mut game = TestGame::new();
    let mut play_knight = |seat: Seat| {
        game.state.current_seat = seat;
        game.state.actor = seat;
        game.state.has_played_card = false;
        own(&mut game, seat, DevelopmentCard::Knight);
        game.act(Action::Knight);
        move_robber(&mut game);
        game.state.largest_army()
    };
    assert_eq!([First; 2].map(&mut play_knight), [None; 2]);
    assert_eq!(play_knight(First), Some(First));
    assert_eq!([Second; 3].map(&mut play_knight), [Some(First); 3]);
    assert_eq!(play_knight(Second), Some(Second));
}
