//! The results of trials.

use hatchery_core::{InvalidValue, Part, Tally, WireValue};
use hatchery_stats::PairResult;
use serde::{Deserialize, Serialize};

pub use crate::learning::LossPoint;

use super::setup::{RecordSetup, TrainingSetup};
use crate::learning::StoredLearner;
use crate::learning::reinforcement::MAX_CAPACITY;
use crate::record::{GameRecord, MAX_PLACEMENTS};
use crate::rules::{EffectKind, EndCause};

/// The results of trials from one series, with a list for every kind of trial, in order.
///
/// A series has trials of one kind, and a trial has one result, of its own kind. A worker with a
/// defect may send results of another kind. They add up all the same, and readers who need results
/// of games find fewer results than there were trials.
#[derive(Clone, Debug, Default, PartialEq, WireValue)]
#[wire(check)]
pub struct TrialResults {
    /// The results of games.
    #[wire(tag = 1, default)]
    pub games: DeckMatchResults,
    /// Recorded games, one part for each trial.
    #[wire(tag = 2)]
    pub recorded: Vec<RecordedGames>,
    /// The results of learning, one for each trial.
    #[wire(tag = 3)]
    pub trained: Vec<TrainingResult>,
}

/// Recorded games to learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, WireValue)]
#[wire(check)]
pub struct RecordedGames {
    /// The file of the records.
    #[wire(tag = 1)]
    pub file: Part,
    /// The games.
    #[wire(tag = 2, range(min = 2, max = 2 * u64::from(RecordSetup::MAX_PAIRS)))]
    pub games: u64,
    /// The placements in them.
    #[wire(tag = 3)]
    pub placements: u64,
}

impl RecordedGames {
    fn check(&self) -> Result<(), InvalidValue> {
        let most = self.games * MAX_PLACEMENTS as u64;
        InvalidValue::check_range("placements", &self.placements, &self.games, &most)
    }
}

/// The result of a trial of learning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, WireValue)]
#[wire(check)]
pub struct TrainingResult {
    /// The learner after it; `None` if there was none before and it failed at once.
    #[wire(tag = 1)]
    pub learner: Option<StoredLearner>,
    /// The steps.
    #[wire(tag = 2, range(max = u64::from(TrainingSetup::MAX_STEPS)))]
    pub steps: u64,
    /// The losses, stretch by stretch.
    #[wire(tag = 3, length(max = TrainingSetup::MAX_POINTS as usize))]
    pub curve: Vec<LossPoint>,
    /// The neighbors of every piece in the decks, if the setup asked for neighbors.
    #[wire(tag = 4)]
    pub neighbors: Vec<PieceNeighbors>,
    /// The reason why it ended early: the learner is that before the step that failed.
    #[wire(tag = 5, length(max = Self::MAX_FAILURE))]
    pub failure: Option<String>,
    /// What reinforcement learning has beside it; `None` for other tasks, and if it failed at once.
    #[wire(tag = 6)]
    pub replay: Option<ReplayUse>,
}

/// The use of games in reinforcement learning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, WireValue)]
#[wire(check)]
pub struct ReplayUse {
    /// The games that the learner played between its steps: none if it only learned.
    #[wire(tag = 1)]
    pub played: Option<RecordedGames>,
    /// The games of the learner among `played`, as losses, draws and wins.
    #[wire(tag = 2, default)]
    pub results: [u64; 3],
    /// The files of games, from the first on, that the replay memory holds nothing of any more.
    #[wire(tag = 3, range(max = 1_000))]
    pub n_dropped_files: u32,
    /// The number of the first decision of the files after those.
    #[wire(tag = 4)]
    pub first_item: u64,
    /// The decisions that came into the replay memory over its life.
    #[wire(tag = 5, range(max = TrainingSetup::MAX_ITEMS))]
    pub items: u64,
    /// The decisions that were drawn from it in these steps.
    // As many as steps have.
    #[wire(tag = 6, range(max = 4_096 * u64::from(TrainingSetup::MAX_STEPS)))]
    pub drawn: u64,
    /// The sum of their ages. A decision's age is the number of decisions that came into the memory
    /// after it.
    #[wire(tag = 7)]
    pub age_sum: u64,
}

impl ReplayUse {
    /// Returns the mean age of the decisions that were drawn; 0 if none were.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for display; below 2^53 in all but odd cases")]
    pub fn mean_age(&self) -> f64 {
        self.age_sum as f64 / self.drawn.max(1) as f64
    }

