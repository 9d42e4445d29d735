//! The parameters of a splitting estimate.

use hatchery_core::{InvalidValue, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::BoardSize;

/// The largest number of levels: no board has more rows.
pub const MAX_LEVELS: usize = 32;

/// The largest numbers of streams, climbs from a level, and pieces per stream: they bound the work
/// for one trial.
const MAX_STREAMS: u32 = 4096;
const MAX_CLIMBS: u32 = 100_000;
const MAX_STREAM_PIECES: u32 = 1_000_000;

/// The parameters of multilevel splitting; only the precision depends on them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "SplittingParams")]
#[wire(try_from = SplittingMessage)]
pub struct SplittingConfig {
    /// A wall of at most this height is down again.
    #[schemars(range(min = 1, max = 31), extend("x-source" = "ours"))]
    pub down: u32,
    /// The height of the first level.
    #[schemars(range(min = 2, max = 32), extend("x-source" = "ours"))]
    pub first_level: u32,
    /// The rows from one level to the next; the board's height is the last one.
    #[schemars(range(min = 1, max = 32), extend("x-source" = "ours"))]
    pub step: u32,
    /// The least number of climbs started from each level: one number for all, or a list with one
    /// for each. The last levels contribute most to the variance.
    #[schemars(extend("x-source" = "ours"))]
    pub climbs: LevelClimbs,
    /// Streams of games that wait for the first level.
    #[schemars(range(min = 1, max = MAX_STREAMS), extend("x-source" = "ours"))]
    pub streams: u32,
    /// Pieces at the beginning of each stream that do not count.
    #[schemars(range(max = MAX_STREAM_PIECES), extend("x-source" = "ours"))]
    pub burn_in: u32,
    /// Pieces of each stream that count.
    #[schemars(range(min = 1, max = MAX_STREAM_PIECES), extend("x-source" = "ours"))]
    pub pieces: u32,
}

/// The least number of climbs started from each level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number from 1 to 100000, or a list with one for each level")]
#[schemars(rename = "ClimbsParam")]
pub enum LevelClimbs {
    /// The same from each level.
    Same(#[schemars(range(min = 1, max = MAX_CLIMBS))] u32),
    /// A number for each level, the lowest first.
    Each(#[schemars(length(min = 1, max = 32), inner(range(min = 1, max = MAX_CLIMBS)))] Vec<u32>),
}

/// A [`SplittingConfig`] on the wire.
#[derive(WireValue)]
struct SplittingMessage {
    #[wire(tag = 1)]
    down: u32,
    #[wire(tag = 2)]
    first_level: u32,
    #[wire(tag = 3, range(min = 1))]
    step: u32,
    /// The number of climbs if all levels have the same.
    #[wire(tag = 4, range(max = MAX_CLIMBS))]
    climbs: u32,
    #[wire(tag = 5, range(min = 1, max = MAX_STREAMS))]
    streams: u32,
    #[wire(tag = 6, range(max = MAX_STREAM_PIECES))]
    burn_in: u32,
    #[wire(tag = 7, range(min = 1, max = MAX_STREAM_PIECES))]
    pieces: u32,
    /// The number of climbs from each level if they have their own.
    #[wire(tag = 8, inner(range(min = 1, max = MAX_CLIMBS)))]
    level_climbs: Vec<u32>,
}

impl From<&SplittingConfig> for SplittingMessage {
    fn from(config: &SplittingConfig) -> Self {
        let SplittingConfig { down, first_level, step, ref climbs, streams, burn_in, pieces } =
            *config;
        let (climbs, level_climbs) = match climbs {
            LevelClimbs::Same(number) => (*number, Vec::new()),
            LevelClimbs::Each(numbers) => (0, numbers.clone()),
        };
        Self { down, first_level, step, climbs, streams, burn_in, pieces, level_climbs }
    }
}

impl TryFrom<SplittingMessage> for SplittingConfig {
    type Error = InvalidValue;

    fn try_from(message: SplittingMessage) -> Result<Self, InvalidValue> {
        let SplittingMessage {
            down,
            first_level,
            step,
            climbs,
            streams,
            burn_in,
            pieces,
            level_climbs,
        } = message;
        if (climbs == 0) == level_climbs.is_empty() {
            let expected = "above 0, or `level_climbs` in place of it";
            return Err(InvalidValue::new("climbs", &climbs, expected));
        }
        let climbs = match climbs {
            0 => LevelClimbs::Each(level_climbs),
            number => LevelClimbs::Same(number),
        };
        Ok(Self { down, first_level, step, climbs, streams, burn_in, pieces })
    }
}

impl Default for SplittingConfig {
    /// Returns the parameters of a replicate of a million pieces on 10x20.
    fn default() -> Self {
        Self {
            down: 5,
            first_level: 8,
            step: 2,
            climbs: LevelClimbs::Same(4000),
            streams: 128,
            burn_in: 500,
            pieces: 2000,
        }
    }
}

impl SplittingConfig {
    /// Returns the heights of the levels on a board of `size`.
    #[must_use]
    pub fn levels(&self, size: BoardSize) -> Vec<u32> {
        let below = (self.first_level..size.height()).step_by(self.step as usize);
        below.chain([size.height()]).collect()
    }

    /// Checks that the levels fit a board of `size`.
    ///
    /// # Errors
    /// If they are not.
    pub fn check(&self, size: BoardSize) -> Result<(), InvalidValue> {
        let (down, height) = (self.down, size.height());
        if self.first_level <= down || height < self.first_level {
            let expected = if height <= down {
                format!("at most {height}, the height of a board, and `down` below it")
            } else {
                format!("above `down`, {down}, and at most {height}, the height of a board")
            };
            return Err(InvalidValue::new("first_level", &self.first_level, expected));
        }
        let levels = self.levels(size);
        match &self.climbs {
            LevelClimbs::Each(numbers) if numbers.len() != levels.len() => {
                let heights: Vec<_> = levels.iter().map(u32::to_string).collect();
                let found = format!("{} numbers", numbers.len());
                let expected = format!(
                    "a number for each of the {} levels of a board with {height} rows: heights {}",
                    levels.len(),
                    heights.join(", ")
                );
                Err(InvalidValue::new("climbs", &found, expected))
            }
            _ => Ok(()),
        }
    }
}

impl LevelClimbs {
    /// Returns the number of climbs from the level with the given index.
    pub(super) fn at(&self, level: usize) -> u32 {
        match self {
            Self::Same(number) => *number,
            Self::Each(numbers) => numbers[level],
        }
    }
}
