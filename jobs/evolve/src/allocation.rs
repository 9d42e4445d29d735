//! Sequential allocation: most trials for the individuals that may be the best.
//!
//! In the first stage all individuals of a generation have a few trials; in each later stage, a
//! smaller share of the individuals has more trials. This is successive halving (K. Jamieson and A.
//! Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS
//! 2016) with quotas of trials that end, and with an exposure cap that stops a trial that does not
//! end: a score is then the total score divided by the number of trials that ended, the maximum
//! likelihood estimate of the mean of exponential scores (Epstein & Sobel, "Life Testing", JASA 48,
//! 1953). Scores are pooled over stages.
//!
//! The stages and shares are parameters, and scores of earlier generations count too;
//! `hatchery_stats::halving` derives its rounds from a fixed budget instead.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::score::MeanScore;

/// The allocation of trials to the individuals of a generation, stage by stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialAllocation {
    /// The exposure cap: a trial is stopped after this much exposure, in the experiment's unit
    /// (pieces in Tetris). The score of a stopped trial counts, but not as a trial that ended. A
    /// stage of n trials takes at most n times this exposure.
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64), extend("x-source" = "ours"))]
    #[serde(rename = "exposure")]
    pub exposure_cap: u64,
    /// The stages after the first; in the first stage, all individuals have trials.
    #[schemars(length(min = 1, max = 10))]
    #[serde(rename = "further")]
    pub later_stages: Vec<AllocationStage>,
}

/// A stage after the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllocationStage {
    /// The share of individuals that reach the stage: at least one does.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "ours"))]
    pub share: f64,
    /// Trials per individual in this stage, in addition to the trials of earlier stages.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-source" = "ours"))]
    #[serde(rename = "games")]
    pub trials: u32,
}

impl AllocationStage {
    /// Returns the number of individuals of a population that reach the stage.
    #[must_use]
    pub fn n_reaching(&self, population: usize) -> u64 {
        share_of(self.share, population) as u64
    }
}

impl TrialAllocation {
    /// Checks that the stages can follow each other.
    ///
    /// # Errors
    /// If a share is larger than the previous stage's; the key is a field of this struct.
    pub fn check(&self) -> Result<(), InvalidValue> {
        let mut most = 1.0;
        for (idx, stage) in self.later_stages.iter().enumerate() {
            // Also rejects NaN.
            if !(0.0..=most).contains(&stage.share) {
                let expected = format!("from 0 to {most}, the share of the stage before");
                return Err(InvalidValue::new(
                    format!("further.{idx}.share"),
                    &stage.share,
                    expected,
                ));
            }
            most = stage.share;
        }
        Ok(())
    }
}

/// The scoring of a generation, between two stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoringRound {
    /// The next stage.
    stage: u32,
    /// The last stage by individual: individuals with the next stage are active.
    reached: Vec<u32>,
    /// The scores by individual in earlier generations.
    before: Vec<MeanScore>,
    /// The scores by individual in this generation.
    scores: Vec<MeanScore>,
}

/// The outcome of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StageOutcome {
    /// Another stage.
    Next(ScoringRound),
    /// The generation is scored: the scores by individual.
    Scored(Vec<MeanScore>),
}

impl ScoringRound {
    /// Begins the scoring of individuals that scored `before` in earlier generations.
    #[must_use]
    pub fn begin(before: Vec<MeanScore>) -> Self {
        let n = before.len();
        Self { stage: 0, reached: vec![0; n], before, scores: vec![MeanScore::default(); n] }
    }

    /// Iterates over the indices of the individuals in the next stage, ascending; at least one.
    pub fn active(&self) -> impl Iterator<Item = usize> {
        let reached = self.reached.iter().enumerate();
        reached.filter(|(_, stage)| **stage == self.stage).map(|(idx, _)| idx)
    }

    /// Returns the number of trials per individual in the next stage; `first` in the first stage.
    #[must_use]
    pub fn n_trials(&self, first: u32, allocation: Option<&TrialAllocation>) -> u32 {
        let Some(idx) = self.stage.checked_sub(1) else { return first };
        let stage = allocation.and_then(|allocation| allocation.later_stages.get(idx as usize));
        stage.map_or(first, |stage| stage.trials)
    }

