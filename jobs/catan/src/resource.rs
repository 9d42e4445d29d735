//! The five resources.

use std::fmt;

/// A resource. The order, alphabetical, is that of every array with one entry per resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Resource {
    /// From hills.
    Brick,
    /// From mountains.
    Ore,
    /// From pastures (also called wool).
    Sheep,
    /// From fields (also called grain).
    Wheat,
    /// From forests (also called lumber).
    Wood,
}

impl Resource {
    /// Number of resources.
    pub const COUNT: usize = 5;

    /// All resources, in order.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Brick, Self::Ore, Self::Sheep, Self::Wheat, Self::Wood];

    /// The place in [`Resource::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The lower-case English name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brick => "brick",
            Self::Ore => "ore",
            Self::Sheep => "sheep",
            Self::Wheat => "wheat",
            Self::Wood => "wood",
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Resource cards: how many of each resource, in the order of [`Resource::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cards(pub [u8; Resource::COUNT]);

impl Cards {
    /// No cards.
    pub const NONE: Self = Self([0; Resource::COUNT]);

    /// `n` cards of one resource.
    #[must_use]
    pub const fn of(resource: Resource, n: u8) -> Self {
        let mut cards = Self::NONE;
        cards.0[resource.index()] = n;
        cards
    }

    /// How many are of this resource.
    #[must_use]
    pub const fn count(self, resource: Resource) -> u8 {
        self.0[resource.index()]
    }

    /// How many there are in all; at most 255.
    #[must_use]
    pub fn total(self) -> u8 {
        self.0.into_iter().fold(0, u8::saturating_add)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether `cards` are among these.
    #[must_use]
    pub fn covers(self, cards: Self) -> bool {
        self.0.into_iter().zip(cards.0).fold(true, |covers, (has, needs)| covers & (needs <= has))
    }

    /// Whether a resource is in both.
    #[must_use]
    pub fn shares_resource(self, other: Self) -> bool {
        self.0.into_iter().zip(other.0).any(|(a, b)| a != 0 && b != 0)
    }

    /// These and `cards` together; at most 255 of a resource.
    #[must_use]
    pub fn plus(self, cards: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].saturating_add(cards.0[i])))
    }

    /// These without `cards`; those that are not among them are disregarded.
    #[must_use]
    pub fn minus(self, cards: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].saturating_sub(cards.0[i])))
    }
}
