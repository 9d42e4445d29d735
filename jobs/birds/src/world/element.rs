//! Names, kinds and states of the elements of a world.

use std::fmt;

use crate::level::{BirdKind, BlockMaterial, BlockShape, PigKind};

/// The name of an element of a world. A number counts the elements of its kind from 0, in the order
/// of the level; birds are numbered in the order of their launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementId {
    /// The ground.
    Ground,
    /// A platform.
    Platform(u16),
    /// A block.
    Block(u16),
    /// A pig.
    Pig(u16),
    /// A box that explodes.
    Tnt(u16),
    /// A bird that was launched.
    Bird(u16),
}

impl fmt::Display for ElementId {
    /// Writes the name for people, who count from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, number) = match *self {
            Self::Ground => return f.write_str("the ground"),
            Self::Platform(number) => ("platform", number),
            Self::Block(number) => ("block", number),
            Self::Pig(number) => ("pig", number),
            Self::Tnt(number) => ("TNT", number),
            Self::Bird(number) => ("bird", number),
        };
        write!(f, "{kind} {}", u32::from(number) + 1)
    }
}

/// The kind of an element in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// The ground.
    Ground,
    /// A platform.
    Platform,
    /// A block of this shape and material.
    Block(BlockShape, BlockMaterial),
    /// A pig of this size.
    Pig(PigKind),
    /// A box that explodes.
    Tnt,
    /// A bird of this kind.
    Bird(BirdKind),
}

/// An element that is in a world now, and moves or could move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementState {
    /// The name.
    pub id: ElementId,
    /// The kind.
    pub kind: ElementKind,
    /// The place of the center.
    pub place: [f32; 2],
    /// The cosine and the sine of the turn.
    pub rotation: [f32; 2],
    /// The velocity of the center, in units per second.
    pub velocity: [f32; 2],
    /// The damage that it can still take; infinite for birds.
    pub life: f32,
}

impl ElementState {
    /// Returns the speed of the center, in units per second.
    #[must_use]
    pub fn speed(&self) -> f32 {
        let [x, y] = self.velocity;
        libm::sqrtf(x * x + y * y)
    }

    /// Returns the turn in degrees, counterclockwise, above -180 and at most 180.
    #[must_use]
    pub fn degrees(&self) -> f32 {
        let [cosine, sine] = self.rotation;
        libm::atan2f(sine, cosine).to_degrees()
    }
}
