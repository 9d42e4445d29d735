//! The noisy cross-entropy method.
//!
//! I. Szita and A. Lorincz, "Learning Tetris Using the Noisy Cross-Entropy Method", Neural
//! Computation 18, 2006: samples from independent normal distributions, which then take the mean
//! and the variance of the best samples, plus some variance so that they do not narrow too early.

use hatchery_core::StreamRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::individual::Individual;
use crate::normal::normal;
use crate::score::MeanScore;

/// The parameters of the noisy cross-entropy method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CrossEntropyConfig {
    /// The initial standard deviation of every gene.
    #[schemars(
        range(min = 0.000_001, max = 100.0),
        extend("x-source" = "Szita & Lorincz 2006: 10")
    )]
    pub sigma: f64,
    /// The share of samples that determines the next distribution.
    #[schemars(range(min = 0.001, max = 0.5), extend("x-source" = "Szita & Lorincz 2006: 0.1"))]
    pub elites: f64,
    /// The variance that is added to each gene.
    #[schemars(range(min = 0.0, max = 1000.0), extend("x-source" = "Szita & Lorincz 2006: 4"))]
    pub noise: f64,
    /// Samples are clamped to between minus and plus this limit.
    #[schemars(range(min = 0.001, max = 100_000.0), extend("x-source" = "ours"))]
    pub gene_limit: f64,
}

impl Default for CrossEntropyConfig {
    fn default() -> Self {
        Self { sigma: 10.0, elites: 0.1, noise: 4.0, gene_limit: 100_000.0 }
    }
}

/// The distributions of the genes, and the samples of the generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossEntropy {
    genes: Vec<GeneDistribution>,
    individuals: Vec<Individual>,
}

/// The distribution of a gene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct GeneDistribution {
    mean: f64,
    variance: f64,
}

impl CrossEntropy {
    /// Creates the first generation of `size` samples of `genome_len` genes around 0.
    #[must_use]
    pub fn begin(
        size: u32,
        genome_len: usize,
        config: &CrossEntropyConfig,
        rng: &mut StreamRng,
    ) -> Self {
        let gene = GeneDistribution { mean: 0.0, variance: config.sigma * config.sigma };
        Self::sampled(vec![gene; genome_len], size as usize, config, rng)
    }

    /// Returns the samples.
    #[must_use]
    pub fn individuals(&self) -> &[Individual] {
        &self.individuals
    }

    /// Records the scores of the samples, in order.
    pub fn record(&mut self, scores: impl IntoIterator<Item = MeanScore>) {
        Individual::record_all(&mut self.individuals, scores);
    }

    /// Returns the center of the next distribution, with the score of the samples that determine
    /// it.
    #[must_use]
    pub fn best(&self, config: &CrossEntropyConfig) -> Individual {
        let limit = config.gene_limit;
        let genes = self.narrowed(config);
        let genome = genes.iter().map(|gene| to_gene(gene.mean, limit)).collect();
        let elites = self.elites(config).into_iter();
        let score = elites.fold(MeanScore::default(), |sum, elite| sum.pooled(elite.score));
        Individual { genome, score }
    }

    /// Returns the next generation.
    #[must_use]
    pub fn next(&self, config: &CrossEntropyConfig, rng: &mut StreamRng) -> Self {
        Self::sampled(self.narrowed(config), self.individuals.len(), config, rng)
    }

    /// Returns the best samples, the first among equal samples; at least one.
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

    fn narrowed(&self, config: &CrossEntropyConfig) -> Vec<GeneDistribution> {
        let elites = self.elites(config);
        #[expect(clippy::cast_precision_loss, reason = "some thousands at most")]
        let n = elites.len() as f64;
        let gene = |idx: usize| {
            let values = elites.iter().map(|elite| f64::from(elite.genome[idx]));
            let mean = values.clone().sum::<f64>() / n;
            let variance = values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / n;
            GeneDistribution { mean, variance: variance + config.noise }
        };
        (0..self.genes.len()).map(gene).collect()
    }

    fn sampled(
        genes: Vec<GeneDistribution>,
        size: usize,
        config: &CrossEntropyConfig,
        rng: &mut StreamRng,
    ) -> Self {
        let mut sample = |gene: &GeneDistribution| {
            to_gene(gene.mean + libm::sqrt(gene.variance) * normal(rng), config.gene_limit)
        };
        let individuals = (0..size).map(|_| Individual {
            genome: genes.iter().map(&mut sample).collect(),
            score: MeanScore::default(),
        });
        let individuals = individuals.collect();
        Self { genes, individuals }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "genes have the precision of f32")]
fn to_gene(gene: f64, limit: f64) -> f32 {
    gene.clamp(-limit, limit) as f32
}
