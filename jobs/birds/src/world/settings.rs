//! Settings of the physics.

use std::fmt::Display;
use std::ops::RangeInclusive;

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ballistics::FlightModel;
use crate::level::BlockMaterial;

/// The laws of a world: its time steps, its damage, and how long it is watched.
///
/// Numbers out of their ranges, which [`check`](Self::check) refuses, count as the nearest allowed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PhysicsSettings {
    /// Time steps in a second.
    #[schemars(range(min = 30, max = 240), extend("x-source" = "ours: Science Birds has 50"))]
    pub steps_per_second: u32,
    /// Iterations of the solver in each time step.
    #[schemars(range(min = 1, max = 100), extend("x-source" = "ours: Science Birds has 100"))]
    pub solver_iterations: u32,
    /// The reading of the lives of blocks.
    #[schemars(extend("x-source" = "Science Birds: faithful"))]
    pub damage_rule: DamageRule,
    /// The relative speed up to which a collision does no damage.
    #[schemars(range(min = 0.0, max = 100.0), extend("x-source" = "Science Birds: 0"))]
    pub damage_threshold: f32,
    /// The damage that kills a small pig; medium pigs have twice as much life, big ones three
    /// times.
    #[schemars(range(min = 0.01, max = 1000.0), extend("x-source" = "Science Birds: 2"))]
    pub pig_life: f32,
    /// The seconds for which a level is watched before the first bird.
    #[schemars(range(min = 0.1, max = 60.0), extend("x-source" = "ours: the paper does not say"))]
    pub settling_seconds: f32,
    /// The most seconds from the launch of a bird to the next.
    #[schemars(range(min = 1.0, max = 120.0), extend("x-source" = "ours"))]
    pub shot_seconds: f32,
}

/// A reading of the lives of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DamageRule {
    /// Blocks of every material have a life of 5, as in Science Birds, which copies the life before
    /// it multiplies it by the material's factor.
    Faithful,
    /// Ice has a life of 2.5, wood of 5, stone of 10, as the factors of Science Birds intend.
    Intended,
}

impl DamageRule {
    /// Returns the damage that destroys a block of this material.
    #[must_use]
    pub const fn block_life(self, material: BlockMaterial) -> f32 {
        match (self, material) {
            (Self::Faithful, _) | (Self::Intended, BlockMaterial::Wood) => 5.0,
            (Self::Intended, BlockMaterial::Ice) => 2.5,
            (Self::Intended, BlockMaterial::Stone) => 10.0,
        }
    }
}

impl Default for PhysicsSettings {
    /// Returns the settings of Science Birds, with steps and iterations that give the same verdicts
    /// on levels in a fraction of its time.
    fn default() -> Self {
        Self {
            steps_per_second: 60,
            solver_iterations: 4,
            damage_rule: DamageRule::Faithful,
            damage_threshold: 0.0,
            pig_life: 2.0,
            settling_seconds: 4.0,
            shot_seconds: 20.0,
        }
    }
}

impl PhysicsSettings {
    /// The range of steps per second.
    pub const STEPS_PER_SECOND: RangeInclusive<u32> = 30..=240;

    /// The range of iterations.
    pub const SOLVER_ITERATIONS: RangeInclusive<u32> = 1..=100;

    /// The range of thresholds.
    pub const DAMAGE_THRESHOLDS: RangeInclusive<f32> = 0.0..=100.0;

    /// The range of lives of small pigs.
    pub const PIG_LIVES: RangeInclusive<f32> = 0.01..=1000.0;

    /// The range of seconds before the first bird.
    pub const SETTLING_SECONDS: RangeInclusive<f32> = 0.1..=60.0;

    /// The range of seconds of a shot.
    pub const SHOT_SECONDS: RangeInclusive<f32> = 1.0..=120.0;

    /// Samples of the speeds of elements in a second, before the first bird (Science Birds, 2014).
    const SAMPLES_PER_SECOND: u32 = 10;

    /// Checks that all numbers are within their ranges.
    ///
    /// # Errors
    /// If a number is out of its range; keys are the fields of this struct.
    pub fn check(&self) -> Result<(), InvalidValue> {
        check("steps_per_second", &self.steps_per_second, &Self::STEPS_PER_SECOND)?;
        check("solver_iterations", &self.solver_iterations, &Self::SOLVER_ITERATIONS)?;
        check("damage_threshold", &self.damage_threshold, &Self::DAMAGE_THRESHOLDS)?;
        check("pig_life", &self.pig_life, &Self::PIG_LIVES)?;
        check("settling_seconds", &self.settling_seconds, &Self::SETTLING_SECONDS)?;
        check("shot_seconds", &self.shot_seconds, &Self::SHOT_SECONDS)
    }

