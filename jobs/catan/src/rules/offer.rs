//! Terms, offers and answers of trade among players.

use crate::resource::ResourceCards;

use super::seat::{Seat, SeatSet};

/// The terms of a trade, as one player sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trade {
    /// The cards that the player gives.
    pub give: ResourceCards,
    /// The cards that the player takes.
    pub take: ResourceCards,
}

impl Trade {
    /// Returns the same trade as the partner sees it.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { give: self.take, take: self.give }
    }

    /// Returns true if the rules allow the trade: no gifts, and no resource on both sides.
    #[must_use]
    pub fn is_allowed(self) -> bool {
        !self.give.is_empty() && !self.take.is_empty() && !self.give.shares_resource(self.take)
    }
}

/// A trade offered to other players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TradeOffer {
    /// The terms, as the current player sees them.
    pub trade: Trade,
    /// The seats that are asked; the current player's is not among them.
    pub to: SeatSet,
}

/// The answer of a seat to the open offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OfferAnswer {
    /// The seat is not asked, or there is no offer.
    NotAsked,
    /// The seat is asked and has not answered yet.
    Asked,
    /// The seat refuses.
    Declined,
    /// The seat agrees.
    Accepted,
    /// The seat proposes other terms, as it sees them.
    Countered(Trade),
}

/// The open offer and its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PendingOffer {
    pub(super) trade: Trade,
    pub(super) answers: [OfferAnswer; Seat::COUNT],
}

impl PendingOffer {
    pub(super) const EMPTY: Self = Self {
        trade: Trade { give: ResourceCards::NONE, take: ResourceCards::NONE },
        answers: [OfferAnswer::NotAsked; Seat::COUNT],
    };
}
