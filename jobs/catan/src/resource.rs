//! The five resources.

use std::fmt;

/// A resource. The alphabetical order is that of every array with one entry per resource.
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

    /// Returns the position in [`Resource::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the lower-case English name.
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

/// A number of resource cards per resource, in the order of [`Resource::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceCards(pub [u8; Resource::COUNT]);

impl ResourceCards {
    /// No cards.
    pub const NONE: Self = Self([0; Resource::COUNT]);

    /// Returns `n` cards of a single resource.
    #[must_use]
    pub const fn of(resource: Resource, n: u8) -> Self {
        let mut cards = Self::NONE;
        cards.0[resource.index()] = n;
        cards
    }

    /// Returns the number of cards of this resource.
    #[must_use]
    pub const fn count(self, resource: Resource) -> u8 {
        self.0[resource.index()]
    }

    /// Returns the number of cards in all, at most 255.
    #[must_use]
    pub fn total(self) -> u8 {
        self.0.into_iter().fold(0, u8::saturating_add)
    }

    /// Returns true if there are no cards.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Returns true if these cards include `cards`.
    #[must_use]
    pub fn covers(self, cards: Self) -> bool {
        self.0.into_iter().zip(cards.0).fold(true, |covers, (has, needs)| covers & (needs <= has))
    }

    /// Returns true if both have cards of the same resource.
    #[must_use]
    pub fn shares_resource(self, other: Self) -> bool {
        self.0.into_iter().zip(other.0).any(|(a, b)| a != 0 && b != 0)
    }

    /// Adds `cards`, up to 255 of a resource.
    #[must_use]
    pub fn plus(self, cards: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].saturating_add(cards.0[i])))
    }

    /// Removes `cards`, as far as they are there.
    #[must_use]
    pub fn minus(self, cards: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].saturating_sub(cards.0[i])))
    }
}
