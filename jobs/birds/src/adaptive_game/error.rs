//! Errors of games of levels.

use hatchery_core::InvalidValue;

use crate::world::ballistics::LaunchVelocity;

/// The reason why a game cannot begin or go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AdaptiveGameError {
    /// A setting of the rules is out of range.
    #[error(transparent)]
    Rules(#[from] InvalidValue),
    /// The shot is none that the slingshot can make.
    #[error(
        "a bird cannot be launched with a velocity of ({}, {}): its speed is finite and at most \
         {max}",
        velocity.x,
        velocity.y
    )]
    Velocity {
        /// The velocity.
        velocity: LaunchVelocity,
        /// The highest speed.
        max: f64,
    },
    /// A bird is launched after the end of the level.
    #[error("no bird can be launched: the level is over")]
    Over,
    /// The next level is begun before the end of this one.
    #[error("the next level cannot begin: a pig and a bird are left in this one")]
    NotOver,
    /// The game has as many levels as a game can have.
    #[error("a game has at most {max} levels")]
    TooManyLevels {
        /// The largest number.
        max: usize,
    },
}

/// The reason why bytes are no saved game.
#[derive(Debug, thiserror::Error)]
pub enum SavedLevelsError {
    /// There are too many bytes.
    #[error("{found} bytes; a saved game has at most {max}")]
    TooLong {
        /// The number of bytes.
        found: usize,
        /// The largest number.
        max: usize,
    },
    /// They are not JSON, or fields are missing, unknown or of the wrong type.
    #[error("not a saved game")]
    Json(#[source] serde_json::Error),
    /// The format is that of another version.
    #[error("field format: `{found}`; it is {right}")]
    Format {
        /// The number found.
        found: u32,
        /// The number of this format.
        right: u32,
    },
    /// There is no level.
    #[error("field levels: none; there is one at least")]
    NoLevel,
    /// The game was played by other rules, or a shot cannot be made.
    #[error("level {level}")]
    Level {
        /// The number of the level, counted from 1.
        level: usize,
        /// The reason.
        #[source]
        source: AdaptiveGameError,
    },
}
