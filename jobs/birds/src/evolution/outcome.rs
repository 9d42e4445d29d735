//! The outcome of an evolution.

use super::fitness::LevelFitness;
use super::genome::LevelGenome;
use crate::level::Level;

/// The best level of an evolution, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct EvolvedLevel {
    /// The genome.
    pub genome: LevelGenome,
    /// The level.
    pub level: Level,
    /// The fitness; infinite if no level with blocks or pigs was found.
    pub fitness: LevelFitness,
    /// The number of levels that were evaluated: different genomes that are not empty.
    pub n_evaluations: u32,
    /// The number of individuals, elites aside, whose genome was known.
    pub n_cached: u32,
    /// The reason of the end.
    pub stop: EvolutionStop,
    /// The fitness in each generation; at least one.
    pub history: Vec<GenerationFitness>,
}

/// The reason why an evolution has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvolutionStop {
    /// The best fitness had not changed for some time.
    EqualBests,
    /// There had been the most generations allowed.
    Generations,
}

/// The fitness of the individuals of a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationFitness {
    /// The best fitness.
    pub best: f64,
    /// The mean fitness of the individuals that are not empty; infinite if all are.
    pub mean: f64,
    /// The number of individuals that are empty, whose fitness is infinite.
    pub n_empty: u32,
}

impl GenerationFitness {
    pub(super) fn of(scores: &[LevelFitness]) -> Self {
        let totals = scores.iter().map(LevelFitness::total);
        let best = totals.clone().fold(f64::INFINITY, f64::min);
        let (mut sum, mut n) = (0.0, 0_u32);
        for total in totals.filter(|total| total.is_finite()) {
            sum += total;
            n += 1;
        }
        let mean = if n == 0 { f64::INFINITY } else { sum / f64::from(n) };
        let n_all = u32::try_from(scores.len()).expect("a population is counted by u32");
        Self { best, mean, n_empty: n_all - n }
    }
}
