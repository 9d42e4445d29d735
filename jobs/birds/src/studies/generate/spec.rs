//! The spec of `birds-generate`.

use std::collections::BTreeSet;

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evolution::EvolutionSettings;
use crate::evolution::fitness::{FitnessSettings, IdealCounts, PigTerm};
use crate::params::plain_name::{self, MAX_NAME};
use crate::trial::setup::{EvolutionGoal, StudyRules};
use crate::world::PhysicsSettings;

/// The spec of `birds-generate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerateSpec {
    /// The kinds of levels that are wanted.
    #[schemars(length(min = 1, max = 100))]
    pub kinds: Vec<LevelKindParam>,
    /// The fitness of levels; each kind has its own term of pigs.
    #[serde(default)]
    pub fitness: FitnessSettings,
    /// The genetic algorithm.
    #[serde(default)]
    pub evolution: EvolutionSettings,
    /// The laws of worlds.
    #[serde(default)]
    pub physics: PhysicsSettings,
}

/// A kind of levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LevelKindParam {
    /// The name: 1 to 74 letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// The ideal number of pigs, P.
    #[serde(default = "one")]
    #[schemars(range(min = 0.0, max = 100.0), extend("x-source" = "Kaidan et al., §5.1: P_0"))]
    pub pigs: f64,
    /// The ideal number of blocks, B.
    #[schemars(range(min = 0.0, max = 500.0))]
    pub blocks: f64,
    /// The term of the number of pigs in the fitness: `proposed` asks for the ideal number,
    /// `conventional` for many.
    #[serde(default = "proposed")]
    pub pig_term: PigTerm,
    /// The number of levels.
    #[schemars(range(min = 1, max = 10_000))]
    pub levels: u32,
}

const fn one() -> f64 {
    1.0
}

const fn proposed() -> PigTerm {
    PigTerm::Proposed
}

/// The most levels of a run: a state holds them all.
const MAX_LEVELS: u64 = 10_000;

/// The longest name of a kind: with the number of a level behind it, such as `-10000`, it is the
/// name of that level.
const MAX_KIND_NAME: usize = MAX_NAME - 6;

impl LevelKindParam {
    /// Returns the goal of the evolutions.
    pub(super) const fn goal(&self) -> EvolutionGoal {
        EvolutionGoal {
            ideal: IdealCounts { pigs: self.pigs, blocks: self.blocks },
            pig_term: self.pig_term,
        }
    }
}

impl GenerateSpec {
    /// Returns the rules that all trials share.
    pub(super) fn rules(&self) -> StudyRules {
        let Self { kinds: _, fitness, evolution, physics } = self.clone();
        StudyRules { physics, evolution, fitness }
    }

    /// Checks that the parameters fit together.
    pub(super) fn check(&self) -> Result<(), InvalidValue> {
        let rules = self.rules();
        rules.check()?;
        let mut names = BTreeSet::new();
        for (number, kind) in self.kinds.iter().enumerate() {
            let key = |field: &str| format!("kinds.{number}.{field}");
            plain_name::take(&mut names, key("name"), &kind.name, MAX_KIND_NAME, "kinds")?;
            let goal = kind.goal();
            let fitness = rules.fitness_for(goal);
            fitness.check_blocks(key("blocks"), kind.blocks)?;
            fitness.check(goal.ideal).map_err(|error| {
                let key = key(&error.key);
                InvalidValue { key, ..error }
            })?;
        }
        let n_levels = self.kinds.iter().map(|kind| u64::from(kind.levels)).sum::<u64>();
        if MAX_LEVELS < n_levels {
            let expected = format!("at most {MAX_LEVELS} of all kinds together");
            return Err(InvalidValue::new("kinds", &format!("{n_levels} levels"), expected));
        }
        Ok(())
    }
}
