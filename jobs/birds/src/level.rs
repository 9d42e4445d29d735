//! Levels: the elements and their places before the first bird flies.
//!
//! Lengths and places are in the units of Science Birds, the open clone of Angry Birds; angles are
//! in degrees, counterclockwise. The ground is flat, with its top at [`GROUND_TOP`].

mod json;
pub mod metrics;
mod picture;
mod xml;

mod decimal;
mod element;
mod error;
mod outline;
mod overlap;
mod shape;
mod surroundings;

use hatchery_core::WireValue;

use element::check_pose;
pub use element::{LevelBlock, LevelPig, LevelPlatform, LevelTnt, Pose};
pub use error::LevelError;
pub use json::LevelJsonError;
pub use outline::ElementOutline;
use overlap::PlacedElement;
pub use overlap::TooManyOverlaps;
pub use picture::{LevelPicture, LevelSheet};
pub use shape::{BirdKind, BlockMaterial, BlockShape, PigKind};
pub use surroundings::{LevelCamera, LevelSurroundings};
pub use xml::{LevelXmlError, XmlFault, XmlWarning};

/// The height of the ground's top (Science Birds).
pub const GROUND_TOP: f32 = -3.5;

/// The width of the ground of a level of width 1 (Science Birds).
pub const GROUND_WIDTH: f32 = 17.5;

/// The height of the part of the world that belongs to a level (Science Birds).
pub const LEVEL_HEIGHT: f32 = 11.58;

/// A level whose elements are at possible places.
///
/// A level may be unplayable: it may have no pigs, or elements inside each other.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct Level {
    #[wire(flatten = 1)]
    surroundings: LevelSurroundings,
    #[wire(flatten = 9)]
    elements: LevelElements,
}

/// The elements of a level, each kind in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, WireValue)]
pub struct LevelElements {
    /// The blocks.
    #[wire(tag = 9)]
    pub blocks: Vec<LevelBlock>,
    /// The pigs.
    #[wire(tag = 10)]
    pub pigs: Vec<LevelPig>,
    /// The boxes that explode.
    #[wire(tag = 11)]
    pub tnts: Vec<LevelTnt>,
    /// The platforms, which do not move.
    #[wire(tag = 12)]
    pub platforms: Vec<LevelPlatform>,
}

impl Level {
    /// The most elements of a level: ten times the most blocks of Kaidan et al.
    pub const MAX_ELEMENTS: usize = error::MAX_ELEMENTS;

    /// The most pairs of elements that overlap. Two platforms are no pair, as neither moves. Each
    /// pair is a contact at first, and 50,000 contacts take half a second to settle. Elements
    /// overlap if the upright rectangles around them overlap, so neighbors often do.
    pub const MAX_OVERLAPS: usize = error::MAX_OVERLAPS;

    /// The longest text of a level, in bytes: the longest text of a spec. The longest element that
    /// is written has some 300 bytes, so 1,000 such elements fit.
    pub const MAX_TEXT_BYTES: usize = error::MAX_TEXT_BYTES;

    /// Returns the level with these surroundings and elements. Negative zeros become positive, so
    /// that equal levels have equal bits.
    ///
    /// # Errors
    /// If there are too many elements, or one is at an impossible place.
    pub fn new(
        surroundings: LevelSurroundings,
        elements: LevelElements,
    ) -> Result<Self, LevelError> {
        let mut level = Self { surroundings, elements };
        level.check()?;
        let LevelElements { blocks, pigs, tnts, platforms } = &mut level.elements;
        let solid = blocks.iter_mut().map(|it| &mut it.pose);
        let solid = solid.chain(platforms.iter_mut().map(|it| &mut it.pose));
        let others = pigs.iter_mut().map(|it| &mut it.pose);
        for pose in solid.chain(others).chain(tnts.iter_mut().map(|it| &mut it.pose)) {
            *pose = pose.without_negative_zeros();
        }
        level.surroundings = level.surroundings.without_negative_zeros();
        Ok(level)
    }

    fn check(&self) -> Result<(), LevelError> {
        self.surroundings.check()?;
        let LevelElements { blocks, pigs, tnts, platforms } = &self.elements;
        let found = blocks.len() + pigs.len() + tnts.len() + platforms.len();
        if Self::MAX_ELEMENTS < found {
            return Err(LevelError::TooManyElements { found });
        }
        for (number, block) in (1..).zip(blocks) {
            check_pose("block", number, &block.pose)?;
        }
        for (number, pig) in (1..).zip(pigs) {
            check_pose("pig", number, &pig.pose)?;
        }
        for (number, tnt) in (1..).zip(tnts) {
            check_pose("TNT", number, &tnt.pose)?;
        }
        for (number, platform) in (1..).zip(platforms) {
            check_pose("platform", number, &platform.pose)?;
            platform.check_scale(number)?;
        }
        Ok(())
    }

