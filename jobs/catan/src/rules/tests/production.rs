//! Production, discards, and the robber.

use super::{Table, coast};
use crate::board::{Axial, Hex};
use crate::resource::{Cards, Resource};
use crate::rules::action::{Action, Outcome};
use crate::rules::seat::Seat::{self, First, Fourth, Second, Third};
use crate::rules::state::Phase;

/// The hex with brick on 6 of the rulebook's map.
fn brick_six() -> Hex {
    Hex::at(Axial::new(0, -1)).unwrap()
}

/// Two settlements and a city on brick 6: the second seat is owed one card, the third two.
fn brick_table(bank: u8) -> Table {
    let mut table = Table::before_roll();
    let nodes = brick_six().nodes();
    table.settlement(Second, nodes[0]);
    table.city(Third, nodes[2]);
    table.hand(Fourth, [19 - bank, 0, 0, 0, 0]);
    table
}

#[track_caller]
fn check_bricks(table: &Table, bricks: [u8; 3]) {
    let hands = [First, Second, Third].map(|seat| table.state.hand(seat).count(Resource::Brick));
    assert_eq!(hands, bricks);
}

#[test]
fn settlements_yield_one_and_cities_two() {
    let mut table = brick_table(3);
    table.chance(Action::Roll, Outcome::Dice(6));
    check_bricks(&table, [0, 1, 2]);
}

#[test]
fn shortage_leaves_several_without() {
    let mut table = brick_table(2);
    table.chance(Action::Roll, Outcome::Dice(6));
    check_bricks(&table, [0, 0, 0]);
    assert_eq!(table.state.bank().count(Resource::Brick), 2);
}

#[test]
fn shortage_pays_the_rest_to_the_only_one_owed() {
    let mut table = Table::before_roll();
    table.city(Third, brick_six().nodes()[2]);
    table.hand(Fourth, [18, 0, 0, 0, 0]);
    table.chance(Action::Roll, Outcome::Dice(6));
    check_bricks(&table, [0, 0, 1]);
}

#[test]
fn shortage_counts_per_resource() {
    let mut table = brick_table(2);
    // The other 6 of the map yields wheat, here to both.
    let wheat = Hex::at(Axial::new(-1, 2)).unwrap();
    table.settlement(Second, wheat.nodes()[0]);
    table.settlement(Third, wheat.nodes()[2]);
    table.chance(Action::Roll, Outcome::Dice(6));
    check_bricks(&table, [0, 0, 0]);
    assert_eq!(table.state.hand(Second).count(Resource::Wheat), 1);
}

#[test]
fn robber_stops_its_hex() {
    let mut table = brick_table(19);
    table.state.robber = brick_six();
    table.chance(Action::Roll, Outcome::Dice(6));
    check_bricks(&table, [0, 0, 0]);
}

#[test]
fn from_eight_cards_half_is_discarded_before_the_robber_moves() {
    let mut table = Table::before_roll();
    table.hand(First, [4, 4, 0, 0, 0]);
    table.hand(Second, [0, 0, 7, 0, 0]);
    table.hand(Fourth, [0, 0, 0, 9, 0]);
    table.chance(Action::Roll, Outcome::Dice(7));
    assert_eq!(Seat::ALL.map(|seat| table.state.to_discard(seat)), [4, 0, 0, 4]);
    for seat in [First, First, First, First, Fourth, Fourth, Fourth, Fourth] {
        assert_eq!((table.state.phase(), table.state.actor()), (Phase::Discard, seat));
        let expected = if seat == First { Resource::Ore } else { Resource::Wheat };
        assert!(table.try_act(Action::Discard(Resource::Wood), Outcome::Certain).is_err());
        table.act(Action::Discard(expected));
    }
    assert_eq!((table.state.phase(), table.state.actor()), (Phase::Robber, First));
    assert_eq!(table.state.hand(First), Cards([4, 0, 0, 0, 0]));
    assert_eq!(table.state.hand(Fourth).total(), 5);
}

#[test]
fn robber_goes_elsewhere_and_robs_one_neighbor() {
    let mut table = brick_table(3);
    table.settlement(First, brick_six().nodes()[4]);
    table.hand(Second, [0, 0, 1, 0, 0]);
    table.chance(Action::Roll, Outcome::Dice(7));
    table.act(Action::Discard(Resource::Brick));
    for _ in 0..7 {
        table.act(Action::Discard(Resource::Brick));
    }
    let desert = table.island.desert();
    let options = table.state.options();
    let stays = |action| matches!(action, Action::Robber(hex, _) if hex == desert);
    assert!(!options.iter().any(stays), "it stands there");
    assert!(!options.contains(Action::Robber(brick_six(), Some(First))), "oneself");
    assert!(!options.contains(Action::Robber(brick_six(), Some(Fourth))), "not there");
    assert!(!options.contains(Action::Robber(brick_six(), None)), "somebody is there");
    assert!(options.contains(Action::Robber(brick_six(), Some(Third))), "without cards");
    let robbery = Action::Robber(brick_six(), Some(Second));
    assert!(table.try_act(robbery, Outcome::Stolen(Resource::Brick)).is_err());
    table.chance(robbery, Outcome::Stolen(Resource::Sheep));
    assert_eq!(table.state.hand(First), Cards([0, 0, 1, 0, 0]));
    assert!(table.state.hand(Second).is_empty());
    assert_eq!(table.state.phase(), Phase::Main);
}

#[test]
fn robber_may_return_to_the_desert() {
    let mut table = Table::before_roll();
    table.state.robber = brick_six();
    table.chance(Action::Roll, Outcome::Dice(7));
    table.act(Action::Robber(table.island.desert(), None));
    assert_eq!(table.state.robber(), table.island.desert());
}

#[test]
fn best_port_sets_the_rate_at_once() {
    let (mut table, coast) = (Table::new(), coast());
    let port = |table: &Table, wanted| {
        *coast.iter().find(|node| table.island.port(**node) == Some(wanted)).unwrap()
    };
    table.hand(First, [4, 3, 0, 0, 3]);
    let give = |give| Action::Maritime { give, take: Resource::Wheat };
    assert!(table.state.allows(give(Resource::Brick)));
    assert!(!table.state.allows(give(Resource::Ore)));
    let generic = port(&table, crate::map::Port::Generic);
    table.settlement(First, generic);
    assert!(table.state.allows(give(Resource::Ore)));
    let special = port(&table, crate::map::Port::Special(Resource::Wood));
    table.settlement(First, special);
    table.act(give(Resource::Wood));
    assert_eq!(table.state.hand(First), Cards([4, 3, 0, 1, 1]));
    assert!(!table.state.allows(give(Resource::Wood)));
    assert!(!table.state.allows(Action::Maritime { give: Resource::Ore, take: Resource::Ore }));
    table.hand(Second, [0, 0, 0, 18, 0]);
    assert!(!table.state.allows(give(Resource::Ore)), "not in stock");
}
