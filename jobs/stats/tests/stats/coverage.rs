//! Coverage of intervals, by simulation with fixed seeds.
//!
//! Each case makes 2,000 samples. An interval that covers with probability 0.95 covers between 93.3
//! % and 96.7 % of samples but for once in 2,000 cases (3.5 standard errors); the limits below add
//! the error of the interval's approximation, as each case says.

use hatchery_core::{RunSeed, StreamRng};
use hatchery_stats::{
    ErrorRate, ScoreSummary, estimate_difference, mean_estimate, mean_ratio, median_estimate,
    ratio_interval, replicates_estimate, share_variation, stratified_mean_estimate,
};

const SAMPLES: u32 = 2000;

fn exponential(rng: &mut StreamRng) -> f64 {
    -libm::log(1.0 - rng.unit_f64())
}

/// Returns the share of samples of `n` scores from `draw` whose interval covers `truth`.
fn coverage(
    name: &str,
    n: usize,
    truth: f64,
    interval: impl Fn(&[u64]) -> (f64, f64),
    draw: impl Fn(&mut StreamRng) -> u64,
) -> f64 {
    let mut rng = RunSeed::new("coverage", 1).generation(0).stream(name);
    let covers = |_| {
        let mut scores: Vec<u64> = (0..n).map(|_| draw(&mut rng)).collect();
        scores.sort_unstable();
        let (low, high) = interval(&scores);
        low <= truth && truth <= high
    };
    let hits: u32 = (0..SAMPLES).map(covers).map(u32::from).sum();
    f64::from(hits) / f64::from(SAMPLES)
}

fn mean(scores: &[u64]) -> (f64, f64) {
    let estimate = mean_estimate(&ScoreSummary::of(scores.iter().copied()));
    (estimate.low, estimate.high)
}

fn median(scores: &[u64]) -> (f64, f64) {
    let estimate = median_estimate(scores).expect("more than five scores");
    (estimate.low, estimate.high)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "scores are small")]
fn scaled(rng: &mut StreamRng, mean: f64) -> u64 {
    (exponential(rng) * mean) as u64
}

/// Few scores are given at least exponential spread, so coverage may be above 95 %.
#[test]
fn means_of_exponential_scores() {
    for (n, least, most) in
        [(10, 0.933, 0.995), (30, 0.92, 0.967), (100, 0.93, 0.967), (1000, 0.933, 0.967)]
    {
        let got = coverage("exponential", n, 9999.5, mean, |rng| scaled(rng, 10_000.0));
        assert!((least..=most).contains(&got), "{got} for n = {n}");
    }
}

/// The mean of a population of 20 individuals, whose true means differ a lot: the interval covers
/// the mean of these individuals.
#[test]
fn means_of_populations() {
    for (n, least, most) in [(1, 0.95, 1.0), (2, 0.933, 1.0), (10, 0.925, 0.967)] {
        let mut rng = RunSeed::new("coverage", 1).generation(0).stream("population");
        let truth = (1..=20).map(|of| f64::from(of * of) * 100.0 - 0.5).sum::<f64>() / 20.0;
        let covers = |_| {
            let strata = (1..=20).map(|of| {
                let mut score = || scaled(&mut rng, f64::from(of * of) * 100.0);
                ScoreSummary::of((0..n).map(|_| score()))
            });
            let interval = stratified_mean_estimate(&strata.collect::<Vec<_>>());
            interval.low <= truth && truth <= interval.high
        };
        let hits: u32 = (0..SAMPLES).map(covers).map(u32::from).sum();
        let got = f64::from(hits) / f64::from(SAMPLES);
        assert!((least..=most).contains(&got), "{got} for n = {n}");
    }
}

/// Two means whose true ratio is 3 or, rounded down to whole scores, a little more or less. Few
/// scores are given at least exponential spread, as for each mean.
#[test]
fn ratios_of_means_of_exponential_scores() {
    for (n, least, most) in [(10, 0.933, 0.995), (30, 0.92, 0.967), (1000, 0.933, 0.967)] {
        let mut rng = RunSeed::new("coverage", 1).generation(0).stream("mean-ratio");
        let covers = |_| {
            let mut mean = |mean| {
                let scores: Vec<u64> = (0..n).map(|_| scaled(&mut rng, mean)).collect();
                mean_estimate(&ScoreSummary::of(scores))
            };
            let ratio = mean_ratio([mean(30_000.0), mean(10_000.0)]).expect("scores are above 0");
            ratio.low <= 3.0 && 3.0 <= ratio.high
        };
        let hits: u32 = (0..SAMPLES).map(covers).map(u32::from).sum();
        let got = f64::from(hits) / f64::from(SAMPLES);
        assert!((least..=most).contains(&got), "{got} for n = {n}");
    }
}

