//! The same bits from run to run, on any number of threads, in copies, and as they were.

use std::fmt::Write;

use hatchery_birds::level::Level;
use hatchery_birds::world::PhysicsSettings;
use hatchery_birds::world::ballistics::LaunchVelocity;
use hatchery_birds::world::playout::PlayoutPhase;
use hatchery_birds::{LevelPlayout, LevelWorld};

use crate::physics::levels::{columns, leaning_towers, pyramid};

/// Angles of three shots that hit something in all scenes.
const ANGLES: [f64; 3] = [0.05, 0.2, 1.2];

/// Levels with their names.
fn scenes() -> [(&'static str, Level); 3] {
    [("pyramid", pyramid()), ("leaning towers", leaning_towers()), ("columns", columns(8))]
}

fn shots() -> impl Iterator<Item = LaunchVelocity> {
    ANGLES.into_iter().map(|angle| LaunchVelocity::new(angle, 1.0))
}

/// Returns, as text, the hashes of the worlds at every moment that matters.
fn hashes() -> String {
    let mut text = String::new();
    for (name, level) in scenes() {
        let (world, settling) = LevelWorld::settled(&level, &PhysicsSettings::default());
        let n_steps = settling.n_steps;
        writeln!(text, "{name} settled after {n_steps} steps: {}", world.state_hash()).unwrap();
        let mut playout = LevelPlayout::new(world);
        for (number, shot) in (1..).zip(shots()) {
            playout.shoot(shot);
            let (result, hash) = (playout.result(), playout.world().state_hash());
            let (n_steps, n_pigs) = (result.n_steps, result.pigs_left);
            writeln!(text, "{name}, bird {number}, {n_steps} steps, {n_pigs} pigs: {hash}")
                .unwrap();
        }
    }
    text
}

/// `UPDATE_GOLDEN=1 cargo test -p hatchery-birds-tests` renews the file: then raise the `VERSION`
/// of every experiment.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test may renew its golden file")]
fn worlds_are_as_they_were() {
    let found = hashes();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/birds/physics/golden/physics.txt");
        std::fs::write(path, found).unwrap();
        return;
    }
    assert_eq!(found, include_str!("golden/physics.txt"));
}

#[test]
fn threads_change_nothing() {
    let expected = hashes();
    for n_threads in [1, 2, 8] {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(hashes)).collect();
            for thread in threads {
                assert_eq!(thread.join().unwrap(), expected, "{n_threads} threads");
            }
        });
    }
}

#[test]
fn a_copy_goes_on_as_its_original() {
    for (name, level) in scenes() {
        let mut world = LevelWorld::new(&level, &PhysicsSettings::default());
        let mut copies = Vec::new();
        for n_steps in 0..240 {
            if [0, 1, 30, 100].contains(&n_steps) {
                copies.push(world.clone());
            }
            world.step();
            for copy in &mut copies {
                copy.step();
                assert_eq!(copy.state_hash(), world.state_hash(), "{name}, step {n_steps}");
            }
        }
    }
}

#[test]
fn a_copy_in_a_shot_goes_on_as_its_original() {
    let (world, _) = LevelWorld::settled(&columns(8), &PhysicsSettings::default());
    let mut playout = LevelPlayout::new(world);
    for shot in shots() {
        playout.launch(shot);
        let mut copy = playout.clone();
        for n_steps in 1_u32.. {
            let phase = playout.step();
            assert_eq!(copy.step(), phase);
            assert_eq!(copy.world().state_hash(), playout.world().state_hash());
            if n_steps % 50 == 0 {
                copy = playout.clone();
            }
            if phase != PlayoutPhase::Flying {
                break;
            }
        }
        assert_eq!(copy.result(), playout.result());
    }
}
