//! The fitness in the generations of evolutions, averaged: Fig. 2 of Kaidan et al.

use serde::{Deserialize, Serialize};

use crate::trial::results::{EvolutionRecord, MILLION, PopulationRecord};

/// Sums of the fitness in each generation over evolutions. An evolution that has ended counts with
/// its last generation from then on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitnessHistory {
    /// The sums, from the first generation on: as many as the longest evolution has, of the
    /// generations that are recorded.
    pub generations: Vec<HistorySums>,
    /// The sums over the last generations of the evolutions.
    last: HistorySums,
}

/// Sums over evolutions, in millionths. A million evolutions of a fitness of 10^15 millionths, the
/// most that a worker may send, have sums above 2^64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistorySums {
    /// The evolutions that had not ended.
    pub n_running: u64,
    /// The evolutions with a level that is not empty.
    pub n: u64,
    /// The best fitness.
    pub best: u128,
    /// The mean fitness of the population.
    pub mean: u128,
    /// The squares of the mean fitness.
    pub mean_squares: u128,
}

impl HistorySums {
    fn add(&mut self, generation: PopulationRecord) {
        if let PopulationRecord { best: Some(best), mean: Some(mean) } = generation {
            self.n += 1;
            self.best += u128::from(best);
            self.mean += u128::from(mean);
            self.mean_squares += u128::from(mean) * u128::from(mean);
        }
    }

    /// Returns the mean of the best fitness.
    #[must_use]
    pub fn mean_best(&self) -> f64 {
        self.best as f64 / self.count() / MILLION
    }

    /// Returns the mean of the mean fitness of populations.
    #[must_use]
    pub fn mean_fitness(&self) -> f64 {
        self.mean as f64 / self.count() / MILLION
    }

    /// Returns the standard error of [`mean_fitness`](Self::mean_fitness).
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        let (n, mean) = (self.count(), self.mean as f64 / self.count());
        let variance = (self.mean_squares as f64 / n - mean * mean).max(0.0);
        libm::sqrt(variance / (n - 1.0).max(1.0)) / MILLION
    }

    fn count(&self) -> f64 {
        self.n.max(1) as f64
    }
}

impl FitnessHistory {
    /// Adds an evolution.
    pub(super) fn add(&mut self, record: &EvolutionRecord) {
        let Some(&last) = record.history.last() else { return };
        while self.generations.len() < record.history.len() {
            self.generations.push(HistorySums { n_running: 0, ..self.last });
        }
        let whole = record.history.iter().copied().map(Some).chain(std::iter::repeat(None));
        for (sums, generation) in self.generations.iter_mut().zip(whole) {
            sums.n_running += u64::from(generation.is_some());
            sums.add(generation.unwrap_or(last));
        }
        self.last.add(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(bests: &[u64]) -> EvolutionRecord {
        let generation =
            |&best: &u64| PopulationRecord { best: Some(best), mean: Some(best + 1_000_000) };
        EvolutionRecord {
            generations: 1,
            evaluations: 1,
            cached: 0,
            has_settled: true,
            fitness: None,
            history: bests.iter().map(generation).collect(),
        }
    }

    #[test]
    fn sums_of_the_most_are_exact() {
        let most = 1_000_000_000_000_000;
        let generation = PopulationRecord { best: Some(most), mean: Some(most) };
        let mut sums = HistorySums::default();
        (0..20_000).for_each(|_| sums.add(generation));
        assert!((sums.mean_best() - 1e9).abs() < 1.0 && sums.standard_error() < 1e3, "{sums:?}");
    }

    #[test]
    fn evolutions_that_have_ended_count_with_their_last_generation() {
        let records = [record(&[5_000_000, 3_000_000]), record(&[4_000_000, 2_000_000, 1_000_000])];
        for order in [[0, 1], [1, 0]] {
            let mut history = FitnessHistory::default();
            order.iter().for_each(|&place: &usize| history.add(&records[place]));
            let bests: Vec<f64> = history.generations.iter().map(HistorySums::mean_best).collect();
            assert_eq!(bests, [4.5, 2.5, 2.0]);
            let means = history.generations.iter().map(HistorySums::mean_fitness);
            assert_eq!(means.collect::<Vec<_>>(), [5.5, 3.5, 3.0]);
            let running = history.generations.iter().map(|sums| sums.n_running);
            assert_eq!(running.collect::<Vec<_>>(), [2, 2, 1]);
            // Two numbers that are 1 apart have a standard deviation of 1/sqrt 2.
            assert!((history.generations[0].standard_error() - 0.5).abs() < 1e-9);
        }
    }
}
