//! Development cards.

/// A kind of development card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DevelopmentCard {
    /// Moves the robber; counts for the largest army.
    Knight,
    /// One point, never played.
    VictoryPoint,
    /// Two free roads.
    RoadBuilding,
    /// Two cards from the bank.
    YearOfPlenty,
    /// Takes every card of a resource from the opponents.
    Monopoly,
}

impl DevelopmentCard {
    /// Number of kinds.
    pub const COUNT: usize = 5;

    /// All kinds, in order.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Knight, Self::VictoryPoint, Self::RoadBuilding, Self::YearOfPlenty, Self::Monopoly];

    /// Returns the position in [`DevelopmentCard::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A number of development cards per kind, in the order of [`DevelopmentCard::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DevelopmentCards(pub [u8; DevelopmentCard::COUNT]);

impl DevelopmentCards {
    /// No cards.
    pub const NONE: Self = Self([0; DevelopmentCard::COUNT]);

    /// The 25 cards of the game.
    pub const FULL: Self = Self([14, 5, 2, 2, 2]);

    /// Returns the number of cards of this kind.
    #[must_use]
    pub const fn count(self, card: DevelopmentCard) -> u8 {
        self.0[card.index()]
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

    pub(super) fn add(&mut self, card: DevelopmentCard) {
        self.0[card.index()] += 1;
    }

    pub(super) fn remove(&mut self, card: DevelopmentCard) {
        self.0[card.index()] -= 1;
    }
}
