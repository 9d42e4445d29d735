//! Changes of scores: pairs of games without and with the new piece, which have the same shuffles.

use hatchery_core::IntervalEstimate;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{PairResult, ScoreMean, ScoreSummary};
use serde::{Deserialize, Serialize};

/// The half points of a pair of games.
const PAIR: u32 = 4;

/// Counts of trials by the half points of a deck: without a new piece, with it, and by how far
/// these differ. A trial is a pair of games, or one with each of several opponents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeCounts {
    /// The trials by half points without the piece, from 0 on.
    pub before: Vec<u64>,
    /// The trials by half points with it.
    pub after: Vec<u64>,
    /// The trials by half points with the piece less those without it, from the largest loss on:
    /// in the middle are those without a change.
    pub change: Vec<u64>,
}

impl ChangeCounts {
    /// Counts trials of a match-up, or of several match-ups together. Each match-up has its pairs
    /// without and with the new piece, trial by trial. Trials that some match-up lacks are left
    /// out.
    pub(super) fn of(matchups: &[[&[PairResult]; 2]]) -> Self {
        let most = PAIR as usize * matchups.len();
        let mut counts = Self {
            before: vec![0; most + 1],
            after: vec![0; most + 1],
            change: vec![0; 2 * most + 1],
        };
        let n = matchups.iter().flatten().map(|pairs| pairs.len()).min().unwrap_or(0);
        for trial in 0..n {
            let points = |side: usize| -> usize {
                let pairs = matchups.iter().map(|sides| sides[side][trial].half_points());
                pairs.flatten().map(usize::from).sum()
            };
            let [before, after] = [points(0), points(1)];
            counts.before[before] += 1;
            counts.after[after] += 1;
            counts.change[most + after - before] += 1;
        }
        counts
    }

    /// Returns the number of trials.
    pub(super) fn trials(&self) -> u64 {
        self.before.iter().sum()
    }

    /// Returns the number of trials whose score is the same with and without the new piece.
    pub(super) fn n_equal(&self) -> u64 {
        self.change.get(self.change.len() / 2).copied().unwrap_or(0)
    }

    /// Returns the scores without and with the new piece; `None` without trials.
    pub(super) fn scores(&self) -> Option<[IntervalEstimate; 2]> {
        Some([estimate(&self.before)?, estimate(&self.after)?])
    }

    /// Returns the mean change of the score with its interval. A trial's change is the score with
    /// the new piece, less the score without it from the same shuffles. `None` without trials.
    ///
    /// The interval is that of [`ScoreMean`] of (1 + change) / 2, which equal changes do not reduce
    /// to a point.
    pub(super) fn estimate(&self) -> Option<IntervalEstimate> {
        let it = estimate(&self.change)?;
        let [mean, low, high] = [it.mean, it.low, it.high].map(|share| 2.0 * share - 1.0);
        Some(IntervalEstimate { mean, low, high, ..it })
    }

    /// Returns the variance of the change if games without and with the piece were independent,
    /// over the variance that it has: as many times as many games would be needed. `None` if no
    /// trial has changed.
    pub(super) fn saving(&self) -> Option<f64> {
        // Both in half points.
        let change = variance(&self.change)?;
        (0.0 < change).then_some(())?;
        Some((variance(&self.before)? + variance(&self.after)?) / change)
    }
}

/// Returns the mean of scores that are counted by their place. The last place means a score of 1.
fn estimate(counts: &[u64]) -> Option<IntervalEstimate> {
    let most = to_f64(counts.len().saturating_sub(1) as u64);
    let scores = counts.iter().zip(0_u64..).flat_map(|(&n, at)| {
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        std::iter::repeat_n(to_f64(at) / most, n)
    });
    let scores: Vec<f64> = scores.collect();
    Some(ScoreMean::of_scores(&scores, ErrorRate::FIVE_PERCENT)?.interval)
}

