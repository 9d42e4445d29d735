//! The fitness of levels, which evolution minimizes.
//!
//! (1) and (2) of Kaidan et al. are a sum of three terms: stability, the deviation from the ideal
//! number of blocks, and a term of the number of pigs. The paper leaves some points open.
//! [`FitnessSettings`] chooses a reading for every such point, and has further terms of weight 0.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::f64::consts::PI;

use hatchery_core::{InvalidValue, WireElement, WireValue};
use hatchery_evolve::RankedScore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::genome::MAX_LEVEL_BLOCKS;
use crate::level::{BlockShape, GROUND_WIDTH, LEVEL_HEIGHT, Level};

/// The settings of the fitness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FitnessSettings {
    /// The term of the number of pigs.
    #[schemars(extend("x-source" = "Kaidan et al., (1) and (2)"))]
    pub pig_term: PigTerm,
    /// The reading of the term of the number of blocks.
    #[schemars(extend("x-source" = "Kaidan et al., (1) and (2); clamped is ours"))]
    pub block_term: BlockTerm,
    /// The most blocks of a level, Max_b.
    #[schemars(
        range(min = 1, max = MAX_LEVEL_BLOCKS),
        extend("x-source" = "Kaidan et al., §5.1")
    )]
    pub max_blocks: u32,
    /// The highest ideal number of pigs that is accepted.
    #[schemars(range(min = 1.0, max = 100.0), extend("x-source" = "ours"))]
    pub max_pigs: f64,
    /// A term of the entropy of block shapes, as a share of the most: 0 if all are alike, 1 if each
    /// of the twelve shapes is as frequent.
    #[schemars(extend("x-source" = "ours; Kaidan et al., §6: block types"))]
    pub shape_entropy: FitnessTerm,
    /// A term of the area of all blocks, as a share of that of the level: 17.5 times its width by
    /// 11.58.
    #[schemars(extend("x-source" = "ours; Kaidan et al., §6: density of blocks"))]
    pub block_density: FitnessTerm,
    /// A term of the area of all pigs, as a share of that of the level.
    #[schemars(extend("x-source" = "ours; Kaidan et al., §6: density of pigs"))]
    pub pig_density: FitnessTerm,
}

/// The term of the number of pigs p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "kebab-case")]
pub enum PigTerm {
    /// The lower the more pigs there are: 1 / (1 + p), the term (1) by Ferreira & Toledo.
    #[wire(number = 1)]
    Conventional,
    /// The lower the nearer p is to the ideal number P: tanh(|P - p| / 2), the term (2) by Kaidan
    /// et al.
    #[wire(number = 0)]
    Proposed,
}

/// A reading of the term of the number of blocks b, |b - B| / (Max_b - B) for the ideal number B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlockTerm {
    /// At most 1; B is limited to Max_b - 1.
    Clamped,
    /// The formula as it is: above 1 if b < 2 B - Max_b. B must be below Max_b.
    Paper,
}

/// A term of the fitness: its weight times how far a number is from a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitnessTerm {
    /// The weight.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub weight: f64,
    /// The number that is ideal.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub target: f64,
}

/// The numbers of pigs and blocks that a level should have; they need not be whole.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
pub struct IdealCounts {
    /// The ideal number of pigs, P.
    #[wire(tag = 1, range(min = 0, max = MOST_IDEAL))]
    pub pigs: f64,
    /// The ideal number of blocks, B.
    #[wire(tag = 2, range(min = 0, max = MOST_IDEAL))]
    pub blocks: f64,
}

/// The most pigs and blocks that a message may ask for: far more than any level has.
const MOST_IDEAL: f64 = 1e9;

/// The fitness of a level, term by term: the lower the better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelFitness {
    /// The mean over blocks and pigs of their mean speed before the first bird, 0 to 1.
    pub stability: f64,
    /// The term of the number of blocks.
    pub blocks: f64,
    /// The term of the number of pigs.
    pub pigs: f64,
    /// The sum of the other terms.
    pub other: f64,
}

