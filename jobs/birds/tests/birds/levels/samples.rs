//! Levels for tests.

use hatchery_birds::level::{
    BirdKind, BlockMaterial, BlockShape, Level, LevelBlock, LevelCamera, LevelElements, LevelPig,
    LevelPlatform, LevelSurroundings, LevelTnt, PigKind, Pose,
};
use proptest::prelude::*;

/// A file with all that is odd in files of Science Birds: a header that names another encoding,
/// Camera and Slingshot that are not closed, materials that are empty, attributes that are missing,
/// numbers without a point, and quotes of both kinds.
pub(crate) const ODD_FILE: &str = r#"<?xml version="1.0" encoding="utf-16"?>
<Level width ="2">
<Camera x="0" y="-1" minWidth="15" maxWidth="17.5">
<Birds>
<Bird type="BirdRed"/>
<Bird type="BirdBlack"/>
</Birds>
<Slingshot x="-5" y="-2.5">
<GameObjects>
<Block type="RectBig" material="wood" x="4.75" y="-3.38" rotation="0" />
<Block type="Triangle" material="ice" x="4.75" y="-2.85" rotation="90.00001" />
<Block type="SquareHole" material="stone" x="+4.5e0" y="-.5"/>
<Pig type="BasicSmall" material="" x="5.1" y="1.2" rotation="0" />
<Pig type='BasicBig' x='7' y='-3' />
<TNT type="" material="" x="8" y="-2.5" rotation="0" />
<TNT x="9" y="-2.5"></TNT>
<Platform type="Platform" material="" x="1" y="2" />
<Platform type="Platform" x="1" y="3.5" rotation="0" scaleX="4" scaleY="0.5" />
</GameObjects>
</Level>
"#;

/// Returns the level of [`ODD_FILE`].
pub(crate) fn odd_level() -> Level {
    let turned = |x, y, degrees| Pose { x, y, degrees };
    let block = |shape, material, pose| LevelBlock { shape, material, pose };
    let elements = LevelElements {
        blocks: vec![
            block(BlockShape::RectBig, BlockMaterial::Wood, Pose::at(4.75, -3.38)),
            block(BlockShape::Triangle, BlockMaterial::Ice, turned(4.75, -2.85, 90.000_01)),
            block(BlockShape::SquareHole, BlockMaterial::Stone, Pose::at(4.5, -0.5)),
        ],
        pigs: vec![
            LevelPig { kind: PigKind::Small, pose: Pose::at(5.1, 1.2) },
            LevelPig { kind: PigKind::Big, pose: Pose::at(7.0, -3.0) },
        ],
        tnts: vec![LevelTnt { pose: Pose::at(8.0, -2.5) }, LevelTnt { pose: Pose::at(9.0, -2.5) }],
        platforms: vec![
            LevelPlatform { pose: Pose::at(1.0, 2.0), scale: [1.0, 1.0] },
            LevelPlatform { pose: Pose::at(1.0, 3.5), scale: [4.0, 0.5] },
        ],
    };
    let surroundings = LevelSurroundings {
        width: 2.0,
        camera: LevelCamera { center: [0.0, -1.0], widths: [15.0, 17.5] },
        slingshot: [-5.0, -2.5],
        birds: vec![BirdKind::Red, BirdKind::Black],
    };
    Level::new(surroundings, elements).unwrap()
}

/// Returns a level with these elements, and usual surroundings.
pub(crate) fn level_of(elements: LevelElements) -> Level {
    Level::new(LevelSurroundings::with_red_birds(3), elements).unwrap()
}

/// Returns a wooden block without a turn.
pub(crate) fn wood(shape: BlockShape, x: f32, y: f32) -> LevelBlock {
    LevelBlock { shape, material: BlockMaterial::Wood, pose: Pose::at(x, y) }
}

/// Returns a small pig on the ground.
pub(crate) fn small_pig() -> LevelPig {
    LevelPig { kind: PigKind::Small, pose: Pose::at(1.0, -3.265) }
}

/// Any number of a magnitude up to `most`, and often one that is hard to write.
fn number(most: f32) -> impl Strategy<Value = f32> {
    let hard = [0.0, -0.0, f32::MIN_POSITIVE, -1e-40, 0.1, 1e-7, 33.333_332, most, -most];
    prop_oneof![-most..=most, prop::sample::select(hard.to_vec())]
}

fn pose() -> impl Strategy<Value = Pose> {
    let numbers = (number(200.0), number(200.0), number(3600.0));
    numbers.prop_map(|(x, y, degrees)| Pose { x, y, degrees })
}

fn block() -> impl Strategy<Value = LevelBlock> {
    let shape = prop::sample::select(BlockShape::ALL.to_vec());
    let material = prop::sample::select(BlockMaterial::ALL.to_vec());
    let parts = (shape, material, pose());
    parts.prop_map(|(shape, material, pose)| LevelBlock { shape, material, pose })
}

fn pig() -> impl Strategy<Value = LevelPig> {
    let parts = (prop::sample::select(PigKind::ALL.to_vec()), pose());
    parts.prop_map(|(kind, pose)| LevelPig { kind, pose })
}

fn platform() -> impl Strategy<Value = LevelPlatform> {
    let parts = (pose(), 0.01..=100.0_f32, 0.01..=100.0_f32);
    parts.prop_map(|(pose, x, y)| LevelPlatform { pose, scale: [x, y] })
}

fn surroundings() -> impl Strategy<Value = LevelSurroundings> {
    let birds = prop::collection::vec(prop::sample::select(BirdKind::ALL.to_vec()), 1..=20);
    let camera = (number(200.0), number(200.0), 0.1..=1000.0_f32, 0.1..=1000.0_f32);
    let parts = (1..=10_u8, camera, [number(200.0), number(200.0)], birds);
    parts.prop_map(|(width, (x, y, least, most), slingshot, birds)| LevelSurroundings {
        width: f32::from(width),
        camera: LevelCamera { center: [x, y], widths: [least, most] },
        slingshot,
        birds,
    })
}

/// Any level, with few elements.
pub(crate) fn level() -> impl Strategy<Value = Level> {
    let tnt = pose().prop_map(|pose| LevelTnt { pose });
    let elements = (
        prop::collection::vec(block(), 0..8),
        prop::collection::vec(pig(), 0..4),
        prop::collection::vec(tnt, 0..3),
        prop::collection::vec(platform(), 0..3),
    );
    (surroundings(), elements).prop_map(|(surroundings, (blocks, pigs, tnts, platforms))| {
        Level::new(surroundings, LevelElements { blocks, pigs, tnts, platforms }).unwrap()
    })
}
