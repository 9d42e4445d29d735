//! Checks results from other machines. A result that no trial can have is refused with a message
//! that names the field, the value and the values allowed.

use hatchery_core::WireValue;
use hatchery_othello::players::{OthelloAgent, SearchEffort};
use hatchery_othello::record::RecordedGame;
use hatchery_othello::trial::results::{LevelSums, MatchResults};
use hatchery_stats::PairResult;

use super::agents::{all_kinds, trial};
use super::protobuf::{bytes, message, number, whole};

/// Returns the results of a trial with two pairs, where the first agent learns.
fn good() -> MatchResults {
    trial([all_kinds()[3].clone(), OthelloAgent::Random], 2, "refused results")
}

#[track_caller]
fn check_bytes(bytes: &[u8], expected: &str) {
    let error = MatchResults::decode(bytes).expect_err("they are wrong");
    assert_eq!(error.to_string(), expected);
}

/// Checks the message of results with a change.
#[track_caller]
fn check(change: impl FnOnce(&mut MatchResults), expected: &str) {
    let mut bad = good();
    change(&mut bad);
    check_bytes(&bad.encode(), expected);
}

#[test]
fn pairs_are_whole_trials() {
    assert_eq!(MatchResults::decode(&good().encode()).unwrap(), good());
    let trial = "but must be from 1 to 1000";
    check(|bad| bad.pairs_per_trial = 0, &format!("pairs_per_trial is 0, {trial}"));
    check(|bad| bad.pairs_per_trial = 1_001, &format!("pairs_per_trial is 1001, {trial}"));
    let pairs = "but must be 2 for each trial, of at least one trial";
    check(|bad| bad.pairs.truncate(1), &format!("pairs is 1, {pairs}"));
    check(|bad| bad.pairs.clear(), &format!("pairs is 0, {pairs}"));
    let bad = whole(&[number(1, 1), bytes(2, &[9])]);
    check_bytes(&bad, "pairs.0 is 9, but must be below 9");
}

#[test]
fn lists_have_the_right_lengths() {
    let records = "but must be 2, one for each of the first pairs";
    check(|bad| bad.records.truncate(1), &format!("records is 1, {records}"));
    check(|bad| bad.records.push(bad.records[0].clone()), &format!("records is 3, {records}"));
    let levels = "but must be none, or one for each of 4 games";
    check(|bad| bad.levels.truncate(3), &format!("levels is 3, {levels}"));
    check(|bad| bad.levels.push(LevelSums::default()), &format!("levels is 5, {levels}"));
    let one_pair = |rest: &[Vec<u8>]| whole(&[&[number(1, 1), bytes(2, &[4])], rest].concat());
    let effort = message(4, &[]);
    check_bytes(&one_pair(&[]), "efforts is a list of 0, but must be a list of 2");
    check_bytes(
        &one_pair(std::slice::from_ref(&effort)),
        "efforts is a list of 1, but must be a list of 2",
    );
    check_bytes(
        &one_pair(&[message(3, &[]), effort.clone(), effort]),
        "records.0.games is a list of 0, but must be a list of 2",
    );
}

/// Three windows have three sums each, from one trial with two pairs and a level after every game.
#[test]
fn levels_around_a_change_are_those_of_trials() {
    let sums = |n: u64| LevelSums { n, sum: 5_000, squares: 25_000_000, observed: 0 };
    let mut results = good();
    results.around_change = vec![sums(1), sums(4), sums(2)];
    assert_eq!(MatchResults::decode(&results.encode()).unwrap(), results);
    let expected = "but must be none, or 3 for each of 1 trials with levels";
    let around = |n: usize| move |bad: &mut MatchResults| bad.around_change = vec![sums(1); 3 * n];
    check(around(2), &format!("around_change is 6, {expected}"));
    let without = |bad: &mut MatchResults| {
        bad.levels.clear();
        around(1)(bad);
    };
    check(without, &format!("around_change is 3, {expected}"));
    check(
        |bad| bad.around_change = vec![sums(5); 3],
        "around_change.0.n is 5, but must be from 0 to 4",
    );
}