    fn check(&self) -> Result<(), InvalidValue> {
        let games = self.played.map_or(0, |played| played.games);
        check_sum("results", &self.results, games)?;
        InvalidValue::check_range("first_item", &self.first_item, &0, &self.items)?;
        let oldest = self.drawn * u64::from(MAX_CAPACITY);
        InvalidValue::check_range("age_sum", &self.age_sum, &0, &oldest)
    }
}

impl TrainingResult {
    /// The most characters of the text of a failure.
    pub const MAX_FAILURE: usize = 400;

    fn check(&self) -> Result<(), InvalidValue> {
        // No sum of so few numbers below 2^20 goes beyond 64 bits.
        let in_curve: u64 = self.curve.iter().map(|point| point.steps).sum();
        if in_curve != self.steps {
            let expected = format!("{in_curve}, as many as the curve has");
            return Err(InvalidValue::new("steps", &self.steps, expected));
        }
        if self.learner.is_none() && self.failure.is_none() {
            let expected = "a learner, unless there is a failure";
            return Err(InvalidValue::new("learner", "missing", expected));
        }
        match self.neighbors.is_sorted_by(|a, b| a.piece < b.piece) {
            true => Ok(()),
            false => {
                let expected = "in ascending order of pieces";
                Err(InvalidValue::new("neighbors", "a list in another order", expected))
            }
        }
    }
}

/// The neighbors of a piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, WireValue)]
#[wire(try_from = NeighborsForm)]
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

    fn check(&self) -> Result<(), InvalidValue> {
        match self.n_trials() {
            0 => Err(InvalidValue::new("trials", &0, "at least 1")),
            _ => Ok(()),
        }
    }
}

impl Tally for TrialResults {
    fn n_trials(&self) -> u64 {
        let Self { games, recorded, trained } = self;
        (games.pairs.len() + recorded.len() + trained.len()) as u64
    }

    fn absorb(&mut self, later: Self) {
        let Self { games, recorded, trained } = later;
        self.games.absorb(games);
        self.recorded.extend(recorded);
        self.trained.extend(trained);
    }
}

/// The results of pairs of games between two decks, as player A sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq, WireValue)]
#[wire(try_from = MatchResultsForm)]
pub struct DeckMatchResults {
    /// The pairs of games, one for each trial, in order.
    pub pairs: Vec<PairResult>,
    /// The sums over their games.
    pub sums: GameSums,
    /// For each event, the first pair that showed the event.
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
    /// For every effect kind, the number of games in which such an effect fired, in the order of
    /// [`EffectKind::ALL`].
    pub fired: [u64; EffectKind::ALL.len()],
}

/// The first pairs in a series, as indices of pairs, for readers who want to see an example: for
/// every cause, the first pair with a game that ended by it, and for every kind, the first pair
/// with a game where such an effect fired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstPairs {
    /// By cause, in the order of [`EndCause::ALL`].
    pub causes: [Option<u32>; EndCause::ALL.len()],
    /// By kind, in the order of [`EffectKind::ALL`].
    pub fired: [Option<u32>; EffectKind::ALL.len()],
}

impl FirstPairs {
    /// Returns the first pairs of a series with a single pair, by the sums over its games.
    #[must_use]
    pub fn of_pair(sums: &GameSums) -> Self {
        let first = |count: u64| (count != 0).then_some(0);
        Self { causes: sums.causes.map(first), fired: sums.fired.map(first) }
    }

    /// Takes the first pairs from later pairs where there was none yet; `n_pairs` pairs were played
    /// before the later pairs.
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

/// Checks counts of games by something that each of `games` has.
fn check_sum(key: &str, counts: &[u64], games: u64) -> Result<(), InvalidValue> {
    let sum = counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
    match sum == games {
        true => Ok(()),
        false => Err(InvalidValue::new(key, &sum, format!("{games} together"))),
    }
}

/// [`DeckMatchResults`] of at least one pair: a byte for each pair.
#[derive(WireValue)]
struct MatchResultsForm {
    #[wire(tag = 1, length(min = 1, max = u32::MAX as usize))]
    pairs: Vec<u8>,
    #[wire(tag = 2)]
    placements: u64,
    #[wire(tag = 3)]
    causes: [u64; EndCause::ALL.len()],
    #[wire(tag = 4)]
    fired: [u64; EffectKind::ALL.len()],
    #[wire(tag = 5)]
    records: Vec<GameRecord>,
    /// The index of a pair and 1, for each cause and then for each kind; 0 for none.
    #[wire(tag = 6)]
    first_pairs: [u32; EndCause::ALL.len() + EffectKind::ALL.len()],
}

impl From<&DeckMatchResults> for MatchResultsForm {
    fn from(results: &DeckMatchResults) -> Self {
        let DeckMatchResults { pairs, sums, first_pairs, records } = results;
        let GameSums { games: _, placements, causes, fired } = sums;
        let first: Vec<_> = first_pairs.causes.iter().chain(&first_pairs.fired).collect();
        Self {
            pairs: pairs.iter().map(|pair| pair.to_byte()).collect(),
            placements: *placements,
            causes: *causes,
            fired: *fired,
            records: records.clone(),
            first_pairs: std::array::from_fn(|at| {
                first[at].map_or(0, |pair| pair.saturating_add(1))
            }),
        }
    }
}

impl TryFrom<MatchResultsForm> for DeckMatchResults {
    type Error = InvalidValue;

