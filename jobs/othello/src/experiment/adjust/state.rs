//! The results of all cells.

use hatchery_stats::{PairCounts, PairResult};
use serde::{Deserialize, Serialize};

use crate::naturalness::GameNaturalness;
use crate::players::SearchEffort;
use crate::results::{LevelSums, MatchResults};

/// The results of all cells, in their order; empty before the games.
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
    /// The half points of the pairs that count in each trial: a sum for each.
    pub trials: Vec<u32>,
    /// The effort of the arm and of the opponent.
    pub efforts: [SearchEffort; 2],
    /// The levels that the arm had learned at the end of each game of a trial.
    pub levels: Vec<LevelSums>,
    /// The naturalness of the arm's moves: the counts of each judged trial.
    pub naturalness: Vec<Vec<u64>>,
}

impl CellResults {
    /// Adds results of the cell.
    pub(super) fn add(&mut self, results: &MatchResults) {
        let per_trial = results.pairs_per_trial.max(1) as usize;
        // A trial of a single pair counts as a whole.
        let n_first = per_trial / 2;
        for trial in results.pairs.chunks(per_trial) {
            let (first, counted) = trial.split_at(n_first.min(trial.len()));
            self.first.add(first);
            self.counted.add(counted);
            let points = |pair: &PairResult| pair.half_points().map(u32::from).iter().sum::<u32>();
            self.trials.push(counted.iter().map(points).sum());
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
        self.naturalness.extend(results.naturalness.iter().map(|record| record.counts().to_vec()));
    }

    /// Returns the records of the judged trials.
    pub(super) fn records(&self) -> Vec<GameNaturalness> {
        let records = self.naturalness.iter().map(|counts| GameNaturalness::from_counts(counts));
        records.filter_map(Result::ok).collect()
    }
}
