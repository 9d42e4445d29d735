//! The five resources.

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