    /// Records the scores of the [active](Self::active) individuals in the stage, in order. Without
    /// an allocation, the first stage is the last.
    #[must_use]
    pub fn record(
        mut self,
        scores: impl IntoIterator<Item = MeanScore>,
        allocation: Option<&TrialAllocation>,
    ) -> StageOutcome {
        let mut active: Vec<_> = self.active().collect();
        for (&idx, score) in active.iter().zip(scores) {
            self.scores[idx] = self.scores[idx].pooled(score);
        }
        let next_stage = allocation.and_then(|it| it.later_stages.get(self.stage as usize));
        let Some(AllocationStage { share, .. }) = next_stage else {
            return StageOutcome::Scored(self.final_scores());
        };
        self.stage += 1;
        // The sort is stable: the first of equal ones stays first.
        active.sort_by(|&a, &b| self.known_score(b).compare(self.known_score(a)));
        for idx in active.into_iter().take(share_of(*share, self.scores.len())) {
            self.reached[idx] = self.stage;
        }
        StageOutcome::Next(self)
    }

    /// Returns the score of an individual in all generations.
    fn known_score(&self, idx: usize) -> MeanScore {
        self.before[idx].pooled(self.scores[idx])
    }

    /// Returns the scores of the generation, with reduced scores for eliminated individuals.
    ///
    /// Among many individuals of equal strength, the luckiest eliminated individual looks better
    /// than the remaining ones, whose luck more trials have evened out. Therefore its score stays
    /// below the lowest remaining score, unless more of its own trials have ended.
    fn final_scores(mut self) -> Vec<MeanScore> {
        let mut last: Option<MeanScore> = None;
        for stage in (0..=self.stage).rev() {
            let group: Vec<_> =
                (0..self.reached.len()).filter(|&idx| self.reached[idx] == stage).collect();
            if let Some(last) = last {
                for &idx in &group {
                    let known_score = self.known_score(idx).below(last);
                    let before = self.before[idx];
                    self.scores[idx] = MeanScore {
                        total: known_score.total.saturating_sub(before.total),
                        n: known_score.n.saturating_sub(before.n),
                    };
                }
            }
            let known_score = group.iter().map(|&idx| self.known_score(idx)).chain(last);
            last = known_score.min_by(|a, b| a.compare(*b));
        }
        self.scores
    }
}