    fn try_from(form: MatchResultsForm) -> Result<Self, InvalidValue> {
        let MatchResultsForm { pairs, placements, causes, fired, records, first_pairs } = form;
        let n_pairs = pairs.len();
        let pair = |byte: u8| {
            PairResult::from_byte(byte)
                .ok_or_else(|| InvalidValue::new("pairs", &byte, "bytes below 9"))
        };
        let pairs = pairs.into_iter().map(pair).collect::<Result<_, _>>()?;
        let games = 2 * n_pairs as u64;
        let most = games * MAX_PLACEMENTS as u64;
        InvalidValue::check_range("placements", &placements, &games, &most)?;
        check_sum("causes", &causes, games)?;
        for count in &fired {
            InvalidValue::check_range("fired", count, &0, &games)?;
        }
        let n_records = records.len() as u64;
        if n_records != 0 && n_records != games {
            let expected = format!("none, or {games}, one for each game");
            return Err(InvalidValue::new("records", &n_records, expected));
        }
        let n_actions: u64 = records.iter().map(|record| record.actions.len() as u64).sum();
        if n_records != 0 && n_actions != placements {
            let expected = format!("{n_actions}, as many as the records have");
            return Err(InvalidValue::new("placements", &placements, expected));
        }
        let sums = GameSums { games, placements, causes, fired };
        let first_pairs = checked_first_pairs(&first_pairs, &sums, n_pairs)?;
        Ok(Self { pairs, sums, first_pairs, records })
    }
}

/// Returns the first pairs of `n_pairs` with these sums.
fn checked_first_pairs(
    numbers: &[u32],
    sums: &GameSums,
    n_pairs: usize,
) -> Result<FirstPairs, InvalidValue> {
    let mut first = FirstPairs::default();
    let places = first.causes.iter_mut().chain(&mut first.fired);
    let counts = sums.causes.iter().chain(&sums.fired);
    for ((place, &number), &count) in places.zip(numbers).zip(counts) {
        *place = number.checked_sub(1);
        if place.is_some() != (count != 0) || n_pairs < number as usize {
            let expected = match count {
                0 => "0, as nothing of the kind is counted".to_owned(),
                _ => format!("from 1 to {n_pairs}, as some are counted"),
            };
            return Err(InvalidValue::new("first_pairs", &number, expected));
        }
    }
    Ok(first)
}

/// [`PieceNeighbors`]: pieces and cosines apart.
#[derive(WireValue)]
struct NeighborsForm {
    #[wire(tag = 1)]
    piece: u16,
    #[wire(tag = 2)]
    placed: u32,
    #[wire(tag = 3, length(max = 10))]
    nearest: Vec<u16>,
    // Rounding may go beyond 1.
    #[wire(tag = 4, inner(range(min = -1.01, max = 1.01)))]
    cosines: Vec<f32>,
}

impl From<&PieceNeighbors> for NeighborsForm {
    fn from(PieceNeighbors { piece, placed, nearest }: &PieceNeighbors) -> Self {
        let (nearest, cosines) = nearest.iter().copied().unzip();
        Self { piece: *piece, placed: *placed, nearest, cosines }
    }
}

impl TryFrom<NeighborsForm> for PieceNeighbors {
    type Error = InvalidValue;

    fn try_from(form: NeighborsForm) -> Result<Self, InvalidValue> {
        let NeighborsForm { piece, placed, nearest, cosines } = form;
        if cosines.len() != nearest.len() {
            let expected = format!("{}, one for each neighbor", nearest.len());
            return Err(InvalidValue::new("cosines", &cosines.len(), expected));
        }
        Ok(Self { piece, placed, nearest: nearest.into_iter().zip(cosines).collect() })
    }
}
