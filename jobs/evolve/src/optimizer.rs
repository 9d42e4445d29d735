//! A common interface to all optimizers.

use hatchery_core::{InvalidValue, StreamRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cma::{CmaConfig, CmaEs};
use crate::config::GeneticConfig;
use crate::cross_entropy::{CrossEntropy, CrossEntropyConfig};
use crate::individual::Individual;
use crate::population::Population;
use crate::score::MeanScore;

/// The largest number of genes for CMA-ES, whose covariance has their square as entries.
const MAX_CMA_GENES: usize = 200;

/// The kind of optimizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerKind {
    /// The genetic algorithm.
    #[default]
    Genetic,
    /// Evolution strategy with covariance matrix adaptation.
    CmaEs,
    /// The noisy cross-entropy method.
    CrossEntropy,
}

/// A kind of optimizer with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct OptimizerConfig<'a> {
    /// The kind of optimizer to use.
    pub optimizer: OptimizerKind,
    /// The parameters of the genetic algorithm.
    pub genetic: &'a GeneticConfig,
    /// The parameters of CMA-ES.
    pub cma: &'a CmaConfig,
    /// The parameters of the cross-entropy method.
    pub cross_entropy: &'a CrossEntropyConfig,
}

impl OptimizerConfig<'_> {
    /// Checks that the optimizer can search with `size` individuals of `genome_len` genes.
    ///
    /// # Errors
    /// If there are too few individuals or too many genes, or the number of genes differs from the
    /// starting point's; keys are `population`, `optimizer`, `cma.start`, or the keys of
    /// [`GeneticConfig`] prefixed with `ga.`.
    pub fn check(&self, size: u32, genome_len: usize) -> Result<(), InvalidValue> {
        match self.optimizer {
            OptimizerKind::Genetic => {
                self.genetic.check(size, genome_len).map_err(|error| error.under("ga"))
            }
            OptimizerKind::CmaEs if MAX_CMA_GENES < genome_len => {
                let expected = format!("genetic or cross-entropy for {genome_len} genes");
                Err(InvalidValue::new("optimizer", "cma-es", expected))
            }
            OptimizerKind::CmaEs if size < 4 => {
                Err(InvalidValue::new("population", &size, "at least 4 for cma-es"))
            }
            OptimizerKind::CmaEs if ![0, genome_len].contains(&self.cma.start.len()) => {
                let found = format!("{} genes", self.cma.start.len());
                Err(InvalidValue::new("cma.start", &found, format!("empty or {genome_len} genes")))
            }
            OptimizerKind::CmaEs | OptimizerKind::CrossEntropy => Ok(()),
        }
    }
}

/// An optimizer between two generations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Optimizer {
    /// The genetic algorithm.
    Genetic(Population),
    /// CMA-ES.
    CmaEs(CmaEs),
    /// The noisy cross-entropy method.
    CrossEntropy(CrossEntropy),
}

impl Optimizer {
    /// Creates the first generation: `size` individuals of `genome_len` genes.
    #[must_use]
    pub fn begin(
        size: u32,
        genome_len: usize,
        config: OptimizerConfig<'_>,
        rng: &mut StreamRng,
    ) -> Self {
        match config.optimizer {
            OptimizerKind::Genetic => {
                Self::Genetic(Population::random(size, genome_len, config.genetic, rng))
            }
            OptimizerKind::CmaEs => Self::CmaEs(CmaEs::begin(size, genome_len, config.cma, rng)),
            OptimizerKind::CrossEntropy => {
                let config = config.cross_entropy;
                Self::CrossEntropy(CrossEntropy::begin(size, genome_len, config, rng))
            }
        }
    }

    /// Returns the individuals to be scored.
    #[must_use]
    pub fn individuals(&self) -> &[Individual] {
        match self {
            Self::Genetic(population) => population.individuals(),
            Self::CmaEs(cma) => cma.individuals(),
            Self::CrossEntropy(cross_entropy) => cross_entropy.individuals(),
        }
    }

    /// Returns the scores by individual in earlier generations, as far as they count.
    #[must_use]
    pub fn before(&self, config: OptimizerConfig<'_>) -> Vec<MeanScore> {
        let pooled = matches!(self, Self::Genetic(_)) && config.genetic.pool_scores;
        let score = |one: &Individual| if pooled { one.score } else { MeanScore::default() };
        self.individuals().iter().map(score).collect()
    }

