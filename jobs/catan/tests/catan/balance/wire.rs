//! Values from other machines are checked.

use hatchery_catan::Map;
use hatchery_catan::players::{
    Agent, HandVisibility, MctsParams, PlannerOpening, PlannerParams, PlannerVariant,
};
use hatchery_catan::rules::{RobberRule, Seat};
use hatchery_catan::trial::results::{GameOutcome, GameResults, GameTally, TurnTotals};
use hatchery_catan::trial::setup::GameSetup;
use hatchery_core::WireValue;

#[test]
fn impossible_results_are_refused() {
    let good = GameResults {
        games: 3,
        wins: [1, 0, 1, 0],
        turns: TurnTotals { sum: 12, sum_of_squares: 56, longest: 6 },
    };
    let sums = GameTally { results: good, outcomes: Vec::new() };
    assert_eq!(GameTally::decode(&sums.encode()).unwrap(), sums);
    let check = |change: &dyn Fn(&mut GameResults), expected: &str| {
        let mut bad = good;
        change(&mut bad);
        let bad = GameTally { results: bad, outcomes: Vec::new() };
        let error = GameTally::decode(&bad.encode()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    };
    check(&|bad| bad.games = 0, "games is 0");
    check(&|bad| bad.games = 1 << 32, "games is 4294967296");
    check(&|bad| bad.wins = [1, 1, 1, 1], "wins is 4");
    check(&|bad| bad.wins = [u64::MAX; 4], "wins is 7378");
    check(&|bad| bad.turns.longest = 0, "longest is 0");
    check(&|bad| bad.turns.longest = 10_001, "longest is 10001");
    check(&|bad| bad.turns.sum = 7, "sum is 7");
    check(&|bad| bad.turns.sum = 19, "sum is 19");
    check(&|bad| bad.turns.sum_of_squares = 47, "sum_of_squares is 47");
    check(&|bad| bad.turns.sum_of_squares = 73, "sum_of_squares is 73");
    check(&|bad| bad.turns.sum = u64::MAX, "sum is 18446744073709551615");
}

#[test]
fn outcomes_that_do_not_add_up_are_refused() {
    let outcome = |winner, turns| GameOutcome { winner, turns };
    let outcomes = [outcome(Some(Seat::First), 4), outcome(None, 6), outcome(Some(Seat::Third), 2)];
    let results = GameResults {
        games: 3,
        wins: [1, 0, 1, 0],
        turns: TurnTotals { sum: 12, sum_of_squares: 56, longest: 6 },
    };
    let good = GameTally { results, outcomes: outcomes.to_vec() };
    assert_eq!(GameTally::decode(&good.encode()).unwrap(), good);
    for (idx, other) in [
        (0, outcome(Some(Seat::Second), 4)),
        (1, outcome(Some(Seat::First), 6)),
        (2, outcome(Some(Seat::Third), 3)),
    ] {
        let mut bad = good.clone();
        bad.outcomes[idx] = other;
        let error = GameTally::decode(&bad.encode()).unwrap_err().to_string();
        assert!(error.starts_with("outcomes is of 3 games with other sums"), "{error}");
    }
    let few = GameTally { outcomes: outcomes[..2].to_vec(), ..good };
    let error = GameTally::decode(&few.encode()).unwrap_err().to_string();
    assert!(error.starts_with("outcomes is of 2 games with other sums"), "{error}");
    let none = GameTally { outcomes: vec![outcome(None, 0)], ..few };
    let error = GameTally::decode(&none.encode()).unwrap_err().to_string();
    assert!(error.starts_with("outcomes.0 is 0"), "{error}");
}

/// A game with every kind of agent and every option.
fn any_setup() -> GameSetup {
    let search = MctsParams::default();
    let planner = PlannerParams {
        variant: PlannerVariant::Fast,
        opening: PlannerOpening::Random,
        opening_slack: 8,
        trade: false,
        ..PlannerParams::VALUE
    };
    let other = PlannerParams {
        opening: PlannerOpening::BuildingTimes,
        sees: HandVisibility::Public,
        ..PlannerParams::VALUE
    };
    GameSetup {
        map: Map::RULEBOOK,
        seats: vec![
            Agent::Planner(other),
            Agent::Planner(planner),
            Agent::Value,
            Agent::Mcts(search),
        ],
        turn_cap: 2_000,
        points_to_win: Some(3),
        robber: RobberRule::Friendly,
    }
}

/// The bytes are refused with an error that begins like this.
fn refused(bytes: &[u8], expected: &str) {
    let error = GameSetup::decode(bytes).unwrap_err().to_string();
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn impossible_agents_are_refused() {
    let (good, search, planner) = (any_setup(), MctsParams::default(), PlannerParams::VALUE);
    assert_eq!(GameSetup::decode(&good.encode()).unwrap(), good);
    for (search, expected) in [
        (MctsParams { playouts: 0, ..search }, "seats.0.mcts.playouts is 0"),
        (MctsParams { playouts: 100_001, ..search }, "seats.0.mcts.playouts is 100001"),
        (MctsParams { exploration: f64::NAN, ..search }, "seats.0.mcts.exploration is NaN"),
        (MctsParams { exploration: -1.0, ..search }, "seats.0.mcts.exploration is -1"),
        (MctsParams { settlement_wins: 1_001, ..search }, "seats.0.mcts.settlement_wins is 1001"),
        (MctsParams { city_wins: u32::MAX, ..search }, "seats.0.mcts.city_wins is 4294967295"),
    ] {
        refused(
            &GameSetup { seats: vec![Agent::Mcts(search); 4], ..good.clone() }.encode(),
            expected,
        );
    }
    for (bad, expected) in [
        (
            PlannerParams { offers_per_turn: 101, ..planner },
            "seats.0.planner.offers_per_turn is 101",
        ),
        (
            PlannerParams { opening_slack: 1_001, ..planner },
            "seats.0.planner.opening_slack is 1001",
        ),
        (PlannerParams { wary_below: 1_001, ..planner }, "seats.0.planner.wary_below is 1001"),
        (PlannerParams { card_delay: u16::MAX, ..planner }, "seats.0.planner.card_delay is 65535"),
    ] {
        refused(
            &GameSetup { seats: vec![Agent::Planner(bad); 4], ..good.clone() }.encode(),
            expected,
        );
    }
}

#[test]
fn impossible_tables_are_refused() {
    let good = any_setup();
    let few = |n: usize| GameSetup { seats: vec![Agent::Value; n], ..good.clone() };
    for n in [2, 3] {
        assert_eq!(GameSetup::decode(&few(n).encode()).unwrap(), few(n));
    }
    refused(&few(1).encode(), "seats is 1 long, but must be from 2 to 4 long");
    refused(&few(5).encode(), "seats is 5 long");
    for points in [2, 21] {
        let bad = GameSetup { points_to_win: Some(points), ..good.clone() };
        refused(&bad.encode(), &format!("points_to_win is {points}, but must be from 3 to 20"));
    }
    refused(&GameSetup { turn_cap: 0, ..good.clone() }.encode(), "turn_cap is 0");
    refused(&GameSetup { turn_cap: 10_001, ..good.clone() }.encode(), "turn_cap is 10001");
    // The notation starts behind the total length, the tag and its own length.
    let four = vec![Agent::Random; 4];
    let mut bytes = GameSetup::of_base_game(good.map, four, good.turn_cap).encode();
    bytes[3] = b'o';
    refused(&bytes, "GameSetup is not canonically encoded");
    bytes[3] = b'X';
    refused(&bytes, "map is tile 1");
    // A length, field 1 with the notation, no seats, and field 3 with the turn cap.
    let line = Map::RULEBOOK.to_string();
    refused(&[&[53, 10, 48], line.as_bytes(), &[24, 208, 15]].concat(), "seats is 0 long");
    refused(
        &[&[55, 10, 48], line.as_bytes(), &[18, 0, 24, 208, 15]].concat(),
        "seats.0.kind is missing",
    );
}
