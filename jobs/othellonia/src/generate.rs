//! Pools, decks and their balance by program. All numbers and names are our own choice: nothing of
//! the commercial game is here.

mod assess;
mod calibrate;
mod conditions;
mod decks;
mod effects;
mod names;
mod pieces;

pub use assess::{FieldDeck, GameTally, MatchUp, PoolAssessment, assess};
pub use calibrate::{CalibrationSize, calibrate};
pub use decks::{DEFAULT_COST_CAP, generate_deck, shipped_decks};
pub use pieces::{DEFAULT_KINDS, DEFAULT_POOL_SEED, PoolSettings, generate_pieces};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::Attribute;

/// A kind of deck, by the way in which it wins.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Archetype {
    /// Wins early by strong attacks; mostly dragons.
    Burst,
    /// Wins by traps, poison and curses; mostly demons.
    Tricky,
    /// Wins late by guards and healing; mostly gods.
    Endurance,
}

impl Archetype {
    /// All archetypes, in their order.
    pub const ALL: [Self; 3] = [Self::Burst, Self::Tricky, Self::Endurance];

    /// Returns the name, as in specs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Burst => "burst",
            Self::Tricky => "tricky",
            Self::Endurance => "endurance",
        }
    }

    /// Returns the attribute of most pieces of its decks.
    #[must_use]
    pub const fn attribute(self) -> Attribute {
        match self {
            Self::Burst => Attribute::Dragon,
            Self::Tricky => Attribute::Demon,
            Self::Endurance => Attribute::God,
        }
    }
}

/// Factors on the HP and the attack of pieces, in basis points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactorPair {
    /// The factor on HP.
    #[schemars(range(min = 5000, max = 20000))]
    pub hp: u32,
    /// The factor on the attack.
    #[schemars(range(min = 5000, max = 20000))]
    pub attack: u32,
}

/// The factors of the pieces of each archetype's attribute, which balance the archetypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchetypeFactors {
    /// Of dragons.
    pub burst: FactorPair,
    /// Of demons.
    pub tricky: FactorPair,
    /// Of gods.
    pub endurance: FactorPair,
}

impl FactorPair {
    /// The factor 1 on both.
    pub const ONE: Self = Self { hp: 10_000, attack: 10_000 };
}

impl ArchetypeFactors {
    /// The factor 1 on everything.
    pub const ONE: Self =
        Self { burst: FactorPair::ONE, tricky: FactorPair::ONE, endurance: FactorPair::ONE };

    /// Returns the factors of the pieces of an attribute.
    #[must_use]
    pub const fn of(&self, attribute: Attribute) -> FactorPair {
        match attribute {
            Attribute::Dragon => self.burst,
            Attribute::Demon => self.tricky,
            Attribute::God => self.endurance,
        }
    }
}

/// The factors that [`calibrate()`] finds for the default pool, in its default size.
impl Default for ArchetypeFactors {
    fn default() -> Self {
        Self {
            burst: FactorPair { hp: 10_174, attack: 10_037 },
            tricky: FactorPair { hp: 10_265, attack: 9_829 },
            endurance: FactorPair { hp: 9_574, attack: 10_137 },
        }
    }
}
