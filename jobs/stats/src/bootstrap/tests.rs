//! Tests of the bootstrap.

use hatchery_core::RunSeed;

use super::*;

fn rng() -> StreamRng {
    RunSeed::new("bootstrap", 1).generation(0).stream("")
}

#[expect(clippy::cast_precision_loss, reason = "a few numbers")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn interval_of_mean(groups: &[Vec<f64>], resamples: u32) -> IntervalEstimate {
    let statistic = |sample: &[&Vec<f64>]| {
        let all: Vec<f64> = sample.iter().flat_map(|group| group.iter().copied()).collect();
        Some(mean(&all))
    };
    let rate = ErrorRate::FIVE_PERCENT;
    bootstrap_interval(groups, statistic, resamples, rate, &mut rng()).unwrap()
}

/// The mean of 400 values 0 to 19 has a standard error of sqrt(399 / 12 / 400): the interval is
/// 1.96 of these each way. Groups of ten equal values have the interval of 40 values.
#[test]
fn groups_are_drawn_whole() {
    let values = || (0..400_u32).map(|idx| f64::from(idx % 20));
    let single: Vec<Vec<f64>> = values().map(|value| vec![value]).collect();
    let half = |interval: IntervalEstimate| (interval.high - interval.low) / 2.0;
    let alone = interval_of_mean(&single, 1999);
    let expected = 1.96 * libm::sqrt(399.0 / 12.0 / 400.0);
    assert!((half(alone) / expected - 1.0).abs() < 0.1, "{alone:?}");
    assert!((alone.mean - 9.5).abs() < 1e-12 && alone.n == 400);
    let tenfold: Vec<Vec<f64>> = values().take(40).map(|value| vec![value; 10]).collect();
    let grouped = interval_of_mean(&tenfold, 1999);
    let expected = expected * libm::sqrt(10.0);
    assert!((half(grouped) / expected - 1.0).abs() < 0.1, "{grouped:?}");
    assert_eq!(interval_of_mean(&tenfold, 1999), grouped);
}

#[test]
fn ranks_are_those_of_the_book() {
    // Davison & Hinkley, §2.4: the 25th and the 975th of 999.
    let rank = |resamples| tail_rank(resamples, ErrorRate::FIVE_PERCENT);
    assert_eq!(rank(999), Ok(25));
    assert_eq!(rank(39), Ok(1));
    assert!(rank(38).is_err() && rank(1_000_001).is_err());
}

#[test]
fn missing_values_widen_the_interval() {
    let groups: Vec<f64> = (0..20_u32).map(f64::from).collect();
    let run = |statistic: fn(&[&f64]) -> Option<f64>| {
        bootstrap_interval(&groups, statistic, 999, ErrorRate::FIVE_PERCENT, &mut rng())
    };
    let all = run(|sample| Some(sum_of(sample))).unwrap();
    assert!((all.mean - 190.0).abs() < 1e-12);
    let some = run(|sample| Some(sum_of(sample)).filter(|sum| *sum < 250.0)).unwrap();
    assert!(some.low < all.low && some.high <= 250.0, "{some:?} and {all:?}");
    let error = run(|sample| Some(sum_of(sample)).filter(|sum| *sum < 200.0)).unwrap_err();
    assert!(matches!(error, StatsError::UndefinedStatistic { resamples: 999, .. }), "{error}");
    let none = StatsError::UndefinedStatistic { undefined: 1, resamples: 1 };
    assert_eq!(run(|_| Some(f64::NAN)), Err(none));
    let one = bootstrap_interval(&[1.0], |_| None, 999, ErrorRate::FIVE_PERCENT, &mut rng());
    assert_eq!(one, Err(StatsError::TooFewGroups { n: 1 }));
}

fn sum_of(sample: &[&f64]) -> f64 {
    sample.iter().copied().sum()
}

/// Sums of games: events, moves, and the square of the events.
fn games(n: u32) -> Vec<[u64; 3]> {
    let mut rng = RunSeed::new("bootstrap", 1).generation(0).stream("games");
    let mut game = || {
        let events = u64::from(rng.below(9));
        [events, 20 + u64::from(rng.below(9)), events * events]
    };
    (0..n).map(|_| game()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a few numbers")]
fn ratio([part, whole]: [u64; 2]) -> Option<f64> {
    (whole != 0).then(|| part as f64 / whole as f64)
}

#[test]
fn statistics_of_totals_have_the_intervals_that_they_have_alone() {
    let (games, rate) = (games(50), ErrorRate::FIVE_PERCENT);
    let together = bootstrap_totals(
        &games,
        |&[events, moves, squares]| [ratio([events, moves]), ratio([squares, events]), None],
        999,
        rate,
        &mut rng(),
    );
    let alone = |columns: [usize; 2]| {
        let statistic = |sample: &[&[u64; 3]]| {
            ratio(columns.map(|column| sample.iter().map(|game| game[column]).sum()))
        };
        bootstrap_interval(&games, statistic, 999, rate, &mut rng())
    };
    let none = Err(StatsError::UndefinedStatistic { undefined: 1, resamples: 1 });
    assert_eq!(together, Ok([alone([0, 1]), alone([2, 0]), none]));
}

/// Strata whose groups are all alike, 1 event of 10 moves in one and 9 of 10 in the other: the rate
/// is 0.5 in each sample, whereas a single stratum with every group has an interval.
#[test]
fn strata_keep_their_shares_of_samples() {
    let (few, many) = (vec![[1, 10]; 20], vec![[9, 10]; 20]);
    let statistics = |&[events, moves]: &[u64; 2]| [ratio([events, moves])];
    let rate = ErrorRate::FIVE_PERCENT;
    let run = |strata: &[&[[u64; 2]]]| {
        bootstrap_strata(strata, statistics, 999, rate, &mut rng()).map(|[it]| it.unwrap())
    };
    let apart = run(&[&few, &many]).unwrap();
    let expected =
        IntervalEstimate { mean: 0.5, low: 0.5, high: 0.5, n: 40, confidence: apart.confidence };
    assert_eq!(apart, expected);
    let all = [few.as_slice(), many.as_slice()].concat();
    let together = run(&[&all]).unwrap();
    assert!(together.low < 0.45 && 0.55 < together.high, "{together:?}");
    let alone = bootstrap_totals(&all, statistics, 999, rate, &mut rng()).unwrap();
    assert_eq!(alone, [Ok(together)]);
    for (strata, n) in [(&[&few[..], &many[..1]][..], 1), (&[], 0)] {
        assert_eq!(run(strata), Err(StatsError::TooFewGroups { n }));
    }
}

#[test]
fn totals_that_overflow_are_refused() {
    let run = |groups: &[[u64; 1]]| {
        let statistics = |_: &[u64; 1]| [Some(1.0)];
        bootstrap_totals(groups, statistics, 999, ErrorRate::FIVE_PERCENT, &mut rng())
    };
    assert!(run(&[[u64::MAX / 2], [0]]).is_ok());
    let error = run(&[[u64::MAX / 2 + 1], [0]]).unwrap_err();
    assert!(matches!(error, StatsError::OutOfRange { .. }), "{error}");
    assert_eq!(run(&[[1]]), Err(StatsError::TooFewGroups { n: 1 }));
}
