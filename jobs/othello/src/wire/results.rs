//! Results on the wire.

use hatchery_core::{DecodeError, MessageValue, Tally};
use hatchery_stats::PairResult;

use super::opening::RecordedGameMessage;
use super::pairs_of_a_trial;
use super::sums::{EffortMessage, LevelSumsMessage};
use crate::naturalness::GameNaturalness;
use crate::play::half_points;
use crate::results::{MatchResults, PairGames};
use crate::rules::{DiscColor, TurnState};

/// [`MatchResults`] on the wire: a byte for each pair.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MatchResultsMessage {
    #[prost(uint32, tag = "1")]
    pairs_per_trial: u32,
    #[prost(bytes = "vec", tag = "2")]
    pairs: Vec<u8>,
    #[prost(message, repeated, tag = "3")]
    records: Vec<PairGamesMessage>,
    #[prost(message, repeated, tag = "4")]
    efforts: Vec<EffortMessage>,
    #[prost(message, repeated, tag = "5")]
    levels: Vec<LevelSumsMessage>,
    #[prost(message, repeated, tag = "6")]
    naturalness: Vec<NaturalnessMessage>,
    /// Three for each trial.
    #[prost(message, repeated, tag = "7")]
    around_change: Vec<LevelSumsMessage>,
}

/// A [`GameNaturalness`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct NaturalnessMessage {
    #[prost(uint64, repeated, tag = "1")]
    counts: Vec<u64>,
}

/// [`PairGames`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PairGamesMessage {
    #[prost(uint32, tag = "1")]
    opening: u32,
    #[prost(message, repeated, tag = "2")]
    games: Vec<RecordedGameMessage>,
}

impl MessageValue for MatchResults {
    type Message = MatchResultsMessage;

    fn to_message(&self) -> MatchResultsMessage {
        let Self { pairs_per_trial, pairs, records, efforts, levels, .. } = self;
        MatchResultsMessage {
            pairs_per_trial: *pairs_per_trial,
            pairs: pairs.iter().map(|pair| pair.to_byte()).collect(),
            records: records.iter().map(PairGamesMessage::from).collect(),
            efforts: efforts.iter().map(EffortMessage::from).collect(),
            levels: levels.iter().map(LevelSumsMessage::from).collect(),
            naturalness: self.naturalness.iter().map(NaturalnessMessage::from).collect(),
            around_change: self
                .around_change
                .iter()
                .flatten()
                .map(LevelSumsMessage::from)
                .collect(),
        }
    }

    fn from_message(message: MatchResultsMessage) -> Result<Self, DecodeError> {
        let MatchResultsMessage {
            pairs_per_trial,
            pairs,
            records,
            efforts,
            levels,
            naturalness,
            around_change,
        } = message;
        let pairs_per_trial = pairs_of_a_trial("pairs_per_trial", pairs_per_trial)?;
        let n_pairs = pairs.len();
        let per_trial = pairs_per_trial as usize;
        if n_pairs == 0 || n_pairs % per_trial != 0 || u32::MAX as usize / 2 < n_pairs {
            let expected = format!("{per_trial} for each trial, of at least one trial");
            return Err(DecodeError::field("pairs", &n_pairs, expected));
        }
        let pair = |byte: u8| {
            PairResult::from_byte(byte)
                .ok_or_else(|| DecodeError::field("pairs", &byte, "bytes below 9"))
        };
        let pairs: Vec<PairResult> = pairs.into_iter().map(pair).collect::<Result<_, _>>()?;
        let n_games = 2 * n_pairs as u64;
        let n_efforts = efforts.len();
        let efforts: [EffortMessage; 2] = efforts
            .try_into()
            .map_err(|_| DecodeError::field("efforts", &n_efforts, "2, one for each agent"))?;
        let [first, second] = efforts.map(|effort| effort.checked(n_games));
        let n_trials = (n_pairs / per_trial) as u64;
        let n_levels = levels.len();
        if n_levels != 0 && n_levels != 2 * per_trial {
            let expected = format!("none, or one for each of {} games", 2 * per_trial);
            return Err(DecodeError::field("levels", &n_levels, expected));
        }
        let n_judged = naturalness.len();
        if n_judged != 0 && n_judged != n_pairs / per_trial {
            let expected = format!("none, or one for each of {n_trials} trials");
            return Err(DecodeError::field("naturalness", &n_judged, expected));
        }
        let games = 2 * u64::from(pairs_per_trial);
        let n_around = around_change.len();
        if n_around != 0 && (n_levels == 0 || n_around as u64 != 3 * n_trials) {
            let expected = format!("none, or 3 for each of {n_trials} trials with levels");
            return Err(DecodeError::field("around_change", &n_around, expected));
        }
        // The levels of the games of a trial.
        let window = |message: &LevelSumsMessage| message.checked(games, games);
        let around_change: Vec<_> = around_change.iter().map(window).collect::<Result<_, _>>()?;
        let judged = |record: NaturalnessMessage| record.checked(games);
        let level = |(level, game): (LevelSumsMessage, u64)| level.checked(n_trials, game);
        Ok(Self {
            pairs_per_trial,
            records: checked_records(records, &pairs)?,
            pairs,
            efforts: [first?, second?],
            levels: levels.into_iter().zip(1..).map(level).collect::<Result<_, _>>()?,
            naturalness: naturalness.into_iter().map(judged).collect::<Result<_, _>>()?,
            around_change: around_change.as_chunks().0.to_vec(),
        })
    }
}

