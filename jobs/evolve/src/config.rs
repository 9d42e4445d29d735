//! What a person chooses of a genetic algorithm.

use hatchery_core::InvalidParam;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a genetic algorithm breeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How a generation leads to the next.
    #[schemars(extend("x-source" = "ours: a reading of Miyazaki & Arakawa, §3.1"))]
    pub scheme: Scheme,
    /// How many individuals are copied: unchanged as elites in the generational scheme, mutated in
    /// the steady-state scheme.
    #[schemars(range(max = 1000), extend("x-source" = "Miyazaki & Arakawa, §3.1"))]
    pub copies: u32,
    /// How two parents make a child.
    #[schemars(extend("x-source" = "ours"))]
    pub crossover: Crossover,
    /// The number of cut points of n-point crossover in the generational scheme; the number of
    /// crossovers of a generation, with two children each, in the steady-state scheme.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "Miyazaki & Arakawa, §3.1"))]
    pub crossovers: u32,
    /// How far BLX-alpha goes beyond the parents, as a share of their distance.
    #[schemars(range(min = 0.0, max = 2.0), extend("x-source" = "Eshelman & Schaffer, FOGA 2, 1993"))]
    pub blx_alpha: f32,
    /// The probability that a gene of a child is replaced by a fresh one.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Miyazaki & Arakawa, §3.1"))]
    pub mutation_rate: f32,
    /// Fresh genes are uniform between minus and plus this.
    #[schemars(range(min = 0.000_001, max = 1000.0), extend("x-source" = "ours"))]
    pub gene_range: f32,
    /// How many individuals, drawn with replacement, compete to be a parent.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "ours"))]
    pub tournament: u32,
    /// Whether an individual that survives keeps its games of earlier generations, so that its
    /// score is not the luckiest of many.
    #[schemars(extend("x-source" = "ours"))]
    pub pool_scores: bool,
}

/// How a generation leads to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Elites are copied, and children of crossover replace all others.
    Generational,
    /// A few children and mutated copies replace the worst.
    SteadyState,
}

/// How two parents make a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Crossover {
    /// The genes between cut points come from one parent and the other in turn.
    NPoint,
    /// Each gene comes from either parent.
    Uniform,
    /// Each gene is uniform around those of both parents.
    BlxAlpha,
}

impl Default for Config {
    /// The parameters of Miyazaki & Arakawa, §3.1, and what we chose where they say nothing.
    fn default() -> Self {
        Self {
            scheme: Scheme::Generational,
            copies: 5,
            crossover: Crossover::NPoint,
            crossovers: 5,
            blx_alpha: 0.5,
            mutation_rate: 0.01,
            gene_range: 1.0,
            tournament: 3,
            pool_scores: true,
        }
    }
}

impl Config {
    /// Whether a population of `size` individuals of `genome_len` genes can be bred like this.
    ///
    /// # Errors
    /// If children would not fit in, or cut points not between genes; the keys are those of this
    /// struct.
    pub fn check(&self, size: u32, genome_len: usize) -> Result<(), InvalidParam> {
        let replaced = match self.scheme {
            Scheme::Generational => self.copies,
            Scheme::SteadyState => self.copies + 2 * self.crossovers,
        };
        if size <= replaced {
            let key = if self.copies < size { "crossovers" } else { "copies" };
            let value = if self.copies < size { self.crossovers } else { self.copies };
            let expected = format!("small enough to leave some of the population of {size}");
            return Err(InvalidParam::new(key, &value, expected));
        }
        let cuts = self.crossovers as usize;
        let cut = self.crossover == Crossover::NPoint && self.scheme == Scheme::Generational;
        if cut && genome_len <= cuts {
            let expected = format!("below the number of genes, {genome_len}");
            return Err(InvalidParam::new("crossovers", &self.crossovers, expected));
        }
        Ok(())
    }

    /// The number of cut points of n-point crossover: its own parameter in the generational scheme;
    /// in the steady-state scheme, where that counts children, two.
    pub(crate) fn n_cuts(&self) -> u32 {
        match self.scheme {
            Scheme::Generational => self.crossovers,
            Scheme::SteadyState => 2,
        }
    }
}