#[test]
fn records_are_whole_games_with_the_results_of_the_pairs() {
    let [black, white] = good().pairs[1].half_points();
    let other = (black + 1) % 3;
    check(
        |bad| bad.pairs[1] = PairResult::new(other, white).unwrap(),
        &format!(
            "records.1.games is of half points [{black}, {white}], but must be of half points \
             [{other}, {white}], as `pairs` has them"
        ),
    );
    let stopped = |bad: &mut MatchResults| {
        let game = &mut bad.records[0].games[0];
        let moves = game.moves();
        *game = RecordedGame::new(*game.start(), &moves[..20]).unwrap();
    };
    check(stopped, "records.0.games.0 is unfinished after 20 moves, but must be played to the end");
    let opening = "but must be a number of moves that both games begin with, and go on after";
    check(|bad| bad.records[0].opening = 55, &format!("records.0.opening is 55, {opening}"));
    check(|bad| bad.records[0].opening = 60, &format!("records.0.opening is 60, {opening}"));
    check(
        |bad| bad.records[0].opening = usize::MAX,
        &format!("records.0.opening is 18446744073709551615, {opening}"),
    );
    // Games on two openings.
    let [first, second] = [0, 1].map(|at| good().records[at].games[1].clone());
    assert_ne!(first.moves()[..6], second.moves()[..6]);
    let mixed = |bad: &mut MatchResults| bad.records[0].games[1] = second;
    let n = good().records[0].opening;
    check(mixed, &format!("records.0.opening is {n}, {opening}"));
}

#[test]
fn illegal_moves_are_refused() {
    let good = good();
    let moves: Vec<u8> =
        good.records[0].games[0].moves().iter().map(|square| square.index()).collect();
    let encoded = good.encode();
    let place = encoded.windows(moves.len()).position(|window| window == moves).unwrap();
    let with = |ply: usize, byte: u8| {
        let mut bad = encoded.clone();
        bad[place + ply - 1] = byte;
        bad
    };
    check_bytes(
        &with(1, 0),
        "records.0.games.0.moves is ply 1: illegal move: a1 flips no disc; black can play d3 c4 f5 \
         e6, but must be moves that the rules allow",
    );
    check_bytes(&with(2, 64), "records.0.games.0.moves.1 is 64, but must be below 64");
    let first = good.records[0].games[0].moves()[0];
    let error = MatchResults::decode(&with(2, moves[0])).unwrap_err().to_string();
    let expected = format!(
        "records.0.games.0.moves is ply 2: illegal move: {first} is occupied; white can play "
    );
    assert!(error.starts_with(&expected), "{error}");
}

/// Two searches, of 10 and 20 playouts: the squares are 100 and 400.
const EFFORT: SearchEffort = SearchEffort {
    searches: 2,
    playouts: 30,
    squared_playouts: 500,
    nodes: 20,
    deepest_leaves: 7,
    deepest_leaf: 4,
};

fn with_effort(effort: SearchEffort) -> Vec<u8> {
    let mut results = good();
    results.efforts[1] = effort;
    results.encode()
}

