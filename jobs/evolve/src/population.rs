//! Individuals, and how one generation leads to the next.

use hatchery_core::StreamRng;
use serde::{Deserialize, Serialize};

use crate::config::{Config, Scheme};
use crate::operators::{cross, fresh_gene, mutate, tournament};
use crate::score::Score;

/// A list of genes and what it scored so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Individual {
    /// The genes.
    pub genome: Vec<f32>,
    /// The score.
    pub score: Score,
}

impl Individual {
    /// Takes in what each of `individuals` scored in this generation, in order.
    pub(crate) fn record_all(individuals: &mut [Self], scores: impl IntoIterator<Item = Score>) {
        for (individual, score) in individuals.iter_mut().zip(scores) {
            individual.score = score;
        }
    }

    /// The indices of `individuals`, the best first; the first of equal ones first.
    pub(crate) fn ranked(individuals: &[Self]) -> Vec<usize> {
        let mut order: Vec<_> = (0..individuals.len()).collect();
        // The sort is stable: the first of equal ones stays first.
        order.sort_by(|&a, &b| individuals[b].score.compare(individuals[a].score));
        order
    }
}

/// The individuals of a generation; at least one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Population(Vec<Individual>);

impl Population {
    /// `size` individuals of `genome_len` fresh genes.
    #[must_use]
    pub fn random(size: u32, genome_len: usize, config: &Config, rng: &mut StreamRng) -> Self {
        let mut individual = || Individual {
            genome: (0..genome_len).map(|_| fresh_gene(config, rng)).collect(),
            score: Score::default(),
        };
        Self((0..size.max(1)).map(|_| individual()).collect())
    }

    /// The individuals, in an order without meaning that stays the same.
    #[must_use]
    pub fn individuals(&self) -> &[Individual] {
        &self.0
    }

    /// Takes in what each individual scored in this generation, in order; pooled with what it
    /// scored before if `config` says so.
    pub fn record(&mut self, scores: impl IntoIterator<Item = Score>, config: &Config) {
        for (individual, score) in self.0.iter_mut().zip(scores) {
            individual.score =
                if config.pool_scores { individual.score.pooled(score) } else { score };
        }
    }

    /// The individual with the highest mean score, the first of equal ones.
    #[must_use]
    pub fn best(&self) -> &Individual {
        &self.0[self.ranked()[0]]
    }

    /// The scores of all individuals together.
    #[must_use]
    pub fn total(&self) -> Score {
        self.0.iter().fold(Score::default(), |sum, individual| sum.pooled(individual.score))
    }

    /// The next generation.
    #[must_use]
    pub fn next(&self, config: &Config, rng: &mut StreamRng) -> Self {
        match config.scheme {
            Scheme::Generational => self.generational(config, rng),
            Scheme::SteadyState => self.steady_state(config, rng),
        }
    }

    fn generational(&self, config: &Config, rng: &mut StreamRng) -> Self {
        let elites = self.ranked().into_iter().take(config.copies as usize);
        let mut next: Vec<_> = elites.map(|idx| self.0[idx].clone()).collect();
        while next.len() < self.0.len() {
            next.push(self.child(config, rng));
        }
        Self(next)
    }

    fn steady_state(&self, config: &Config, rng: &mut StreamRng) -> Self {
        let mut born: Vec<_> =
            (0..2 * config.crossovers).map(|_| self.child(config, rng)).collect();
        for _ in 0..config.copies {
            let mut genome = self.parent(config, rng).to_vec();
            mutate(&mut genome, config, rng);
            born.push(Individual { genome, score: Score::default() });
        }
        let survivors = self.ranked().into_iter().take(self.0.len().saturating_sub(born.len()));
        Self(survivors.map(|idx| self.0[idx].clone()).chain(born).collect())
    }

    fn child(&self, config: &Config, rng: &mut StreamRng) -> Individual {
        let (a, b) = (self.parent(config, rng), self.parent(config, rng));
        let mut genome = cross(a, b, config, rng);
        mutate(&mut genome, config, rng);
        Individual { genome, score: Score::default() }
    }

    fn parent(&self, config: &Config, rng: &mut StreamRng) -> &[f32] {
        &self.0[tournament(&self.0, config.tournament, rng)].genome
    }

    fn ranked(&self) -> Vec<usize> {
        Individual::ranked(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;
    use proptest::prelude::*;

    use super::*;
    use crate::config::Crossover;

    fn configs() -> impl Strategy<Value = Config> {
        (any::<bool>(), 0_usize..3, 0_u32..5, 1_u32..5, any::<bool>()).prop_map(
            |(generational, crossover, copies, crossovers, pool_scores)| Config {
                scheme: if generational { Scheme::Generational } else { Scheme::SteadyState },
                crossover: [Crossover::NPoint, Crossover::Uniform, Crossover::BlxAlpha][crossover],
                copies,
                crossovers,
                pool_scores,
                ..Config::default()
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
            let scores = (0..20).map(|idx: u64| Score { total: idx * 7 % 20, n: 1 });
            population.record(scores, &config);
            let next = population.next(&config, &mut rng);
            prop_assert_eq!(next.individuals().len(), 20);
            prop_assert!(next.individuals().iter().all(|one| one.genome.len() == genome_len));
            let survives = 0 < config.copies || config.scheme == Scheme::SteadyState;
            prop_assert!(!survives || next.individuals().contains(population.best()));
        }
    }

    #[test]
    fn scores_are_pooled_or_not() {
        let score = Score { total: 6, n: 2 };
        for (pool_scores, expected) in [(true, Score { total: 12, n: 4 }), (false, score)] {
            let config = Config { pool_scores, ..Config::default() };
            let mut rng = RunSeed::new("pool", 1).generation(0).stream("");
            let mut population = Population::random(1, 1, &config, &mut rng);
            population.record([score], &config);
            population.record([score], &config);
            assert_eq!(population.total(), expected);
        }
    }

    #[test]
    fn configs_that_leave_nobody_are_refused() {
        let config = Config { copies: 20, ..Config::default() };
        assert_eq!(config.check(20, 51).unwrap_err().key, "copies");
        let config = Config { scheme: Scheme::SteadyState, ..Config::default() };
        assert_eq!(config.check(15, 51).unwrap_err().key, "crossovers");
        assert_eq!(Config::default().check(20, 5).unwrap_err().key, "crossovers");
        assert!(Config::default().check(20, 6).is_ok());
    }
}
