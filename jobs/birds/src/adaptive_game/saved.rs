//! Saved games: JSON with the seed and the shots in each level.
//!
//! ```json
//! {"format":1,"seed":7,"levels":[[[9.5,2.9],[9.4,3.1]],[]]}
//! ```

use serde::{Deserialize, Serialize};

use super::error::{AdaptiveGameError, SavedLevelsError};
use super::game::{AdaptiveGame, AdaptiveRules};
use crate::world::ballistics::LaunchVelocity;

/// The number of the format. It is raised if the fields change, or if the same shots have other
/// results.
const FORMAT: u32 = 1;

/// The longest saved game: above that of the most levels with ten birds each.
const MAX_BYTES: usize = 1 << 16;

/// A saved game.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedLevels {
    format: u32,
    seed: u64,
    /// The velocities of the birds launched in each level, in units per second.
    levels: Vec<Vec<[f32; 2]>>,
}

impl AdaptiveGame {
    /// Returns the game as JSON: equal games have equal text. The JSON leaves out the rules.
    ///
    /// # Panics
    /// Never: every value of a game can be written.
    #[must_use]
    pub fn to_json(&self) -> String {
        let of_level = |shots: &[LaunchVelocity]| shots.iter().map(|it| [it.x, it.y]).collect();
        let levels = self.shots().map(of_level).collect();
        let saved = SavedLevels { format: FORMAT, seed: self.seed(), levels };
        serde_json::to_string(&saved).expect("numbers and text")
    }

    /// Returns the game by these rules that [`to_json`](Self::to_json) wrote. All levels evolve
    /// again, so that it takes as long as the game took without the person.
    ///
    /// # Errors
    /// If the bytes are no saved game, the rules are out of range, or a shot cannot be made.
    pub fn from_json(json: &[u8], rules: AdaptiveRules) -> Result<Self, SavedLevelsError> {
        if MAX_BYTES < json.len() {
            return Err(SavedLevelsError::TooLong { found: json.len(), max: MAX_BYTES });
        }
        let SavedLevels { format, seed, levels } =
            serde_json::from_slice(json).map_err(SavedLevelsError::Json)?;
        if format != FORMAT {
            return Err(SavedLevelsError::Format { found: format, right: FORMAT });
        }
        let mut levels = (1..).zip(levels);
        let at = |level| move |source| SavedLevelsError::Level { level, source };
        let (level, shots) = levels.next().ok_or(SavedLevelsError::NoLevel)?;
        let mut game = Self::begin(seed, rules).map_err(at(level))?;
        game.shoot_all(&shots).map_err(at(level))?;
        for (level, shots) in levels {
            game.begin_next_level().map_err(at(level - 1))?;
            game.shoot_all(&shots).map_err(at(level))?;
        }
        Ok(game)
    }

    fn shoot_all(&mut self, shots: &[[f32; 2]]) -> Result<(), AdaptiveGameError> {
        shots.iter().try_for_each(|&[x, y]| self.shoot(LaunchVelocity { x, y }).map(|_| ()))
    }
}
