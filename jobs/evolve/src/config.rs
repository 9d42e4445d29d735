//! The parameters of the genetic algorithm.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters of a genetic algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GeneticConfig {
    /// The scheme for replacing a generation by the next one.
    #[schemars(extend("x-source" = "ours: a reading of Miyazaki & Arakawa, §3.1"))]
    pub scheme: ReplacementScheme,
    /// The number of individuals that are copied: unchanged as elites in the generational scheme,
    /// mutated in the steady-state scheme.
    #[schemars(range(max = 1000), extend("x-source" = "Miyazaki & Arakawa, §3.1"))]
    pub copies: u32,
    /// The operator that makes a child of two parents.
    #[schemars(extend("x-source" = "ours"))]
    pub crossover: CrossoverOperator,
    /// The number of cut points of n-point crossover in the generational scheme; the number of
    /// crossovers of a generation, with two children each, in the steady-state scheme.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "Miyazaki & Arakawa, §3.1"))]
    pub crossovers: u32,
    /// How far BLX-alpha exceeds the parents' range, as a share of their distance.
    #[schemars(
        range(min = 0.0, max = 2.0),
        extend("x-source" = "Eshelman & Schaffer, FOGA 2, 1993")
    )]
    pub blx_alpha: f32,
    /// The probability that a gene of a child is replaced by a fresh one.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Miyazaki & Arakawa, §3.1"))]
    pub mutation_rate: f32,
    /// Fresh genes are uniform between minus and plus this limit.
    #[schemars(range(min = 0.000_001, max = 1000.0), extend("x-source" = "ours"))]
    pub gene_range: f32,
    /// The number of individuals, drawn with replacement, that compete to be a parent.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "ours"))]
    pub tournament: u32,
    /// True if a surviving individual keeps its trials of earlier generations, so that its score is
    /// not the luckiest of many.
    #[schemars(extend("x-source" = "ours"))]
    pub pool_scores: bool,
}

/// The scheme for replacing a generation by the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReplacementScheme {
    /// Elites are copied, and children of crossover replace all others.
    Generational,
    /// A few children and mutated copies replace the worst.
    SteadyState,
}

/// The operator that makes a child of two parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CrossoverOperator {
    /// The genes between cut points come from one parent and the other in turn.
    NPoint,
    /// Each gene comes from one parent at random.
    Uniform,
    /// Each gene is uniform in a range around both parents' genes.
    BlxAlpha,
}

impl Default for GeneticConfig {
    /// Returns the parameters of Miyazaki & Arakawa, §3.1, and our choices where the paper gives
    /// none.
    fn default() -> Self {
        Self {
            scheme: ReplacementScheme::Generational,
            copies: 5,
            crossover: CrossoverOperator::NPoint,
            crossovers: 5,
            blx_alpha: 0.5,
            mutation_rate: 0.01,
            gene_range: 1.0,
            tournament: 3,
            pool_scores: true,
        }
    }
}

impl GeneticConfig {
    /// Checks that a population of `size` individuals of `genome_len` genes can be bred with these
    /// parameters.
    ///
    /// # Errors
    /// If the population has no room for the children, or the genome none for the cut points; the
    /// keys are the fields of this struct.
    pub fn check(&self, size: u32, genome_len: usize) -> Result<(), InvalidValue> {
        let replaced = match self.scheme {
            ReplacementScheme::Generational => self.copies,
            ReplacementScheme::SteadyState => self.copies + 2 * self.crossovers,
        };
        if size <= replaced {
            let key = if self.copies < size { "crossovers" } else { "copies" };
            let value = if self.copies < size { self.crossovers } else { self.copies };
            let expected = format!("small enough to leave some of the population of {size}");
            return Err(InvalidValue::new(key, &value, expected));
        }
        let cuts = self.crossovers as usize;
        let cut = self.crossover == CrossoverOperator::NPoint
            && self.scheme == ReplacementScheme::Generational;
        if cut && genome_len <= cuts {
            let expected = format!("below the number of genes, {genome_len}");
            return Err(InvalidValue::new("crossovers", &self.crossovers, expected));
        }
        Ok(())
    }

    /// Returns the number of cut points of n-point crossover: `crossovers` in the generational
    /// scheme; two in the steady-state scheme, where `crossovers` counts pairs of children.
    pub(crate) fn n_cuts(&self) -> u32 {
        match self.scheme {
            ReplacementScheme::Generational => self.crossovers,
            ReplacementScheme::SteadyState => 2,
        }
    }
}
