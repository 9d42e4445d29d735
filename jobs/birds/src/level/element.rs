//! The elements of levels.

use hatchery_core::WireValue;

use super::error::LevelError;
use super::shape::{BlockMaterial, BlockShape, PigKind};

/// The place of an element's center, and its turn.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
pub struct Pose {
    /// The place from left to right.
    #[wire(tag = 1)]
    pub x: f32,
    /// The height.
    #[wire(tag = 2)]
    pub y: f32,
    /// The turn in degrees, counterclockwise.
    #[wire(tag = 3)]
    pub degrees: f32,
}

impl Pose {
    /// The largest magnitude of a coordinate: some five times that of any place on the ground.
    pub const MAX_COORDINATE: f32 = 200.0;

    /// The largest magnitude of a turn.
    pub const MAX_DEGREES: f32 = 3600.0;

    /// Returns the place `(x, y)` without a turn.
    #[must_use]
    pub const fn at(x: f32, y: f32) -> Self {
        Self { x, y, degrees: 0.0 }
    }

    /// Returns the places of `points`, which are given around the center without a turn.
    #[must_use]
    pub fn place(&self, points: &[[f32; 2]]) -> Vec<[f32; 2]> {
        let (sine, cosine) = libm::sincosf(self.degrees.to_radians());
        let place =
            |[x, y]: &[f32; 2]| [self.x + cosine * x - sine * y, self.y + sine * x + cosine * y];
        points.iter().map(place).collect()
    }

    /// Returns the pose with zeros that have no sign.
    pub(super) fn without_negative_zeros(self) -> Self {
        let Self { x, y, degrees } = self;
        Self { x: x + 0.0, y: y + 0.0, degrees: degrees + 0.0 }
    }
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
pub struct LevelBlock {
    /// The shape.
    #[wire(tag = 1)]
    pub shape: BlockShape,
    /// The material.
    #[wire(tag = 2)]
    pub material: BlockMaterial,
    /// The place and the turn.
    #[wire(flatten = 3, shift = 2)]
    pub pose: Pose,
}

/// A pig.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
pub struct LevelPig {
    /// The size.
    #[wire(tag = 1)]
    pub kind: PigKind,
    /// The place and the turn.
    #[wire(flatten = 2, shift = 1)]
    pub pose: Pose,
}

/// A box that explodes when it is hit.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
pub struct LevelTnt {
    /// The place and the turn.
    #[wire(flatten = 1)]
    pub pose: Pose,
}

impl LevelTnt {
    /// The length of the sides (Science Birds).
    pub const SIDE: f32 = 0.66;
}

/// A platform: a box that hangs in the air and does not move.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
pub struct LevelPlatform {
    /// The place and the turn.
    #[wire(flatten = 1)]
    pub pose: Pose,
    /// The width and the height of the platform, as multiples of [`SIDE`](Self::SIDE).
    #[wire(flatten = 4)]
    pub scale: [f32; 2],
}

impl LevelPlatform {
    /// The length of the sides of a platform of scale 1 (Science Birds).
    pub const SIDE: f32 = 0.64;

    /// The range of scales.
    pub const SCALES: std::ops::RangeInclusive<f32> = 0.01..=100.0;

    /// Returns width and height without a turn.
    #[must_use]
    pub fn size(&self) -> [f32; 2] {
        self.scale.map(|scale| scale * Self::SIDE)
    }

    pub(super) fn check_scale(&self, number: usize) -> Result<(), LevelError> {
        for (attribute, found) in ["scaleX", "scaleY"].into_iter().zip(self.scale) {
            if !Self::SCALES.contains(&found) {
                let (low, high) = (*Self::SCALES.start(), *Self::SCALES.end());
                let element = "platform";
                return Err(LevelError::OutOfRange {
                    element,
                    number,
                    attribute,
                    found,
                    low,
                    high,
                });
            }
        }
        Ok(())
    }
}

pub(super) fn check_pose(
    element: &'static str,
    number: usize,
    pose: &Pose,
) -> Result<(), LevelError> {
    let most = Pose::MAX_COORDINATE;
    let checks =
        [("x", pose.x, most), ("y", pose.y, most), ("rotation", pose.degrees, Pose::MAX_DEGREES)];
    for (attribute, found, most) in checks {
        // Not a number is in no range.
        if !(-most..=most).contains(&found) {
            let (low, high) = (-most, most);
            return Err(LevelError::OutOfRange { element, number, attribute, found, low, high });
        }
    }
    Ok(())
}
