//! Levels that are evolved or given, with worlds that have settled.

use std::ops::ControlFlow;

use hatchery_core::{StreamRng, TrialContext};

use super::results::EvolutionRecord;
use super::setup::{EvolutionGoal, StudyRules};
use crate::evolution::LevelEvolution;
use crate::level::Level;
use crate::world::{LevelSettling, LevelWorld, PhysicsSettings};

/// A level in a world that has settled.
#[derive(Clone, Debug)]
pub(crate) struct SettledLevel {
    pub(crate) level: Level,
    pub(crate) world: LevelWorld,
    pub(crate) settling: LevelSettling,
}

/// A level that was evolved.
#[derive(Clone, Debug)]
pub(crate) struct EvolvedSettledLevel {
    pub(crate) settled: SettledLevel,
    pub(crate) record: EvolutionRecord,
    /// The time steps of the evaluations together.
    pub(crate) n_steps: u64,
}

impl SettledLevel {
    pub(crate) fn new(level: Level, physics: &PhysicsSettings) -> Self {
        let (world, settling) = LevelWorld::settled(&level, physics);
        Self { level, world, settling }
    }
}

impl EvolvedSettledLevel {
    /// Evolves a level for `goal` with the numbers of `stream`. Ideal numbers that the rules do not
    /// allow, which only a forged message has, count as the nearest allowed.
    ///
    /// Beats with each evaluation, and breaks if `context` does.
    pub(crate) fn new(
        rules: &StudyRules,
        goal: EvolutionGoal,
        stream: &StreamRng,
        context: &TrialContext<'_>,
    ) -> ControlFlow<(), Self> {
        let fitness = rules.fitness_for(goal);
        let ideal = fitness.nearest_ideal(goal.ideal);
        let evolution =
            LevelEvolution::new(&rules.evolution, fitness, ideal).expect("rules were checked");
        let settings = &rules.evolution;
        let n_levels = u64::from(settings.population) * u64::from(settings.generations);
        let (mut n_steps, mut pulse) = (0_u64, context.pulse(n_levels));
        let evolved = evolution.run_while(stream, |level| {
            pulse.step()?;
            let settling = LevelWorld::new(level, &rules.physics).settle();
            n_steps += u64::from(settling.n_steps);
            ControlFlow::Continue(settling.mean_speed().unwrap_or(1.0))
        })?;
        let record = EvolutionRecord::of(&evolved);
        let settled = SettledLevel::new(evolved.level, &rules.physics);
        ControlFlow::Continue(Self { settled, record, n_steps })
    }
}
