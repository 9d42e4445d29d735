//! Levels: what stands where before the first bird flies.
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
mod limits;
mod outline;
mod overlap;
mod shape;
mod surroundings;

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
/// A level may be unplayable: without pigs, or with elements inside of each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    surroundings: LevelSurroundings,
    blocks: Vec<LevelBlock>,
    pigs: Vec<LevelPig>,
    tnts: Vec<LevelTnt>,
    platforms: Vec<LevelPlatform>,
}

/// The elements of a level, each kind in a fixed order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelElements {
    /// The blocks.
    pub blocks: Vec<LevelBlock>,
    /// The pigs.
    pub pigs: Vec<LevelPig>,
    /// The boxes that explode.
    pub tnts: Vec<LevelTnt>,
    /// The platforms, which do not move.
    pub platforms: Vec<LevelPlatform>,
}

impl Level {
    /// The most elements of a level: ten times the most blocks of Kaidan et al.
    pub const MAX_ELEMENTS: usize = limits::MAX_ELEMENTS;

    /// The most pairs of elements that overlap. Two platforms are no pair, as neither moves. Each
    /// pair is a contact at first, and 50,000 contacts take half a second to settle. Elements
    /// overlap if the upright rectangles around them overlap, so neighbors often do.
    pub const MAX_OVERLAPS: usize = limits::MAX_OVERLAPS;

    /// The longest text of a level, in bytes: that of a spec. The longest element that is written
    /// has some 300 bytes, so that 1,000 of them fit.
    pub const MAX_TEXT_BYTES: usize = limits::MAX_TEXT_BYTES;

    /// Returns the level with these surroundings and elements. Negative zeros become positive, so
    /// that equal levels have equal bits.
    ///
    /// # Errors
    /// If there are too many elements, or one is at an impossible place.
    pub fn new(
        surroundings: LevelSurroundings,
        elements: LevelElements,
    ) -> Result<Self, LevelError> {
        surroundings.check()?;
        let LevelElements { mut blocks, mut pigs, mut tnts, mut platforms } = elements;
        let found = blocks.len() + pigs.len() + tnts.len() + platforms.len();
        if Self::MAX_ELEMENTS < found {
            return Err(LevelError::TooManyElements { found });
        }
        for (number, block) in (1..).zip(&blocks) {
            check_pose("block", number, &block.pose)?;
        }
        for (number, pig) in (1..).zip(&pigs) {
            check_pose("pig", number, &pig.pose)?;
        }
        for (number, tnt) in (1..).zip(&tnts) {
            check_pose("TNT", number, &tnt.pose)?;
        }
        for (number, platform) in (1..).zip(&platforms) {
            check_pose("platform", number, &platform.pose)?;
            platform.check_scale(number)?;
        }
        let solid = blocks.iter_mut().map(|it| &mut it.pose);
        let solid = solid.chain(platforms.iter_mut().map(|it| &mut it.pose));
        let others = pigs.iter_mut().map(|it| &mut it.pose);
        for pose in solid.chain(others).chain(tnts.iter_mut().map(|it| &mut it.pose)) {
            *pose = pose.without_negative_zeros();
        }
        let surroundings = surroundings.without_negative_zeros();
        Ok(Self { surroundings, blocks, pigs, tnts, platforms })
    }

    /// Checks that at most [`MAX_OVERLAPS`](Self::MAX_OVERLAPS) pairs of elements overlap: a level
    /// with more would take many seconds to settle.
    ///
    /// # Errors
    /// If more pairs overlap.
    pub fn check_overlaps(&self) -> Result<(), TooManyOverlaps> {
        let blocks = self.blocks.iter().map(|it| it.pose).zip(1..).map(|it| ("block", it));
        let pigs = self.pigs.iter().map(|it| it.pose).zip(1..).map(|it| ("pig", it));
        let tnts = self.tnts.iter().map(|it| it.pose).zip(1..).map(|it| ("TNT", it));
        let platforms = self.platforms.iter().map(|it| it.pose).zip(1..);
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
        &self.blocks
    }

    /// Returns the pigs.
    #[must_use]
    pub fn pigs(&self) -> &[LevelPig] {
        &self.pigs
    }

    /// Returns the boxes that explode.
    #[must_use]
    pub fn tnts(&self) -> &[LevelTnt] {
        &self.tnts
    }

    /// Returns the platforms.
    #[must_use]
    pub fn platforms(&self) -> &[LevelPlatform] {
        &self.platforms
    }
}
