//! What comes from other machines is checked.

use hatchery_catan::results::{Results, Turns};
use hatchery_core::Wire;

#[test]
fn impossible_results_are_refused() {
    let good = Results {
        games: 3,
        wins: [1, 0, 1, 0],
        turns: Turns { sum: 12, sum_of_squares: 56, longest: 6 },
    };
    assert_eq!(Results::decode(&good.encode()).unwrap(), good);
    let check = |change: &dyn Fn(&mut Results), expected: &str| {
        let mut bad = good;
        change(&mut bad);
        let error = Results::decode(&bad.encode()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    };
    check(&|bad| bad.games = 0, "games is 0");
    check(&|bad| bad.games = 1 << 32, "games is 4294967296");
    check(&|bad| bad.wins = [1, 1, 1, 1], "wins is 4");
    check(&|bad| bad.wins = [u64::MAX; 4], "wins is 7378");
    check(&|bad| bad.turns.longest = 0, "longest is 0");
    check(&|bad| bad.turns.longest = 10_001, "longest is 10001");
    check(&|bad| bad.turns.sum = 7, "turns is 7");
    check(&|bad| bad.turns.sum = 19, "turns is 19");
    check(&|bad| bad.turns.sum_of_squares = 47, "squares_of_turns is 47");
    check(&|bad| bad.turns.sum_of_squares = 73, "squares_of_turns is 73");
    check(&|bad| bad.turns.sum = u64::MAX, "turns is 18446744073709551615");
}
