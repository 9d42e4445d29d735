//! The cache of evaluated levels.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::fitness::LevelFitness;
use super::genome::LevelGenome;

/// The fitness of every genome so far. Evaluation is deterministic, so equal genomes have the same
/// fitness.
#[derive(Clone, Debug, Default)]
pub(super) struct FitnessCache {
    known: BTreeMap<LevelGenome, LevelFitness>,
    n_found: u32,
}

impl FitnessCache {
    /// Returns the fitness of a genome, evaluating it if it is new; breaks if `evaluate` does.
    pub(super) fn fitness<B>(
        &mut self,
        genome: &LevelGenome,
        evaluate: impl FnOnce() -> ControlFlow<B, LevelFitness>,
    ) -> ControlFlow<B, LevelFitness> {
        if let Some(fitness) = self.known.get(genome) {
            self.n_found += 1;
            return ControlFlow::Continue(*fitness);
        }
        let fitness = evaluate()?;
        self.known.insert(genome.clone(), fitness);
        ControlFlow::Continue(fitness)
    }

    /// Returns the number of times that a genome was known.
    pub(super) const fn n_found(&self) -> u32 {
        self.n_found
    }
}