impl LevelFitness {
    /// The fitness of a level without blocks and pigs, whose mean speed is that of nothing.
    pub const INFINITE: Self =
        Self { stability: f64::INFINITY, blocks: 0.0, pigs: 0.0, other: 0.0 };

    /// Returns the fitness, which is minimized.
    #[must_use]
    pub const fn total(&self) -> f64 {
        self.stability + self.blocks + self.pigs + self.other
    }
}

impl Default for LevelFitness {
    /// Returns the fitness of what has not been evaluated: as bad as that of an empty level.
    fn default() -> Self {
        Self::INFINITE
    }
}

impl RankedScore for LevelFitness {
    /// Compares the totals: a lower one ranks higher.
    fn rank_cmp(&self, other: &Self) -> Ordering {
        other.total().total_cmp(&self.total())
    }
}

impl FitnessSettings {
    /// Checks the settings together with the ideal numbers.
    ///
    /// # Errors
    /// If P is not from 0 to its cap, B is negative, B is not below Max_b although the formula is
    /// used as in the paper, or a weight is negative. Keys are `pigs` and `blocks`, or the fields
    /// of this struct.
    pub fn check(&self, ideal: IdealCounts) -> Result<(), InvalidValue> {
        self.check_settings()?;
        let IdealCounts { pigs, blocks } = ideal;
        InvalidValue::check_range("pigs", &pigs, &0.0, &self.max_pigs)?;
        if !(0.0..f64::INFINITY).contains(&blocks) {
            return Err(InvalidValue::new("blocks", &blocks, "finite and not negative"));
        }
        let most = f64::from(self.max_blocks);
        if self.block_term == BlockTerm::Paper && most <= blocks {
            let expected = format!("below {most} if block_term is `paper`");
            return Err(InvalidValue::new("blocks", &blocks, expected));
        }
        Ok(())
    }

    /// Checks the settings for which the ideal numbers do not matter.
    ///
    /// # Errors
    /// If the cap of P is not from 1 to 100, or a weight or a target is negative or not finite.
    /// Keys are the fields of this struct.
    pub fn check_settings(&self) -> Result<(), InvalidValue> {
        InvalidValue::check_range("max_pigs", &self.max_pigs, &1.0, &100.0)?;
        for (key, term) in [
            ("shape_entropy", self.shape_entropy),
            ("block_density", self.block_density),
            ("pig_density", self.pig_density),
        ] {
            for (field, found) in [("weight", term.weight), ("target", term.target)] {
                if !(0.0..f64::INFINITY).contains(&found) {
                    let key = format!("{key}.{field}");
                    return Err(InvalidValue::new(key, &found, "finite and not negative"));
                }
            }
        }
        Ok(())
    }

    /// Checks the parameter `key`, an ideal number of blocks that a person has chosen.
    ///
    /// # Errors
    /// If it is not from 0 to Max_b - 1, the limit of B.
    pub fn check_blocks(&self, key: impl Into<String>, blocks: f64) -> Result<(), InvalidValue> {
        let most = f64::from(self.max_blocks) - 1.0;
        if (0.0..=most).contains(&blocks) {
            return Ok(());
        }
        let expected = format!("from 0 to {most}, one below fitness.max_blocks");
        Err(InvalidValue::new(key, &blocks, expected))
    }

    /// Returns the numbers nearest to `ideal` that pass [`check`](Self::check). A value that is not
    /// a number becomes 0.
    #[must_use]
    pub fn nearest_ideal(&self, ideal: IdealCounts) -> IdealCounts {
        let most_blocks = match self.block_term {
            BlockTerm::Clamped => f64::MAX,
            BlockTerm::Paper => f64::from(self.max_blocks) - 1.0,
        };
        // `max` drops what is no number.
        IdealCounts {
            pigs: ideal.pigs.max(0.0).min(self.max_pigs),
            blocks: ideal.blocks.max(0.0).min(most_blocks),
        }
    }

