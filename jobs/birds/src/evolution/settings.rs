//! The settings of evolutions.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::genome::{BreedingSettings, StackGrammar, StackSettings};

/// The settings of an evolution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EvolutionSettings {
    /// The number of individuals of a generation.
    #[schemars(range(min = 2, max = 1000), extend("x-source" = "Kaidan et al., §5.1"))]
    pub population: u32,
    /// The most generations, the random first one included.
    #[schemars(range(min = 1, max = 100_000), extend("x-source" = "Kaidan et al., §5.1"))]
    pub generations: u32,
    /// The evolution ends when the best fitness has equaled the one before this many times in a
    /// row.
    #[schemars(range(min = 1, max = 100_000), extend("x-source" = "Kaidan et al., §5.1"))]
    pub equal_bests: u32,
    /// The number of individuals, drawn with replacement, that compete to be a parent.
    #[schemars(
        range(min = 1, max = 1000),
        extend("x-source" = "Angry Birds clone of 2015: binary tournament")
    )]
    pub tournament: u32,
    /// The number of the best that the next generation keeps unchanged. They have places of their
    /// own, so that no child replaces them.
    #[schemars(range(min = 1, max = 999), extend("x-source" = "Kaidan et al., §5.1"))]
    pub elites: u32,
    /// Crossover and mutation.
    pub breeding: BreedingSettings,
    /// The stacks of levels.
    pub stacks: StackSettings,
}

impl EvolutionSettings {
    /// Checks the settings for levels of at most `max_blocks` blocks.
    ///
    /// # Errors
    /// If no place is left for children, a rate is no probability, or the stacks are impossible.
    /// Keys are the fields of this struct, and `max_blocks`.
    pub fn check(&self, max_blocks: u32) -> Result<(), InvalidValue> {
        let least = |key, found: u32, least: u32| {
            let error = || InvalidValue::new(key, &found, format!("at least {least}"));
            if found < least { Err(error()) } else { Ok(()) }
        };
        least("population", self.population, 2)?;
        least("generations", self.generations, 1)?;
        least("equal_bests", self.equal_bests, 1)?;
        least("tournament", self.tournament, 1)?;
        least("elites", self.elites, 1)?;
        if self.population <= self.elites {
            let expected = format!("below the population of {}", self.population);
            return Err(InvalidValue::new("elites", &self.elites, expected));
        }
        let BreedingSettings { crossover, surplus, mutation } = self.breeding;
        for (key, rate) in [("crossover", crossover), ("surplus", surplus), ("mutation", mutation)]
        {
            InvalidValue::check_range(key, &rate, &0.0, &1.0).map_err(|it| it.under("breeding"))?;
        }
        self.grammar(max_blocks).map(drop)
    }

    pub(super) fn grammar(&self, max_blocks: u32) -> Result<StackGrammar, InvalidValue> {
        StackGrammar::new(&self.stacks, max_blocks).map_err(|error| match error.key.as_str() {
            "max_blocks" => error,
            _ => error.under("stacks"),
        })
    }
}

impl Default for EvolutionSettings {
    fn default() -> Self {
        Self {
            population: 20,
            generations: 1000,
            equal_bests: 10,
            tournament: 2,
            elites: 1,
            breeding: BreedingSettings::default(),
            stacks: StackSettings::default(),
        }
    }
}
