//! Setups from other machines are checked: what no encoder makes is refused with a message that
//! names the field, the value and the values allowed.

use hatchery_core::WireValue;
use hatchery_othello::players::{DepthReading, MctsAgent, OthelloAgent, SearchSettings};
use hatchery_othello::record::transcript;
use hatchery_othello::rules::Position;
use hatchery_othello::trial::opening::OpeningRule;
use hatchery_othello::trial::setup::MatchSetup;

use super::protobuf::{Field, bytes, double, fixed, message, number, whole, written_number};
use super::records::DRAWN_GAME;

/// A search of `depth` plies as the fields of its message.
fn search_fields(depth: u64, playouts: u64) -> Vec<Field> {
    let exploration = std::f64::consts::FRAC_1_SQRT_2;
    let reading = number(3, 1);
    vec![number(1, depth), number(2, playouts), reading, double(4, 4.0), double(5, exploration)]
}

/// An agent of kind number `kind`.
fn agent(kind: u8, fields: &[Field]) -> Field {
    message(1, &[message(kind, fields)])
}

fn random() -> Field {
    agent(1, &[])
}

/// From 6 to 8 random moves.
fn opening() -> Field {
    message(2, &[number(2, 6), number(3, 8)])
}

fn setup(first: Field, opening: Field, pairs: u64) -> Vec<u8> {
    whole(&[first, random(), opening, number(3, pairs)])
}

#[track_caller]
fn check(bytes: &[u8], expected: &str) {
    let error = MatchSetup::decode(bytes).expect_err("they are wrong");
    assert_eq!(error.to_string(), expected);
}

#[track_caller]
fn check_agent(kind: u8, fields: &[Field], expected: &str) {
    check(&setup(agent(kind, fields), opening(), 1), &format!("agents.0.{expected}"));
}

/// Messages written by hand equal the encoder's messages.
#[test]
fn encodings_are_as_written_here() {
    let settings = SearchSettings {
        playouts: 40,
        reading: DepthReading::DepthReached,
        plies_per_doubling: 4.0,
        exploration: std::f64::consts::FRAC_1_SQRT_2,
    };
    let agents = [OthelloAgent::Mcts(MctsAgent::new(5, settings).unwrap()), OthelloAgent::Random];
    let opening_rule = OpeningRule::random(6, 8).unwrap();
    let good = MatchSetup::new(agents, opening_rule, 300);
    assert_eq!(good.encode(), setup(agent(2, &search_fields(5, 40)), opening(), 300));
}

#[test]
fn searches_out_of_range_are_refused() {
    let check = |depth, playouts, expected: &str| {
        let (fields, within) =
            (search_fields(depth, playouts), |key: &str| format!("{key}.{expected}"));
        check_agent(2, &fields, &within("mcts"));
        // Within an agent of another kind too.
        let search = message(1, &fields);
        check_agent(4, &[search.clone(), double(2, 0.5)], &within("dynamic.search"));
        check_agent(6, &[search], &within("random_agent.agents.0"));
    };
    check(0, 40, "depth is 0, but must be from 1 to 60");
    check(61, 40, "depth is 61, but must be from 1 to 60");
    check(5, 0, "playouts is 0, but must be from 1 to 1000000");
    check(5, 1_000_001, "playouts is 1000001, but must be from 1 to 1000000");
    let with = |place: usize, field: Field, expected: &str| {
        let mut fields = search_fields(5, 40);
        fields[place] = field;
        check_agent(2, &fields, &format!("mcts.{expected}"));
    };
    with(2, number(3, 4), "reading is 4, but must be below 4");
    let plies = "but must be from 0.001 to 1000";
    with(3, double(4, 0.0), &format!("plies_per_doubling is 0, {plies}"));
    with(3, double(4, f64::NAN), &format!("plies_per_doubling is NaN, {plies}"));
    let weight = "but must be from 0 to 1000";
    with(4, double(5, -1.0), &format!("exploration is -1, {weight}"));
    with(4, double(5, f64::NAN), &format!("exploration is NaN, {weight}"));
    with(4, double(5, f64::INFINITY), &format!("exploration is inf, {weight}"));
}

