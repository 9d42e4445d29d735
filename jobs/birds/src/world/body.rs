//! Rigid bodies of elements: sizes, masses, surfaces and lives as in Science Birds.
//!
//! Pigs and birds are polygons of many corners there and disks here, as those are faster and meet
//! other elements in the same way.

use rapier2d::dynamics::{CoefficientCombineRule, MassProperties, RigidBodyBuilder};
use rapier2d::geometry::ColliderBuilder;
use rapier2d::math::{Pose as EnginePose, Rotation, Vector};
use rapier2d::pipeline::ActiveEvents;

use super::ballistics::{BIRD_GRAVITY_SCALE, LaunchVelocity};
use super::element::ElementKind;
use super::settings::PhysicsSettings;
use crate::level::{
    BirdKind, BlockMaterial, BlockShape, GROUND_TOP, GROUND_WIDTH, LevelPlatform, LevelTnt,
    PigKind, Pose,
};

/// The depth of the ground (Science Birds).
pub(super) const GROUND_DEPTH: f32 = 4.407;

/// The mass of a box that explodes, and the damage that it can take (Science Birds).
const TNT_MASS: f32 = 1.0;
const TNT_LIFE: f32 = 2.0;

/// The friction of everything but blocks: the default of Unity's physics.
const DEFAULT_FRICTION: f32 = 0.4;

/// The mass of a block per area, its share of gravity, and its damping in 1/s (Science Birds).
const BLOCK_DENSITY: f32 = 1.0;
const BLOCK_GRAVITY_SCALE: f32 = 0.5;
const BLOCK_LINEAR_DAMPING: f32 = 1.0;

/// The angular damping of blocks and boxes, in 1/s (Science Birds).
const ANGULAR_DAMPING: f32 = 0.05;

/// The angular damping of disks, in 1/s: ours. The polygons of Science Birds come to rest on a
/// side; a disk on flat ground would roll on, and out of the world.
const DISK_ANGULAR_DAMPING: f32 = 3.0;

/// A body with its collider, to be inserted.
pub(super) type BodyParts = (RigidBodyBuilder, ColliderBuilder);

/// Returns the ground of a level of this width.
pub(super) fn ground(level_width: f32) -> BodyParts {
    let [x, y] = [level_width * GROUND_WIDTH / 2.0, GROUND_DEPTH / 2.0];
    let body = RigidBodyBuilder::fixed().translation(Vector::new(0.0, GROUND_TOP - y));
    (body, surface(ColliderBuilder::cuboid(x, y), DEFAULT_FRICTION))
}

/// Returns a platform.
pub(super) fn platform(platform: &LevelPlatform) -> BodyParts {
    let [x, y] = platform.size().map(|length| length / 2.0);
    let body = RigidBodyBuilder::fixed().pose(engine_pose(&platform.pose));
    (body, surface(ColliderBuilder::cuboid(x, y), DEFAULT_FRICTION))
}

/// Returns a block.
pub(super) fn block(shape: BlockShape, material: BlockMaterial, pose: &Pose) -> BodyParts {
    let body = RigidBodyBuilder::dynamic()
        .pose(engine_pose(pose))
        .gravity_scale(BLOCK_GRAVITY_SCALE)
        .linear_damping(BLOCK_LINEAR_DAMPING)
        .angular_damping(ANGULAR_DAMPING);
    let collider = block_collider(shape, BLOCK_DENSITY);
    (body, touchable(surface(collider, block_friction(material))))
}

/// Returns a pig.
pub(super) fn pig(kind: PigKind, pose: &Pose) -> BodyParts {
    let (mass, gravity_scale) = match kind {
        PigKind::Small => (0.1, 0.5),
        PigKind::Medium | PigKind::Big => (1.0, 1.0),
    };
    let body = RigidBodyBuilder::dynamic()
        .pose(engine_pose(pose))
        .gravity_scale(gravity_scale)
        .angular_damping(DISK_ANGULAR_DAMPING);
    let collider = ColliderBuilder::ball(kind.radius()).mass(mass);
    (body, touchable(surface(collider, DEFAULT_FRICTION)))
}