    /// Returns the fitness of a level, given the mean speed `speed` of its blocks and pigs before
    /// the first bird. Each block and pig has a mean speed in units per second; `speed` is the mean
    /// over the blocks and pigs.
    ///
    /// The speed is clamped to [0, 1], and counts as 1 if it is not a number. A level without
    /// blocks and pigs has infinite fitness.
    #[must_use]
    pub fn fitness(&self, level: &Level, speed: f64, ideal: IdealCounts) -> LevelFitness {
        let mut fitness =
            self.fitness_of_counts(level.blocks().len(), level.pigs().len(), speed, ideal);
        fitness.other += self.shape_entropy.of(|| shape_entropy(level))
            + self.block_density.of(|| block_density(level))
            + self.pig_density.of(|| pig_density(level));
        fitness
    }

    /// Returns the fitness of a level of `n_blocks` and `n_pigs`, without the terms that are ours.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a level has at most 1,000 elements")]
    pub fn fitness_of_counts(
        &self,
        n_blocks: usize,
        n_pigs: usize,
        speed: f64,
        ideal: IdealCounts,
    ) -> LevelFitness {
        if n_blocks + n_pigs == 0 {
            return LevelFitness::INFINITE;
        }
        let (blocks, pigs) = (n_blocks as f64, n_pigs as f64);
        let most = f64::from(self.max_blocks);
        let blocks = match self.block_term {
            BlockTerm::Clamped => {
                let ideal = ideal.blocks.min(most - 1.0);
                ((blocks - ideal).abs() / (most - ideal).max(1.0)).min(1.0)
            }
            BlockTerm::Paper => (blocks - ideal.blocks).abs() / (most - ideal.blocks),
        };
        let pigs = match self.pig_term {
            PigTerm::Conventional => 1.0 / (1.0 + pigs),
            PigTerm::Proposed => libm::tanh((ideal.pigs - pigs).abs() / 2.0),
        };
        let stability = if speed.is_nan() { 1.0 } else { speed.clamp(0.0, 1.0) };
        LevelFitness { stability, blocks, pigs, other: 0.0 }
    }
}

impl Default for FitnessSettings {
    fn default() -> Self {
        Self {
            pig_term: PigTerm::Proposed,
            block_term: BlockTerm::Clamped,
            max_blocks: 100,
            max_pigs: 20.0,
            shape_entropy: FitnessTerm::default(),
            block_density: FitnessTerm::default(),
            pig_density: FitnessTerm::default(),
        }
    }
}

impl FitnessTerm {
    fn of(&self, number: impl FnOnce() -> f64) -> f64 {
        if self.weight <= 0.0 { 0.0 } else { self.weight * (number() - self.target).abs() }
    }
}

/// Returns the entropy of the shapes of blocks, as a share of that of equally frequent shapes.
#[expect(clippy::cast_precision_loss, reason = "a level has at most 1,000 elements")]
fn shape_entropy(level: &Level) -> f64 {
    let n_blocks = level.blocks().len() as f64;
    let entropy = |shape| {
        let n = level.blocks().iter().filter(|block| block.shape == shape).count() as f64;
        if 0.0 < n { n / n_blocks * libm::log(n_blocks / n) } else { 0.0 }
    };
    let n_shapes = BlockShape::ALL.len() as f64;
    BlockShape::ALL.into_iter().map(entropy).sum::<f64>() / libm::log(n_shapes)
}

fn block_density(level: &Level) -> f64 {
    let areas = level.blocks().iter().map(|block| f64::from(block.shape.area()));
    areas.sum::<f64>() / level_area(level)
}

fn pig_density(level: &Level) -> f64 {
    let radii = level.pigs().iter().map(|pig| f64::from(pig.kind.radius()));
    let areas = radii.map(|radius| PI * radius * radius);
    areas.sum::<f64>() / level_area(level)
}

fn level_area(level: &Level) -> f64 {
    f64::from(level.surroundings().width * GROUND_WIDTH * LEVEL_HEIGHT)
}
