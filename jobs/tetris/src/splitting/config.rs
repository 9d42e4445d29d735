//! The parameters of a splitting estimate.

use crate::rules::BoardSize;

/// The largest number of levels: no board has more rows.
pub const MAX_LEVELS: usize = 32;

/// The least number of climbs from each level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelClimbs {
    /// The same from each level.
    Same(u32),
    /// A number for each level, the lowest first.
    Each(ClimbList),
}

/// A number of climbs for each of up to [`MAX_LEVELS`] levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClimbList {
    numbers: [u32; MAX_LEVELS],
    n_levels: usize,
}

/// The levels of a splitting estimate, and the number of pieces and climbs played for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplittingConfig {
    /// A wall of at most this height is down: below `first_level`.
    pub down: u32,
    /// The height of the first level: at most that of the board.
    pub first_level: u32,
    /// The rows from one level to the next, at least 1; the board's height is always one.
    pub step: u32,
    /// The least number of climbs played from each level.
    pub climbs: LevelClimbs,
    /// The number of streams of games that wait for the first level.
    pub streams: u32,
    /// The pieces at the beginning of each stream that do not count, because its game has just
    /// begun.
    pub burn_in: u32,
    /// The pieces of each stream that count.
    pub pieces: u32,
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
}

impl LevelClimbs {
    /// Returns the number of climbs from the level with the given index.
    pub(super) fn at(&self, level: usize) -> u32 {
        match self {
            Self::Same(number) => *number,
            Self::Each(list) => list.numbers()[level],
        }
    }
}

impl ClimbList {
    /// Creates the list; `None` if there are more than [`MAX_LEVELS`] numbers.
    #[must_use]
    pub fn new(of_levels: &[u32]) -> Option<Self> {
        let (mut numbers, n_levels) = ([0; MAX_LEVELS], of_levels.len());
        numbers.get_mut(..n_levels)?.copy_from_slice(of_levels);
        Some(Self { numbers, n_levels })
    }

    /// Returns the numbers.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.numbers[..self.n_levels]
    }
}
