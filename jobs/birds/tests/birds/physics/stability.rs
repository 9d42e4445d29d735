//! Levels that stand and levels that fall.

use hatchery_birds::LevelWorld;
use hatchery_birds::level::{Level, LevelElements};
use hatchery_birds::world::{LevelSettling, PhysicsSettings};

use crate::physics::levels::{columns, leaning_towers, level, pyramid};

fn settle(level: &Level, settings: &PhysicsSettings) -> LevelSettling {
    LevelWorld::settled(level, settings).1
}

/// Settings of the game: 50 steps a second, and many iterations.
fn fine() -> PhysicsSettings {
    PhysicsSettings { steps_per_second: 50, solver_iterations: 12, ..Default::default() }
}

#[test]
fn a_pyramid_stands() {
    for settings in [PhysicsSettings::default(), fine()] {
        let settling = settle(&pyramid(), &settings);
        assert_eq!(settling.elements.len(), 60);
        let mean_speed = settling.mean_speed().unwrap();
        assert!(mean_speed < 0.01, "{mean_speed}");
        assert!(settling.max_distance() < 0.05, "{}", settling.max_distance());
        assert_eq!((settling.share_asleep(), settling.share_moved()), (Some(1.0), Some(0.0)));
        assert!(settling.n_steps < settings.settling_steps(), "it ends early");
    }
}

#[test]
fn leaning_towers_fall() {
    for settings in [PhysicsSettings::default(), fine()] {
        let settling = settle(&leaning_towers(), &settings);
        let mean_speed = settling.mean_speed().unwrap();
        let (displacement, n_gone) = (settling.max_distance(), settling.n_gone());
        assert!(0.25 < mean_speed, "{mean_speed}, {displacement}, {n_gone}");
        assert!(3.0 < displacement, "{mean_speed}, {displacement}, {n_gone}");
        assert!(0.5 < settling.share_moved().unwrap());
    }
}

#[test]
fn columns_stand() {
    let settling = settle(&columns(6), &PhysicsSettings::default());
    let mean_speed = settling.mean_speed().unwrap();
    assert!(mean_speed < 0.01, "{mean_speed}");
    assert_eq!(settling.share_asleep(), Some(1.0));
}

#[test]
fn an_empty_level_has_no_mean() {
    let settling = settle(&level(LevelElements::default()), &PhysicsSettings::default());
    assert_eq!((settling.mean_speed(), settling.share_asleep()), (None, None));
    assert_eq!(settling.n_steps, 1);
}