/// Returns the variance of places; `None` of fewer than two.
fn variance(counts: &[u64]) -> Option<f64> {
    let places = || counts.iter().zip(0_u128..).map(|(&n, at)| (u128::from(n), at));
    let sum = places().map(|(n, at)| n * at).sum();
    let sum_of_squares = places().map(|(n, at)| n * at * at).sum();
    let summary = ScoreSummary::of_sums(counts.iter().sum(), sum, sum_of_squares);
    (2 <= summary.n()).then(|| summary.sd() * summary.sd())
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 trials")]
const fn to_f64(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use hatchery_core::{FastRng, RunSeed};

    use super::*;

    fn pairs(half_points: &[[u8; 2]]) -> Vec<PairResult> {
        let pair = |[first, second]: [u8; 2]| PairResult::new(first, second).unwrap();
        half_points.iter().copied().map(pair).collect()
    }

    /// Scores 1/4, 1/2, 1 and 0 become 1/2, 1/2, 1 and 1/2: the changes are 1/4, 0, 0 and 1/2, with
    /// the mean 3/16 and the variance 11/192.
    #[test]
    fn changes_are_those_of_each_trial() {
        let before = pairs(&[[1, 0], [2, 0], [2, 2], [0, 0]]);
        let after = pairs(&[[0, 2], [1, 1], [2, 2], [1, 1]]);
        let counts = ChangeCounts::of(&[[&before, &after]]);
        assert_eq!((counts.trials(), counts.n_equal()), (4, 2));
        let change = counts.estimate().unwrap();
        assert!((change.mean - 3.0 / 16.0).abs() < 1e-12, "{change:?}");
        // Student's t of 3 degrees at 97.5 % is 3.182.
        let half = 3.182 * (11.0_f64 / 192.0 / 4.0).sqrt();
        assert!((change.high - change.mean - half).abs() < 1e-3, "{change:?}");
        // In half points: 35/12 and 4/3 x 11/16 for 11/12.
        let saving = (35.0 / 12.0 + 1.0) / (11.0 / 12.0);
        assert!((counts.saving().unwrap() - saving).abs() < 1e-12);
        // Twice the same games have the same change, and no more trials.
        let twice = ChangeCounts::of(&[[&before, &after], [&before, &after]]);
        assert_eq!((twice.trials(), twice.estimate()), (4, Some(change)));
    }

    /// The interval of 95 % covers the true change in 95 % of 2,000 runs with 60 trials each. With
    /// the piece, 3 of 10 trials are drawn anew with better luck. The number of covering runs has a
    /// standard deviation of 0.5 points.
    #[test]
    fn intervals_cover_the_true_change() {
        let mut rng =
            FastRng::seeded_by(&mut RunSeed::new("changes", 1).generation(0).stream("coverage"));
        // Half points with the probabilities 3/8, 1/4 and 3/8, and of a better deck 1/4, 1/4, 1/2.
        let half_points = |lost: u32, rng: &mut FastRng| match rng.below(8) {
            at if at < lost => 0,
            at if at < lost + 2 => 1,
            _ => 2,
        };
        let pair = |lost, rng: &mut FastRng| [half_points(lost, rng), half_points(lost, rng)];
        // The mean rises from 1/2 to 5/8 in 3 of 10.
        let (truth, mut n_covered) = (0.3 * 0.125, 0);
        for _ in 0..2_000 {
            let before: Vec<_> = (0..60).map(|_| pair(3, &mut rng)).collect();
            let after = before.iter().map(|&before| match rng.below(10) {
                0..3 => pair(2, &mut rng),
                _ => before,
            });
            let [before, after] = [before.clone(), after.collect()].map(|it| pairs(&it));
            let change = ChangeCounts::of(&[[&before, &after]]).estimate().unwrap();
            n_covered += u32::from(change.low <= truth && truth <= change.high);
        }
        assert!((1_860..=1_940).contains(&n_covered), "{n_covered} of 2,000");
    }

    #[test]
    fn no_change_has_an_interval_around_0() {
        let pairs = pairs(&[[1, 0], [2, 0], [2, 2], [0, 0]].repeat(25));
        let counts = ChangeCounts::of(&[[&pairs, &pairs]]);
        let change = counts.estimate().unwrap();
        assert!(change.mean.abs() < 1e-15 && change.low < 0.0 && 0.0 < change.high, "{change:?}");
        assert_eq!((counts.n_equal(), counts.saving()), (100, None));
        assert_eq!(ChangeCounts::of(&[]).estimate(), None);
        assert_eq!(ChangeCounts::of(&[[&pairs, &[]]]).estimate(), None);
    }
}
