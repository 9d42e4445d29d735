//! Development cards.

/// A kind of development card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Development {
    /// Moves the robber; counts for the largest army.
    Knight,
    /// One point, never played.
    VictoryPoint,
    /// Two free roads.
    RoadBuilding,
    /// Two cards from the bank.
    YearOfPlenty,
    /// All opponents' cards of one resource.
    Monopoly,
}

impl Development {
    /// Number of kinds.
    pub const COUNT: usize = 5;

    /// All kinds, in order.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Knight, Self::VictoryPoint, Self::RoadBuilding, Self::YearOfPlenty, Self::Monopoly];

    /// The place in [`Development::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Development cards without order: how many of each kind, in the order of [`Development::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deck(pub [u8; Development::COUNT]);

impl Deck {
    /// No cards.
    pub const NONE: Self = Self([0; Development::COUNT]);

    /// The 25 cards of the game.
    pub const FULL: Self = Self([14, 5, 2, 2, 2]);

    /// How many are of this kind.
    #[must_use]
    pub const fn count(self, card: Development) -> u8 {
        self.0[card.index()]
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

    pub(super) fn add(&mut self, card: Development) {
        self.0[card.index()] += 1;
    }

    pub(super) fn remove(&mut self, card: Development) {
        self.0[card.index()] -= 1;
    }
}
