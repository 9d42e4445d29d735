//! The splitting estimate on the wire.

use hatchery_core::DecodeError;

use crate::rules::BoardSize;
use crate::splitting::{
    ClimbList, LevelClimbs, LevelCounts, MAX_LEVELS, SplittingConfig, SplittingReplicate,
};

use super::MAX_PIECES;

/// The largest numbers of streams, climbs from a level, and pieces of a stream: they bound the work
/// of one trial.
const MAX_STREAMS: u32 = 4096;
const MAX_CLIMBS: u32 = 100_000;
const MAX_STREAM_PIECES: u32 = 1_000_000;

/// A [`SplittingConfig`] on the wire.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SplittingMessage {
    #[prost(uint32, tag = "1")]
    down: u32,
    #[prost(uint32, tag = "2")]
    first_level: u32,
    #[prost(uint32, tag = "3")]
    step: u32,
    /// The number of climbs if all levels have the same.
    #[prost(uint32, tag = "4")]
    climbs: u32,
    #[prost(uint32, tag = "5")]
    streams: u32,
    #[prost(uint32, tag = "6")]
    burn_in: u32,
    #[prost(uint32, tag = "7")]
    pieces: u32,
    /// The number of climbs from each level if they have their own.
    #[prost(uint32, repeated, tag = "8")]
    level_climbs: Vec<u32>,
}

/// A [`SplittingReplicate`] on the wire.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SplitMessage {
    #[prost(uint64, tag = "1")]
    pieces: u64,
    #[prost(uint64, tag = "2")]
    rises: u64,
    /// The numbers of climbs begun and reached, level by level.
    #[prost(uint64, repeated, tag = "3")]
    levels: Vec<u64>,
    #[prost(uint64, tag = "4")]
    cells: u64,
    #[prost(uint64, tag = "5")]
    work: u64,
}

impl From<SplittingConfig> for SplittingMessage {
    fn from(splitting: SplittingConfig) -> Self {
        let SplittingConfig { down, first_level, step, climbs, streams, burn_in, pieces } =
            splitting;
        let (climbs, level_climbs) = match climbs {
            LevelClimbs::Same(number) => (number, Vec::new()),
            LevelClimbs::Each(list) => (0, list.numbers().to_vec()),
        };
        Self { down, first_level, step, climbs, streams, burn_in, pieces, level_climbs }
    }
}

impl SplittingMessage {
    pub(super) fn checked(self, size: BoardSize) -> Result<SplittingConfig, DecodeError> {
        let Self { down, first_level, step, climbs, streams, burn_in, pieces, level_climbs } = self;
        let height = size.height();
        let bounds = [
            ("first_level", first_level, down.saturating_add(1), height),
            ("step", step, 1, height),
            ("streams", streams, 1, MAX_STREAMS),
            ("burn_in", burn_in, 0, MAX_STREAM_PIECES),
            ("pieces", pieces, 1, MAX_STREAM_PIECES),
        ];
        for (name, value, least, most) in bounds {
            if !(least..=most).contains(&value) {
                return Err(DecodeError::field(name, &value, format!("{least} to {most}")));
            }
        }
        let same = LevelClimbs::Same(climbs);
        let config =
            SplittingConfig { down, first_level, step, climbs: same, streams, burn_in, pieces };
        let numbers = if level_climbs.is_empty() { vec![climbs] } else { level_climbs.clone() };
        if let Some(number) = numbers.iter().find(|number| !(1..=MAX_CLIMBS).contains(*number)) {
            return Err(DecodeError::field("climbs", number, format!("1 to {MAX_CLIMBS}")));
        }
        if level_climbs.is_empty() {
            return Ok(config);
        }
        let n_levels = config.levels(size).len();
        match ClimbList::new(&level_climbs) {
            Some(list) if climbs == 0 && level_climbs.len() == n_levels => {
                Ok(SplittingConfig { climbs: LevelClimbs::Each(list), ..config })
            }
            _ => {
                let expected = format!("{n_levels}, one for each level, and no other number");
                Err(DecodeError::field("level_climbs", &level_climbs.len(), expected))
            }
        }
    }
}

impl From<SplittingReplicate> for SplitMessage {
    fn from(SplittingReplicate { pieces, rises, levels, cells, work }: SplittingReplicate) -> Self {
        let levels = levels.into_iter().flat_map(|level| [level.begun, level.reached]).collect();
        Self { pieces, rises, levels, cells, work }
    }
}

impl SplitMessage {
    pub(super) fn checked(self) -> Result<SplittingReplicate, DecodeError> {
        let Self { pieces, rises, levels, cells, work } = self;
        let (pairs, rest) = levels.as_chunks::<2>();
        let sound = pairs.iter().all(|[begun, reached]| reached <= begun);
        if !sound || !rest.is_empty() || MAX_LEVELS < pairs.len() {
            return Err(DecodeError::field("levels", &levels.len(), "pairs of begun and reached"));
        }
        if pieces == 0 || pieces < rises || work < pieces {
            return Err(DecodeError::field("rises", &rises, "at most one per piece"));
        }
        let begun = pairs.iter().map(|[begun, _]| *begun);
        let most = begun.chain([work, cells]).max().unwrap_or(0);
        if MAX_PIECES < most {
            let expected = format!("at most {MAX_PIECES}, as every count");
            return Err(DecodeError::field("work", &most, expected));
        }
        let levels = pairs.iter().map(|&[begun, reached]| LevelCounts { begun, reached }).collect();
        Ok(SplittingReplicate { pieces, rises, levels, cells, work })
    }
}