hatchery_core::message_value!(MatchResults);

impl Tally for MatchResults {
    fn n_trials(&self) -> u64 {
        Self::n_trials(self)
    }

    fn absorb(&mut self, later: Self) {
        Self::absorb(self, later);
    }
}

/// Checks that the records are those of the first pairs.
fn checked_records(
    records: Vec<PairGamesMessage>,
    pairs: &[PairResult],
) -> Result<Vec<PairGames>, DecodeError> {
    let (n, expected) = (records.len(), pairs.len().min(MatchResults::MAX_RECORDS));
    if n != expected {
        let expected = format!("{expected}, one for each of the first pairs");
        return Err(DecodeError::field("records", &n, expected));
    }
    let records: Vec<PairGames> =
        records.into_iter().map(PairGamesMessage::checked).collect::<Result<_, _>>()?;
    for (record, pair) in records.iter().zip(pairs) {
        let [black, white] = &record.games;
        let found = [half_points(black, DiscColor::Black), half_points(white, DiscColor::White)];
        if found != pair.half_points() {
            let found = format!("of half points {found:?}");
            let expected = format!("of half points {:?}, as `pairs` has them", pair.half_points());
            return Err(DecodeError::field("games", &found, expected));
        }
    }
    Ok(records)
}

impl From<&GameNaturalness> for NaturalnessMessage {
    fn from(record: &GameNaturalness) -> Self {
        Self { counts: record.counts().to_vec() }
    }
}

impl NaturalnessMessage {
    /// Returns the record of a trial of `games`.
    fn checked(self, games: u64) -> Result<GameNaturalness, DecodeError> {
        let record = GameNaturalness::from_counts(&self.counts)?;
        if record.games() != games {
            let expected = format!("{games}, as in a trial");
            return Err(DecodeError::field("games", &record.games(), expected));
        }
        Ok(record)
    }
}

impl From<&PairGames> for PairGamesMessage {
    fn from(PairGames { opening, games }: &PairGames) -> Self {
        Self {
            opening: u32::try_from(*opening).unwrap_or(u32::MAX),
            games: games.iter().map(RecordedGameMessage::from).collect(),
        }
    }
}

impl PairGamesMessage {
    fn checked(self) -> Result<PairGames, DecodeError> {
        let Self { opening, games } = self;
        let n = games.len();
        let games: [RecordedGameMessage; 2] = games
            .try_into()
            .map_err(|_| DecodeError::field("games", &n, "2, one in each color"))?;
        let [first, second] = games.map(RecordedGameMessage::checked);
        let games = [first?, second?];
        let opening = opening as usize;
        if let Some(game) = games.iter().find(|game| game.state() != TurnState::Over) {
            let found = format!("unfinished after {} moves", game.moves().len());
            return Err(DecodeError::field("games", &found, "played to the end"));
        }
        // A game goes on after its opening.
        let has_more = games.iter().all(|game| opening < game.moves().len());
        let is_common = games[0].start() == games[1].start()
            && has_more
            && games[0].moves()[..opening] == games[1].moves()[..opening];
        if !is_common {
            let expected = "a number of moves that both games begin with, and go on after";
            return Err(DecodeError::field("opening", &opening, expected));
        }
        Ok(PairGames { opening, games })
    }
}
