//! The surroundings of a level: width, camera, slingshot and birds.

use std::ops::RangeInclusive;

use hatchery_core::WireValue;

use super::error::{self, LevelError};
use super::shape::BirdKind;

/// The size of a level's world, its camera, its slingshot and its birds.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub struct LevelSurroundings {
    /// The width in units of [`GROUND_WIDTH`](super::GROUND_WIDTH), a whole number: Science Birds
    /// reads no others.
    #[wire(tag = 1)]
    pub width: f32,
    /// The view at the start; only programs that show the level use it.
    #[wire(flatten = 2)]
    pub camera: LevelCamera,
    /// The place of the slingshot.
    #[wire(flatten = 6)]
    pub slingshot: [f32; 2],
    /// The birds in their order.
    #[wire(tag = 8)]
    pub birds: Vec<BirdKind>,
}

/// The part of a level that a program shows at first.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
pub struct LevelCamera {
    /// The place of its center.
    #[wire(flatten = 2)]
    pub center: [f32; 2],
    /// The width of what it shows, at least and at most.
    #[wire(flatten = 4)]
    pub widths: [f32; 2],
}

impl LevelSurroundings {
    /// The most birds of a level.
    pub const MAX_BIRDS: usize = error::MAX_BIRDS;

    /// The range of widths.
    pub const WIDTHS: RangeInclusive<f32> = error::WIDTHS;

    /// Returns the surroundings of a level of this width with `n_birds` red birds, as in the level
    /// generator of the AIBIRDS competition.
    #[must_use]
    pub fn with_red_birds(n_birds: usize) -> Self {
        Self {
            width: 2.0,
            camera: LevelCamera { center: [0.0, 2.0], widths: [20.0, 30.0] },
            slingshot: [-8.0, -2.5],
            birds: vec![BirdKind::Red; n_birds],
        }
    }

    /// Returns the surroundings with zeros that have no sign.
    pub(super) fn without_negative_zeros(self) -> Self {
        let LevelCamera { center, widths } = self.camera;
        let camera = LevelCamera { center: unsigned_zeros(center), widths };
        Self { camera, slingshot: unsigned_zeros(self.slingshot), ..self }
    }

    pub(super) fn check(&self) -> Result<(), LevelError> {
        if self.birds.is_empty() || Self::MAX_BIRDS < self.birds.len() {
            return Err(LevelError::Birds { found: self.birds.len() });
        }
        if !Self::WIDTHS.contains(&self.width) || self.width % 1.0 != 0.0 {
            return Err(LevelError::Width { found: self.width });
        }
        let LevelCamera { center, widths } = self.camera;
        let checks = [
            ("camera", "x", center[0], -200.0, 200.0),
            ("camera", "y", center[1], -200.0, 200.0),
            ("camera", "minWidth", widths[0], 0.1, 1000.0),
            ("camera", "maxWidth", widths[1], 0.1, 1000.0),
            ("slingshot", "x", self.slingshot[0], -200.0, 200.0),
            ("slingshot", "y", self.slingshot[1], -200.0, 200.0),
        ];
        for (element, attribute, found, low, high) in checks {
            if !(low..=high).contains(&found) {
                let number = 1;
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

/// Returns the numbers with zeros that have no sign.
fn unsigned_zeros(numbers: [f32; 2]) -> [f32; 2] {
    numbers.map(|number| number + 0.0)
}
