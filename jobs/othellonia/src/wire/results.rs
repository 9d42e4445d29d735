//! Results on the wire.

use hatchery_core::part::Part;
use hatchery_core::{DecodeError, MessageValue, Tally};
use hatchery_stats::PairResult;

use super::replay_use::RecordedGamesMessage;
use super::training_result::TrainingResultMessage;
use crate::record::{GameRecord, MAX_PLACEMENTS};
use crate::results::{DeckMatchResults, FirstPairs, GameSums, TrainingResult, TrialResults};
use crate::rules::{EffectKind, EndCause};

/// [`TrialResults`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TrialResultsMessage {
    /// Missing if there are no results of games.
    #[prost(message, optional, tag = "1")]
    games: Option<DeckMatchResultsMessage>,
    #[prost(message, repeated, tag = "2")]
    recorded: Vec<RecordedGamesMessage>,
    #[prost(message, repeated, tag = "3")]
    trained: Vec<TrainingResultMessage>,
}

/// [`DeckMatchResults`] of at least one pair on the wire: a byte for each pair.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DeckMatchResultsMessage {
    #[prost(bytes = "vec", tag = "1")]
    pairs: Vec<u8>,
    #[prost(uint64, tag = "2")]
    placements: u64,
    #[prost(uint64, repeated, tag = "3")]
    causes: Vec<u64>,
    #[prost(uint64, repeated, tag = "4")]
    fired: Vec<u64>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    records: Vec<Vec<u8>>,
    /// The index of a pair and 1, for each cause and then for each kind; 0 for none.
    #[prost(uint32, repeated, tag = "6")]
    first_pairs: Vec<u32>,
}

/// The most pairs of a series: a series has fewer trials than 2^32.
const MAX_PAIRS: usize = u32::MAX as usize;

impl MessageValue for TrialResults {
    type Message = TrialResultsMessage;

    fn to_message(&self) -> TrialResultsMessage {
        let Self { games, recorded, trained } = self;
        TrialResultsMessage {
            games: (!games.pairs.is_empty()).then(|| games.to_message()),
            recorded: recorded.iter().map(RecordedGamesMessage::from).collect(),
            trained: trained.iter().map(TrainingResultMessage::from).collect(),
        }
    }

    fn from_message(message: TrialResultsMessage) -> Result<Self, DecodeError> {
        let TrialResultsMessage { games, recorded, trained } = message;
        let games = games.map(DeckMatchResults::from_message).transpose()?.unwrap_or_default();
        let recorded = recorded.into_iter().map(RecordedGamesMessage::checked);
        let trained = trained.into_iter().map(TrainingResultMessage::checked);
        let results = Self {
            games,
            recorded: recorded.collect::<Result<_, _>>()?,
            trained: trained.collect::<Result<_, _>>()?,
        };
        match results.n_trials() {
            0 => Err(DecodeError::field("trials", &0, "at least 1")),
            _ => Ok(results),
        }
    }

    fn message_parts(&self) -> Vec<Part> {
        let files = self.recorded.iter().map(|recorded| recorded.file);
        files.chain(self.trained.iter().flat_map(TrainingResult::parts)).collect()
    }
}

hatchery_core::message_value!(TrialResults);

impl MessageValue for DeckMatchResults {
    type Message = DeckMatchResultsMessage;

    fn to_message(&self) -> DeckMatchResultsMessage {
        let Self { pairs, sums, first_pairs, records } = self;
        let GameSums { games: _, placements, causes, fired } = sums;
        let first_pairs = first_pairs.causes.iter().chain(&first_pairs.fired);
        DeckMatchResultsMessage {
            pairs: pairs.iter().map(|pair| pair.to_byte()).collect(),
            placements: *placements,
            causes: causes.to_vec(),
            fired: fired.to_vec(),
            records: records.iter().map(GameRecord::encode).collect(),
            first_pairs: first_pairs
                .map(|pair| pair.map_or(0, |pair| pair.saturating_add(1)))
                .collect(),
        }
    }