    /// Returns the laws of flights: the engine integrates gravity in every iteration of its solver,
    /// so that a flight's step is that part of a time step.
    #[must_use]
    pub fn flight_model(&self) -> FlightModel {
        let steps = self.steps_per_second() * self.iterations();
        FlightModel { step: 1.0 / f64::from(steps), ..FlightModel::CONTINUOUS }
    }

    /// Returns the seconds that this many time steps take.
    #[must_use]
    pub fn seconds(&self, n_steps: u32) -> f64 {
        f64::from(n_steps) / f64::from(self.steps_per_second())
    }

    /// Returns the steps for which a level is watched before the first bird.
    #[must_use]
    pub fn settling_steps(&self) -> u32 {
        self.n_steps(self.settling_seconds, &Self::SETTLING_SECONDS)
    }

    /// Returns the most steps of a shot.
    #[must_use]
    pub fn shot_steps(&self) -> u32 {
        self.n_steps(self.shot_seconds, &Self::SHOT_SECONDS)
    }

    /// Returns the number of steps from a sample of speeds to the next sample, some 0.1 s later.
    pub(super) fn sampling_steps(&self) -> u32 {
        let per_second = self.steps_per_second();
        (per_second + Self::SAMPLES_PER_SECOND / 2) / Self::SAMPLES_PER_SECOND
    }

    pub(crate) fn steps_per_second(&self) -> u32 {
        clamp(self.steps_per_second, &Self::STEPS_PER_SECOND)
    }

    pub(crate) fn iterations(&self) -> u32 {
        clamp(self.solver_iterations, &Self::SOLVER_ITERATIONS)
    }

    pub(super) fn threshold(&self) -> f32 {
        clamp(self.damage_threshold, &Self::DAMAGE_THRESHOLDS)
    }

    pub(super) fn small_pig_life(&self) -> f32 {
        clamp(self.pig_life, &Self::PIG_LIVES)
    }

    fn n_steps(&self, seconds: f32, range: &RangeInclusive<f32>) -> u32 {
        let steps = f64::from(clamp(seconds, range)) * f64::from(self.steps_per_second());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "3 to 28,800")]
        let n_steps = libm::round(steps) as u32;
        n_steps
    }
}

/// Returns `value`, or the end of the range that is nearest; the lowest for what is no number.
fn clamp<T: Copy + PartialOrd>(value: T, range: &RangeInclusive<T>) -> T {
    if *range.end() < value {
        return *range.end();
    }
    if range.contains(&value) { value } else { *range.start() }
}

fn check<T: Display + PartialOrd>(
    key: &str,
    value: &T,
    range: &RangeInclusive<T>,
) -> Result<(), InvalidValue> {
    InvalidValue::check_range(key, value, range.start(), range.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_named() {
        let check = |change: fn(&mut PhysicsSettings), expected: &str| {
            let mut settings = PhysicsSettings::default();
            change(&mut settings);
            assert_eq!(settings.check().unwrap_err().to_string(), expected);
        };
        check(|it| it.steps_per_second = 0, "steps_per_second is 0, but must be from 30 to 240");
        check(|it| it.pig_life = 0.0, "pig_life is 0, but must be from 0.01 to 1000");
        let not_a_number = "damage_threshold is NaN, but must be from 0 to 100";
        check(|it| it.damage_threshold = f32::NAN, not_a_number);
        assert_eq!(PhysicsSettings::default().check(), Ok(()));
    }

    #[test]
    fn steps_are_counted() {
        let settings = PhysicsSettings::default();
        assert_eq!((settings.settling_steps(), settings.sampling_steps()), (240, 6));
        let settings = PhysicsSettings { steps_per_second: 50, ..settings };
        assert_eq!((settings.settling_steps(), settings.sampling_steps()), (200, 5));
        let settings = PhysicsSettings {
            steps_per_second: 0,
            settling_seconds: f32::NAN,
            shot_seconds: f32::INFINITY,
            ..settings
        };
        assert_eq!((settings.settling_steps(), settings.shot_steps()), (3, 3600));
    }
}
