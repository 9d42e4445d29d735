//! CMA-ES: evolution strategy with covariance matrix adaptation.
//!
//! N. Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772v2, 2023, with the default
//! parameters of its table 1 (positive recombination weights). Equation numbers refer to the
//! tutorial. Scores are only ranked, and noise in the scores of samples averages out: the result is
//! the mean of the distribution, not the luckiest sample (as in Boumaza's work on Tetris, GECCO
//! 2009).

use hatchery_core::StreamRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::eigen::{DenseMatrix, eigen};
use crate::individual::Individual;
use crate::normal::normal;
use crate::score::MeanScore;

/// The initial distribution of CMA-ES; all other parameters adapt themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CmaConfig {
    /// The initial standard deviation of every gene: about a third of the distance that genes may
    /// have to move.
    #[schemars(range(min = 0.000_001, max = 100.0), extend("x-source" = "ours"))]
    pub sigma: f64,
    /// Samples are clamped to between minus and plus this limit.
    #[schemars(range(min = 0.001, max = 100_000.0), extend("x-source" = "ours"))]
    pub gene_limit: f64,
    /// The center of the first samples; zeros if empty.
    #[schemars(inner(range(min = -1000.0, max = 1000.0)), extend("x-source" = "ours"))]
    pub start: Vec<f64>,
}

impl Default for CmaConfig {
    fn default() -> Self {
        Self { sigma: 1.0, gene_limit: 100_000.0, start: Vec::new() }
    }
}

/// The distribution that samples are drawn from, and the samples of the generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CmaEs {
    mean: Vec<f64>,
    sigma: f64,
    covariance: DenseMatrix,
    /// The evolution paths of the covariance and of the step size.
    path: Vec<f64>,
    sigma_path: Vec<f64>,
    /// The number of generations that were folded.
    n_updates: u32,
    /// The samples as drawn, before they were rounded and clamped.
    steps: Vec<Vec<f64>>,
    individuals: Vec<Individual>,
    /// The score of the better half of the last generation, which is about the score of the mean.
    parents: MeanScore,
}

/// The strategy parameters for a number of genes and samples (table 1).
struct StrategyParams {
    weights: Vec<f64>,
    mu_eff: f64,
    c_sigma: f64,
    d_sigma: f64,
    c_c: f64,
    c_1: f64,
    c_mu: f64,
    /// The mean length of a standard normal vector.
    chi: f64,
}

impl StrategyParams {
    #[expect(clippy::cast_precision_loss, reason = "some thousands at most")]
    fn new(n_genes: usize, n_samples: usize) -> Self {
        let (n, half) = (n_genes as f64, n_samples as f64 / 2.0);
        let raw = (1..=n_samples / 2).map(|i| libm::log(half + 0.5) - libm::log(i as f64));
        let raw: Vec<_> = raw.collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<_> = raw.iter().map(|weight| weight / sum).collect();
        let mu_eff = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let excess = libm::sqrt((mu_eff - 1.0) / (n + 1.0)) - 1.0;
        let c_1 = 2.0 / ((n + 1.3) * (n + 1.3) + mu_eff);
        let c_mu = 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0) * (n + 2.0) + mu_eff);
        Self {
            mu_eff,
            c_sigma,
            d_sigma: 1.0 + 2.0 * excess.max(0.0) + c_sigma,
            c_c: (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n),
            c_1,
            c_mu: c_mu.min(1.0 - c_1),
            chi: libm::sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            weights,
        }
    }
}

impl CmaEs {
    /// Creates the first generation of `size` samples, at least 4, of `genome_len` genes.
    #[must_use]
    pub fn begin(size: u32, genome_len: usize, config: &CmaConfig, rng: &mut StreamRng) -> Self {
        let zeros = vec![0.0; genome_len];
        let unit = |i: usize| (0..genome_len).map(|j| f64::from(u8::from(i == j))).collect();
        let mean = if config.start.is_empty() { zeros.clone() } else { config.start.clone() };
        let begun = Self {
            mean,
            sigma: config.sigma,
            covariance: (0..genome_len).map(unit).collect(),
            path: zeros.clone(),
            sigma_path: zeros,
            n_updates: 0,
            steps: Vec::new(),
            individuals: Vec::new(),
            parents: MeanScore::default(),
        };
        begun.sampled(size as usize, config, rng)
    }

