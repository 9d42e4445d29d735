//! Levels that nobody would build: they end in finite numbers.

use hatchery_birds::LevelWorld;
use hatchery_birds::level::{
    BirdKind, BlockMaterial, BlockShape, Level, LevelBlock, LevelElements, LevelPig, LevelPlatform,
    LevelSurroundings, LevelTnt, PigKind, Pose,
};
use hatchery_birds::trial::scene::replay;
use hatchery_birds::world::PhysicsSettings;
use hatchery_birds::world::ballistics::LaunchVelocity;
use hatchery_birds::world::playout::LevelPlayout;
use hatchery_core::scene::SceneRecorder;
use proptest::prelude::*;

/// Places near each other, so that most elements overlap, and some far out or all at one place.
fn pose() -> impl Strategy<Value = Pose> {
    let near = (-3.0_f32..3.0, -5.0_f32..0.0, -400.0_f32..400.0);
    let far = (-200.0_f32..=200.0, -200.0_f32..=200.0, -3600.0_f32..=3600.0);
    let pose = |(x, y, degrees)| Pose { x, y, degrees };
    prop_oneof![6 => near.prop_map(pose), 1 => far.prop_map(pose), 1 => Just(Pose::at(0.0, -3.0))]
}

fn elements() -> impl Strategy<Value = LevelElements> {
    let shapes = (0..BlockShape::ALL.len(), 0..BlockMaterial::ALL.len(), pose());
    let block = shapes.prop_map(|(shape, material, pose)| LevelBlock {
        shape: BlockShape::ALL[shape],
        material: BlockMaterial::ALL[material],
        pose,
    });
    let pig = (0..PigKind::ALL.len(), pose())
        .prop_map(|(kind, pose)| LevelPig { kind: PigKind::ALL[kind], pose });
    let scale = prop_oneof![Just(0.01_f32), Just(100.0), 0.01_f32..4.0];
    let platform = (pose(), scale.clone(), scale)
        .prop_map(|(pose, x, y)| LevelPlatform { pose, scale: [x, y] });
    let tnt = pose().prop_map(|pose| LevelTnt { pose });
    let parts = (
        prop::collection::vec(block, 0..30),
        prop::collection::vec(pig, 0..6),
        prop::collection::vec(tnt, 0..4),
        prop::collection::vec(platform, 0..4),
    );
    parts.prop_map(|(blocks, pigs, tnts, platforms)| LevelElements {
        blocks,
        pigs,
        tnts,
        platforms,
    })
}

/// Returns a level of this width with a bird of every kind.
fn odd_level(width: f32, elements: LevelElements) -> Level {
    let surroundings = LevelSurroundings::with_red_birds(1);
    let birds = BirdKind::ALL.into();
    Level::new(LevelSurroundings { width, birds, ..surroundings }, elements).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn odd_levels_end(elements in elements(), angle in -4.0..4.0, width in 1_u8..=10) {
        let level = odd_level(width.into(), elements);
        let settings =
            PhysicsSettings { settling_seconds: 0.5, shot_seconds: 1.0, ..Default::default() };
        let mut world = LevelWorld::new(&level, &settings);
        let settling = world.settle();
        prop_assert!(settling.n_steps <= settings.settling_steps());
        for element in &settling.elements {
            prop_assert!((0.0..=1.0).contains(&element.mean_speed));
            prop_assert!(element.distance().is_finite());
        }
        let shots = [LaunchVelocity::new(angle, 1.0), LaunchVelocity { x: f32::MAX, y: f32::NAN }];
        let mut playout = LevelPlayout::new(world.clone());
        for shot in shots {
            playout.shoot(shot);
        }
        prop_assert!(playout.result().n_steps <= 2 * settings.shot_steps());
        for element in playout.world().elements() {
            prop_assert!(element.place.iter().all(|it| it.is_finite()));
        }
        let mut recorder = SceneRecorder::new();
        prop_assert!(replay(&level, world, &shots, &mut recorder).is_continue());
        prop_assert!(recorder.finish().is_some());
    }
}
