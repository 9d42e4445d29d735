//! The input of a trial: the rules of the run, a level or a goal for one, and a player.

use hatchery_core::wire::{MessageReader, MessageWriter, WireField};
use hatchery_core::{DecodeError, InvalidValue, WireValue};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::evolution::EvolutionSettings;
use crate::evolution::fitness::{FitnessSettings, IdealCounts, PigTerm};
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
    /// The fitness of levels. The [`EvolutionGoal`] of a level replaces the term of pigs.
    pub fitness: FitnessSettings,
}

/// The input of a trial: a level, and who plays it.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub struct LevelTask {
    /// The origin of the level.
    #[wire(flatten = 1)]
    pub source: LevelSource,
    /// The player; `None` if nobody plays the level.
    #[wire(tag = 3)]
    pub player: Option<PlayerSkill>,
    /// True if the result holds the level.
    #[wire(tag = 4)]
    pub keeps_level: bool,
}

/// The origin of a level.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub enum LevelSource {
    /// The level itself.
    #[wire(tag = 1)]
    Given(Level),
    /// An evolution in the trial.
    #[wire(tag = 2)]
    Evolved(EvolutionGoal),
}

/// The goal of an evolution.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
pub struct EvolutionGoal {
    /// The ideal numbers of pigs and blocks.
    #[wire(flatten = 1)]
    pub ideal: IdealCounts,
    /// The term of the number of pigs.
    #[wire(tag = 3)]
    pub pig_term: PigTerm,
}

impl StudyRules {
    /// The most iterations of the solver in a trial: an hour or so with the fifty elements of a
    /// usual level.
    pub const MAX_ITERATIONS: u64 = 2_000_000_000;

    /// Checks that all settings are in range and fit together, and that an evolution ends in time.
    ///
    /// # Errors
    /// If they do not; the key begins with that of the group, such as `physics.pig_life`.
    pub fn check(&self) -> Result<(), InvalidValue> {
        self.physics.check().map_err(|error| error.under("physics"))?;
        self.fitness.check_settings().map_err(|error| error.under("fitness"))?;
        let max_blocks = self.fitness.max_blocks;
        self.evolution.check(max_blocks).map_err(|error| match error.key.as_str() {
            "max_blocks" => error.under("fitness"),
            _ => error.under("evolution"),
        })?;
        let factors = [
            (self.evolution.generations.into(), "generations"),
            (self.evolution.population.into(), "levels"),
            (self.physics.settling_steps().into(), "time steps"),
            (self.physics.iterations().into(), "iterations of the solver"),
        ];
        let key = "evolution.generations";
        InvalidValue::check_product(key, &factors, "iterations of a trial", Self::MAX_ITERATIONS)
    }

    /// Checks that `player`, who is the parameter `key`, ends a play with `n_birds` in time.
    ///
    /// # Errors
    /// If the shots tried take too many iterations of the solver.
    pub fn check_play(
        &self,
        key: &str,
        player: &PlayerSkill,
        n_birds: u64,
    ) -> Result<(), InvalidValue> {
        let factors = [
            (player.candidates.into(), "shots tried"),
            (n_birds, "birds"),
            (self.physics.shot_steps().into(), "time steps"),
            (self.physics.iterations().into(), "iterations of the solver"),
        ];
        let key = format!("{key}.skill.candidates");
        InvalidValue::check_product(&key, &factors, "iterations of a trial", Self::MAX_ITERATIONS)
    }

    /// Returns the fitness of levels for `goal`.
    #[must_use]
    pub const fn fitness_for(&self, goal: EvolutionGoal) -> FitnessSettings {
        FitnessSettings { pig_term: goal.pig_term, ..self.fitness }
    }
}

/// Each group of settings is text: JSON, as in a spec.
impl WireValue for StudyRules {
    fn write_fields(&self, message: &mut MessageWriter) {
        json(&self.physics).write_field(1, message);
        json(&self.evolution).write_field(2, message);
        json(&self.fitness).write_field(3, message);
    }

    fn read_fields(message: &mut MessageReader<'_>) -> Result<Self, DecodeError> {
        let rules = Self {
            physics: settings(1, "physics", message)?,
            evolution: settings(2, "evolution", message)?,
            fitness: settings(3, "fitness", message)?,
        };
        rules.check()?;
        Ok(rules)
    }
}

fn json(settings: &impl Serialize) -> String {
    serde_json::to_string(settings).expect("settings are structs of numbers and names")
}

/// Reads a group of settings.
fn settings<T: DeserializeOwned>(
    tag: u32,
    name: &'static str,
    message: &mut MessageReader<'_>,
) -> Result<T, DecodeError> {
    let text = String::read_field(tag, name, message)?;
    serde_json::from_str(&text).map_err(|error| {
        DecodeError::field(name, &format!("JSON with an error: {error}"), "settings as in a spec")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::PlayerClass;
    use crate::world::PhysicsSettings;

    #[test]
    fn trials_that_would_not_end_are_refused() {
        let evolution = EvolutionSettings { generations: 100_000, ..EvolutionSettings::default() };
        let long = StudyRules { evolution, ..StudyRules::default() };
        assert_eq!(long.check(), Ok(()), "a usual level takes some ten minutes");
        let physics = PhysicsSettings { solver_iterations: 100, ..PhysicsSettings::default() };
        let longer = StudyRules { physics, ..long };
        let error = longer.check().unwrap_err().to_string();
        let expected = "evolution.generations is 100000, but must be less, or other factors: \
                        100000 generations x 20 levels x 240 time steps x 100 iterations of the \
                        solver = 48000000000 iterations of a trial, and at most 2000000000 are \
                        allowed";
        assert_eq!(error, expected);
        let skill = PlayerClass::Oracle.skill();
        assert_eq!(longer.check_play("players.0", &skill, 20), Ok(()));
        let skill = PlayerSkill { candidates: 1000, ..skill };
        let error = longer.check_play("players.0", &skill, 20).unwrap_err();
        assert_eq!(error.key, "players.0.skill.candidates");
    }
}
