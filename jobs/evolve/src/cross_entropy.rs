//! The noisy cross-entropy method.
//!
//! I. Szita and A. Lorincz, "Learning Tetris Using the Noisy Cross-Entropy Method", Neural
//! Computation 18, 2006: samples from independent normal distributions, which then take the mean and
//! the variance of the best samples, plus some variance so that they do not narrow too early.

use hatchery_core::StreamRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::normal::normal;
use crate::population::Individual;
use crate::score::Score;

/// How the noisy cross-entropy method narrows its distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CrossEntropyConfig {
    /// The standard deviation of each gene at first.
    #[schemars(range(min = 0.000_001, max = 100.0), extend("x-source" = "Szita & Lorincz 2006: 10"))]
    pub sigma: f64,
    /// The share of samples that the next distribution is made of.
    #[schemars(range(min = 0.001, max = 0.5), extend("x-source" = "Szita & Lorincz 2006: 0.1"))]
    pub elites: f64,
    /// What is added to each variance.
    #[schemars(range(min = 0.0, max = 1000.0), extend("x-source" = "Szita & Lorincz 2006: 4"))]
    pub noise: f64,
    /// Samples are kept between minus and plus this.
    #[schemars(range(min = 0.001, max = 100_000.0), extend("x-source" = "ours"))]
    pub gene_limit: f64,
}

impl Default for CrossEntropyConfig {
    fn default() -> Self {
        Self { sigma: 10.0, elites: 0.1, noise: 4.0, gene_limit: 100_000.0 }
    }
}

/// The distribution of each gene, and the samples of the generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossEntropy {
    genes: Vec<Gene>,
    individuals: Vec<Individual>,
}

/// The distribution of a gene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Gene {
    mean: f64,
    variance: f64,
}

impl CrossEntropy {
    /// The first generation of `size` samples of `genome_len` genes around 0.
    #[must_use]
    pub fn begin(
        size: u32,
        genome_len: usize,
        config: &CrossEntropyConfig,
        rng: &mut StreamRng,
    ) -> Self {
        let gene = Gene { mean: 0.0, variance: config.sigma * config.sigma };
        Self::sampled(vec![gene; genome_len], size as usize, config, rng)
    }

    /// The samples.
    #[must_use]
    pub fn individuals(&self) -> &[Individual] {
        &self.individuals
    }

    /// Takes in what each sample scored.
    pub fn record(&mut self, scores: impl IntoIterator<Item = Score>) {
        Individual::record_all(&mut self.individuals, scores);
    }

    /// The center of the next distribution, with the score of the samples that it is made of.
    #[must_use]
    pub fn best(&self, config: &CrossEntropyConfig) -> Individual {
        let limit = config.gene_limit;
        let genes = self.narrowed(config);
        let genome = genes.iter().map(|gene| to_gene(gene.mean, limit)).collect();
        let elites = self.elites(config).into_iter();
        let score = elites.fold(Score::default(), |sum, elite| sum.pooled(elite.score));
        Individual { genome, score }
    }

    /// The next generation.
    #[must_use]
    pub fn next(&self, config: &CrossEntropyConfig, rng: &mut StreamRng) -> Self {
        Self::sampled(self.narrowed(config), self.individuals.len(), config, rng)
    }

    /// The best samples, the first of equal ones; at least one.
    fn elites(&self, config: &CrossEntropyConfig) -> Vec<&Individual> {
        let ranked = Individual::ranked(&self.individuals);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some thousands at most"
        )]
        let n = (ranked.len() as f64 * config.elites) as usize;
        ranked.into_iter().take(n.max(1)).map(|idx| &self.individuals[idx]).collect()
    }

    fn narrowed(&self, config: &CrossEntropyConfig) -> Vec<Gene> {
        let elites = self.elites(config);
        #[expect(clippy::cast_precision_loss, reason = "some thousands at most")]
        let n = elites.len() as f64;
        let gene = |idx: usize| {
            let values = elites.iter().map(|elite| f64::from(elite.genome[idx]));
            let mean = values.clone().sum::<f64>() / n;
            let variance = values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / n;
            Gene { mean, variance: variance + config.noise }
        };
        (0..self.genes.len()).map(gene).collect()
    }

    fn sampled(
        genes: Vec<Gene>,
        size: usize,
        config: &CrossEntropyConfig,
        rng: &mut StreamRng,
    ) -> Self {
        let mut sample = |gene: &Gene| {
            to_gene(gene.mean + libm::sqrt(gene.variance) * normal(rng), config.gene_limit)
        };
        let individuals = (0..size).map(|_| Individual {
            genome: genes.iter().map(&mut sample).collect(),
            score: Score::default(),
        });
        let individuals = individuals.collect();
        Self { genes, individuals }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "genes have the precision of f32")]
fn to_gene(gene: f64, limit: f64) -> f32 {
    gene.clamp(-limit, limit) as f32
}