#[test]
fn agents_that_cannot_play_are_refused() {
    let search = |depth| message(1, &search_fields(depth, 40));
    let choices = |depths: &[u64]| depths.iter().map(|&depth| search(depth)).collect::<Vec<_>>();
    check(
        &setup(message(1, &[]), opening(), 1),
        "agents.0.kind is missing, but must be one of Random, Mcts, Adjusting, Dynamic, Softmax, \
         RandomAgent, Solver",
    );
    check_agent(6, &[], "random_agent is 0 agents, but must be 1 to 60");
    check_agent(
        6,
        &choices(&(1..=61).map(|depth| depth.min(60)).collect::<Vec<_>>()),
        "random_agent is 61 agents, but must be 1 to 60",
    );
    let ascending = "but must be agents of different depths in ascending order";
    check_agent(
        6,
        &choices(&[5, 9, 8]),
        &format!("random_agent is agents of depths [5, 9, 8], {ascending}"),
    );
    check_agent(
        6,
        &choices(&[5, 5]),
        &format!("random_agent is agents of depths [5, 5], {ascending}"),
    );
    for (kind, name) in [(4, "dynamic"), (5, "softmax"), (7, "solver")] {
        check_agent(kind, &[], &format!("{name}.search is missing, but must be there"));
    }
    check_agent(7, &[search(5), number(2, 17)], "solver.empties is 17, but must be at most 16");
}

#[test]
fn rules_of_adjusting_agents_are_checked() {
    let good = [message(1, &[message(1, &search_fields(5, 40))]), number(2, 3)];
    let check = |tag, value, expected: &str| {
        check_agent(3, &[&good[..], &[number(tag, value)]].concat(), expected);
    };
    check(3, 4, "adjusting.several is 4, but must be below 4");
    check(4, 2, "adjusting.unmatched is 2, but must be below 2");
    check(5, 3, "adjusting.first is 3, but must be below 3");
    check(6, 2, "adjusting.tie is 2, but must be below 2");
    check(6, u64::from(u32::MAX), "adjusting.tie is 4294967295, but must be below 2");
    let choices = "but must be from 1 to 60";
    check_agent(3, &good[..1], &format!("adjusting.choices is 0, {choices}"));
    let many = [good[0].clone(), number(2, 61)];
    check_agent(3, &many, &format!("adjusting.choices is 61, {choices}"));
    check_agent(3, &good[1..], "adjusting.choices is missing, but must be there");
}

#[test]
fn weights_that_are_no_numbers_are_refused() {
    let search = message(1, &search_fields(5, 40));
    let check = |kind, tag, value, expected: &str| {
        let name = if kind == 4 { "dynamic" } else { "softmax" };
        check_agent(kind, &[search.clone(), double(tag, value)], &format!("{name}.{expected}"));
    };
    let share = "but must be from 0 to 1";
    check(4, 2, f64::NAN, &format!("target is NaN, {share}"));
    check(4, 2, 1.5, &format!("target is 1.5, {share}"));
    check(4, 3, f64::NAN, &format!("band is NaN, {share}"));
    check(4, 4, -0.5, &format!("min_visits is -0.5, {share}"));
    // Both bounds are 0 unless they are said.
    check(5, 2, f64::NAN, "z is NaN, but must be from -20 to 20");
    check(5, 2, -2.5, "z is -2.5, but must be from `lowest_z`, 0, to `highest_z`, 0");
    check(5, 8, f64::NAN, "lowest_z is NaN, but must be from -20 to 20");
    check(5, 8, 1.0, "lowest_z is 1, but must be at most `highest_z`, 0");
    check(5, 9, 21.0, "highest_z is 21, but must be from -20 to 20");
    check(5, 3, f64::INFINITY, &format!("min_visits is inf, {share}"));
    check(5, 5, f64::NAN, "step is NaN, but must be from 0 to 20");
    check(5, 6, 2.0, &format!("discount is 2, {share}"));
    check(5, 7, f64::NAN, "min_step is NaN, but must be from 0 to 20");
    check_agent(5, &[search.clone(), number(4, 3)], "softmax.control is 3, but must be below 3");
}

#[test]
fn setups_out_of_range_are_refused() {
    let pairs = |n| setup(random(), opening(), n);
    check(&pairs(0), "pairs is 0, but must be from 1 to 1000");
    check(&pairs(1_001), "pairs is 1001, but must be from 1 to 1000");
    let one = whole(&[random(), opening(), number(3, 1)]);
    check(&one, "agents is a list of 1, but must be a list of 2");
    let three = whole(&[random(), random(), random(), opening(), number(3, 1)]);
    check(&three, "agents is a list of 3, but must be a list of 2");
    let missing = whole(&[random(), random(), number(3, 1)]);
    check(&missing, "opening is missing, but must be there");
    let change = |after, pairs| {
        let change = message(5, &[number(1, after), message(2, &search_fields(9, 40))]);
        whole(&[random(), random(), opening(), number(3, pairs), change])
    };
    assert!(MatchSetup::decode(&change(2, 6)).is_ok());
    check(&change(1, 6), "change.after is 1, but must be at least 2");
    check(&change(7, 10), "change.after is 7, but must be from 2 to 6, of 10 pairs");
    check(&change(2, 3), "change.after is 2, but must be from 2 to 0, of 3 pairs");
}

