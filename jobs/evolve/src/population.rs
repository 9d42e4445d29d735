//! The generations of the genetic algorithm.

use hatchery_core::StreamRng;
use serde::{Deserialize, Serialize};

use crate::config::{GeneticConfig, ReplacementScheme};
use crate::individual::Individual;
use crate::operators::{cross, fresh_gene, mutate, tournament};
use crate::score::{MeanScore, RankedScore};

/// The individuals of a generation; at least one.
///
/// Selection is the same for genomes and scores of any type. Lists of real genes with mean scores
/// are bred here too, as a [`GeneticConfig`] says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Population<G = Vec<f32>, S = MeanScore>(Vec<Individual<G, S>>);

impl<G: Clone, S: RankedScore + Clone> Population<G, S> {
    /// Creates `size` individuals without a score; `fresh` makes the genome for each place, from 0
    /// on.
    pub fn generate(size: u32, fresh: impl FnMut(u32) -> G) -> Self {
        Self((0..size.max(1)).map(fresh).map(Individual::unscored).collect())
    }

    /// Returns the individuals, in a stable order without meaning.
    #[must_use]
    pub fn individuals(&self) -> &[Individual<G, S>] {
        &self.0
    }

    /// Records the scores by individual, in order.
    pub fn record_scores(&mut self, scores: impl IntoIterator<Item = S>) {
        Individual::record_all(&mut self.0, scores);
    }

    /// Returns the individual with the best score, the first among equal scores.
    #[must_use]
    pub fn best(&self) -> &Individual<G, S> {
        &self.0[self.ranked()[0]]
    }

    /// Returns the winner of a tournament of `size`.
    pub fn parent(&self, size: u32, rng: &mut StreamRng) -> &G {
        &self.0[tournament(&self.0, size, rng)].genome
    }

    /// Returns the next generation, of the same size: the `n_elites` best with their scores, then
    /// children without a score; `child` makes the genome for each place.
    #[must_use]
    pub fn replaced(&self, n_elites: u32, mut child: impl FnMut(usize) -> G) -> Self {
        let elites = self.ranked().into_iter().take(n_elites as usize);
        let mut next: Vec<_> = elites.map(|idx| self.0[idx].clone()).collect();
        while next.len() < self.0.len() {
            next.push(Individual::unscored(child(next.len())));
        }
        Self(next)
    }

    fn ranked(&self) -> Vec<usize> {
        Individual::ranked(&self.0)
    }
}

impl Population {
    /// Creates `size` individuals of `genome_len` fresh genes.
    #[must_use]
    pub fn random(
        size: u32,
        genome_len: usize,
        config: &GeneticConfig,
        rng: &mut StreamRng,
    ) -> Self {
        Self::generate(size, |_| (0..genome_len).map(|_| fresh_gene(config, rng)).collect())
    }

    /// Records the scores by individual in this generation, in order; pooled with earlier scores if
    /// `config` says so.
    pub fn record(&mut self, scores: impl IntoIterator<Item = MeanScore>, config: &GeneticConfig) {
        for (individual, score) in self.0.iter_mut().zip(scores) {
            individual.score =
                if config.pool_scores { individual.score.pooled(score) } else { score };
        }
    }

    /// Returns the pooled score over the individuals.
    #[must_use]
    pub fn total(&self) -> MeanScore {
        self.0.iter().fold(MeanScore::default(), |sum, individual| sum.pooled(individual.score))
    }

    /// Returns the next generation.
    #[must_use]
    pub fn next(&self, config: &GeneticConfig, rng: &mut StreamRng) -> Self {
        match config.scheme {
            ReplacementScheme::Generational => {
                self.replaced(config.copies, |_| self.child(config, rng))
            }
            ReplacementScheme::SteadyState => self.steady_state(config, rng),
        }
    }

    fn steady_state(&self, config: &GeneticConfig, rng: &mut StreamRng) -> Self {
        let mut born: Vec<_> =
            (0..2 * config.crossovers).map(|_| self.child(config, rng)).collect();
        for _ in 0..config.copies {
            let mut genome = self.parent(config.tournament, rng).clone();
            mutate(&mut genome, config, rng);
            born.push(genome);
        }
        let survivors = self.ranked().into_iter().take(self.0.len().saturating_sub(born.len()));
        let survivors = survivors.map(|idx| self.0[idx].clone());
        Self(survivors.chain(born.into_iter().map(Individual::unscored)).collect())
    }

    fn child(&self, config: &GeneticConfig, rng: &mut StreamRng) -> Vec<f32> {
        let (a, b) = (self.parent(config.tournament, rng), self.parent(config.tournament, rng));
        let mut genome = cross(a, b, config, rng);
        mutate(&mut genome, config, rng);
        genome
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;
    use proptest::prelude::*;

    use super::*;
    use crate::config::CrossoverOperator;

    fn configs() -> impl Strategy<Value = GeneticConfig> {
        (any::<bool>(), 0_usize..3, 0_u32..5, 1_u32..5, any::<bool>()).prop_map(
            |(generational, crossover, copies, crossovers, pool_scores)| GeneticConfig {
                scheme: if generational {
                    ReplacementScheme::Generational
                } else {
                    ReplacementScheme::SteadyState
                },
                crossover: [
                    CrossoverOperator::NPoint,
                    CrossoverOperator::Uniform,
                    CrossoverOperator::BlxAlpha,
                ][crossover],
                copies,
                crossovers,
                pool_scores,
                ..GeneticConfig::default()
            },
        )
    }

    proptest! {
        #[test]
        fn generations_keep_their_shape_and_their_best(config in configs(), seed: u64) {
            let (size, genome_len) = (20, 7);
            prop_assume!(config.check(size, genome_len).is_ok());
            let mut rng = RunSeed::new("shape", seed).generation(0).stream("");
            let mut population = Population::random(size, genome_len, &config, &mut rng);
            let scores = (0..20).map(|idx: u64| MeanScore { total: idx * 7 % 20, n: 1 });
            population.record(scores, &config);
            let next = population.next(&config, &mut rng);
            prop_assert_eq!(next.individuals().len(), 20);
            prop_assert!(next.individuals().iter().all(|one| one.genome.len() == genome_len));
            let survives = 0 < config.copies || config.scheme == ReplacementScheme::SteadyState;
            prop_assert!(!survives || next.individuals().contains(population.best()));
        }
    }

    #[test]
    fn scores_are_pooled_or_not() {
        let score = MeanScore { total: 6, n: 2 };
        for (pool_scores, expected) in [(true, MeanScore { total: 12, n: 4 }), (false, score)] {
            let config = GeneticConfig { pool_scores, ..GeneticConfig::default() };
            let mut rng = RunSeed::new("pool", 1).generation(0).stream("");
            let mut population = Population::random(1, 1, &config, &mut rng);
            population.record([score], &config);
            population.record([score], &config);
            assert_eq!(population.total(), expected);
        }
    }

    #[test]
    fn configs_without_survivors_are_refused() {
        let config = GeneticConfig { copies: 20, ..GeneticConfig::default() };
        assert_eq!(config.check(20, 51).unwrap_err().key, "copies");
        let config =
            GeneticConfig { scheme: ReplacementScheme::SteadyState, ..GeneticConfig::default() };
        assert_eq!(config.check(15, 51).unwrap_err().key, "crossovers");
        assert_eq!(GeneticConfig::default().check(20, 5).unwrap_err().key, "crossovers");
        assert!(GeneticConfig::default().check(20, 6).is_ok());
    }
}