/// Returns a box that explodes.
pub(super) fn tnt(pose: &Pose) -> BodyParts {
    let half = LevelTnt::SIDE / 2.0;
    let body = RigidBodyBuilder::dynamic().pose(engine_pose(pose)).angular_damping(ANGULAR_DAMPING);
    let collider = ColliderBuilder::cuboid(half, half).mass(TNT_MASS);
    (body, touchable(surface(collider, DEFAULT_FRICTION)))
}

/// Returns a bird at the moment of its launch.
pub(super) fn bird(kind: BirdKind, place: [f32; 2], velocity: LaunchVelocity) -> BodyParts {
    let mass = match kind {
        BirdKind::Red | BirdKind::Blue | BirdKind::Yellow => 0.5,
        BirdKind::Black | BirdKind::White => 1.0,
    };
    #[expect(clippy::cast_possible_truncation, reason = "the engine computes with f32")]
    let gravity_scale = BIRD_GRAVITY_SCALE as f32;
    let body = RigidBodyBuilder::dynamic()
        .translation(Vector::from(place))
        .linvel(Vector::new(velocity.x, velocity.y))
        .gravity_scale(gravity_scale)
        .angular_damping(DISK_ANGULAR_DAMPING)
        .ccd_enabled(true);
    let collider = ColliderBuilder::ball(bird_radius(kind)).mass(mass);
    (body, touchable(surface(collider, DEFAULT_FRICTION)))
}

/// Returns the radius of a bird: a quarter of its width and height in Science Birds together.
pub(crate) const fn bird_radius(kind: BirdKind) -> f32 {
    match kind {
        BirdKind::Red | BirdKind::Yellow | BirdKind::White => 0.23,
        BirdKind::Blue => 0.22,
        BirdKind::Black => 0.375,
    }
}

/// Returns the damage that an element can take.
pub(super) fn life(kind: ElementKind, settings: &PhysicsSettings) -> f32 {
    match kind {
        ElementKind::Block(_, material) => settings.damage_rule.block_life(material),
        ElementKind::Pig(PigKind::Small) => settings.small_pig_life(),
        ElementKind::Pig(PigKind::Medium) => 2.0 * settings.small_pig_life(),
        ElementKind::Pig(PigKind::Big) => 3.0 * settings.small_pig_life(),
        ElementKind::Tnt => TNT_LIFE,
        ElementKind::Ground | ElementKind::Platform | ElementKind::Bird(_) => f32::INFINITY,
    }
}

/// Returns the damage that a collision with something of the kind `by` does to `kind`.
pub(super) fn damage(
    kind: ElementKind,
    by: ElementKind,
    speed: f32,
    settings: &PhysicsSettings,
) -> f32 {
    // A speed that is not a number would make what it hits immortal.
    if speed.is_nan() || speed <= settings.threshold() {
        return 0.0;
    }
    match (kind, by) {
        (ElementKind::Ground | ElementKind::Platform | ElementKind::Bird(_), _) => 0.0,
        (ElementKind::Block(_, material), ElementKind::Bird(bird)) => {
            speed * material_factor(bird, material)
        }
        _ => speed,
    }
}

/// Returns the factor of the damage that a bird does to a block.
const fn material_factor(bird: BirdKind, material: BlockMaterial) -> f32 {
    match (bird, material) {
        (BirdKind::Blue, BlockMaterial::Wood) => 0.25,
        (BirdKind::Blue, BlockMaterial::Stone) => 0.0,
        (BirdKind::Blue, BlockMaterial::Ice) => 2.0,
        (BirdKind::Red | BirdKind::Yellow | BirdKind::Black | BirdKind::White, _) => 1.0,
    }
}

const fn block_friction(material: BlockMaterial) -> f32 {
    match material {
        BlockMaterial::Wood | BlockMaterial::Stone => 4.0,
        BlockMaterial::Ice => 0.74,
    }
}

