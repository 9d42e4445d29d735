//! The results of pairs of games between two decks, as player A sees them.

use hatchery_stats::PairResult;
use serde::{Deserialize, Serialize};

use crate::record::GameRecord;
use crate::rules::{EffectKind, EndCause};

/// The results of trials of one series: pairs of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeckMatchResults {
    /// The pairs of games, one for each trial, in order.
    pub pairs: Vec<PairResult>,
    /// The sums over their games.
    pub sums: GameSums,
    /// The games, two for each trial, if they are kept.
    pub records: Vec<GameRecord>,
}

/// Sums over games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameSums {
    /// The games.
    pub games: u64,
    /// The placements.
    pub placements: u64,
    /// The games by the cause of their end, in the order of [`EndCause::ALL`].
    pub causes: [u64; EndCause::ALL.len()],
    /// The games in which an effect of each kind fired, in the order of [`EffectKind::ALL`].
    pub fired: [u64; EffectKind::ALL.len()],
}

impl GameSums {
    /// Adds the sums of other games.
    pub fn absorb(&mut self, other: &Self) {
        let Self { games, placements, causes, fired } = other;
        self.games = self.games.saturating_add(*games);
        self.placements = self.placements.saturating_add(*placements);
        for (mine, theirs) in self.causes.iter_mut().zip(causes) {
            *mine = mine.saturating_add(*theirs);
        }
        for (mine, theirs) in self.fired.iter_mut().zip(fired) {
            *mine = mine.saturating_add(*theirs);
        }
    }
}

impl DeckMatchResults {
    /// Adds the results of later trials of the same series.
    pub fn absorb(&mut self, later: Self) {
        let Self { pairs, sums, records } = later;
        self.pairs.extend(pairs);
        self.sums.absorb(&sums);
        self.records.extend(records);
    }
}