#[test]
fn efforts_are_those_of_searches() {
    assert!(MatchResults::decode(&with_effort(EFFORT)).is_ok());
    let check = |change: &dyn Fn(&mut SearchEffort), expected: &str| {
        let mut effort = EFFORT;
        change(&mut effort);
        check_bytes(&with_effort(effort), &format!("efforts.1.{expected}"));
    };
    check(&|bad| bad.searches = 14_641, "searches is 14641, but must be from 0 to 14640");
    check(&|bad| bad.searches = 0, "playouts is 30, but must be from 0 to 0");
    check(&|bad| bad.playouts = 1, "playouts is 1, but must be from 2 to 2000000");
    check(&|bad| bad.playouts = 2_000_001, "playouts is 2000001, but must be from 2 to 2000000");
    check(&|bad| bad.nodes = 3, "nodes is 3, but must be from 4 to 32");
    check(&|bad| bad.nodes = 33, "nodes is 33, but must be from 4 to 32");
    // Of 20 nodes, two are roots, and one is a leaf of the other search.
    check(&|bad| bad.deepest_leaf = 0, "deepest_leaf is 0, but must be from 1 to 17");
    check(&|bad| bad.deepest_leaf = 18, "deepest_leaf is 18, but must be from 1 to 17");
    check(&|bad| bad.deepest_leaves = 4, "deepest_leaves is 4, but must be from 5 to 8");
    check(&|bad| bad.deepest_leaves = 9, "deepest_leaves is 9, but must be from 5 to 8");
    let few_nodes = |bad: &mut SearchEffort| bad.nodes = 8;
    check(&few_nodes, "deepest_leaves is 7, but must be from 5 to 6");
    let none =
        |bad: &mut SearchEffort| *bad = SearchEffort { deepest_leaf: 1, ..Default::default() };
    check(&none, "deepest_leaf is 1, but must be from 0 to 0");
    let none = |bad: &mut SearchEffort| *bad = SearchEffort { nodes: 1, ..Default::default() };
    check(&none, "nodes is 1, but must be from 0 to 0");
    let deep = |bad: &mut SearchEffort| {
        (bad.playouts, bad.squared_playouts, bad.nodes) = (200, 20_000, 200);
        (bad.deepest_leaf, bad.deepest_leaves) = (61, 62);
    };
    check(&deep, "deepest_leaf is 61, but must be from 1 to 60");
}

/// Two numbers with the sum 30 have squares with a sum from 2 x 15^2 = 450 to 29^2 + 1 = 842.
#[test]
fn squares_of_playouts_are_those_of_numbers_with_their_sum() {
    let decoded = |squared_playouts| {
        MatchResults::decode(&with_effort(SearchEffort { squared_playouts, ..EFFORT }))
    };
    for squares in [450, 452, 842] {
        assert!(decoded(squares).is_ok(), "{squares}");
    }
    for squares in [0, 448, 449, 501, 844, u64::MAX] {
        let expected = format!(
            "efforts.1.squared_playouts is {squares}, but must be a sum of squares of as many \
             numbers as `searches` with the sum `playouts`"
        );
        assert_eq!(decoded(squares).unwrap_err().to_string(), expected);
    }
}

#[test]
fn levels_are_those_of_agents() {
    let level = |n, sum, squares, observed| LevelSums { n, sum, squares, observed };
    let check = |sums: LevelSums, expected: &str| {
        check(|bad| bad.levels[0] = sums, &format!("levels.0.{expected}"));
    };
    check(level(2, 0, 0, 0), "n is 2, but must be from 0 to 1");
    check(level(1, 60_001, 0, 0), "sum is 60001, but must be from -20000 to 60000");
    check(level(1, -20_001, 0, 0), "sum is -20001, but must be from -20000 to 60000");
    check(
        level(1, i64::MIN, u64::MAX, 0),
        "sum is -9223372036854775808, but must be from -20000 to 60000",
    );
    check(level(0, 1, 1, 0), "sum is 1, but must be from 0 to 0");
    let squares = "but must be a sum of squares of as many numbers as `n` with the sum `sum`";
    check(level(1, 100, 9_999, 0), &format!("squares is 9999, {squares}"));
    check(level(1, 0, 3_600_000_001, 0), &format!("squares is 3600000001, {squares}"));
    check(level(0, 0, 1, 0), &format!("squares is 1, {squares}"));
    check(level(1, 100, 10_000, 61), "observed is 61, but must be from 0 to 60");
    check(level(0, 0, 0, 1), "observed is 1, but must be from 0 to 0");
}
