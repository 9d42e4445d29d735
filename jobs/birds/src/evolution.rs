//! The evolution of a level: a genetic algorithm over stacks, from beginning to end.
//!
//! A run is a pure function of its settings, its goal, its random stream and the evaluation of
//! levels. Every individual has random numbers of its own, so levels of a generation may be
//! evaluated in any order.

mod cache;
pub mod fitness;
pub mod genome;
mod outcome;
mod settings;
mod streak;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::ops::ControlFlow;

use hatchery_core::{InvalidValue, StreamRng};
use hatchery_evolve::Population;

use crate::evolution::cache::FitnessCache;
use crate::evolution::fitness::{FitnessSettings, IdealCounts, LevelFitness};
use crate::evolution::genome::{LevelGenome, StackGrammar};
use crate::evolution::streak::EqualBests;
use crate::level::Level;

pub use outcome::{EvolutionStop, EvolvedLevel, GenerationFitness};
pub use settings::EvolutionSettings;

/// An evolution that can be run: checked settings and a checked goal.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelEvolution {
    settings: EvolutionSettings,
    fitness: FitnessSettings,
    ideal: IdealCounts,
    grammar: StackGrammar,
}

impl LevelEvolution {
    /// Returns the evolution of a level for these ideal numbers.
    ///
    /// # Errors
    /// If settings are out of their range or contradict each other. Keys are the fields of
    /// [`EvolutionSettings`], `pigs` and `blocks` for the ideal numbers, and `max_blocks`.
    pub fn new(
        settings: &EvolutionSettings,
        fitness: FitnessSettings,
        ideal: IdealCounts,
    ) -> Result<Self, InvalidValue> {
        settings.check(fitness.max_blocks)?;
        fitness.check(ideal)?;
        let grammar = settings.grammar(fitness.max_blocks)?;
        Ok(Self { settings: settings.clone(), fitness, ideal, grammar })
    }

    /// Returns the grammar of its genomes.
    #[must_use]
    pub const fn grammar(&self) -> &StackGrammar {
        &self.grammar
    }

    /// Runs the evolution. `evaluate` returns the mean speed of a level's blocks and pigs before
    /// the first bird, from 0 to 1; it is called once for each genome that is not empty.
    ///
    /// Individual i of generation g has the random numbers of part i of part g of the stream; the
    /// stream itself is not drawn from.
    pub fn run(&self, stream: &StreamRng, mut evaluate: impl FnMut(&Level) -> f64) -> EvolvedLevel {
        let go_on = |speed| ControlFlow::<Infallible, f64>::Continue(speed);
        let ControlFlow::Continue(evolved) = self.run_while(stream, |level| go_on(evaluate(level)));
        evolved
    }

    /// Like [`run`](Self::run), but breaks when `evaluate` does.
    pub(crate) fn run_while<B>(
        &self,
        stream: &StreamRng,
        mut evaluate: impl FnMut(&Level) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B, EvolvedLevel> {
        let Self { settings, fitness, ideal, grammar } = self;
        let (mut cache, mut streak) = (FitnessCache::default(), EqualBests::default());
        let (mut history, mut n_evaluations) = (Vec::new(), 0);
        let mut assess = |genome: &LevelGenome| {
            if genome.n_blocks() + genome.n_pigs() == 0 {
                return ControlFlow::Continue(LevelFitness::INFINITE);
            }
            n_evaluations += 1;
            let level = genome.decode(grammar);
            ControlFlow::Continue(fitness.fitness(&level, evaluate(&level)?, *ideal))
        };
        let mut population = self.first(stream);
        let stop = loop {
            let n_elites = if history.is_empty() { 0 } else { settings.elites as usize };
            let mut scores = Vec::with_capacity(population.individuals().len());
            for (idx, one) in population.individuals().iter().enumerate() {
                scores.push(match idx < n_elites {
                    true => one.score,
                    false => cache.fitness(&one.genome, || assess(&one.genome))?,
                });
            }
            history.push(GenerationFitness::of(&scores));
            population.record_scores(scores);
            if settings.equal_bests <= streak.record(population.best().score.total()) {
                break EvolutionStop::EqualBests;
            }
            if settings.generations as usize <= history.len() {
                break EvolutionStop::Generations;
            }
            population = self.next(&population, &stream.part(history.len() as u64));
        };
        let best = population.best();
        ControlFlow::Continue(EvolvedLevel {
            genome: best.genome.clone(),
            level: best.genome.decode(grammar),
            fitness: best.score,
            n_evaluations,
            n_cached: cache.n_found(),
            stop,
            history,
        })
    }

    fn first(&self, stream: &StreamRng) -> Population<LevelGenome, LevelFitness> {
        let generation = stream.part(0);
        Population::generate(self.settings.population, |place| {
            self.grammar.random_genome(&mut generation.part(u64::from(place)))
        })
    }

    fn next(
        &self,
        population: &Population<LevelGenome, LevelFitness>,
        generation: &StreamRng,
    ) -> Population<LevelGenome, LevelFitness> {
        let EvolutionSettings { tournament, elites, breeding, .. } = &self.settings;
        population.replaced(*elites, |place| {
            let mut rng = generation.part(place as u64);
            let [a, b] = [(); 2].map(|()| population.parent(*tournament, &mut rng));
            LevelGenome::child(a, b, breeding, &self.grammar, &mut rng)
        })
    }
}
