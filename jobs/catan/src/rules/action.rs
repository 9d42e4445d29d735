//! Actions of players, and their outcomes by chance.

use crate::board::{Edge, Hex, Node};
use crate::resource::Resource;

use super::development::DevelopmentCard;
use super::offer::{Trade, TradeOffer};
use super::seat::Seat;

/// An action of the seat to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Throw the dice.
    Roll,
    /// Give the turn to the next seat.
    EndTurn,
    /// Place a settlement: free in the setup, else for its cost.
    Settlement(Node),
    /// Place a road: free in the setup and by road building, else for its cost.
    Road(Edge),
    /// Make a settlement a city.
    City(Node),
    /// Buy a development card.
    BuyCard,
    /// Play a knight; the robber is moved next.
    Knight,
    /// Play road building; the roads are placed next.
    RoadBuilding,
    /// Play year of plenty for these two, the earlier resource first.
    YearOfPlenty(Resource, Resource),
    /// Play monopoly on this resource.
    Monopoly(Resource),
    /// Discard a card after a 7.
    Discard(Resource),
    /// Move the robber to another hex and rob an opponent there, or nobody if there is none.
    Robber(Hex, Option<Seat>),
    /// Trade with the bank, at the rate of the best port.
    Maritime {
        /// Given: two to four of these.
        give: Resource,
        /// Taken: one of these.
        take: Resource,
    },
    /// Offer a trade to others.
    Offer(TradeOffer),
    /// Agree to the offer.
    Accept,
    /// Refuse the offer.
    Decline,
    /// Refuse the offer and propose other terms, as seen by the answering seat.
    Counter(Trade),
    /// Trade with this seat on its terms: it accepted or proposed other terms.
    TradeWith(Seat),
    /// Trade with nobody.
    Withdraw,
}

/// The outcome of an action, as decided by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChanceOutcome {
    /// Chance plays no part.
    Certain,
    /// The sum of two dice, 2 to 12, for [`Action::Roll`].
    Dice(u8),
    /// The card drawn, for [`Action::BuyCard`].
    Card(DevelopmentCard),
    /// The card stolen, for [`Action::Robber`] if the victim has cards.
    Stolen(Resource),
}

/// An action with its outcome: an entry of a game's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameMove {
    /// The action.
    pub action: Action,
    /// Its outcome.
    pub outcome: ChanceOutcome,
}
