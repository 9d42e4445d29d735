//! The results of trials.

use hatchery_stats::PairResult;
use serde::{Deserialize, Serialize};

use crate::record::GameRecord;
use crate::rules::{EffectKind, EndCause};

/// The results of trials of one series: those of each kind of trial, in order.
///
/// A series has trials of one kind, and a trial has one result, of its own kind. A worker with a
/// defect may send results of another kind; they add up all the same, and those who need results
/// of games find fewer than there were trials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialResults {
    /// The results of games.
    pub games: DeckMatchResults,
}

impl TrialResults {
    /// Returns the results of games alone.
    #[must_use]
    pub fn of_games(games: DeckMatchResults) -> Self {
        Self { games }
    }

    /// Adds the results of later trials of the same series.
    pub fn absorb(&mut self, later: Self) {
        let Self { games } = later;
        self.games.absorb(games);
    }
}

/// The results of pairs of games between two decks, as player A sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeckMatchResults {
    /// The pairs of games, one for each trial, in order.
    pub pairs: Vec<PairResult>,
    /// The sums over their games.
    pub sums: GameSums,
    /// The first pairs in which something happened.
    pub first_pairs: FirstPairs,
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

/// The first pair of a series in which a game ended by each cause, and in which an effect of each
/// kind fired: indices of pairs, for those who want to see one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstPairs {
    /// By cause, in the order of [`EndCause::ALL`].
    pub causes: [Option<u32>; EndCause::ALL.len()],
    /// By kind, in the order of [`EffectKind::ALL`].
    pub fired: [Option<u32>; EffectKind::ALL.len()],
}

impl FirstPairs {
    /// Returns those of a single pair, by the sums over its games.
    #[must_use]
    pub fn of_pair(sums: &GameSums) -> Self {
        let first = |count: u64| (count != 0).then_some(0);
        Self { causes: sums.causes.map(first), fired: sums.fired.map(first) }
    }

    /// Takes those of later pairs, before which `n_pairs` were played, where there was none.
    fn absorb(&mut self, later: &Self, n_pairs: u32) {
        let mine = self.causes.iter_mut().chain(&mut self.fired);
        for (mine, theirs) in mine.zip(later.causes.iter().chain(&later.fired)) {
            *mine = mine.or(theirs.map(|pair| pair.saturating_add(n_pairs)));
        }
    }
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
        let Self { pairs, sums, first_pairs, records } = later;
        // A series has fewer trials than 2^32.
        let n_pairs = u32::try_from(self.pairs.len()).unwrap_or(u32::MAX);
        self.first_pairs.absorb(&first_pairs, n_pairs);
        self.pairs.extend(pairs);
        self.sums.absorb(&sums);
        self.records.extend(records);
    }
}
