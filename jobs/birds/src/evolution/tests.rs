//! Tests of evolutions, with stand-ins for physics.

use hatchery_core::RunSeed;
use hatchery_evolve::score::ranks_in_order;

use super::genome::{BreedingSettings, StackSettings};
use super::*;

const IDEAL: IdealCounts = IdealCounts { pigs: 3.36, blocks: 34.0 };

fn stream(seed: u64) -> StreamRng {
    RunSeed::new("evolution", seed).generation(0).stream("")
}

fn evolution(settings: &EvolutionSettings) -> LevelEvolution {
    LevelEvolution::new(settings, FitnessSettings::default(), IDEAL).unwrap()
}

/// A stand-in for physics: higher levels are less stable.
fn height(level: &Level) -> f64 {
    let tops = level.blocks().iter().map(|block| f64::from(block.pose.y) + 3.5);
    tops.fold(0.0, f64::max) / 20.0
}

#[test]
fn the_best_never_gets_worse_and_is_what_is_returned() {
    for seed in 0..10 {
        let evolution = evolution(&EvolutionSettings::default());
        let mut seen = Vec::new();
        let best = evolution.run(&stream(seed), |level| {
            let speed = height(level);
            seen.push(evolution.fitness.fitness(level, speed, IDEAL).total());
            speed
        });
        let bests: Vec<_> = best.history.iter().map(|generation| generation.best).collect();
        assert!(bests.is_sorted_by(|a, b| b <= a), "{bests:?}");
        let least = seen.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(best.fitness.total().to_bits(), least.to_bits());
        assert_eq!(bests.last().unwrap().to_bits(), least.to_bits());
        assert_eq!(best.n_evaluations as usize, seen.len());
        let again = evolution.fitness.fitness(&best.level, height(&best.level), IDEAL);
        assert_eq!(best.fitness, again);
        assert_eq!(best.level, best.genome.decode(evolution.grammar()));
    }
}

/// Compares with the history of a run that always reaches its last generation. A run that may stop
/// early must have a prefix of this history.
#[test]
fn runs_end_exactly_at_the_tenth_equal_best_or_the_last_generation() {
    for seed in 0..5 {
        let run = |generations, equal_bests| {
            let settings =
                EvolutionSettings { generations, equal_bests, ..EvolutionSettings::default() };
            evolution(&settings).run(&stream(seed), height)
        };
        let whole = run(150, 1000);
        assert_eq!((whole.history.len(), whole.stop), (150, EvolutionStop::Generations));
        let equal = |end: usize| {
            let last = &whole.history[end - 11..end];
            last.windows(2).all(|pair| pair[0].best.to_bits() == pair[1].best.to_bits())
        };
        let end = (11..=150).find(|end| equal(*end)).unwrap();
        let ruled = run(150, 10);
        assert_eq!(ruled.stop, EvolutionStop::EqualBests);
        assert_eq!(ruled.history, whole.history[..end]);
        let cut = run(u32::try_from(end).unwrap() - 1, 10);
        assert_eq!((cut.history.len(), cut.stop), (end - 1, EvolutionStop::Generations));
    }
    let constant = evolution(&EvolutionSettings::default()).run(&stream(0), |_| f64::NAN);
    assert!(constant.fitness.total() < 1.0 + 2.0);
    let one = EvolutionSettings { generations: 1, ..EvolutionSettings::default() };
    assert_eq!(evolution(&one).run(&stream(0), height).history.len(), 1);
}

#[test]
fn known_genomes_are_not_evaluated_again() {
    let settings = EvolutionSettings {
        breeding: BreedingSettings { crossover: 0.0, mutation: 0.0, surplus: 0.5 },
        ..EvolutionSettings::default()
    };
    let mut levels = Vec::new();
    let best = evolution(&settings).run(&stream(1), |level| {
        levels.push(level.clone());
        height(level)
    });
    // Without crossover and mutation, all are copies of the first ones.
    assert!(levels.len() <= 20 && levels.len() == best.n_evaluations as usize, "{best:?}");
    assert_eq!(best.n_cached as usize, 19 * (best.history.len() - 1) + 20 - levels.len());
}

