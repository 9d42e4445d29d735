//! The input of a trial: the rules of the run, a level or a goal for one, and a player.

use hatchery_core::InvalidParam;

use crate::evolution::EvolutionSettings;
use crate::fitness::{FitnessSettings, IdealCounts, PigTerm};
use crate::level::Level;
use crate::players::PlayerSkill;
use crate::world::PhysicsSettings;

/// The rules that all trials of a run share. Values that pass [`check`](Self::check) only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyRules {
    /// The laws of worlds.
    pub physics: PhysicsSettings,
    /// The genetic algorithm that makes levels.
    pub evolution: EvolutionSettings,
    /// The fitness of levels; the term of pigs is that of each [`EvolutionGoal`].
    pub fitness: FitnessSettings,
}

/// The input of a trial: a level, and who plays it.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelTask {
    /// The origin of the level.
    pub source: LevelSource,
    /// The player; `None` if nobody plays the level.
    pub player: Option<PlayerSkill>,
    /// True if the result holds the level.
    pub keeps_level: bool,
}

/// The origin of a level.
#[derive(Clone, Debug, PartialEq)]
pub enum LevelSource {
    /// The level itself.
    Given(Level),
    /// An evolution in the trial.
    Evolved(EvolutionGoal),
}

/// The goal of an evolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvolutionGoal {
    /// The ideal numbers of pigs and blocks.
    pub ideal: IdealCounts,
    /// The term of the number of pigs.
    pub pig_term: PigTerm,
}

impl StudyRules {
    /// Checks that all settings are in range and fit together.
    ///
    /// # Errors
    /// If they do not; the key begins with that of the group, such as `physics.pig_life`.
    pub fn check(&self) -> Result<(), InvalidParam> {
        self.physics.check().map_err(|error| error.below("physics"))?;
        self.fitness.check_terms().map_err(|error| error.below("fitness"))?;
        let max_blocks = self.fitness.max_blocks;
        self.evolution.check(max_blocks).map_err(|error| match error.key.as_str() {
            "max_blocks" => error.below("fitness"),
            _ => error.below("evolution"),
        })
    }

    /// Returns the fitness of levels for `goal`.
    #[must_use]
    pub const fn fitness_for(&self, goal: EvolutionGoal) -> FitnessSettings {
        FitnessSettings { pig_term: goal.pig_term, ..self.fitness }
    }
}
