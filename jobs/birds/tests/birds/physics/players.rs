//! Players: better ones clear more levels.

use hatchery_birds::level::{Level, LevelElements};
use hatchery_birds::players::{PlayerClass, PlayerSkill, TargetPolicy, choose_shot, play};
use hatchery_birds::world::playout::{LevelPlayout, PlayoutOutcome, PlayoutPhase, PlayoutResult};
use hatchery_birds::world::{ElementId, WorldEventKind};
use hatchery_birds::{LevelWorld, PhysicsSettings};

use crate::physics::levels::{columns, ground_pig, level, random_stacks, stream};

fn settled(level: &Level) -> LevelWorld {
    LevelWorld::settled(level, &PhysicsSettings::default()).0
}

/// Returns how many of twenty levels with five pigs each a player clears.
fn n_cleared(class: PlayerClass) -> u32 {
    let is_cleared = |number| {
        let world = settled(&random_stacks(5, &mut stream("levels").part(number)));
        let playout = play(world, &class.skill(), &mut stream("players").part(number));
        u32::from(playout.result().outcome == PlayoutOutcome::Cleared)
    };
    (0..20).map(is_cleared).sum()
}

#[test]
fn better_players_clear_more_levels() {
    // Two grades apart, so that the order is not one of chance.
    let classes = [PlayerClass::Novice, PlayerClass::Average, PlayerClass::Oracle];
    let [novice, average, oracle] = classes.map(n_cleared);
    assert!(novice < average && average < oracle, "{novice}, {average}, {oracle} of 20");
    assert!(2 * novice <= oracle, "{novice}, {average}, {oracle} of 20");
}

#[test]
fn a_play_depends_on_its_stream_only() {
    let world = settled(&columns(4));
    let skill = PlayerClass::Skilled.skill();
    let plays = [1, 1, 2].map(|part| {
        let playout = play(world.clone(), &skill, &mut stream("plays").part(part));
        (playout.shots().to_vec(), playout.world().state_hash())
    });
    assert_eq!(plays[0], plays[1]);
    assert_ne!(plays[0], plays[2]);
    let mut again = LevelPlayout::new(world);
    for &shot in &plays[0].0 {
        again.shoot(shot);
    }
    assert_eq!(again.world().state_hash(), plays[0].1);
    assert_eq!(again.phase(), PlayoutPhase::Over);
}

#[test]
fn targets_follow_the_policy() {
    let near_and_far = [ground_pig(-2.0), ground_pig(10.0)];
    let elements = LevelElements { pigs: near_and_far.into(), ..LevelElements::default() };
    let world = settled(&level(elements));
    let check = |target, expected| {
        let skill =
            PlayerSkill { target, high_arc_probability: 0.0, ..PlayerSkill::graded(0.0, 1) };
        let mut playout = LevelPlayout::new(world.clone());
        let shot = choose_shot(&playout, &skill, &mut stream("targets"));
        playout.shoot(shot);
        let hits = playout.events().iter().find_map(|event| match event.kind {
            WorldEventKind::Hit { element, .. } => Some(element),
            _ => None,
        });
        assert_eq!(hits, Some(ElementId::Pig(expected)), "{target:?}");
    };
    check(TargetPolicy::NearestPig, 0);
    check(TargetPolicy::FarthestPig, 1);
}

#[test]
fn a_level_without_pigs_is_unplayable() {
    let world = settled(&level(LevelElements::default()));
    let playout = play(world, &PlayerClass::Oracle.skill(), &mut stream("no pigs"));
    let expected = PlayoutResult {
        outcome: PlayoutOutcome::Unplayable,
        birds_used: 0,
        birds_left: 3,
        pigs_killed: 0,
        pigs_left: 0,
        n_steps: 0,
        seconds: 0.0,
    };
    assert_eq!(playout.result(), expected);
}
