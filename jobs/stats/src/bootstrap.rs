//! Intervals of any statistic, and of many statistics of sums, by resampling groups.
//!
//! Moves of one game are alike, and resampling them one by one would make intervals far too short.
//! Whole groups, such as games, are independent (the cluster bootstrap: Davison & Hinkley,
//! *Bootstrap Methods and their Application*, 1997, §3.8).

use hatchery_core::{IntervalEstimate, StreamRng};

use crate::error::{ErrorRate, StatsError};

/// The most resamples: their statistics are held at once, in 8 MB.
const MAX_RESAMPLES: u32 = 1_000_000;

/// Returns the `statistic` of all `groups` with its *percentile interval* (Efron & Tibshirani, *An
/// Introduction to the Bootstrap*, 1993, §13.3): of the statistics of `resamples` samples of as
/// many groups, drawn with replacement from `rng`, the k-th lowest and the k-th highest, where k is
/// half of `error_rate` times (resamples + 1), rounded down.
///
/// `statistic` gets the groups of a sample, a group as often as it was drawn, and returns `None`
/// where it has no value, such as a slope through equal points. A sample without a finite value
/// counts as below the one end and above the other, which widens the interval.
///
/// The interval always contains the statistic itself. It is somewhat short for few groups: that of
/// a mean by a factor of sqrt(1 - 1/n), and by the normal quantile in place of Student's, 9 %
/// together for 20 groups. One to two thousand resamples are customary. The same `rng` gives the
/// same interval.
///
/// # Errors
/// If there are fewer than two groups or more than 2^32 - 1, `resamples` is below 2 / error rate or
/// above 1,000,000, or the statistic has no value for all groups or for half of `error_rate` of the
/// samples.
pub fn bootstrap_interval<T>(
    groups: &[T],
    statistic: impl Fn(&[&T]) -> Option<f64>,
    resamples: u32,
    error_rate: ErrorRate,
    rng: &mut StreamRng,
) -> Result<IntervalEstimate, StatsError> {
    let plan = ResamplingPlan::new(groups, resamples, error_rate)?;
    let value = |sample: &[&T]| statistic(sample).filter(|value| value.is_finite());
    let mut sample: Vec<&T> = groups.iter().collect();
    let mean =
        value(&sample).ok_or(StatsError::UndefinedStatistic { undefined: 1, resamples: 1 })?;
    let mut values = Vec::new();
    for _ in 0..resamples {
        sample.clear();
        sample.extend((0..plan.n).map(|_| &groups[rng.below(plan.n) as usize]));
        values.extend(value(&sample));
    }
    plan.interval(mean, values)
}

/// Returns `M` statistics of the total of all `groups`, each with its interval as in
/// [`bootstrap_interval`], all from the same samples: ratios of sums, slopes and whatever else
/// depends on sums alone.
///
/// A group is `N` sums, and the total of a sample adds them up column by column. `statistics` gets
/// a total. This takes the time of one statistic, and the same `rng` gives each statistic the
/// interval that it has alone.
///
/// # Errors
/// As [`bootstrap_interval`], of all statistics if the reason is the groups or `resamples`, or a
/// column whose total may exceed 2^64 - 1; of one statistic if it has no value.
pub fn bootstrap_totals<const N: usize, const M: usize>(
    groups: &[[u64; N]],
    statistics: impl Fn(&[u64; N]) -> [Option<f64>; M],
    resamples: u32,
    error_rate: ErrorRate,
    rng: &mut StreamRng,
) -> Result<[Result<IntervalEstimate, StatsError>; M], StatsError> {
    let plan = ResamplingPlan::new(groups, resamples, error_rate)?;
    for column in 0..N {
        let highest = groups.iter().map(|group| group[column]).max().unwrap_or(0);
        plan.check_total(highest)?;
    }
    let values_of = |total: &[u64; N]| statistics(total).map(|it| it.filter(|it| it.is_finite()));
    let mut total = [0; N];
    groups.iter().for_each(|group| add(&mut total, group));
    let means = values_of(&total);
    let mut values = [const { Vec::new() }; M];
    for _ in 0..resamples {
        total = [0; N];
        for _ in 0..plan.n {
            add(&mut total, &groups[rng.below(plan.n) as usize]);
        }
        for (values, value) in values.iter_mut().zip(values_of(&total)) {
            values.extend(value);
        }
    }
    let mut values = values.into_iter();
    Ok(means.map(|mean| {
        let values = values.next().unwrap_or_default();
        let mean = mean.ok_or(StatsError::UndefinedStatistic { undefined: 1, resamples: 1 })?;
        plan.interval(mean, values)
    }))
}

/// Adds a group's sums, of which the plan has checked that they do not overflow.
fn add<const N: usize>(total: &mut [u64; N], group: &[u64; N]) {
    for (total, sum) in total.iter_mut().zip(group) {
        *total += sum;
    }
}

/// The size of samples, and the ranks of an interval's ends among their statistics.
struct ResamplingPlan {
    n: u32,
    resamples: usize,
    tail: usize,
    confidence: f64,
}

impl ResamplingPlan {
    fn new<T>(groups: &[T], resamples: u32, error_rate: ErrorRate) -> Result<Self, StatsError> {
        let n = sample_size(groups)?;
        let tail = tail_rank(resamples, error_rate)?;
        let confidence = 1.0 - error_rate.get();
        Ok(Self { n, resamples: resamples as usize, tail, confidence })
    }

    /// Checks that `n` groups with at most `highest` have a total below 2^64.
    fn check_total(&self, highest: u64) -> Result<(), StatsError> {
        match highest.checked_mul(u64::from(self.n)) {
            Some(_) => Ok(()),
            #[expect(clippy::cast_precision_loss, reason = "for the message only")]
            None => Err(StatsError::OutOfRange {
                name: "highest sum of a group",
                value: highest as f64,
                range: "below 2^64 / number of groups",
            }),
        }
    }

    /// Returns the interval of `values`: those of the samples that have one.
    fn interval(&self, mean: f64, mut values: Vec<f64>) -> Result<IntervalEstimate, StatsError> {
        values.sort_by(f64::total_cmp);
        let resamples = self.resamples;
        let undefined = resamples - values.len();
        if self.tail <= undefined {
            return Err(StatsError::UndefinedStatistic { undefined, resamples });
        }
        let rank = self.tail - undefined;
        Ok(IntervalEstimate {
            mean,
            low: values[rank - 1].min(mean),
            high: values[values.len() - rank].max(mean),
            n: u64::from(self.n),
            confidence: self.confidence,
        })
    }
}

fn sample_size<T>(groups: &[T]) -> Result<u32, StatsError> {
    if groups.len() < 2 {
        return Err(StatsError::TooFewGroups { n: groups.len() });
    }
    let too_many = |_| StatsError::TooManyTrials { n: groups.len() as u128 };
    u32::try_from(groups.len()).map_err(too_many)
}

/// Returns the rank of the interval's ends among the statistics, counted from 1.
fn tail_rank(resamples: u32, error_rate: ErrorRate) -> Result<usize, StatsError> {
    let count = f64::from(resamples);
    // Products such as 0.025 x 1,000 may be just below a whole number.
    let rank = libm::floor(error_rate.per_side().get() * (count + 1.0) + 1e-9);
    if 1.0 <= rank && resamples <= MAX_RESAMPLES {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and a quarter of a million"
        )]
        return Ok(rank as usize);
    }
    Err(StatsError::OutOfRange {
        name: "number of resamples",
        value: count,
        range: "from 2 / error rate to 1,000,000",
    })
}

#[cfg(test)]
mod tests {
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
}
