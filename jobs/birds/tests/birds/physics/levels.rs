//! Levels for tests.

use hatchery_birds::level::{
    BlockMaterial, BlockShape, GROUND_TOP, Level, LevelBlock, LevelElements, LevelPig,
    LevelSurroundings, LevelTnt, PigKind, Pose,
};
use hatchery_core::{RunSeed, StreamRng};

/// The side of a small square.
const SIDE: f32 = 0.43;

pub(crate) fn stream(label: &str) -> StreamRng {
    RunSeed::new("birds test", 1).generation(0).stream(label)
}

pub(crate) fn level(elements: LevelElements) -> Level {
    Level::new(LevelSurroundings::with_red_birds(3), elements).expect("all places are possible")
}

pub(crate) fn block(shape: BlockShape, x: f32, y: f32, degrees: f32) -> LevelBlock {
    LevelBlock { shape, material: BlockMaterial::Wood, pose: Pose { x, y, degrees } }
}

pub(crate) fn small_pig(x: f32, y: f32) -> LevelPig {
    LevelPig { kind: PigKind::Small, pose: Pose::at(x, y) }
}

/// A small pig on the ground.
pub(crate) fn ground_pig(x: f32) -> LevelPig {
    small_pig(x, GROUND_TOP + PigKind::Small.radius())
}

/// Ten rows of small squares, one less in each row, .01 apart, and five pigs beside them. This
/// scene is stable.
pub(crate) fn pyramid() -> Level {
    let mut blocks = Vec::new();
    let mut y = GROUND_TOP + SIDE / 2.0;
    for n_blocks in (1..=10_u8).rev() {
        let step = SIDE + 0.01;
        let left = 4.0 - step * f32::from(n_blocks - 1) / 2.0;
        let row = (0..n_blocks).map(|column| left + step * f32::from(column));
        blocks.extend(row.map(|x| block(BlockShape::SquareSmall, x, y, 0.0)));
        y += SIDE;
    }
    let pigs = (0..5_u8).map(|number| ground_pig(-3.0 + 0.8 * f32::from(number))).collect();
    level(LevelElements { blocks, pigs, ..LevelElements::default() })
}

/// Seven towers of four standing and four lying bars in turn, the lying ones off their center, and
/// four pigs: a scene that falls.
pub(crate) fn leaning_towers() -> Level {
    let [long, short] = BlockShape::RectSmall.size();
    let mut blocks = Vec::new();
    for tower in 0..7_u8 {
        let x = -3.0 + 2.0 * f32::from(tower);
        let mut bottom = GROUND_TOP;
        for shift in [0.3, -0.3, 0.3, -0.3] {
            blocks.push(block(BlockShape::RectSmall, x, bottom + long / 2.0, 90.0));
            let y = bottom + long + short / 2.0;
            blocks.push(block(BlockShape::RectSmall, x + shift, y, 0.0));
            bottom += long + short;
        }
    }
    let pigs = [-6.5, -6.0, -5.5, -5.0].map(ground_pig).into();
    level(LevelElements { blocks, pigs, ..LevelElements::default() })
}

/// Stacks of up to five random bars and squares, none wider than what is below it, each with a pig
/// on top.
pub(crate) fn random_stacks(n_stacks: u8, rng: &mut StreamRng) -> Level {
    const SHAPES: [BlockShape; 6] = [
        BlockShape::RectFat,
        BlockShape::RectMedium,
        BlockShape::RectSmall,
        BlockShape::RectTiny,
        BlockShape::SquareHole,
        BlockShape::SquareSmall,
    ];
    let mut elements = LevelElements::default();
    let mut x = -3.0;
    for _ in 0..n_stacks {
        let (mut y, mut below) = (GROUND_TOP, f32::INFINITY);
        for _ in 0..rng.below(6) {
            let shape = SHAPES[rng.below(6) as usize];
            let [width, height] = shape.size();
            let [width, height, degrees] =
                if rng.below(4) == 0 { [height, width, 90.0] } else { [width, height, 0.0] };
            if width <= below {
                elements.blocks.push(block(shape, x, y + height / 2.0, degrees));
                (y, below) = (y + height, width);
            }
        }
        elements.pigs.push(small_pig(x, y + PigKind::Small.radius()));
        x += 1.0 + 2.0 * rng.unit_f32();
    }
    level(elements)
}

/// Columns of blocks with a pig on each, on the ground and on lying bars, and some TNT.
pub(crate) fn columns(n_columns: u8) -> Level {
    let mut elements = LevelElements::default();
    for column in 0..n_columns {
        let x = -2.0 + 1.9 * f32::from(column);
        let mut y = GROUND_TOP;
        for _ in 0..=column % 3 {
            for side in [-0.6, 0.6] {
                let middle = y + SIDE / 2.0;
                elements.blocks.push(block(BlockShape::SquareSmall, x + side, middle, 0.0));
            }
            y += SIDE;
            elements.blocks.push(block(BlockShape::RectMedium, x, y + 0.11, 0.0));
            y += 0.22;
        }
        elements.pigs.push(small_pig(x, y + PigKind::Small.radius()));
        if column % 4 == 3 {
            elements.tnts.push(LevelTnt { pose: Pose::at(x, GROUND_TOP + 0.33) });
        }
    }
    level(elements)
}
