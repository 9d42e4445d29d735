//! Intervals of any statistic, and of many statistics of sums, by resampling groups.
//!
//! Moves of the same game are alike, and resampling single moves would make intervals far too
//! short. Whole groups, such as games, are independent (the cluster bootstrap: Davison & Hinkley,
//! *Bootstrap Methods and their Application*, 1997, §3.8).

use hatchery_core::{IntervalEstimate, StreamRng};

use crate::error::{ErrorRate, StatsError};

/// The most resamples: their statistics are held at once, in 8 MB.
const MAX_RESAMPLES: u32 = 1_000_000;

/// Returns the `statistic` over the `groups` with its *percentile interval* (Efron & Tibshirani,
/// *An Introduction to the Bootstrap*, 1993, §13.3): of the statistics of `resamples` samples of as
/// many groups, drawn with replacement from `rng`, the k-th lowest and the k-th highest, where k is
/// half of `error_rate` times (resamples + 1), rounded down.
///
/// `statistic` gets the groups of a sample, a group as often as it was drawn, and returns `None`
/// where it has no value, such as a slope through equal points. A sample without a finite value
/// counts as outside both ends, which widens the interval.
///
/// The interval always contains the statistic itself. The interval is somewhat short for few
/// groups: the interval of a mean by a factor of sqrt(1 - 1/n), and by the normal quantile in place
/// of Student's, 9 % together for 20 groups. One to two thousand resamples are customary. The same
/// `rng` gives the same interval.
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
    let plan = ResamplingPlan::new(vec![sample_size(groups)?], resamples, error_rate)?;
    let n = plan.sizes[0];
    let value = |sample: &[&T]| statistic(sample).filter(|value| value.is_finite());
    let mut sample: Vec<&T> = groups.iter().collect();
    let mean =
        value(&sample).ok_or(StatsError::UndefinedStatistic { undefined: 1, resamples: 1 })?;
    let mut values = Vec::new();
    for _ in 0..resamples {
        sample.clear();
        sample.extend((0..n).map(|_| &groups[rng.below(n) as usize]));
        values.extend(value(&sample));
    }
    plan.interval(mean, values)
}

/// Returns `M` statistics of the total over the `groups`, each with its interval as in
/// [`bootstrap_interval`], all from the same samples: ratios of sums, slopes and whatever else
/// depends on sums alone.
///
/// A group is `N` sums, and the total of a sample adds them up column by column. `statistics` gets
/// a total. This takes no longer than a single statistic, and the same `rng` gives each statistic
/// the interval that it has alone.
///
/// # Errors
/// As [`bootstrap_interval`], for all statistics if the reason is the groups or `resamples`, or a
/// column whose total may exceed 2^64 - 1; for a single statistic if it has no value.
pub fn bootstrap_totals<const N: usize, const M: usize>(
    groups: &[[u64; N]],
    statistics: impl Fn(&[u64; N]) -> [Option<f64>; M],
    resamples: u32,
    error_rate: ErrorRate,
    rng: &mut StreamRng,
) -> Result<[Result<IntervalEstimate, StatsError>; M], StatsError> {
    bootstrap_strata(&[groups], statistics, resamples, error_rate, rng)
}

/// Returns `M` statistics of the total over the groups in the `strata`, as [`bootstrap_totals`]
/// does of a single stratum.
///
/// Strata are parts of a fixed design, such as opponents, each with groups of its own: a sample
/// draws from each as many groups as it has, and their differences do not widen intervals (the
/// stratified bootstrap: Davison & Hinkley 1997, §3.2).
///
/// Intervals are short where strata are small: the interval of a mean by a factor of sqrt(1 - 1/n)
/// for n groups in each, 9 % for six.
///
/// # Errors
/// As [`bootstrap_totals`]; also if any stratum has fewer than two groups.
pub fn bootstrap_strata<const N: usize, const M: usize>(
    strata: &[&[[u64; N]]],
    statistics: impl Fn(&[u64; N]) -> [Option<f64>; M],
    resamples: u32,
    error_rate: ErrorRate,
    rng: &mut StreamRng,
) -> Result<[Result<IntervalEstimate, StatsError>; M], StatsError> {
    let plan = ResamplingPlan::of_strata(strata, resamples, error_rate)?;
    let all = || strata.iter().copied().flatten();
    for column in 0..N {
        let highest = all().map(|group| group[column]).max().unwrap_or(0);
        plan.check_total(highest)?;
    }
    let values_of = |total: &[u64; N]| statistics(total).map(|it| it.filter(|it| it.is_finite()));
    let mut total = [0; N];
    all().for_each(|group| add(&mut total, group));
    let means = values_of(&total);
    let mut values = [const { Vec::new() }; M];
    for _ in 0..resamples {
        total = [0; N];
        for (groups, &n) in strata.iter().zip(&plan.sizes) {
            for _ in 0..n {
                add(&mut total, &groups[rng.below(n) as usize]);
            }
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

/// Adds a group's sums; the plan has checked that they do not overflow.
fn add<const N: usize>(total: &mut [u64; N], group: &[u64; N]) {
    for (total, sum) in total.iter_mut().zip(group) {
        *total += sum;
    }
}

/// The sizes of samples, and the ranks of an interval's ends among their statistics.
struct ResamplingPlan {
    /// The numbers of groups by stratum.
    sizes: Vec<u32>,
    resamples: usize,
    tail: usize,
    confidence: f64,
}

impl ResamplingPlan {
    fn new(sizes: Vec<u32>, resamples: u32, error_rate: ErrorRate) -> Result<Self, StatsError> {
        let tail = tail_rank(resamples, error_rate)?;
        let confidence = 1.0 - error_rate.get();
        Ok(Self { sizes, resamples: resamples as usize, tail, confidence })
    }

    fn of_strata<T>(
        strata: &[&[T]],
        resamples: u32,
        error_rate: ErrorRate,
    ) -> Result<Self, StatsError> {
        let sizes = strata.iter().map(|groups| sample_size(groups));
        let sizes: Vec<u32> = sizes.collect::<Result<_, _>>()?;
        if sizes.is_empty() {
            return Err(StatsError::TooFewGroups { n: 0 });
        }
        Self::new(sizes, resamples, error_rate)
    }

    /// Returns the total number of groups.
    fn n(&self) -> u64 {
        self.sizes.iter().copied().map(u64::from).sum()
    }

    /// Checks that all groups, with at most `highest` each, have a total below 2^64.
    fn check_total(&self, highest: u64) -> Result<(), StatsError> {
        match highest.checked_mul(self.n()) {
            Some(_) => Ok(()),
            #[expect(clippy::cast_precision_loss, reason = "for the message only")]
            None => Err(StatsError::OutOfRange {
                name: "highest sum of a group",
                value: highest as f64,
                range: "below 2^64 / number of groups",
            }),
        }
    }

    /// Returns the interval of `values`, the values of the samples that have a value.
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
            n: self.n(),
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
mod tests;