/// Returns the number of individuals in a share of `n`: at least one, and at most `n`.
fn share_of(share: f64, n: usize) -> usize {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some thousands at most"
    )]
    let many = libm::round(share * n as f64) as usize;
    many.clamp(1, n.max(1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn score(total: u64, n: u64) -> MeanScore {
        MeanScore { total, n }
    }

    fn allocation(later_stages: &[(f64, u32)]) -> TrialAllocation {
        let later_stages =
            later_stages.iter().map(|&(share, trials)| AllocationStage { share, trials }).collect();
        TrialAllocation { exposure_cap: 1000, later_stages }
    }

    fn next(after: StageOutcome) -> ScoringRound {
        let StageOutcome::Next(round) = after else { panic!("{after:?} is the end") };
        round
    }

    fn final_scores(after: StageOutcome) -> Vec<MeanScore> {
        let StageOutcome::Scored(scores) = after else { panic!("{after:?} is not the end") };
        scores
    }

    #[test]
    fn trials_go_to_the_best_and_scores_are_pooled() {
        let allocation = allocation(&[(0.5, 3), (0.25, 10)]);
        let round = ScoringRound::begin(vec![MeanScore::default(); 4]);
        assert_eq!(round.n_trials(1, Some(&allocation)), 1);
        let scores = [score(10, 1), score(40, 1), score(30, 1), score(20, 1)];
        let round = next(round.record(scores, Some(&allocation)));
        assert_eq!(round.active().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(round.n_trials(1, Some(&allocation)), 3);
        let round = next(round.record([score(80, 3), score(150, 3)], Some(&allocation)));
        assert_eq!(round.active().collect::<Vec<_>>(), [2]);
        assert_eq!(round.n_trials(1, Some(&allocation)), 10);
        let scores = final_scores(round.record([score(420, 10)], Some(&allocation)));
        assert_eq!(scores, [score(10, 1), score(120, 4), score(600, 14), score(20, 1)]);
    }

    #[test]
    fn without_an_allocation_the_first_stage_is_the_last() {
        let round = ScoringRound::begin(vec![score(7, 7); 2]);
        assert_eq!((round.active().count(), round.n_trials(5, None)), (2, 5));
        let scores = [score(1, 5), score(2, 5)];
        assert_eq!(final_scores(round.record(scores, None)), scores);
    }

    #[test]
    fn luck_does_not_overtake_evidence() {
        let allocation = allocation(&[(0.3, 30)]);
        let round = ScoringRound::begin(vec![score(0, 0), score(0, 0), score(900, 100)]);
        // The second is lucky but eliminated by the first, which then shows its real strength; the
        // third is known from before and was unlucky this time.
        let scores = [score(200, 10), score(190, 10), score(10, 10)];
        let round = next(round.record(scores, Some(&allocation)));
        assert_eq!(round.active().collect::<Vec<_>>(), [0]);
        let scores = final_scores(round.record([score(100, 30)], Some(&allocation)));
        assert_eq!(scores, [score(300, 40), score(74, 10), score(10, 10)]);
    }

    /// An individual without a trial that ended ranks above all others.
    #[test]
    fn trials_without_an_end_are_the_best() {
        let allocation = allocation(&[(0.5, 4)]);
        let round = ScoringRound::begin(vec![MeanScore::default(); 2]);
        let round = next(round.record([score(900, 1), score(800, 0)], Some(&allocation)));
        assert_eq!(round.active().collect::<Vec<_>>(), [1]);
        let scores = final_scores(round.record([score(800, 1)], Some(&allocation)));
        assert_eq!(scores, [score(900, 1), score(1600, 1)]);
    }

    #[test]
    fn shares_do_not_grow() {
        assert!(allocation(&[(0.3, 30), (0.3, 50), (0.0, 100)]).check().is_ok());
        let error = allocation(&[(0.3, 30), (0.5, 100)]).check().unwrap_err();
        assert_eq!(error.key, "further.1.share");
        assert_eq!(allocation(&[(f64::NAN, 1)]).check().unwrap_err().key, "further.0.share");
    }

    fn stages() -> impl Strategy<Value = Vec<Vec<(u64, u64)>>> {
        prop::collection::vec(prop::collection::vec((0_u64..1000, 0_u64..20), 30), 3)
    }

    proptest! {
        /// The shares are kept, no eliminated individual returns, individuals that reach the last
        /// stage keep their whole score, and no score grows.
        #[test]
        fn rounds_narrow(drawn in stages(), shares in (0.0..=1.0, 0.0..=1.0)) {
            let (second, third) = (f64::max(shares.0, shares.1), f64::min(shares.0, shares.1));
            let allocation = allocation(&[(second, 2), (third, 3)]);
            prop_assert!(allocation.check().is_ok());
            let mut round = ScoringRound::begin(vec![MeanScore::default(); 30]);
            let mut sums = vec![MeanScore::default(); 30];
            let mut active: Vec<usize> = (0..30).collect();
            for (stage, drawn) in drawn.iter().enumerate() {
                let scores: Vec<_> = active.iter().map(|&idx| {
                    let (total, n) = drawn[idx];
                    sums[idx] = sums[idx].pooled(score(total, n));
                    score(total, n)
                }).collect();
                match round.record(scores, Some(&allocation)) {
                    StageOutcome::Next(next) => {
                        let going_on: Vec<_> = next.active().collect();
                        prop_assert!(going_on.iter().all(|idx| active.contains(idx)));
                        let share = [second, third][stage];
                        prop_assert_eq!(going_on.len(), share_of(share, 30).min(active.len()));
                        active = going_on;
                        round = next;
                    }
                    StageOutcome::Scored(scores) => {
                        prop_assert_eq!(stage, 2);
                        for (score, sum) in scores.iter().zip(&sums) {
                            prop_assert!(score.compare(*sum).is_le());
                        }
                        for &idx in &active {
                            prop_assert_eq!(scores[idx], sums[idx]);
                        }
                        return Ok(());
                    }
                }
            }
            prop_assert!(false, "three stages are the end");
        }
    }
}
