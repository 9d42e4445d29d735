//! Scenes of play-outs.

use std::ops::ControlFlow;

use hatchery_birds::level::{Level, LevelElements, LevelPlatform, Pose};
use hatchery_birds::players::{PlayerClass, play};
use hatchery_birds::trial::scene::replay;
use hatchery_birds::{LevelWorld, PhysicsSettings};
use hatchery_core::scene::{Scene, SceneRecorder, SceneText, SceneThings};

use crate::physics::levels::{columns, ground_pig, level, stream};

fn settled(level: &Level) -> LevelWorld {
    LevelWorld::settled(level, &PhysicsSettings::default()).0
}

#[expect(clippy::cast_possible_truncation, reason = "places are small")]
fn thousandths(place: [f32; 2]) -> [i32; 2] {
    place.map(|it| (f64::from(it) * 1000.0).round() as i32)
}

#[test]
fn the_last_frame_is_the_end() {
    let level = columns(8);
    let world = settled(&level);
    for number in 0..4 {
        let mut rng = stream("scenes").part(number);
        let playout = play(world.clone(), &PlayerClass::Average.skill(), &mut rng);
        let mut recorder = SceneRecorder::new();
        let played = replay(&level, world.clone(), playout.shots(), &mut recorder);
        assert_eq!(played, ControlFlow::Continue(()));
        let scene = recorder.finish().unwrap();
        let mut things = SceneThings::new();
        for frame in &scene.frames {
            things.apply(&frame.changes);
        }
        let shown: Vec<_> = things.iter().map(|(_, pose)| [pose.place.x, pose.place.y]).collect();
        let expected: Vec<_> =
            playout.world().elements().map(|element| thousandths(element.place)).collect();
        assert_eq!(shown, expected);
        check_scene(&scene);
    }
}

/// Checks what every scene of a play-out has.
fn check_scene(scene: &Scene) {
    assert_eq!(scene.cut, None);
    let mut names: Vec<_> = scene.base.symbols.iter().map(|symbol| &symbol.name).collect();
    let n_symbols = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), n_symbols);
    let captions: Vec<_> = scene.frames.iter().map(|frame| frame.caption.as_str()).collect();
    assert!(captions.iter().any(|it| it.contains("bird 1 flies at")), "{captions:#?}");
    assert!(captions.iter().any(|it| it.contains("bird 1 hits")), "{captions:#?}");
    assert!(captions.last().unwrap().contains("cleared"), "{captions:#?}");
}

#[test]
fn a_scene_is_drawn() {
    let platform = LevelPlatform { pose: Pose::at(6.0, -1.0), scale: [5.0, 1.0] };
    let pigs = vec![ground_pig(-4.0)];
    let platforms = vec![platform];
    let level = level(LevelElements { pigs, platforms, ..LevelElements::default() });
    let world = settled(&level);
    let mut first = String::new();
    let mut text = SceneText::new(|frame: &str| {
        frame.clone_into(&mut first);
        ControlFlow::Break(())
    });
    assert_eq!(replay(&level, world, &[], &mut text), ControlFlow::Break(()));
    assert!(first.starts_with("1 pig, 3 birds\n"), "{first}");
    assert!(first.contains('o') && first.contains("---") && first.contains("___"), "{first}");
}