/// The same means, whose true difference is 20,000: rounded down to whole scores, both lose 1/2.
/// Their intervals are skewed, and so is that of the difference.
#[test]
fn differences_of_means_of_exponential_scores() {
    for (n, least, most) in [(10, 0.933, 0.995), (30, 0.92, 0.967), (1000, 0.933, 0.967)] {
        let mut rng = RunSeed::new("coverage", 1).generation(0).stream("estimate-difference");
        let covers = |_| {
            let mut mean = |mean| {
                let scores: Vec<u64> = (0..n).map(|_| scaled(&mut rng, mean)).collect();
                mean_estimate(&ScoreSummary::of(scores))
            };
            let pair = [mean(30_000.0), mean(10_000.0)];
            let difference = estimate_difference(pair).expect("means are within their intervals");
            difference.low <= 20_000.0 && 20_000.0 <= difference.high
        };
        let hits: u32 = (0..SAMPLES).map(covers).map(u32::from).sum();
        let got = f64::from(hits) / f64::from(SAMPLES);
        assert!((least..=most).contains(&got), "{got} for n = {n}");
    }
}

/// Geometric scores with a mean of 1/2: discrete, with many zeros and a cv of 1.7. Where the few
/// large scores are missing, the sample's cv is too small, so small samples cover less.
#[test]
fn means_of_small_geometric_scores() {
    let draw = |rng: &mut StreamRng| {
        let mut score = 0;
        while rng.below(3) == 0 {
            score += 1;
        }
        score
    };
    for (n, least) in [(30, 0.90), (100, 0.92), (1000, 0.933)] {
        let got = coverage("geometric", n, 0.5, mean, draw);
        assert!((least..=0.975).contains(&got), "{got} for n = {n}");
    }
}

/// Distribution-free, so at least 95 %, and more where n is small and ranks are few.
#[test]
fn medians_of_exponential_scores() {
    let truth = 10_000.0 * core::f64::consts::LN_2;
    for n in [10, 30, 100, 1001] {
        let got = coverage("median", n, truth, median, |rng| scaled(rng, 10_000.0));
        assert!((0.933..=0.99).contains(&got), "{got} for n = {n}");
    }
}

/// Replicates of a splitting estimate: products of binomial shares are about lognormal. With few
/// replicates the mean itself is skewed, which costs a little.
#[test]
fn means_of_lognormal_replicates() {
    for (n, spread, least) in [(8, 0.25, 0.93), (32, 0.25, 0.933), (32, 0.6, 0.92)] {
        let mut rng = RunSeed::new("coverage", 1).generation(0).stream("lognormal");
        // The sum of twelve uniform numbers is nearly normal.
        let mut draw = || {
            let z = (0..12).map(|_| rng.unit_f64()).sum::<f64>() - 6.0;
            libm::exp(spread * z)
        };
        let truth = libm::exp(spread * spread / 2.0);
        let mut covers = |_| {
            let values: Vec<_> = (0..n).map(|_| draw()).collect();
            let estimate = replicates_estimate(&values);
            estimate.low <= truth && truth <= estimate.high
        };
        let hits: u32 = (0..SAMPLES).map(|sample| u32::from(covers(sample))).sum();
        let got = f64::from(hits) / f64::from(SAMPLES);
        assert!((least..=0.967).contains(&got), "{got} for n = {n}, spread {spread}");
    }
}

/// Groups of 20 to 30 things whose numbers share what is particular to the group, as searches of a
/// game do: taken for independent, they would seem to be some 20 times as many. The normal quantile
/// is too short for few groups.
#[test]
fn ratios_of_alike_things_in_groups() {
    for (n, least) in [(10, 0.90), (50, 0.925), (400, 0.933)] {
        let mut rng = RunSeed::new("coverage", 1).generation(0).stream("ratio");
        let mut group = |_| {
            let (size, level) = (20 + rng.below(11), 50 + rng.below(101));
            let total: u32 = (0..size).map(|_| level + rng.below(41)).sum();
            [u64::from(total), u64::from(size)]
        };
        let mut covers = |_| {
            let groups: Vec<_> = (0..n).map(&mut group).collect();
            let got = ratio_interval(&groups, ErrorRate::FIVE_PERCENT).unwrap();
            // The mean level, 100, and the mean of 0 to 40.
            got.low <= 120.0 && 120.0 <= got.high
        };
        let hits: u32 = (0..SAMPLES).map(|sample| u32::from(covers(sample))).sum();
        let got = f64::from(hits) / f64::from(SAMPLES);
        assert!((least..=0.967).contains(&got), "{got} for n = {n}");
    }
}

/// Shares of series of 200 trials whose true shares are nearly normal: sums of three uniform
/// variables, whose tails are a little lighter, so that coverage may be above 95 %.
#[test]
fn standard_deviations_of_shares() {
    let interval = |successes: &[u64]| {
        let series: Vec<(u64, u64)> = successes.iter().map(|&wins| (wins, 200)).collect();
        let sd = share_variation(&series, ErrorRate::FIVE_PERCENT).unwrap();
        (sd.low, sd.high)
    };
    for (sd, least, most) in [(0.06, 0.933, 0.98), (0.0, 0.96, 1.0)] {
        for n in [8, 40] {
            let got = coverage("shares", n, sd, interval, |rng| {
                // A uniform variable from -1 to 1 has the variance 1/3.
                let deviation: f64 = (0..3).map(|_| 2.0 * rng.unit_f64() - 1.0).sum();
                let share = 0.25 + sd * deviation;
                (0..200).map(|_| u64::from(rng.unit_f64() < share)).sum()
            });
            assert!((least..=most).contains(&got), "{got} for n = {n}, sd = {sd}");
        }
    }
}