    /// Records the scores by individual in this generation, in order.
    pub fn record(
        &mut self,
        scores: impl IntoIterator<Item = MeanScore>,
        config: OptimizerConfig<'_>,
    ) {
        match self {
            Self::Genetic(population) => population.record(scores, config.genetic),
            Self::CmaEs(cma) => cma.record(scores),
            Self::CrossEntropy(cross_entropy) => cross_entropy.record(scores),
        }
    }

    /// Returns the best individual so far, or the center of the distribution with the score of the
    /// samples that determine it.
    #[must_use]
    pub fn best(&self, config: OptimizerConfig<'_>) -> Individual {
        match self {
            Self::Genetic(population) => population.best().clone(),
            Self::CmaEs(cma) => cma.best(),
            Self::CrossEntropy(cross_entropy) => cross_entropy.best(config.cross_entropy),
        }
    }

    /// Returns the next generation.
    #[must_use]
    pub fn next(&self, config: OptimizerConfig<'_>, rng: &mut StreamRng) -> Self {
        match self {
            Self::Genetic(population) => Self::Genetic(population.next(config.genetic, rng)),
            Self::CmaEs(cma) => Self::CmaEs(cma.next(config.cma, rng)),
            Self::CrossEntropy(cross_entropy) => {
                Self::CrossEntropy(cross_entropy.next(config.cross_entropy, rng))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::config::ReplacementScheme;

    /// A smooth hill of known height: the sum over genes of 1,000 - 1,000 x (gene - 0.3)^2.
    #[test]
    fn every_optimizer_climbs_a_hill() {
        let height = |genome: &[f32]| -> u64 {
            let gene = |gene: &f32| 1000.0 - 1000.0 * (gene - 0.3) * (gene - 0.3);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "0 to 10^4"
            )]
            let height = genome.iter().map(gene).sum::<f32>().max(0.0) as u64;
            height
        };
        let cross_entropy = CrossEntropyConfig { sigma: 1.0, noise: 0.0001, ..Default::default() };
        let steady =
            GeneticConfig { scheme: ReplacementScheme::SteadyState, ..GeneticConfig::default() };
        for (optimizer, genetic) in [
            (OptimizerKind::Genetic, &GeneticConfig::default()),
            (OptimizerKind::Genetic, &steady),
            (OptimizerKind::CmaEs, &steady),
            (OptimizerKind::CrossEntropy, &steady),
        ] {
            let config = OptimizerConfig {
                optimizer,
                genetic,
                cma: &CmaConfig::default(),
                cross_entropy: &cross_entropy,
            };
            assert!(config.check(50, 10).is_ok());
            let mut rng = RunSeed::new("hill", 1).generation(0).stream("");
            let mut search = Optimizer::begin(50, 10, config, &mut rng);
            let mut best = 0;
            for _ in 0..60 {
                let scores: Vec<_> = search
                    .individuals()
                    .iter()
                    .map(|one| MeanScore { total: height(&one.genome), n: 1 })
                    .collect();
                search.record(scores, config);
                best = height(&search.best(config).genome);
                search = search.next(config, &mut rng);
            }
            assert!(9_800 < best, "{optimizer:?} reached {best} of 10,000");
        }
    }

    #[test]
    fn impossible_searches_are_refused() {
        let config = OptimizerConfig {
            optimizer: OptimizerKind::CmaEs,
            genetic: &GeneticConfig::default(),
            cma: &CmaConfig::default(),
            cross_entropy: &CrossEntropyConfig::default(),
        };
        assert_eq!(config.check(3, 10).unwrap_err().key, "population");
        assert_eq!(config.check(20, 201).unwrap_err().key, "optimizer");
        let cma = &CmaConfig { start: vec![0.0; 9], ..CmaConfig::default() };
        assert_eq!(OptimizerConfig { cma, ..config }.check(20, 10).unwrap_err().key, "cma.start");
        let genetic = OptimizerConfig { optimizer: OptimizerKind::Genetic, ..config };
        assert_eq!(genetic.check(20, 5).unwrap_err().key, "ga.crossovers");
    }
}
