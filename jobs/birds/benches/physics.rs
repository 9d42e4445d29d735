//! Measures level evaluations and play-outs per second on a single core:
//! `cargo bench -p hatchery-birds`.
//!
//! Before anything is measured, a copy of a world must continue as its original does.

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_birds::evolution::fitness::{FitnessSettings, IdealCounts};
use hatchery_birds::evolution::{EvolutionSettings, LevelEvolution};
use hatchery_birds::level::Level;
use hatchery_birds::players::{PlayerClass, play};
use hatchery_birds::world::LevelSettling;
use hatchery_birds::{LevelWorld, PhysicsSettings};

#[path = "../tests/birds/physics/levels.rs"]
mod levels;

/// The levels of a sample of play-outs.
const LEVELS: u64 = 20;

/// The evolutions of a sample.
const EVOLUTIONS: u64 = 5;

/// A scene of some 60 bodies.
#[derive(Clone, Copy, Debug)]
enum Scene {
    Pyramid,
    Columns,
    Collapse,
}

const SCENES: [Scene; 3] = [Scene::Pyramid, Scene::Columns, Scene::Collapse];

impl Scene {
    fn level(self) -> Level {
        match self {
            Self::Pyramid => levels::pyramid(),
            Self::Columns => levels::columns(10),
            Self::Collapse => levels::leaning_towers(),
        }
    }
}

fn main() {
    for scene in SCENES {
        let mut world = LevelWorld::new(&scene.level(), &PhysicsSettings::default());
        let mut copy = world.clone();
        world.settle();
        copy.settle();
        assert_eq!(world.state_hash(), copy.state_hash(), "a copy of {scene:?} goes another way");
    }
    divan::main();
}

fn evaluate(level: &Level) -> LevelSettling {
    LevelWorld::settled(level, &PhysicsSettings::default()).1
}

fn settled(level: &Level) -> LevelWorld {
    LevelWorld::settled(level, &PhysicsSettings::default()).0
}

/// Makes the world of a level and lets it settle for 4 s.
#[divan::bench(args = SCENES, sample_count = 50)]
fn evaluations(bencher: Bencher<'_, '_>, scene: Scene) {
    let level = scene.level();
    bencher.counter(ItemsCount::new(1_u32)).bench(|| evaluate(&level));
}

/// Evolves levels with these ideal numbers of pigs, and ten blocks for each pig; an item is the
/// evaluation of a level.
#[divan::bench(args = [1.0, 3.36, 6.0], sample_count = 3)]
fn evolutions(bencher: Bencher<'_, '_>, pigs: f64) {
    let (ideal, physics) = (IdealCounts { pigs, blocks: 10.0 * pigs }, PhysicsSettings::default());
    let evolution =
        LevelEvolution::new(&EvolutionSettings::default(), FitnessSettings::default(), ideal)
            .expect("the defaults fit together");
    let evolve = || {
        (0..EVOLUTIONS)
            .map(|number| {
                let stream = levels::stream("e").part(number);
                let speed = |level: &Level| LevelWorld::new(level, &physics).settle().mean_speed();
                evolution.run(&stream, |level| speed(level).unwrap_or(1.0)).n_evaluations
            })
            .sum::<u32>()
    };
    bencher.counter(ItemsCount::new(evolve())).bench(evolve);
}

/// Plays settled levels of ten stacks with a pig on each, which three birds hardly ever clear.
#[divan::bench(args = [PlayerClass::Average, PlayerClass::Expert], sample_count = 10)]
fn playouts(bencher: Bencher<'_, '_>, class: PlayerClass) {
    let worlds: Vec<_> = (0..LEVELS)
        .map(|number| settled(&levels::random_stacks(10, &mut levels::stream("b").part(number))))
        .collect();
    bencher.counter(ItemsCount::new(LEVELS)).bench(|| {
        let plays = worlds.iter().zip(0..).map(|(world, number)| {
            play(world.clone(), &class.skill(), &mut levels::stream("p").part(number)).result()
        });
        plays.map(|result| result.n_steps).sum::<u32>()
    });
}

#[divan::bench(args = SCENES)]
fn copies(bencher: Bencher<'_, '_>, scene: Scene) {
    let world = settled(&scene.level());
    bencher.counter(ItemsCount::new(1_u32)).bench(|| world.clone());
}