#[test]
fn empty_levels_are_worst_and_are_not_evaluated() {
    let stacks = StackSettings { height_mean: 0.0, height_spread: 0.0, ..StackSettings::default() };
    let settings = EvolutionSettings { stacks, ..EvolutionSettings::default() };
    let best = evolution(&settings).run(&stream(1), height);
    assert!(best.fitness.total().is_infinite());
    assert_eq!((best.n_evaluations, best.history.len()), (0, 11));
    let GenerationFitness { mean, n_empty, .. } = best.history[10];
    assert!(mean.is_infinite() && n_empty == 20);
    assert!(ranks_in_order(&[best.fitness, LevelFitness { stability: 1.0, ..best.fitness }]));
}

/// The bounds of the requirements, for 20 runs at each ideal number of pigs, as if nothing moved.
#[test]
fn ideal_numbers_are_found() {
    for (pigs, min_near) in [(1.0, 18), (2.0, 18), (3.36, 18), (4.3, 18), (6.0, 0)] {
        let ideal = IdealCounts { pigs, blocks: 10.0 * pigs };
        let settings = EvolutionSettings::default();
        let evolution = LevelEvolution::new(&settings, FitnessSettings::default(), ideal).unwrap();
        let runs: Vec<_> = (0..20).map(|seed| evolution.run(&stream(seed), |_| 0.0)).collect();
        let near = |found: usize, ideal: f64, most: f64| {
            let found = f64::from(u32::try_from(found).unwrap());
            (found - ideal).abs() <= most
        };
        let count =
            |holds: &dyn Fn(&EvolvedLevel) -> bool| runs.iter().filter(|run| holds(run)).count();
        assert!(18 <= count(&|run| near(run.level.pigs().len(), ideal.pigs, 0.5)), "{pigs}");
        let n_near = count(&|run| near(run.level.blocks().len(), ideal.blocks, 3.0));
        assert!(min_near <= n_near, "{pigs}: {n_near}");
        assert!(10 <= count(&|run| run.fitness.total() <= 0.3), "{pigs}");
    }
}

/// The place of an individual decides its random numbers: earlier individuals do not shift them.
#[test]
fn equal_streams_give_equal_runs_and_are_not_drawn_from() {
    let evolution = evolution(&EvolutionSettings::default());
    let (mut drawn, fresh) = (stream(3), stream(3));
    drawn.next_u64();
    assert_eq!(evolution.run(&drawn, height), evolution.run(&fresh, height));
    assert_ne!(evolution.run(&stream(4), height), evolution.run(&fresh, height));
}

#[test]
fn impossible_settings_are_refused() {
    let check = |change: &dyn Fn(&mut EvolutionSettings), expected: &str| {
        let mut settings = EvolutionSettings::default();
        change(&mut settings);
        let fitness = FitnessSettings::default();
        let error = LevelEvolution::new(&settings, fitness, IDEAL).unwrap_err();
        assert_eq!(error.key, expected, "{error:?}");
    };
    check(&|settings| settings.population = 1, "population");
    check(&|settings| settings.elites = 20, "elites");
    check(&|settings| settings.elites = 0, "elites");
    check(&|settings| settings.generations = 0, "generations");
    check(&|settings| settings.equal_bests = 0, "equal_bests");
    check(&|settings| settings.tournament = 0, "tournament");
    check(&|settings| settings.breeding.mutation = 1.5, "breeding.mutation");
    check(&|settings| settings.stacks.birds = 0, "stacks.birds");
    check(&|settings| settings.stacks.left = f64::NAN, "stacks.left");
    check(&|settings| settings.stacks.width = 21.0, "stacks.width");
    check(&|settings| settings.stacks.templates[3].weight = -1.0, "stacks.templates.3.weight");
    check(&|settings| settings.stacks.templates.clear(), "stacks.templates");
    let fitness = FitnessSettings { max_blocks: 0, ..FitnessSettings::default() };
    let error = EvolutionSettings::default().check(fitness.max_blocks).unwrap_err();
    assert_eq!(error.key, "max_blocks");
}