    fn from_message(message: DeckMatchResultsMessage) -> Result<Self, DecodeError> {
        let DeckMatchResultsMessage { pairs, placements, causes, fired, records, first_pairs } =
            message;
        let n_pairs = pairs.len();
        if n_pairs == 0 || MAX_PAIRS < n_pairs {
            return Err(DecodeError::field("pairs", &n_pairs, format!("from 1 to {MAX_PAIRS}")));
        }
        let pair = |byte: u8| {
            PairResult::from_byte(byte)
                .ok_or_else(|| DecodeError::field("pairs", &byte, "bytes below 9"))
        };
        let pairs = pairs.into_iter().map(pair).collect::<Result<Vec<_>, _>>()?;
        let games = 2 * n_pairs as u64;
        let most = games * MAX_PLACEMENTS as u64;
        if placements < games || most < placements {
            let expected = format!("from {games} to {most}");
            return Err(DecodeError::field("placements", &placements, expected));
        }
        let causes: [u64; EndCause::ALL.len()] = counts("causes", causes, games)?;
        if causes.iter().sum::<u64>() != games {
            let found = causes.iter().sum::<u64>();
            return Err(DecodeError::field("causes", &found, format!("{games} together")));
        }
        let fired: [u64; EffectKind::ALL.len()] = counts("fired", fired, games)?;
        let n_records = records.len() as u64;
        if n_records != 0 && n_records != games {
            let expected = format!("none, or {games}, one for each game");
            return Err(DecodeError::field("records", &n_records, expected));
        }
        let record = |(number, bytes): (usize, Vec<u8>)| {
            GameRecord::decode(&bytes).map_err(|error| {
                let found = format!("malformed at number {number}");
                DecodeError::field("records", &found, format!("records of games: {error}"))
            })
        };
        let records = records.into_iter().enumerate().map(record);
        let records = records.collect::<Result<Vec<_>, _>>()?;
        let n_actions: u64 = records.iter().map(|record| record.actions.len() as u64).sum();
        if !records.is_empty() && n_actions != placements {
            let expected = format!("{n_actions}, as many as the records have");
            return Err(DecodeError::field("placements", &placements, expected));
        }
        let sums = GameSums { games, placements, causes, fired };
        let first_pairs = checked_first_pairs(&first_pairs, &sums, n_pairs)?;
        Ok(Self { pairs, sums, first_pairs, records })
    }
}

hatchery_core::message_value!(DeckMatchResults);

/// Returns the first pairs of `n_pairs` with these sums.
fn checked_first_pairs(
    numbers: &[u32],
    sums: &GameSums,
    n_pairs: usize,
) -> Result<FirstPairs, DecodeError> {
    let mut first = FirstPairs::default();
    let places = first.causes.iter_mut().chain(&mut first.fired);
    let counts = sums.causes.iter().chain(&sums.fired);
    let expected = sums.causes.len() + sums.fired.len();
    if numbers.len() != expected {
        return Err(DecodeError::field("first_pairs", &numbers.len(), expected.to_string()));
    }
    for ((place, &number), &count) in places.zip(numbers).zip(counts) {
        *place = number.checked_sub(1);
        if place.is_some() != (count != 0) || n_pairs < number as usize {
            let expected = match count {
                0 => "0, as nothing of the kind is counted".to_owned(),
                _ => format!("from 1 to {n_pairs}, as some are counted"),
            };
            return Err(DecodeError::field("first_pairs", &number, expected));
        }
    }
    Ok(first)
}

/// Returns `N` counts of games, each of at most `games`.
fn counts<const N: usize>(
    field: &'static str,
    counts: Vec<u64>,
    games: u64,
) -> Result<[u64; N], DecodeError> {
    let n = counts.len();
    let counts: [u64; N] =
        counts.try_into().map_err(|_| DecodeError::field(field, &n, format!("{N} of them")))?;
    match counts.iter().find(|&&count| games < count) {
        Some(count) => Err(DecodeError::field(field, count, format!("at most {games}"))),
        None => Ok(counts),
    }
}

impl Tally for TrialResults {
    fn n_trials(&self) -> u64 {
        let Self { games, recorded, trained } = self;
        (games.pairs.len() + recorded.len() + trained.len()) as u64
    }

    fn absorb(&mut self, later: Self) {
        Self::absorb(self, later);
    }
}
