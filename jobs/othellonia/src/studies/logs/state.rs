//! The games that were recorded.

use hatchery_core::Part;
use hatchery_stats::PairCounts;
use serde::{Deserialize, Serialize};

use crate::trial::results::{DeckMatchResults, GameSums, TrialResults};

/// The games that were recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogsState {
    /// Every series' games, in the plan's order; empty before the games were played.
    pub series: Vec<SeriesGames>,
    /// The sums over all games.
    pub sums: GameSums,
    /// The files of the learned agents.
    pub weights: Vec<Part>,
}

/// The games of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesGames {
    /// The records, in order. Within each pair, the game that A begins comes first, then the other
    /// game.
    pub records: Vec<Vec<u8>>,
    /// The results of the pairs, as A sees them.
    pub counts: PairCounts,
}

impl LogsState {
    pub(super) fn add(&mut self, tallies: &[TrialResults]) {
        for TrialResults { games, .. } in tallies {
            let DeckMatchResults { pairs, sums, first_pairs: _, records } = games;
            self.sums.absorb(sums);
            let records = records.iter().map(|record| record.encode()).collect();
            let mut counts = PairCounts::default();
            counts.add(pairs);
            self.series.push(SeriesGames { records, counts });
        }
    }
}