    /// Checks that at most [`MAX_OVERLAPS`](Self::MAX_OVERLAPS) pairs of elements overlap: a level
    /// with more would take many seconds to settle.
    ///
    /// # Errors
    /// If more pairs overlap.
    pub fn check_overlaps(&self) -> Result<(), TooManyOverlaps> {
        let blocks = self.blocks().iter().map(|it| it.pose).zip(1..).map(|it| ("block", it));
        let pigs = self.pigs().iter().map(|it| it.pose).zip(1..).map(|it| ("pig", it));
        let tnts = self.tnts().iter().map(|it| it.pose).zip(1..).map(|it| ("TNT", it));
        let platforms = self.platforms().iter().map(|it| it.pose).zip(1..);
        let all = blocks.chain(pigs).chain(tnts).chain(platforms.map(|it| ("platform", it)));
        let elements = all.zip(self.outlines()).map(|((element, (pose, number)), outline)| {
            let (place, bounds) = ([pose.x, pose.y], outline.bounds());
            PlacedElement { element, number, place, bounds }
        });
        overlap::check(&elements.collect::<Vec<_>>())
    }

    /// Returns what is not an element: width, camera, slingshot, birds.
    #[must_use]
    pub const fn surroundings(&self) -> &LevelSurroundings {
        &self.surroundings
    }

    /// Returns the blocks.
    #[must_use]
    pub fn blocks(&self) -> &[LevelBlock] {
        &self.elements.blocks
    }

    /// Returns the pigs.
    #[must_use]
    pub fn pigs(&self) -> &[LevelPig] {
        &self.elements.pigs
    }

    /// Returns the boxes that explode.
    #[must_use]
    pub fn tnts(&self) -> &[LevelTnt] {
        &self.elements.tnts
    }

    /// Returns the platforms.
    #[must_use]
    pub fn platforms(&self) -> &[LevelPlatform] {
        &self.elements.platforms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a level with an element of every kind.
    fn level() -> Level {
        let pose = Pose { x: 1.0, y: 2.0, degrees: 30.0 };
        let (shape, material) = (BlockShape::TriangleHole, BlockMaterial::Ice);
        let elements = LevelElements {
            blocks: vec![LevelBlock { shape, material, pose }],
            pigs: vec![LevelPig { kind: PigKind::Big, pose }],
            tnts: vec![LevelTnt { pose }],
            platforms: vec![LevelPlatform { pose, scale: [1.0, 2.0] }],
        };
        Level::new(LevelSurroundings::with_red_birds(2), elements).expect("it is a level")
    }

    #[test]
    fn bytes_of_what_is_no_level_are_refused() {
        let check = |change: fn(&mut LevelSurroundings, &mut LevelElements), expected: &str| {
            let mut changed = level();
            assert_eq!(Level::decode(&changed.encode()).unwrap(), changed);
            change(&mut changed.surroundings, &mut changed.elements);
            let error = Level::decode(&changed.encode()).unwrap_err().to_string();
            let start = "level is impossible, but must be within its limits: ";
            assert_eq!(error.strip_prefix(start), Some(expected), "{error}");
        };
        check(|it, _| it.width = 2.5, "the width is 2.5, but must be a whole number from 1 to 10");
        let no_number = "the width is NaN, but must be a whole number from 1 to 10";
        check(|it, _| it.width = f32::NAN, no_number);
        let camera = "camera 1: maxWidth is 0, but must be from 0.1 to 1000";
        check(|it, _| it.camera.widths[1] = 0.0, camera);
        let slingshot = "slingshot 1: y is -300, but must be from -200 to 200";
        check(|it, _| it.slingshot[1] = -300.0, slingshot);
        check(|it, _| it.birds.clear(), "0 birds, but 1 to 20 are allowed");
        let tnt = "TNT 1: x is inf, but must be from -200 to 200";
        check(|_, it| it.tnts[0].pose.x = f32::INFINITY, tnt);
        let scale = "platform 1: scaleX is 0, but must be from 0.01 to 100";
        check(|_, it| it.platforms[0].scale[0] = 0.0, scale);
        let many = "1003 elements, but at most 1000 are allowed";
        check(|_, it| it.tnts = vec![it.tnts[0]; 1000], many);
    }

    #[test]
    fn unknown_kinds_are_refused() {
        let bytes = LevelPig { kind: PigKind::Big, pose: Pose::at(0.0, 0.0) }.encode();
        assert_eq!(bytes, [2, 8, 2]);
        let error = LevelPig::decode(&[2, 8, 3]).unwrap_err();
        assert_eq!(error.to_string(), "kind is 3, but must be below 3");
    }

    /// Equal levels have equal bytes, whatever the signs of their zeros.
    #[test]
    fn zeros_have_no_sign() {
        let Level { mut surroundings, mut elements } = level();
        surroundings.slingshot[0] = -0.0;
        (elements.tnts[0].pose.x, elements.pigs[0].pose.degrees) = (-0.0, -0.0);
        let level = Level::new(surroundings, elements).expect("it is a level");
        assert_eq!(Level::decode(&level.encode()).unwrap(), level);
        let numbers = [
            level.tnts()[0].pose.x,
            level.surroundings().slingshot[0],
            level.pigs()[0].pose.degrees,
        ];
        assert!(numbers.iter().all(|number| number.to_bits() == 0));
    }
}