    /// Returns the samples, in the order of their scores.
    #[must_use]
    pub fn individuals(&self) -> &[Individual] {
        &self.individuals
    }

    /// Records the scores of the samples, in order.
    pub fn record(&mut self, scores: impl IntoIterator<Item = MeanScore>) {
        Individual::record_all(&mut self.individuals, scores);
        let better = self.ranked().into_iter().take(self.individuals.len() / 2);
        self.parents =
            better.fold(MeanScore::default(), |sum, idx| sum.pooled(self.individuals[idx].score));
    }

    /// Returns the center of the distribution after this generation, with the score of its better
    /// half.
    #[must_use]
    pub fn best(&self) -> Individual {
        let strategy = StrategyParams::new(self.mean.len(), self.individuals.len());
        let mean = self.moved(&self.mean_step(&strategy));
        Individual { genome: genome(&mean, f64::from(f32::MAX)), score: self.parents }
    }

    /// Returns the next generation.
    #[must_use]
    pub fn next(&self, config: &CmaConfig, rng: &mut StreamRng) -> Self {
        self.adapted().sampled(self.individuals.len(), config, rng)
    }

    fn ranked(&self) -> Vec<usize> {
        Individual::ranked(&self.individuals)
    }

    /// Returns the weighted mean of the better half's steps (eq. 41).
    fn mean_step(&self, strategy: &StrategyParams) -> Vec<f64> {
        let mut mean = vec![0.0; self.mean.len()];
        for (idx, weight) in self.ranked().into_iter().zip(&strategy.weights) {
            for (sum, step) in mean.iter_mut().zip(&self.steps[idx]) {
                *sum += weight * step;
            }
        }
        mean
    }

    /// Returns the mean after a step (eq. 42).
    fn moved(&self, step: &[f64]) -> Vec<f64> {
        self.mean.iter().zip(step).map(|(mean, step)| mean + self.sigma * step).collect()
    }

