//! Crossover and mutation of levels.

use hatchery_core::StreamRng;

use super::LevelGenome;
use super::grammar::StackGrammar;
use super::settings::BreedingSettings;

impl LevelGenome {
    /// Returns a child of two parents.
    ///
    /// With crossover, the child takes each column's stack from either parent with probability 1/2.
    /// If only one parent has a stack in the column, the child keeps this stack with the
    /// probability `surplus`. Without crossover, the child begins as a copy of `a`. Then each stack
    /// of the child may be replaced by a random stack.
    #[must_use]
    pub fn child(
        a: &Self,
        b: &Self,
        settings: &BreedingSettings,
        grammar: &StackGrammar,
        rng: &mut StreamRng,
    ) -> Self {
        let crossed = rng.unit_f64() < settings.crossover;
        let mut stacks =
            if crossed { cross(a, b, settings.surplus, rng) } else { a.clone() }.stacks;
        for stack in &mut stacks {
            if rng.unit_f64() < settings.mutation {
                *stack = grammar.random_stack(rng);
            }
        }
        Self::new(stacks, grammar)
    }
}

fn cross(a: &LevelGenome, b: &LevelGenome, surplus: f64, rng: &mut StreamRng) -> LevelGenome {
    let mut stacks = Vec::new();
    for column in 0..a.stacks.len().max(b.stacks.len()) {
        let stack = match (a.stacks.get(column), b.stacks.get(column)) {
            (Some(a), Some(b)) => Some(if rng.below(2) == 0 { a } else { b }),
            (one, other) => one.or(other).filter(|_| rng.unit_f64() < surplus),
        };
        stacks.extend(stack.cloned());
    }
    LevelGenome { stacks }
}
