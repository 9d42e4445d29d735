//! One way to use every optimizer.

use hatchery_core::{InvalidParam, StreamRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cma::{CmaConfig, CmaEs};
use crate::config::Config;
use crate::cross_entropy::{CrossEntropy, CrossEntropyConfig};
use crate::population::{Individual, Population};
use crate::score::Score;

/// The most genes of CMA-ES, whose covariance has their square as entries.
const MAX_CMA_GENES: usize = 200;

/// An optimizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Optimizer {
    /// The genetic algorithm.
    #[default]
    Genetic,
    /// Evolution strategy with covariance matrix adaptation.
    CmaEs,
    /// The noisy cross-entropy method.
    CrossEntropy,
}

/// An optimizer and the parameters of each.
#[derive(Clone, Copy, Debug)]
pub struct Method<'a> {
    /// Which one.
    pub optimizer: Optimizer,
    /// The genetic algorithm's.
    pub genetic: &'a Config,
    /// Those of CMA-ES.
    pub cma: &'a CmaConfig,
    /// The cross-entropy method's.
    pub cross_entropy: &'a CrossEntropyConfig,
}

impl Method<'_> {
    /// Whether `size` individuals of `genome_len` genes can be searched with like this.
    ///
    /// # Errors
    /// If they are too few, or the genes too many or others than it starts from; keys are
    /// `population`, `optimizer`, `cma.start`, or those of [`Config`] behind `ga.`.
    pub fn check(&self, size: u32, genome_len: usize) -> Result<(), InvalidParam> {
        match self.optimizer {
            Optimizer::Genetic => self.genetic.check(size, genome_len).map_err(|refusal| {
                let InvalidParam { key, value, expected } = refusal;
                InvalidParam { key: format!("ga.{key}"), value, expected }
            }),
            Optimizer::CmaEs if MAX_CMA_GENES < genome_len => {
                let expected = format!("genetic or cross-entropy for {genome_len} genes");
                Err(InvalidParam::new("optimizer", "cma-es", expected))
            }
            Optimizer::CmaEs if size < 4 => {
                Err(InvalidParam::new("population", &size, "at least 4 for cma-es"))
            }
            Optimizer::CmaEs if ![0, genome_len].contains(&self.cma.start.len()) => {
                let found = format!("{} genes", self.cma.start.len());
                Err(InvalidParam::new("cma.start", &found, format!("empty or {genome_len} genes")))
            }
            Optimizer::CmaEs | Optimizer::CrossEntropy => Ok(()),
        }
    }
}

/// A search for good genes, between two generations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Search {
    /// By the genetic algorithm.
    Genetic(Population),
    /// By CMA-ES.
    CmaEs(CmaEs),
    /// By the noisy cross-entropy method.
    CrossEntropy(CrossEntropy),
}

impl Search {
    /// The first generation: `size` individuals of `genome_len` genes.
    #[must_use]
    pub fn begin(size: u32, genome_len: usize, method: Method<'_>, rng: &mut StreamRng) -> Self {
        match method.optimizer {
            Optimizer::Genetic => {
                Self::Genetic(Population::random(size, genome_len, method.genetic, rng))
            }
            Optimizer::CmaEs => Self::CmaEs(CmaEs::begin(size, genome_len, method.cma, rng)),
            Optimizer::CrossEntropy => {
                let config = method.cross_entropy;
                Self::CrossEntropy(CrossEntropy::begin(size, genome_len, config, rng))
            }
        }
    }

    /// The individuals to be scored.
    #[must_use]
    pub fn individuals(&self) -> &[Individual] {
        match self {
            Self::Genetic(population) => population.individuals(),
            Self::CmaEs(cma) => cma.individuals(),
            Self::CrossEntropy(cross_entropy) => cross_entropy.individuals(),
        }
    }

    /// What each individual scored in earlier generations, as far as it counts.
    #[must_use]
    pub fn before(&self, method: Method<'_>) -> Vec<Score> {
        let pooled = matches!(self, Self::Genetic(_)) && method.genetic.pool_scores;
        let score = |one: &Individual| if pooled { one.score } else { Score::default() };
        self.individuals().iter().map(score).collect()
    }

    /// Takes in what each individual scored in this generation, in order.
    pub fn record(&mut self, scores: impl IntoIterator<Item = Score>, method: Method<'_>) {
        match self {
            Self::Genetic(population) => population.record(scores, method.genetic),
            Self::CmaEs(cma) => cma.record(scores),
            Self::CrossEntropy(cross_entropy) => cross_entropy.record(scores),
        }
    }

    /// What the search has come to: the best individual, or the center of the distribution with the
    /// score of the samples that it is made of.
    #[must_use]
    pub fn best(&self, method: Method<'_>) -> Individual {
        match self {
            Self::Genetic(population) => population.best().clone(),
            Self::CmaEs(cma) => cma.best(),
            Self::CrossEntropy(cross_entropy) => cross_entropy.best(method.cross_entropy),
        }
    }

    /// The next generation.
    #[must_use]
    pub fn next(&self, method: Method<'_>, rng: &mut StreamRng) -> Self {
        match self {
            Self::Genetic(population) => Self::Genetic(population.next(method.genetic, rng)),
            Self::CmaEs(cma) => Self::CmaEs(cma.next(method.cma, rng)),
            Self::CrossEntropy(cross_entropy) => {
                Self::CrossEntropy(cross_entropy.next(method.cross_entropy, rng))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::config::Scheme;

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
        let steady = Config { scheme: Scheme::SteadyState, ..Config::default() };
        for (optimizer, genetic) in [
            (Optimizer::Genetic, &Config::default()),
            (Optimizer::Genetic, &steady),
            (Optimizer::CmaEs, &steady),
            (Optimizer::CrossEntropy, &steady),
        ] {
            let method = Method {
                optimizer,
                genetic,
                cma: &CmaConfig::default(),
                cross_entropy: &cross_entropy,
            };
            assert!(method.check(50, 10).is_ok());
            let mut rng = RunSeed::new("hill", 1).generation(0).stream("");
            let mut search = Search::begin(50, 10, method, &mut rng);
            let mut best = 0;
            for _ in 0..60 {
                let scores: Vec<_> = search
                    .individuals()
                    .iter()
                    .map(|one| Score { total: height(&one.genome), n: 1 })
                    .collect();
                search.record(scores, method);
                best = height(&search.best(method).genome);
                search = search.next(method, &mut rng);
            }
            assert!(9_800 < best, "{optimizer:?} reached {best} of 10,000");
        }
    }

    #[test]
    fn what_an_optimizer_cannot_do_is_refused() {
        let method = Method {
            optimizer: Optimizer::CmaEs,
            genetic: &Config::default(),
            cma: &CmaConfig::default(),
            cross_entropy: &CrossEntropyConfig::default(),
        };
        assert_eq!(method.check(3, 10).unwrap_err().key, "population");
        assert_eq!(method.check(20, 201).unwrap_err().key, "optimizer");
        let cma = &CmaConfig { start: vec![0.0; 9], ..CmaConfig::default() };
        assert_eq!(Method { cma, ..method }.check(20, 10).unwrap_err().key, "cma.start");
        let genetic = Method { optimizer: Optimizer::Genetic, ..method };
        assert_eq!(genetic.check(20, 5).unwrap_err().key, "ga.crossovers");
    }
}
