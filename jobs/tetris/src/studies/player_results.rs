//! The results of a player's trials, and their scores.

use hatchery_core::{IntervalEstimate, Measure, MeasureValue, SubjectTrial, TrialRow};
use hatchery_evolve::MeanScore;
use hatchery_stats::{ScoreSummary, mean_estimate, median, median_estimate, replicates_estimate};
use serde::{Deserialize, Serialize};

use crate::rules::BoardSize;
use crate::splitting::{SplittingReplicate, mean_lines};
use crate::trial::results::GameTally;
use crate::trial::setup::TetrisPlayer;

/// The results of a player's trials.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PlayerResults {
    pub(super) lines: Vec<u64>,
    capped: u64,
    pub(super) splits: Vec<SplittingReplicate>,
}

impl From<&GameTally> for PlayerResults {
    fn from(GameTally { lines, capped, splits, pieces: _ }: &GameTally) -> Self {
        Self { lines: lines.clone(), capped: *capped, splits: splits.clone() }
    }
}

impl PlayerResults {
    /// Returns the score of the one game that was played, whose pieces are fixed: another game
    /// would be the same.
    pub(super) fn exact(&self) -> IntervalEstimate {
        let estimate = mean_estimate(&self.summary());
        IntervalEstimate { low: estimate.mean, high: estimate.mean, ..estimate }
    }

    /// Returns the mean score with its interval; `None` if no game ended in any replicate.
    pub(super) fn mean(&self, size: BoardSize) -> Option<IntervalEstimate> {
        if self.splits.is_empty() {
            return Some(mean_estimate(&self.summary()));
        }
        let hazards: Vec<_> = self.splits.iter().map(SplittingReplicate::hazard).collect();
        let hazard = replicates_estimate(&hazards);
        let cells = cells_at_end(&self.splits);
        let lines = |hazard: f64| mean_lines(1.0 / hazard, size.width(), cells);
        let estimate = IntervalEstimate {
            mean: lines(hazard.mean),
            low: lines(hazard.high),
            high: lines(hazard.low),
            ..hazard
        };
        estimate.high.is_finite().then_some(estimate)
    }

    /// Returns the number, mean and spread of the games' scores.
    pub(super) fn summary(&self) -> ScoreSummary {
        ScoreSummary::of(self.lines.iter().copied())
    }

    /// Returns the median score of the games, with its interval unless there are too few for one.
    pub(super) fn median(&self) -> MeasureValue {
        let mut sorted = self.lines.clone();
        sorted.sort_unstable();
        median_estimate(&sorted).map_or_else(|| median(&sorted).into(), MeasureValue::from)
    }

    /// Returns the number of games that were stopped.
    pub(super) fn n_capped(&self) -> u64 {
        self.capped
    }

    /// Returns the number of ends of games that splitting has seen.
    pub(super) fn n_ends(&self) -> u64 {
        self.splits.iter().map(SplittingReplicate::n_ends).sum()
    }

    /// Returns the rows of the games, whose score are the lines; none of replicates. The rows
    /// belong to the subject `name` with the index `subject` in the plan for `generation`.
    pub(super) fn trial_rows<'a>(
        &'a self,
        generation: u32,
        subject: u32,
        name: &'a str,
    ) -> impl Iterator<Item = TrialRow<'a>> {
        self.lines.iter().zip(0..).map(move |(&lines, trial)| TrialRow {
            generation,
            trial: SubjectTrial { subject, trial },
            subject: name,
            #[expect(clippy::cast_precision_loss, reason = "2^53 lines are enough")]
            score: Some(lines as f64),
            length: None,
        })
    }

    /// Returns the measures of `player`; `named` turns a measure's name into the full one.
    pub(super) fn measures(
        &self,
        named: &dyn Fn(&str) -> String,
        player: &TetrisPlayer,
    ) -> Vec<Measure> {
        if player.dealing.is_fixed() {
            let lines =
                self.lines.iter().map(|&lines| Measure::new(named("lines"), "lines", lines));
            let capped = Measure::new(named("capped"), "games", self.capped);
            return lines.chain((self.capped != 0).then_some(capped)).collect();
        }
        let size = player.game.rules.size;
        let mean = self.mean(size).map(|mean| Measure::new(named("mean"), "lines", mean));
        let mut measures: Vec<_> = mean.into_iter().collect();
        if player.splitting.is_some() {
            measures.push(Measure::new(named("ends"), "games", self.n_ends()));
        } else {
            let summary = self.summary();
            measures.push(Measure::new(named("median"), "lines", self.median()));
            // One game has no spread.
            if 1 < self.lines.len() {
                measures.push(Measure::new(named("sd"), "lines", summary.sd()));
                measures.push(Measure::new(named("cv"), "", summary.cv()));
            }
        }
        if self.capped != 0 {
            measures.push(Measure::new(named("capped"), "games", self.capped));
        }
        measures
    }
}

/// Returns the fitness of an individual by its trials: the sum of its games' scores, or the
/// splitting estimate as one score.
pub(super) fn score(games: &GameTally, size: BoardSize) -> MeanScore {
    let GameTally { lines, splits, .. } = games;
    if splits.is_empty() {
        return MeanScore { total: lines.iter().sum(), n: lines.len() as u64 };
    }
    let sum: f64 = splits.iter().map(SplittingReplicate::positive_hazard).sum();
    #[expect(clippy::cast_precision_loss, reason = "a few replicates")]
    let pieces = splits.len() as f64 / sum;
    let lines = mean_lines(pieces, size.width(), cells_at_end(splits));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive; it saturates far beyond any game"
    )]
    let total = lines.min(1e15) as u64;
    MeanScore { total, n: 1 }
}

/// Returns the mean number of full cells at the end of games.
fn cells_at_end(splits: &[SplittingReplicate]) -> f64 {
    let ends: u64 = splits.iter().map(SplittingReplicate::n_ends).sum();
    let cells: u64 = splits.iter().map(|split| split.cells).sum();
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let mean = cells as f64 / ends.max(1) as f64;
    mean
}
