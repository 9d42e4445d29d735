//! The results of trials.

use hatchery_core::part::Part;
use hatchery_stats::PairResult;
use serde::{Deserialize, Serialize};

use crate::learning::StoredLearner;
use crate::record::GameRecord;
use crate::rules::{EffectKind, EndCause};

/// The results of trials of one series: those of each kind of trial, in order.
///
/// A series has trials of one kind, and a trial has one result, of its own kind. A worker with a
/// defect may send results of another kind; they add up all the same, and those who need results
/// of games find fewer than there were trials.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialResults {
    /// The results of games.
    pub games: DeckMatchResults,
    /// Recorded games, one part for each trial.
    pub recorded: Vec<RecordedGames>,
    /// The results of learning, one for each trial.
    pub trained: Vec<TrainingResult>,
}

/// Recorded games to learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedGames {
    /// The file of the records.
    pub file: Part,
    /// The games.
    pub games: u64,
    /// The placements in them.
    pub placements: u64,
}

/// The result of a trial of learning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingResult {
    /// The learner after it; `None` if there was none before and it failed at once.
    pub learner: Option<StoredLearner>,
    /// The steps.
    pub steps: u64,
    /// The losses, stretch by stretch.
    pub curve: Vec<LossPoint>,
    /// The neighbors of each piece of the decks, if they were asked for.
    pub neighbors: Vec<PieceNeighbors>,
    /// The reason why it ended early: the learner is that before the step that failed.
    pub failure: Option<String>,
    /// What reinforcement learning has beside it; `None` for other tasks, and if it failed at once.
    pub replay: Option<ReplayUse>,
}

/// The use of games in reinforcement learning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplayUse {
    /// The games that the learner played between its steps: none if it only learned.
    pub played: Option<RecordedGames>,
    /// The games of the learner among `played`, as losses, draws and wins.
    pub results: [u64; 3],
    /// The files of games, from the first on, that the replay memory holds nothing of any more.
    pub n_dropped_files: u32,
    /// The number of the first decision of the files after those.
    pub first_item: u64,
    /// The decisions that came into the replay memory over its life.
    pub items: u64,
    /// The decisions that were drawn from it in these steps.
    pub drawn: u64,
    /// The sum of their ages: of the decisions that came into the memory after each of them.
    pub age_sum: u64,
}

impl ReplayUse {
    /// Returns the mean age of the decisions that were drawn; 0 if none were.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for display; below 2^53 in all but odd cases")]
    pub fn mean_age(&self) -> f64 {
        self.age_sum as f64 / self.drawn.max(1) as f64
    }
}

impl TrainingResult {
    /// The most bytes of the text of a failure.
    pub const MAX_FAILURE: usize = 400;

    /// Returns the parts that training has written, or has left as they were: those of the learner,
    /// and of games that it played.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<_> = self.learner.iter().flat_map(StoredLearner::parts).collect();
        let played = self.replay.iter().filter_map(|replay| replay.played);
        parts.extend(played.map(|played| played.file));
        parts
    }
}

/// The losses of a stretch of steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LossPoint {
    /// The steps.
    pub steps: u64,
    /// The rows that were learned from.
    pub rows: u64,
    /// The sum of their losses: a finite number.
    pub loss_sum: f64,
}

impl LossPoint {
    /// Returns the mean loss of a row; 0 without rows.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 rows")]
    pub fn mean_loss(&self) -> f64 {
        self.loss_sum / self.rows.max(1) as f64
    }
}

/// The neighbors of a piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PieceNeighbors {
    /// The number of the piece.
    pub piece: u16,
    /// The number of times that it was placed in the games.
    pub placed: u32,
    /// The numbers of the nearest pieces with the cosines of the angles between the vectors, the
    /// nearest first.
    pub nearest: Vec<(u16, f32)>,
}

impl TrialResults {
    /// Returns the results of games alone.
    #[must_use]
    pub fn of_games(games: DeckMatchResults) -> Self {
        Self { games, ..Self::default() }
    }

    /// Adds the results of later trials of the same series.
    pub fn absorb(&mut self, later: Self) {
        let Self { games, recorded, trained } = later;
        self.games.absorb(games);
        self.recorded.extend(recorded);
        self.trained.extend(trained);
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
