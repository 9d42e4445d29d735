//! Shots without errors hit what they are aimed at.

use hatchery_birds::LevelWorld;
use hatchery_birds::level::{GROUND_TOP, LevelElements};
use hatchery_birds::world::ballistics::{FlightArc, LaunchVelocity};
use hatchery_birds::world::playout::{LevelPlayout, PlayoutOutcome};
use hatchery_birds::world::{ElementId, PhysicsSettings, WorldEventKind};

use crate::physics::levels::{ground_pig, level};

const ARCS: [FlightArc; 2] = [FlightArc::Low, FlightArc::High];

fn settings() -> [PhysicsSettings; 3] {
    let settings = |steps_per_second, solver_iterations| PhysicsSettings {
        steps_per_second,
        solver_iterations,
        ..Default::default()
    };
    [settings(60, 4), settings(50, 4), settings(60, 12)]
}

#[test]
fn birds_fly_as_the_model_says() {
    for settings in settings() {
        let mut world = LevelWorld::new(&level(LevelElements::default()), &settings);
        let [left, bottom] = world.launch_place().map(f64::from);
        let angle = 1.2;
        let bird = world.launch(LaunchVelocity::new(angle, 1.0)).unwrap();
        for n_steps in 1..180 {
            world.step();
            let place = settings.flight_model().place(angle, settings.seconds(n_steps));
            let found = world.element(bird).unwrap().place.map(f64::from);
            let off = [found[0] - left - place[0], found[1] - bottom - place[1]];
            let off = libm::hypot(off[0], off[1]);
            assert!(off < 2e-4, "{off} after {n_steps} steps, {settings:?}");
        }
    }
}

/// Returns the distance of `point` from the line from `from` to `to`.
fn distance(point: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    let [px, py] = [point[0] - from[0], point[1] - from[1]];
    let along = ((px * dx + py * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
    libm::hypot(px - along * dx, py - along * dy)
}

#[test]
fn shots_pass_through_their_targets() {
    let mut n_reached = 0;
    let settings = PhysicsSettings::default();
    let empty = LevelWorld::new(&level(LevelElements::default()), &settings);
    let start = empty.launch_place().map(f64::from);
    for (x, y) in (2..20).flat_map(|x| (-1..8).map(move |y| (f64::from(x), f64::from(y)))) {
        let target = [start[0] + x, start[1] + y];
        for arc in ARCS {
            let Some(angle) = settings.flight_model().angle_to([x, y], arc) else { continue };
            n_reached += 1;
            let mut world = empty.clone();
            let bird = world.launch(LaunchVelocity::new(angle, 1.0)).unwrap();
            let (mut nearest, mut before) = (f64::INFINITY, start);
            while before[0] < target[0] {
                world.step();
                let Some(bird) = world.element(bird) else { break };
                let place = bird.place.map(f64::from);
                nearest = nearest.min(distance(target, before, place));
                before = place;
            }
            assert!(nearest < 0.005, "{nearest} beside {x}, {y} along the {arc:?} arc");
        }
    }
    assert!(200 < n_reached, "{n_reached}");
}

#[test]
fn pigs_in_the_open_are_killed() {
    for number in 0..44_u8 {
        let x = -6.0 + 0.4 * f32::from(number);
        let elements = LevelElements { pigs: vec![ground_pig(x)], ..LevelElements::default() };
        let settings = PhysicsSettings::default();
        let (world, _) = LevelWorld::settled(&level(elements), &settings);
        let [left, bottom] = world.launch_place().map(f64::from);
        let pig = world.pigs().next().unwrap().place.map(f64::from);
        for arc in ARCS {
            let offset = [pig[0] - left, pig[1] - bottom];
            let Some(angle) = settings.flight_model().angle_to(offset, arc) else {
                assert!(21.0 < offset[0], "{x} is in reach");
                continue;
            };
            let mut playout = LevelPlayout::new(world.clone());
            playout.shoot(LaunchVelocity::new(angle, 1.0));
            let hits = playout.events().iter().filter_map(|event| match event.kind {
                WorldEventKind::Hit { element, .. } => Some(element),
                _ => None,
            });
            let hits: Vec<_> = hits.collect();
            assert_eq!(hits.first(), Some(&ElementId::Pig(0)), "{x}, {arc:?}: {hits:?}");
            assert_eq!(playout.result().outcome, PlayoutOutcome::Cleared);
            assert_eq!(playout.result().birds_used, 1);
        }
    }
}

#[test]
fn a_bird_is_done_when_it_rests() {
    let level = level(LevelElements { pigs: vec![ground_pig(15.0)], ..LevelElements::default() });
    let (world, _) = LevelWorld::settled(&level, &PhysicsSettings::default());
    let mut playout = LevelPlayout::new(world);
    playout.shoot(LaunchVelocity::new(0.2, 0.5));
    let result = playout.result();
    assert_eq!((result.birds_used, result.pigs_left), (1, 1));
    assert!(result.seconds < 15.0, "{} s", result.seconds);
    assert!(playout.world().is_at_rest() && playout.world().elements().count() == 1);
    let hit = playout.events().iter().find(|it| matches!(it.kind, WorldEventKind::Hit { .. }));
    let done = playout.events().iter().find(|it| matches!(it.kind, WorldEventKind::Death { .. }));
    let between = done.unwrap().step - hit.unwrap().step;
    assert!(180 <= between && between.is_multiple_of(60), "{between} steps");
    let [_, y] = playout.world().launch_place();
    assert!(GROUND_TOP < y);
}
