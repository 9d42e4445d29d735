//! Values on the wire. Decoded values are checked.

mod level;
mod results;
mod rules;
mod task;

use std::fmt::Display;
use std::ops::RangeInclusive;

use hatchery_core::DecodeError;

pub use level::{BlockMessage, LevelMessage, PigMessage, PlatformMessage, TntMessage};
pub use results::{
    EvolutionRecordMessage, FitnessMessage, LevelResultMessage, LevelResultsMessage, PlayMessage,
    PopulationMessage, SettlingMessage,
};
pub use rules::StudyRulesMessage;
pub use task::{EvolutionGoalMessage, LevelSourceMessage, LevelTaskMessage, PlayerSkillMessage};

/// Checks that a field is within `range`.
fn within<T: Copy + Display + PartialOrd>(
    field: &'static str,
    found: T,
    range: &RangeInclusive<T>,
) -> Result<T, DecodeError> {
    if range.contains(&found) {
        return Ok(found);
    }
    let expected = format!("from {} to {}", range.start(), range.end());
    Err(DecodeError::field(field, &found, expected))
}
