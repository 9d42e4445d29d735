//! Tests of learned levels.

use super::*;

const RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

/// Levels of 100 trials, in plies, that spread by one ply to both sides.
fn level(mean: i64) -> LevelSums {
    let (low, high) = ((mean - 1) * 1_000, (mean + 1) * 1_000);
    let squares = 50 * (low * low + high * high);
    LevelSums { n: 100, sum: 50 * (low + high), squares: squares.unsigned_abs(), observed: 900 }
}

const PLIES: LevelScale = LevelScale { unit: LevelUnit::Plies, lowest: 5.0, highest: 25.0 };
const INDEX: LevelScale = LevelScale { unit: LevelUnit::Index, ..PLIES };

fn of(levels: &[LevelSums], scale: LevelScale, pairs: u32) -> LevelEstimates {
    estimates(levels, scale, pairs, RATE)
}

#[test]
fn means_settle_where_they_stay_near_the_last_one() {
    let levels = [9, 11, 13, 13, 14, 14, 14].map(level);
    let found = of(&levels, PLIES, 4);
    assert_eq!((found.settled, found.games_needed), (Some(SettledLevel::From(5)), None));
    let last = found.games[6];
    assert!((last.mean - 14.0).abs() < 1e-9 && last.observed == Some(9.0));
    assert_eq!(found.end, Some(last));
    // One ply of standard deviation in 100 trials: t of 99 degrees of freedom is 1.9842, and
    // 1.9842 / sqrt(99).
    let interval = last.interval.unwrap();
    assert!((interval.high - 14.199_4).abs() < 1e-3, "{last:?}");
    let strict = estimates(&levels, PLIES, 4, ErrorRate::new(0.01).unwrap()).end.unwrap();
    assert!(interval.high < strict.interval.unwrap().high);
    let none = of(&[9, 11, 13].map(level), PLIES, 4);
    assert_eq!(none.settled, Some(SettledLevel::NotSeen));
}

/// Levels of three trials in 1/1000, from 5 to 25: a fortieth of the range is 0.5.
#[test]
fn levels_at_a_bound_are_settled() {
    let check = |steps: [i64; 4], expected| {
        let levels = steps.map(|steps| {
            let squares = (3 * steps * steps).unsigned_abs();
            LevelSums { n: 3, sum: 3 * steps, squares, observed: 0 }
        });
        assert_eq!(of(&levels, INDEX, 4).settled, Some(expected), "{steps:?}");
    };
    check([20_000, 25_000, 24_600, 25_000], SettledLevel::AtBound(2));
    check([5_000, 5_400, 5_000, 5_000], SettledLevel::AtBound(1));
    check([25_000, 25_000, 24_000, 24_400], SettledLevel::NotSeen);
    check([20_000, 22_000, 24_000, 25_000], SettledLevel::NotSeen);
    check([25_000, 25_000, 5_000, 5_000], SettledLevel::AtBound(3));
}

#[test]
fn intervals_end_at_the_bounds() {
    // Levels of 24.1 and 25: a mean of 24.55, and 12.7 times the standard error of 0.45.
    let levels = LevelSums { n: 2, sum: 49_100, squares: 1_205_810_000, observed: 0 };
    let interval = of(&[levels], PLIES, 1).end.unwrap().interval.unwrap();
    assert!((interval.high - 25.0).abs() < 1e-12, "{interval:?}");
    assert!((interval.low - (24.55 - 12.706 * 0.45)).abs() < 1e-3, "{interval:?}");
}

/// The end pools both games in a pair: 200 levels around 12, each 1 or 3 plies away, so the
/// variance is 5.025. For 22 games, t with 21 degrees of freedom is 2.080, which gives
/// 2.080 x sqrt(5.025 / 22) = 0.994. For 21 games, 2.086 x sqrt(5.025 / 21) = 1.020.
#[test]
fn levels_of_games_that_start_anew_are_pooled() {
    let found = of(&[level(10), level(14)], PLIES, 1);
    assert_eq!((found.games_needed, found.settled), (Some(22), None));
    let end = found.end.unwrap();
    assert!((end.mean - 12.0).abs() < 1e-9 && end.n == 200, "{end:?}");
    // A strength index has no plies.
    assert_eq!(of(&[level(10), level(14)], INDEX, 1).games_needed, None);
    let none = of(&[], PLIES, 1);
    assert_eq!((none.games.len(), none.end, none.games_needed), (0, None, None));
}

/// t of 1 degree of freedom is 12.706, and sqrt(2) / 12.706 = 0.1113; of 2, sqrt(3) / 4.303 =
/// 0.4025: two games are enough for a standard deviation of 0.11, three for 0.4.
#[test]
fn few_games_need_students_quantile_of_their_own_number() {
    let needed = |steps: i64| {
        // A million levels, so that n - 1 is as good as n.
        let (low, high) = (15_000 - steps, 15_000 + steps);
        let squares = (500_000 * (low * low + high * high)).unsigned_abs();
        let sums = LevelSums { n: 1_000_000, sum: 15_000_000_000, squares, observed: 0 };
        of(&[sums], PLIES, 1).games_needed
    };
    assert_eq!([0, 110, 115, 400, 405].map(needed), [2, 2, 3, 3, 4].map(Some));
}

#[test]
fn one_level_or_equal_ones_have_no_interval() {
    let one = LevelSums { n: 1, sum: 4_300, squares: 18_490_000, observed: 0 };
    let found = of(&[one], PLIES, 1).end.unwrap();
    assert!((found.mean - 4.3).abs() < 1e-9);
    assert_eq!((found.interval, found.observed), (None, None));
    let equal = LevelSums { n: 3, sum: 12_900, squares: 55_470_000, observed: 0 };
    assert_eq!(of(&[equal], PLIES, 1).end.unwrap().interval, None);
}
