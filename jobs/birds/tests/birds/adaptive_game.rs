//! Games of levels that adapt to a person are values: saved, repeated, and safe from bad input.

use hatchery_birds::adaptive_game::{
    AdaptiveGame, AdaptiveGameError, AdaptiveRules, SavedLevelsError,
};
use hatchery_birds::world::ballistics::LaunchVelocity;
use hatchery_birds::world::playout::{PlayoutOutcome, PlayoutPhase};
use hatchery_core::scene::SceneRecorder;
use proptest::prelude::ProptestConfig;
use proptest::{prop_assert_eq, proptest};

/// Rules of levels that evolve quickly.
fn rules() -> AdaptiveRules {
    let mut rules = AdaptiveRules::default();
    (rules.study.evolution.population, rules.study.evolution.generations) = (4, 2);
    rules.study.physics.shot_seconds = 4.0;
    rules.adaptation.beta = 3.0;
    rules
}

/// Shoots at angles from -0.2 to 0.8 until the level is over.
fn finish(game: &mut AdaptiveGame) {
    for angle in [0.2, 0.5, 0.8, -0.2].into_iter().cycle() {
        if game.playout().phase() != PlayoutPhase::Aiming {
            return;
        }
        game.shoot(LaunchVelocity::new(angle, 1.0)).expect("a bird is left");
    }
}

fn played(seed: u64, n_levels: usize) -> AdaptiveGame {
    let mut game = AdaptiveGame::begin(seed, rules()).expect("the rules are in range");
    for _ in 1..n_levels {
        finish(&mut game);
        game.begin_next_level().expect("the level is over");
    }
    finish(&mut game);
    game
}

#[test]
fn a_saved_game_is_repeated() {
    let mut game = played(5, 3);
    let again = AdaptiveGame::from_json(game.to_json().as_bytes(), rules()).unwrap();
    assert_eq!(again, game);
    assert_eq!(again.to_json(), game.to_json());
    assert_eq!(again.level(), game.level());
    let hash = |game: &AdaptiveGame| game.playout().world().state_hash();
    assert_eq!(hash(&again), hash(&game));
    let step = game.begin_next_level().unwrap();
    assert_eq!(step.ideal, game.ideal());
    assert_ne!(again, game);
    assert_ne!(played(6, 1).level(), played(5, 1).level());
}

#[test]
fn the_next_level_follows_the_play() {
    let mut game = played(5, 1);
    let (before, result) = (game.ideal(), game.playout().result());
    let step = game.begin_next_level().unwrap();
    if result.outcome == PlayoutOutcome::Unplayable {
        assert_eq!(step.ideal, before);
    }
    let birds = f64::from(result.birds_used + result.birds_left);
    let kills = birds * f64::from(result.pigs_killed) / f64::from(result.birds_used);
    assert_eq!(step.expected_kills, Some(kills));
    let pigs = (0.25 * kills + 0.75 * before.pigs).clamp(1.0, rules().study.fitness.max_pigs);
    assert!((step.ideal.pigs - pigs).abs() < 1e-12, "{step:?}");
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    let mut game = AdaptiveGame::begin(5, rules()).unwrap();
    let begun = game.clone();
    assert_eq!(game.begin_next_level(), Err(AdaptiveGameError::NotOver));
    for (x, y) in [(f32::NAN, 0.0), (f32::INFINITY, 1.0), (9.0, 9.0), (0.0, -10.1)] {
        let refused = game.shoot(LaunchVelocity { x, y });
        assert!(matches!(refused, Err(AdaptiveGameError::Velocity { .. })), "{refused:?}");
    }
    assert_eq!(game, begun);
    finish(&mut game);
    assert_eq!(game.shoot(LaunchVelocity::new(0.5, 1.0)), Err(AdaptiveGameError::Over));
    let mut no_blocks = rules();
    no_blocks.adaptation.first_pigs = 1000.0;
    let refused = AdaptiveGame::begin(5, no_blocks).unwrap_err().to_string();
    assert!(refused.starts_with("adaptation.first_pigs is 1000"), "{refused}");
    let mut negative = rules();
    negative.study.fitness.pig_density.weight = -1.0;
    let refused = AdaptiveGame::begin(5, negative).unwrap_err().to_string();
    assert!(refused.starts_with("fitness.pig_density.weight is -1"), "{refused}");
}

#[test]
fn a_level_is_shown() {
    let game = played(5, 1);
    let mut recorder = SceneRecorder::new();
    assert!(game.show(&mut recorder).is_continue());
    let scene = recorder.finish().unwrap();
    assert!(10 < scene.frames.len(), "{} frames", scene.frames.len());
    let last = scene.frames.last().unwrap();
    assert!(last.caption.contains("cleared"), "{last:?}");
}

#[test]
fn bad_saves_are_refused() {
    let read = |json: &str| AdaptiveGame::from_json(json.as_bytes(), rules());
    let shots = "[[9.5,2.0]],".repeat(100);
    for (json, expected) in [
        ("{".to_owned(), "not a saved game"),
        (r#"{"format":2,"seed":1,"levels":[[]]}"#.to_owned(), "field format: `2`; it is 1"),
        (r#"{"format":1,"seed":1,"levels":[]}"#.to_owned(), "field levels: none"),
        (r#"{"format":1,"seed":1,"levels":[[]],"x":1}"#.to_owned(), "not a saved game"),
        (r#"{"format":1,"seed":1,"levels":[[[1e30,0]]]}"#.to_owned(), "level 1"),
        (r#"{"format":1,"seed":1,"levels":[[],[]]}"#.to_owned(), "level 1"),
        (format!(r#"{{"format":1,"seed":1,"levels":[[{shots}[0,0]]]}}"#), "not a saved game"),
        (" ".repeat(1 << 17), "131072 bytes"),
    ] {
        let error = read(&json).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{json:.60}: {error}");
        if let SavedLevelsError::Level { source, .. } = error {
            assert!(!source.to_string().is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_a_game_or_an_error(
        seed in "[0-9]{1,25}",
        levels in r"\[(\[(\[-?[0-9]{1,2},-?[0-9]\])?\],?){0,2}\]",
    ) {
        let json = format!(r#"{{"format":1,"seed":{seed},"levels":{levels}}}"#);
        if let Ok(game) = AdaptiveGame::from_json(json.as_bytes(), rules()) {
            let again = AdaptiveGame::from_json(game.to_json().as_bytes(), rules()).unwrap();
            prop_assert_eq!(again, game);
        }
    }
}