/// A game from the start: its discs, then a byte for each move.
fn game(black: u64, white: u64, moves: &[u8]) -> Field {
    let moves = if moves.is_empty() { Vec::new() } else { bytes(4, moves) };
    message(1, &[fixed(1, black), fixed(2, white), moves])
}

fn squares(text: &str) -> Vec<u8> {
    let game = transcript::read(text.as_bytes(), Position::START).expect("it is a game");
    game.moves().iter().map(|square| square.index()).collect()
}

#[test]
fn openings_that_are_none_are_refused() {
    let check = |fields: &[Field], expected: &str| {
        check(&setup(random(), message(2, fields), 1), &format!("opening.{expected}"));
    };
    let most = "and at most 8";
    check(
        &[number(2, 6), number(3, 9)],
        &format!("max_plies is 9, but must be at least `min_plies`, 6, {most}"),
    );
    check(
        &[number(2, 6), number(3, 5)],
        &format!("max_plies is 5, but must be at least `min_plies`, 6, {most}"),
    );
    let (black, white) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
    let start = |moves: &[u8]| game(black, white, moves);
    check(&[start(&[]), number(2, 6)], "min_plies is 6, but must be 0 beside listed openings");
    check(
        &[start(&[]), start(&squares(DRAWN_GAME))],
        "listed.1 is over, but must be a game that goes on",
    );
    check(&[game(0, 0, &[])], "listed.0 is over, but must be a game that goes on");
    check(
        &[game(3, 6, &[])],
        "listed.0.white is also on b1, but must be on squares without a black disc",
    );
    check(&[start(&[64])], "listed.0.moves.0 is 64, but must be below 64");
    check(
        &[start(&[37, 37])],
        "listed.0.moves is ply 2: illegal move: f5 is occupied; white can play f4 d6 f6, but must \
         be moves that the rules allow",
    );
}

/// Each value has one encoding; other bytes that say the same are refused.
#[test]
fn other_encodings_are_refused() {
    let search = search_fields(5, 40);
    let good = setup(agent(2, &search), opening(), 1);
    assert!(MatchSetup::decode(&good).is_ok());
    let refused = |bytes: Vec<u8>| {
        check(&bytes, "MatchSetup is not canonically encoded");
    };
    let (first, second) = (agent(2, &search), random());
    // An unknown field, a number 0, fields out of order, one that comes twice, and a long number.
    refused(whole(&[first.clone(), second.clone(), opening(), number(3, 1), number(9, 1)]));
    let zero = message(2, &[number(2, 0), number(3, 8)]);
    assert!(MatchSetup::decode(&setup(first.clone(), zero, 1)).is_ok());
    let zero = message(2, &[written_number(2, 0), number(3, 8)]);
    refused(setup(first.clone(), zero, 1));
    let swapped = whole(&[opening(), first.clone(), second.clone(), number(3, 1)]);
    check(&swapped, "agents is a list of 0, but must be a list of 2");
    refused(whole(&[first.clone(), second.clone(), opening(), number(3, 2), number(3, 1)]));
    refused(whole(&[first, second, opening(), vec![24, 129, 0]]));
    refused([&[good[0] | 128, 0][..], &good[1..]].concat());
    // True in other words.
    let flag = |value: u64| {
        let choices = message(1, &[message(1, &search)]);
        let agent = agent(3, &[choices, number(2, 3), number(7, value)]);
        setup(agent, opening(), 1)
    };
    assert!(MatchSetup::decode(&flag(1)).is_ok());
    refused(flag(2));
    // No message at all, one that is cut, and bytes behind it.
    check(&[], "malformed MatchSetup");
    check(&good[..good.len() - 1], "malformed MatchSetup");
    check(&[&good[..], &[0]].concat(), "1 bytes too many after MatchSetup");
    let pairs = [random(), random(), opening(), bytes(3, b"one")];
    check(&whole(&pairs), "malformed MatchSetup");
}
