//! Recorded games, and their use in reinforcement learning, on the wire.

use hatchery_core::{DecodeError, PartMessage};

use super::fields::{part, within};
use crate::learning::reinforcement::MAX_CAPACITY;
use crate::record::MAX_PLACEMENTS;
use crate::results::{RecordedGames, ReplayUse};
use crate::setup::{RecordSetup, TrainingSetup};

/// A [`RecordedGames`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RecordedGamesMessage {
    #[prost(message, optional, tag = "1")]
    file: Option<PartMessage>,
    #[prost(uint64, tag = "2")]
    games: u64,
    #[prost(uint64, tag = "3")]
    placements: u64,
}

/// A [`ReplayUse`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ReplayUseMessage {
    #[prost(message, optional, tag = "1")]
    played: Option<RecordedGamesMessage>,
    /// Losses, draws and wins; none if no games were played.
    #[prost(uint64, repeated, tag = "2")]
    results: Vec<u64>,
    #[prost(uint32, tag = "3")]
    n_dropped_files: u32,
    #[prost(uint64, tag = "4")]
    first_item: u64,
    #[prost(uint64, tag = "5")]
    items: u64,
    #[prost(uint64, tag = "6")]
    drawn: u64,
    #[prost(uint64, tag = "7")]
    age_sum: u64,
}

/// The most decisions that are drawn in training.
const MAX_DRAWN: u64 = TrainingSetup::MAX_STEPS as u64 * 4_096;

impl From<&RecordedGames> for RecordedGamesMessage {
    fn from(recorded: &RecordedGames) -> Self {
        let RecordedGames { file, games, placements } = recorded;
        Self { file: Some(file.to_message()), games: *games, placements: *placements }
    }
}

impl RecordedGamesMessage {
    pub(super) fn checked(self) -> Result<RecordedGames, DecodeError> {
        let Self { file, games, placements } = self;
        let file = part("file", file)?;
        let most_games = 2 * u64::from(RecordSetup::MAX_PAIRS);
        within("games", games, 2, most_games)?;
        within("placements", placements, games, games * MAX_PLACEMENTS as u64)?;
        Ok(RecordedGames { file, games, placements })
    }
}

impl From<&ReplayUse> for ReplayUseMessage {
    fn from(replay: &ReplayUse) -> Self {
        let ReplayUse { played, results, n_dropped_files, first_item, items, drawn, age_sum } =
            replay;
        Self {
            played: played.as_ref().map(RecordedGamesMessage::from),
            results: if played.is_some() { results.to_vec() } else { Vec::new() },
            n_dropped_files: *n_dropped_files,
            first_item: *first_item,
            items: *items,
            drawn: *drawn,
            age_sum: *age_sum,
        }
    }
}

impl ReplayUseMessage {
    pub(super) fn checked(self) -> Result<ReplayUse, DecodeError> {
        let Self { played, results, n_dropped_files, first_item, items, drawn, age_sum } = self;
        let played = played.map(RecordedGamesMessage::checked).transpose()?;
        let results = match played {
            Some(RecordedGames { games, .. }) => checked_outcomes(&results, games)?,
            None => {
                within("results", results.len() as u64, 0, 0)?;
                [0; 3]
            }
        };
        within("n_dropped_files", n_dropped_files.into(), 0, TrainingSetup::MAX_FILES as u64)?;
        within("items", items, 0, TrainingSetup::MAX_ITEMS)?;
        within("first_item", first_item, 0, items)?;
        within("drawn", drawn, 0, MAX_DRAWN)?;
        within("age_sum", age_sum, 0, drawn * u64::from(MAX_CAPACITY))?;
        Ok(ReplayUse { played, results, n_dropped_files, first_item, items, drawn, age_sum })
    }
}

/// Returns the losses, draws and wins of so many games.
fn checked_outcomes(results: &[u64], games: u64) -> Result<[u64; 3], DecodeError> {
    let found = results.len();
    let outcomes: [u64; 3] =
        results.try_into().map_err(|_| DecodeError::field("results", &found, "3 of them"))?;
    for count in outcomes {
        within("results", count, 0, games)?;
    }
    let sum: u64 = outcomes.iter().sum();
    match sum == games {
        true => Ok(outcomes),
        false => Err(DecodeError::field("results", &sum, format!("{games} together"))),
    }
}