/// Returns the collider of a block of this density. Nothing fits into a hole, so it is a part of
/// the convex shape, but it has no mass.
fn block_collider(shape: BlockShape, density: f32) -> ColliderBuilder {
    let [x, y] = shape.size().map(|length| length / 2.0);
    let collider = match shape {
        BlockShape::Circle
        | BlockShape::CircleSmall
        | BlockShape::Triangle
        | BlockShape::TriangleHole => {
            let corners = shape.corners().into_iter().map(Vector::from).collect();
            // Corners of convex shapes always have a hull; a box is nearest to it.
            ColliderBuilder::convex_polyline(corners)
                .unwrap_or_else(|| ColliderBuilder::cuboid(x, y))
        }
        BlockShape::RectBig
        | BlockShape::RectFat
        | BlockShape::RectMedium
        | BlockShape::RectSmall
        | BlockShape::RectTiny
        | BlockShape::SquareHole
        | BlockShape::SquareSmall
        | BlockShape::SquareTiny => ColliderBuilder::cuboid(x, y),
    };
    match shape.hole() {
        [] => collider.density(density),
        hole => {
            let corners: Vec<_> = shape.corners().into_iter().map(Vector::from).collect();
            let whole = MassProperties::from_convex_polygon(density, &corners);
            let without = hole.iter().fold(whole, |mass, corners| {
                let [a, b, c] = corners.map(Vector::from);
                mass - MassProperties::from_triangle(density, a, b, c)
            });
            collider.mass_properties(without)
        }
    }
}

/// Returns the collider without bounce, and with the combination of frictions of Unity: the square
/// root of their product.
fn surface(collider: ColliderBuilder, friction: f32) -> ColliderBuilder {
    collider
        .friction(friction)
        .friction_combine_rule(CoefficientCombineRule::GeometricMean)
        .restitution(0.0)
        .restitution_combine_rule(CoefficientCombineRule::Max)
}

/// Returns the collider as one whose collisions the engine reports.
fn touchable(collider: ColliderBuilder) -> ColliderBuilder {
    collider.active_events(ActiveEvents::COLLISION_EVENTS)
}

fn engine_pose(pose: &Pose) -> EnginePose {
    let angle = pose.degrees.to_radians();
    let rotation = Rotation::from_cos_sin_unchecked(libm::cosf(angle), libm::sinf(angle));
    EnginePose::from_parts(Vector::new(pose.x, pose.y), rotation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::DamageRule;

    #[test]
    fn damage_is_the_relative_speed() {
        let check = |kind, by, threshold, expected: f32| {
            let settings = PhysicsSettings { damage_threshold: threshold, ..Default::default() };
            let found = damage(kind, by, 3.0, &settings);
            assert!((found - expected).abs() < 1e-6, "{by:?} on {kind:?}: {found}");
        };
        let block = |material| ElementKind::Block(BlockShape::RectBig, material);
        let [wood, stone, ice] = BlockMaterial::ALL.map(block);
        let (red, blue) = (ElementKind::Bird(BirdKind::Red), ElementKind::Bird(BirdKind::Blue));
        let pig = ElementKind::Pig(PigKind::Small);
        for (kind, by_blue) in [(wood, 0.75), (stone, 0.0), (ice, 6.0), (pig, 3.0)] {
            check(kind, red, 0.0, 3.0);
            check(kind, red, 3.0, 0.0);
            check(kind, blue, 0.0, by_blue);
            check(kind, ElementKind::Ground, 0.0, 3.0);
        }
        check(red, wood, 0.0, 0.0);
        let none = damage(pig, red, f32::NAN, &PhysicsSettings::default());
        assert!(none.abs() < 1e-6, "{none}");
        check(ElementKind::Platform, red, 0.0, 0.0);
    }

    #[test]
    fn lives_follow_the_rule() {
        let settings = PhysicsSettings {
            damage_rule: DamageRule::Intended,
            pig_life: 1.5,
            ..Default::default()
        };
        let lives = PigKind::ALL.map(|kind| life(ElementKind::Pig(kind), &settings));
        for (life, expected) in lives.into_iter().zip([1.5_f32, 3.0, 4.5]) {
            assert!((life - expected).abs() < 1e-6, "{life}, not {expected}");
        }
        let stone = ElementKind::Block(BlockShape::Circle, BlockMaterial::Stone);
        assert!((life(stone, &settings) - 10.0).abs() < 1e-6);
    }

    #[test]
    fn round_and_triangular_blocks_keep_their_area() {
        for shape in BlockShape::ALL {
            let mass = block_collider(shape, 1.0).build().mass();
            assert!((mass - shape.area()).abs() < 1e-5, "{shape:?} has {mass}");
        }
    }
}
