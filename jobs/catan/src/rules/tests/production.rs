//! Production, discards, and the robber.

use super::{TestGame, coast};
use crate::board::{Axial, Hex};
use crate::resource::{Resource, ResourceCards};
use crate::rules::action::{Action, ChanceOutcome};
use crate::rules::seat::Seat::{self, First, Fourth, Second, Third};
use crate::rules::state::GamePhase;

/// The hex with brick on 6 of the rulebook's map.
fn brick_six() -> Hex {
    Hex::at(Axial::new(0, -1)).unwrap()
}

/// Two settlements and a city on brick 6: the second seat is owed one card, the third two.
fn brick_table(bank: u8) -> TestGame {
    let mut game = TestGame::before_roll();
    let nodes = brick_six().nodes();
    game.settlement(Second, nodes[0]);
    game.city(Third, nodes[2]);
    game.hand(Fourth, [19 - bank, 0, 0, 0, 0]);
    game
}

#[track_caller]
fn check_bricks(game: &TestGame, bricks: [u8; 3]) {
    let hands = [First, Second, Third].map(|seat| game.state.hand(seat).count(Resource::Brick));
    assert_eq!(hands, bricks);
}

#[test]
fn settlements_yield_one_and_cities_two() {
    let mut game = brick_table(3);
    game.chance(Action::Roll, ChanceOutcome::Dice(6));
    check_bricks(&game, [0, 1, 2]);
}

#[test]
fn shortage_leaves_several_without() {
    let mut game = brick_table(2);
    game.chance(Action::Roll, ChanceOutcome::Dice(6));
    check_bricks(&game, [0, 0, 0]);
    assert_eq!(game.state.bank().count(Resource::Brick), 2);
}

#[test]
fn shortage_pays_the_rest_to_the_only_one_owed() {
    let mut game = TestGame::before_roll();
    game.city(Third, brick_six().nodes()[2]);
    game.hand(Fourth, [18, 0, 0, 0, 0]);
    game.chance(Action::Roll, ChanceOutcome::Dice(6));
    check_bricks(&game, [0, 0, 1]);
}

#[test]
fn shortage_counts_per_resource() {
    let mut game = brick_table(2);
    // The other 6 of the map yields wheat, here to both.
    let wheat = Hex::at(Axial::new(-1, 2)).unwrap();
    game.settlement(Second, wheat.nodes()[0]);
    game.settlement(Third, wheat.nodes()[2]);
    game.chance(Action::Roll, ChanceOutcome::Dice(6));
    check_bricks(&game, [0, 0, 0]);
    assert_eq!(game.state.hand(Second).count(Resource::Wheat), 1);
}

#[test]
fn robber_stops_its_hex() {
    let mut game = brick_table(19);
    game.state.robber = brick_six();
    game.chance(Action::Roll, ChanceOutcome::Dice(6));
    check_bricks(&game, [0, 0, 0]);
}

#[test]
fn from_eight_cards_half_is_discarded_before_the_robber_moves() {
    let mut game = TestGame::before_roll();
    game.hand(First, [4, 4, 0, 0, 0]);
    game.hand(Second, [0, 0, 7, 0, 0]);
    game.hand(Fourth, [0, 0, 0, 9, 0]);
    game.chance(Action::Roll, ChanceOutcome::Dice(7));
    assert_eq!(Seat::ALL.map(|seat| game.state.to_discard(seat)), [4, 0, 0, 4]);
    for seat in [First, First, First, First, Fourth, Fourth, Fourth, Fourth] {
        assert_eq!((game.state.phase(), game.state.actor()), (GamePhase::Discard, seat));
        let expected = if seat == First { Resource::Ore } else { Resource::Wheat };
        assert!(game.try_act(Action::Discard(Resource::Wood), ChanceOutcome::Certain).is_err());
        game.act(Action::Discard(expected));
    }
    assert_eq!((game.state.phase(), game.state.actor()), (GamePhase::Robber, First));
    assert_eq!(game.state.hand(First), ResourceCards([4, 0, 0, 0, 0]));
    assert_eq!(game.state.hand(Fourth).total(), 5);
}

#[test]
fn robber_goes_elsewhere_and_robs_one_neighbor() {
    let mut game = brick_table(3);
    game.settlement(First, brick_six().nodes()[4]);
    game.hand(Second, [0, 0, 1, 0, 0]);
    game.chance(Action::Roll, ChanceOutcome::Dice(7));
    game.act(Action::Discard(Resource::Brick));
    for _ in 0..7 {
        game.act(Action::Discard(Resource::Brick));
    }
    let desert = game.island.desert();
    let legal = game.state.legal_actions();
    let stays = |action| matches!(action, Action::Robber(hex, _) if hex == desert);
    assert!(!legal.iter().any(stays), "it stands there");
    assert!(!legal.contains(Action::Robber(brick_six(), Some(First))), "oneself");
    assert!(!legal.contains(Action::Robber(brick_six(), Some(Fourth))), "not there");
    assert!(!legal.contains(Action::Robber(brick_six(), None)), "somebody is there");
    assert!(legal.contains(Action::Robber(brick_six(), Some(Third))), "without cards");
    let robbery = Action::Robber(brick_six(), Some(Second));
    assert!(game.try_act(robbery, ChanceOutcome::Stolen(Resource::Brick)).is_err());
    game.chance(robbery, ChanceOutcome::Stolen(Resource::Sheep));
    assert_eq!(game.state.hand(First), ResourceCards([0, 0, 1, 0, 0]));
    assert!(game.state.hand(Second).is_empty());
    assert_eq!(game.state.phase(), GamePhase::Main);
}

#[test]
fn robber_may_return_to_the_desert() {
    let mut game = TestGame::before_roll();
    game.state.robber = brick_six();
    game.chance(Action::Roll, ChanceOutcome::Dice(7));
    game.act(Action::Robber(game.island.desert(), None));
    assert_eq!(game.state.robber(), game.island.desert());
}

#[test]
fn best_port_sets_the_rate_at_once() {
    let (mut game, coast) = (TestGame::new(), coast());
    let port = |game: &TestGame, wanted| {
        *coast.iter().find(|node| game.island.port(**node) == Some(wanted)).unwrap()
    };
    game.hand(First, [4, 3, 0, 0, 3]);
    let give = |give| Action::Maritime { give, take: Resource::Wheat };
    assert!(game.state.allows(give(Resource::Brick)));
    assert!(!game.state.allows(give(Resource::Ore)));
    let generic = port(&game, crate::map::Port::Generic);
    game.settlement(First, generic);
    assert!(game.state.allows(give(Resource::Ore)));
    let special = port(&game, crate::map::Port::Special(Resource::Wood));
    game.settlement(First, special);
    game.act(give(Resource::Wood));
    assert_eq!(game.state.hand(First), ResourceCards([4, 3, 0, 1, 1]));
    assert!(!game.state.allows(give(Resource::Wood)));
    assert!(!game.state.allows(Action::Maritime { give: Resource::Ore, take: Resource::Ore }));
    game.hand(Second, [0, 0, 0, 18, 0]);
    assert!(!game.state.allows(give(Resource::Ore)), "not in stock");
}
