//! Sequential allocation: most games for those individuals that may be the best.
//!
//! In the first stage all individuals of a generation play a few games; of each later stage, a
//! smaller share of them plays more. This is successive halving (K. Jamieson and A. Talwalkar,
//! "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS 2016) with
//! quotas of games that end, and with an exposure cap, by which a game that does not end is stopped:
//! a score is then the sum of what was scored by the number of games that ended, the maximum
//! likelihood estimate of the mean of exponential scores (Epstein & Sobel, "Life Testing", JASA 48,
//! 1953). Scores of all stages are pooled.

use hatchery_core::InvalidParam;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::score::Score;

/// How games are spent on the individuals of a generation, stage by stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Allocation {
    /// The exposure cap: a game is stopped after this many pieces. What it scored counts, but not as
    /// a game that ended. A stage of n games takes at most n times as many pieces.
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64), extend("x-source" = "ours"))]
    pub exposure: u64,
    /// The stages after the first, in which all play.
    #[schemars(length(min = 1, max = 10))]
    pub further: Vec<Stage>,
}

/// A stage after the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The share of all individuals that go on to it: at least one does.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "ours"))]
    pub share: f64,
    /// Games of each of them, on top of those of the stages before.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-source" = "ours"))]
    pub games: u32,
}

impl Allocation {
    /// Whether the stages can follow each other.
    ///
    /// # Errors
    /// If a share is larger than that of the stage before; the key is that of this struct.
    pub fn check(&self) -> Result<(), InvalidParam> {
        let mut most = 1.0;
        for (idx, stage) in self.further.iter().enumerate() {
            // Also refuses what is not a number.
            if !(0.0..=most).contains(&stage.share) {
                let expected = format!("from 0 to {most}, the share of the stage before");
                return Err(InvalidParam::new(
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

/// A generation that is being scored, between two stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// The stage that is played next.
    stage: u32,
    /// The last stage of each individual: those with the next one play.
    reached: Vec<u32>,
    /// What each individual scored before this generation.
    before: Vec<Score>,
    /// What each individual scored in this generation.
    scores: Vec<Score>,
}

/// What a stage leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterStage {
    /// Another stage.
    Next(Round),
    /// The generation is scored: what each individual scored in it.
    Scored(Vec<Score>),
}

impl Round {
    /// A generation of individuals that scored `before` in earlier ones.
    #[must_use]
    pub fn begin(before: Vec<Score>) -> Self {
        let n = before.len();
        Self { stage: 0, reached: vec![0; n], before, scores: vec![Score::default(); n] }
    }

    /// The indices of those who play the next stage, ascending; at least one.
    pub fn playing(&self) -> impl Iterator<Item = usize> {
        let reached = self.reached.iter().enumerate();
        reached.filter(|(_, stage)| **stage == self.stage).map(|(idx, _)| idx)
    }

    /// The games of each in the next stage; `first` in the first.
    #[must_use]
    pub fn n_games(&self, first: u32, allocation: Option<&Allocation>) -> u32 {
        let Some(idx) = self.stage.checked_sub(1) else { return first };
        let stage = allocation.and_then(|allocation| allocation.further.get(idx as usize));
        stage.map_or(first, |stage| stage.games)
    }

    /// Takes in what each of those who [play](Self::playing) scored in the stage, in order. Without
    /// an allocation, the first stage is the last.
    #[must_use]
    pub fn record(
        mut self,
        scores: impl IntoIterator<Item = Score>,
        allocation: Option<&Allocation>,
    ) -> AfterStage {
        let mut playing: Vec<_> = self.playing().collect();
        for (&idx, score) in playing.iter().zip(scores) {
            self.scores[idx] = self.scores[idx].pooled(score);
        }
        let further = allocation.and_then(|it| it.further.get(self.stage as usize));
        let Some(Stage { share, .. }) = further else {
            return AfterStage::Scored(self.scored());
        };
        self.stage += 1;
        // The sort is stable: the first of equal ones stays first.
        playing.sort_by(|&a, &b| self.known(b).compare(self.known(a)));
        for idx in playing.into_iter().take(share_of(*share, self.scores.len())) {
            self.reached[idx] = self.stage;
        }
        AfterStage::Next(self)
    }

    /// All that is known of an individual.
    fn known(&self, idx: usize) -> Score {
        self.before[idx].pooled(self.scores[idx])
    }

    /// The scores of the generation, of which those who were left behind have no more than shows.
    ///
    /// Of many that play alike, the luckiest of those who were left behind looks better than those
    /// who went on, whose luck more games have evened out. Therefore it stays below the last of
    /// them, unless more of its own games have ended.
    fn scored(mut self) -> Vec<Score> {
        let mut last: Option<Score> = None;
        for stage in (0..=self.stage).rev() {
            let group: Vec<_> =
                (0..self.reached.len()).filter(|&idx| self.reached[idx] == stage).collect();
            if let Some(last) = last {
                for &idx in &group {
                    let known = self.known(idx).below(last);
                    let before = self.before[idx];
                    self.scores[idx] = Score {
                        total: known.total.saturating_sub(before.total),
                        n: known.n.saturating_sub(before.n),
                    };
                }
            }
            let known = group.iter().map(|&idx| self.known(idx)).chain(last);
            last = known.min_by(|a, b| a.compare(*b));
        }
        self.scores
    }
}

/// How many of `n` a share is: at least one, and no more than there are.
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

    fn score(total: u64, n: u64) -> Score {
        Score { total, n }
    }

    fn allocation(further: &[(f64, u32)]) -> Allocation {
        let further = further.iter().map(|&(share, games)| Stage { share, games }).collect();
        Allocation { exposure: 1000, further }
    }

    fn next(after: AfterStage) -> Round {
        let AfterStage::Next(round) = after else { panic!("{after:?} is the end") };
        round
    }

    fn scored(after: AfterStage) -> Vec<Score> {
        let AfterStage::Scored(scores) = after else { panic!("{after:?} is not the end") };
        scores
    }

    #[test]
    fn games_go_to_the_best_and_scores_are_pooled() {
        let allocation = allocation(&[(0.5, 3), (0.25, 10)]);
        let round = Round::begin(vec![Score::default(); 4]);
        assert_eq!(round.n_games(1, Some(&allocation)), 1);
        let scores = [score(10, 1), score(40, 1), score(30, 1), score(20, 1)];
        let round = next(round.record(scores, Some(&allocation)));
        assert_eq!(round.playing().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(round.n_games(1, Some(&allocation)), 3);
        let round = next(round.record([score(80, 3), score(150, 3)], Some(&allocation)));
        assert_eq!(round.playing().collect::<Vec<_>>(), [2]);
        assert_eq!(round.n_games(1, Some(&allocation)), 10);
        let scores = scored(round.record([score(420, 10)], Some(&allocation)));
        assert_eq!(scores, [score(10, 1), score(120, 4), score(600, 14), score(20, 1)]);
    }

    #[test]
    fn without_an_allocation_the_first_stage_is_the_last() {
        let round = Round::begin(vec![score(7, 7); 2]);
        assert_eq!((round.playing().count(), round.n_games(5, None)), (2, 5));
        let scores = [score(1, 5), score(2, 5)];
        assert_eq!(scored(round.record(scores, None)), scores);
    }

    #[test]
    fn luck_does_not_overtake_evidence() {
        let allocation = allocation(&[(0.3, 30)]);
        let round = Round::begin(vec![score(0, 0), score(0, 0), score(900, 100)]);
        // The second is lucky and left behind by the first, who then shows what it is; the third is
        // known from before and was not lucky this time.
        let scores = [score(200, 10), score(190, 10), score(10, 10)];
        let round = next(round.record(scores, Some(&allocation)));
        assert_eq!(round.playing().collect::<Vec<_>>(), [0]);
        let scores = scored(round.record([score(100, 30)], Some(&allocation)));
        assert_eq!(scores, [score(300, 40), score(74, 10), score(10, 10)]);
    }

    /// Whoever has no game that ended is better than can be told.
    #[test]
    fn games_without_an_end_are_the_best() {
        let allocation = allocation(&[(0.5, 4)]);
        let round = Round::begin(vec![Score::default(); 2]);
        let round = next(round.record([score(900, 1), score(800, 0)], Some(&allocation)));
        assert_eq!(round.playing().collect::<Vec<_>>(), [1]);
        let scores = scored(round.record([score(800, 1)], Some(&allocation)));
        assert_eq!(scores, [score(900, 1), score(1600, 1)]);
    }

    #[test]
    fn shares_do_not_grow() {
        assert!(allocation(&[(0.3, 30), (0.3, 50), (0.0, 100)]).check().is_ok());
        let refusal = allocation(&[(0.3, 30), (0.5, 100)]).check().unwrap_err();
        assert_eq!(refusal.key, "further.1.share");
        assert_eq!(allocation(&[(f64::NAN, 1)]).check().unwrap_err().key, "further.0.share");
    }

    fn stages() -> impl Strategy<Value = Vec<Vec<(u64, u64)>>> {
        prop::collection::vec(prop::collection::vec((0_u64..1000, 0_u64..20), 30), 3)
    }

    proptest! {
        /// The shares go on, nobody comes back, those who reach the last stage keep all that they
        /// scored, and nobody gains.
        #[test]
        fn rounds_narrow(drawn in stages(), shares in (0.0..=1.0, 0.0..=1.0)) {
            let (second, third) = (f64::max(shares.0, shares.1), f64::min(shares.0, shares.1));
            let allocation = allocation(&[(second, 2), (third, 3)]);
            prop_assert!(allocation.check().is_ok());
            let mut round = Round::begin(vec![Score::default(); 30]);
            let mut sums = vec![Score::default(); 30];
            let mut playing: Vec<usize> = (0..30).collect();
            for (stage, drawn) in drawn.iter().enumerate() {
                let scores: Vec<_> = playing.iter().map(|&idx| {
                    let (total, n) = drawn[idx];
                    sums[idx] = sums[idx].pooled(score(total, n));
                    score(total, n)
                }).collect();
                match round.record(scores, Some(&allocation)) {
                    AfterStage::Next(next) => {
                        let going_on: Vec<_> = next.playing().collect();
                        prop_assert!(going_on.iter().all(|idx| playing.contains(idx)));
                        let share = [second, third][stage];
                        prop_assert_eq!(going_on.len(), share_of(share, 30).min(playing.len()));
                        playing = going_on;
                        round = next;
                    }
                    AfterStage::Scored(scores) => {
                        prop_assert_eq!(stage, 2);
                        for (score, sum) in scores.iter().zip(&sums) {
                            prop_assert!(score.compare(*sum).is_le());
                        }
                        for &idx in &playing {
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
