//! The skill of a player.

use hatchery_core::{WireElement, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The skill of a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(deny_unknown_fields)]
pub struct PlayerSkill {
    /// The standard deviation of the angle of shots from the angle aimed at, in radians.
    #[schemars(range(min = 0.0, max = 3.0), extend("x-source" = "ours"))]
    #[wire(tag = 1)]
    pub aim_sigma: f64,
    /// The standard deviation of the stretch of the slingshot, of which a full stretch is 1. Shots
    /// only fall short, as the slingshot cannot be stretched further.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "ours"))]
    #[wire(tag = 2)]
    pub power_sigma: f64,
    /// The probability that a shot takes the higher arc.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "the naive agent of the AIBIRDS competition: 1/6")
    )]
    #[wire(tag = 3)]
    pub high_arc_probability: f64,
    /// The choice of the pig that is aimed at.
    #[schemars(extend("x-source" = "PigShooter of phy-q: random-pig"))]
    #[wire(tag = 4)]
    pub target: TargetPolicy,
    /// The shots tried on copies of the world, of which the best is made; with 1, none is tried.
    #[schemars(range(min = 1, max = PlayerSkill::MAX_CANDIDATES), extend("x-source" = "ours"))]
    #[wire(tag = 5)]
    pub candidates: u32,
}

/// The choice of the pig that a player aims at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "kebab-case")]
pub enum TargetPolicy {
    /// Any pig, each with the same probability.
    RandomPig,
    /// The pig that is nearest to the slingshot.
    NearestPig,
    /// The pig that is farthest from the slingshot.
    FarthestPig,
}

impl TargetPolicy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::RandomPig, Self::NearestPig, Self::FarthestPig];
}

/// A named grade of skill. The grades and their numbers are ours.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerClass {
    /// Errs by 0.2 radians: two units at a distance of ten.
    Novice,
    /// Errs by 0.1 radians.
    Casual,
    /// Errs by 0.05 radians: the width of a small pig at a distance of ten.
    Average,
    /// Errs by 0.03 radians and tries 3 shots.
    Skilled,
    /// Errs by 0.02 radians and tries 6 shots.
    Expert,
    /// Does not err, and tries 20 shots.
    Oracle,
}

impl PlayerClass {
    /// All classes, from the weakest to the strongest.
    pub const ALL: [Self; 6] =
        [Self::Novice, Self::Casual, Self::Average, Self::Skilled, Self::Expert, Self::Oracle];

    /// Returns the name in specs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Novice => "novice",
            Self::Casual => "casual",
            Self::Average => "average",
            Self::Skilled => "skilled",
            Self::Expert => "expert",
            Self::Oracle => "oracle",
        }
    }

    /// Returns the skill of the class.
    #[must_use]
    pub const fn skill(self) -> PlayerSkill {
        let (aim_sigma, candidates) = match self {
            Self::Novice => (0.2, 1),
            Self::Casual => (0.1, 1),
            Self::Average => (0.05, 1),
            Self::Skilled => (0.03, 3),
            Self::Expert => (0.02, 6),
            Self::Oracle => (0.0, 20),
        };
        PlayerSkill::graded(aim_sigma, candidates)
    }
}

impl PlayerSkill {
    /// The most shots that a player may try.
    pub const MAX_CANDIDATES: u32 = 1000;

    /// The standard deviation of the stretch beside that of the angle in [`graded`](Self::graded)
    /// skills: an error in either then moves a shot over ten units by about as much.
    const POWER_SHARE: f64 = 0.5;

    /// Returns the skill of a player that errs by `aim_sigma` radians, and by half of that in the
    /// stretch, and tries this many shots: at random pigs, one in six along the higher arc.
    #[must_use]
    pub const fn graded(aim_sigma: f64, candidates: u32) -> Self {
        Self {
            aim_sigma,
            power_sigma: Self::POWER_SHARE * aim_sigma,
            high_arc_probability: 1.0 / 6.0,
            target: TargetPolicy::RandomPig,
            candidates,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_within_the_ranges() {
        for class in PlayerClass::ALL {
            let skill = class.skill();
            assert_eq!(PlayerSkill::decode(&skill.encode()).unwrap(), skill);
            let name = serde_json::to_string(&class).unwrap();
            assert_eq!(name, format!("\"{}\"", class.name()));
        }
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        let check = |change: fn(&mut PlayerSkill), expected: &str| {
            let mut skill = PlayerClass::Novice.skill();
            change(&mut skill);
            assert_eq!(PlayerSkill::decode(&skill.encode()).unwrap_err().to_string(), expected);
        };
        check(|it| it.aim_sigma = f64::NAN, "aim_sigma is NaN, but must be from 0 to 3");
        check(|it| it.power_sigma = -0.1, "power_sigma is -0.1, but must be from 0 to 1");
        check(|it| it.candidates = 0, "candidates is 0, but must be from 1 to 1000");
    }
}