    /// Returns the distribution after this generation (eqs. 41 to 47).
    fn adapted(&self) -> Self {
        let s = StrategyParams::new(self.mean.len(), self.individuals.len());
        let step = self.mean_step(&s);
        let n_updates = self.n_updates + 1;
        let whitened = self.whitened(&step);
        let pull = libm::sqrt(s.c_sigma * (2.0 - s.c_sigma) * s.mu_eff);
        let sigma_path: Vec<_> = (self.sigma_path.iter().zip(&whitened))
            .map(|(path, step)| (1.0 - s.c_sigma) * path + pull * step)
            .collect();
        let length = libm::sqrt(sigma_path.iter().map(|x| x * x).sum());
        let bias = 1.0 - libm::pow(1.0 - s.c_sigma, 2.0 * f64::from(n_updates));
        #[expect(clippy::cast_precision_loss, reason = "some thousands at most")]
        let far = (1.4 + 2.0 / (self.mean.len() as f64 + 1.0)) * s.chi;
        let steady = length / libm::sqrt(bias) < far;
        let pull = if steady { libm::sqrt(s.c_c * (2.0 - s.c_c) * s.mu_eff) } else { 0.0 };
        let path: Vec<_> = (self.path.iter().zip(&step))
            .map(|(path, step)| (1.0 - s.c_c) * path + pull * step)
            .collect();
        let lost = if steady { 0.0 } else { s.c_1 * s.c_c * (2.0 - s.c_c) };
        let keep = 1.0 - s.c_1 - s.c_mu + lost;
        let better: Vec<_> = self.ranked().into_iter().zip(&s.weights).collect();
        let entry = |i: usize, j: usize| {
            let rank_mu: f64 = better
                .iter()
                .map(|&(idx, weight)| weight * self.steps[idx][i] * self.steps[idx][j])
                .sum();
            keep * self.covariance[i][j] + s.c_1 * path[i] * path[j] + s.c_mu * rank_mu
        };
        let n = self.mean.len();
        Self {
            mean: self.moved(&step),
            sigma: self.sigma * libm::exp(s.c_sigma / s.d_sigma * (length / s.chi - 1.0)),
            covariance: (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect(),
            path,
            sigma_path,
            n_updates,
            ..self.clone()
        }
    }

    /// Returns C^(-1/2) times `step`.
    fn whitened(&self, step: &[f64]) -> Vec<f64> {
        let (values, vectors) = eigen(self.covariance.clone());
        let along = |k: usize| -> f64 {
            let dot: f64 = vectors.iter().zip(step).map(|(row, step)| row[k] * step).sum();
            dot / deviation(values[k])
        };
        let along: Vec<_> = (0..values.len()).map(along).collect();
        vectors.iter().map(|row| row.iter().zip(&along).map(|(v, a)| v * a).sum()).collect()
    }

    fn sampled(self, size: usize, config: &CmaConfig, rng: &mut StreamRng) -> Self {
        let (values, vectors) = eigen(self.covariance.clone());
        let mut step = || -> Vec<f64> {
            let z: Vec<_> = values.iter().map(|&value| deviation(value) * normal(rng)).collect();
            vectors.iter().map(|row| row.iter().zip(&z).map(|(v, z)| v * z).sum()).collect()
        };
        let steps: Vec<_> = (0..size).map(|_| step()).collect();
        let individuals = steps.iter().map(|step| Individual {
            genome: genome(&self.moved(step), config.gene_limit),
            score: MeanScore::default(),
        });
        Self { individuals: individuals.collect(), steps, ..self }
    }
}

/// Returns the standard deviation along an axis of the covariance, at least slightly positive:
/// rounding may have flattened the axis.
fn deviation(value: f64) -> f64 {
    libm::sqrt(value.max(1e-20))
}

fn genome(genes: &[f64], limit: f64) -> Vec<f32> {
    #[expect(clippy::cast_possible_truncation, reason = "genes have the precision of f32")]
    let gene = |gene: &f64| gene.clamp(-limit, limit) as f32;
    genes.iter().map(gene).collect()
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    fn square(x: f64) -> f64 {
        x * x
    }

    /// Returns the badness of the mean after `generations`, where `badness` is rounded to a score.
    fn minimized(n_genes: usize, generations: u32, badness: impl Fn(&[f32]) -> f64) -> f64 {
        let mut rng = RunSeed::new("cma", 1).generation(0).stream("");
        let config = CmaConfig { sigma: 0.5, ..CmaConfig::default() };
        let mut search = CmaEs::begin(12, n_genes, &config, &mut rng);
        for _ in 0..generations {
            let score = |one: &Individual| {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "test")]
                let total = (1e18 / (1.0 + badness(&one.genome))) as u64;
                MeanScore { total, n: 1 }
            };
            let scores: Vec<_> = search.individuals().iter().map(score).collect();
            search.record(scores);
            search = search.next(&config, &mut rng);
        }
        badness(&genome(&search.mean, 1e3))
    }

    /// Hansen's ellipsoid with an axis ratio of 1,000, rotated so that no gene is an axis: a
    /// strategy that does not learn the covariance would be far off by then.
    #[test]
    fn a_turned_ellipsoid_is_learned() {
        // The discrete cosine basis, and the length of each axis.
        let waves: Vec<(Vec<f64>, f64)> = (0_u8..8)
            .map(f64::from)
            .map(|k| {
                let size = if k < 0.5 { 1.0 } else { 2.0 };
                let wave = |i: u8| {
                    let angle = std::f64::consts::PI * (f64::from(i) + 0.5) * k / 8.0;
                    libm::sqrt(size / 8.0) * libm::cos(angle)
                };
                ((0..8).map(wave).collect(), libm::pow(1000.0, k / 7.0))
            })
            .collect();
        let turned = |genes: &[f32]| -> f64 {
            let along = |wave: &[f64]| -> f64 {
                genes.iter().zip(wave).map(|(&gene, wave)| (f64::from(gene) - 1.0) * wave).sum()
            };
            waves.iter().map(|(wave, scale)| square(along(wave) * scale)).sum()
        };
        let badness = minimized(8, 400, turned);
        assert!(badness < 1e-3, "{badness}");
    }

    #[test]
    fn rosenbrock_is_solved() {
        let rosenbrock = |genes: &[f32]| -> f64 {
            let pairs = genes.windows(2).map(|pair| (f64::from(pair[0]), f64::from(pair[1])));
            pairs.map(|(x, y)| 100.0 * square(y - x * x) + square(1.0 - x)).sum()
        };
        let badness = minimized(5, 400, rosenbrock);
        assert!(badness < 1e-4, "{badness}");
    }
}
