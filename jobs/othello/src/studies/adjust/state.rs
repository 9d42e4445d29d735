//! The results from all cells.

use hatchery_stats::{PairCounts, PairResult};
use serde::{Deserialize, Serialize};

use crate::naturalness::GameNaturalness;
use crate::players::SearchEffort;
use crate::trial::results::{LevelSums, MatchResults};
use crate::trial::setup::OpponentChange;

/// The results from all cells, in the cells' order; empty before the games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdjustState {
    /// The cells: arms against opponents.
    pub cells: Vec<CellResults>,
}

/// The results of an arm against an opponent, as the arm sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellResults {
    /// The pairs that do not count: the first halves of sequences.
    pub first: PairCounts,
    /// The pairs that count.
    pub counted: PairCounts,
    /// The half points of the pairs that count in each trial: a sum for each. Against an opponent
    /// that changes, three sums for each, of its [windows](OpponentChange::windows).
    pub trials: Vec<u32>,
    /// The effort of the arm and of the opponent.
    pub efforts: [SearchEffort; 2],
    /// The levels that the arm had learned when the games ended: a trial has one element for every
    /// game. Against an opponent that changes, the levels in each trial's three windows follow.
    pub levels: Vec<LevelSums>,
    /// The naturalness of the arm's moves: every judged trial's counts.
    pub naturalness: Vec<Vec<u64>>,
}

impl CellResults {
    /// Adds results of the cell, whose opponent changes by `change`.
    pub(super) fn add(&mut self, results: &MatchResults, change: Option<&OpponentChange>) {
        let per_trial = results.pairs_per_trial.max(1);
        // A trial of a single pair counts as a whole.
        let n_first = change.map_or(per_trial / 2, |change| change.after) as usize;
        let points = |pairs: &[PairResult]| {
            pairs.iter().flat_map(|pair| pair.half_points()).map(u32::from).sum::<u32>()
        };
        for trial in results.pairs.chunks(per_trial as usize) {
            let (first, counted) = trial.split_at(n_first.min(trial.len()));
            self.first.add(first);
            self.counted.add(counted);
            match change {
                None => self.trials.push(points(counted)),
                Some(change) => self.trials.extend(change.windows(per_trial).map(|pairs| {
                    points(trial.get(pairs.start as usize..pairs.end as usize).unwrap_or_default())
                })),
            }
        }
        for (mine, theirs) in self.efforts.iter_mut().zip(&results.efforts) {
            mine.absorb(theirs);
        }
        if self.levels.is_empty() {
            self.levels.clone_from(&results.levels);
        } else {
            let levels = self.levels.iter_mut().zip(&results.levels);
            levels.for_each(|(mine, theirs)| mine.absorb(theirs));
        }
        self.levels.extend(&results.around_change);
        self.naturalness.extend(results.naturalness.iter().map(|record| record.counts().to_vec()));
    }

    /// Returns the half points in each trial's windows against an opponent that changes.
    pub(super) fn points_around_change(&self) -> &[[u32; 3]] {
        self.trials.as_chunks().0
    }

    /// Returns the levels in each trial's windows, for trials with `pairs` pairs against an
    /// opponent that changes. The slice is empty if the arm learns nothing.
    pub(super) fn levels_around_change(&self, pairs: u32) -> &[[LevelSums; 3]] {
        self.levels.get(2 * pairs as usize..).unwrap_or_default().as_chunks().0
    }

    /// Returns the records of the judged trials.
    pub(super) fn records(&self) -> Vec<GameNaturalness> {
        let records = self.naturalness.iter().map(|counts| GameNaturalness::from_counts(counts));
        records.filter_map(Result::ok).collect()
    }
}
