//! What a player does, and what chance makes of it.

use crate::board::{Edge, Hex, Node};
use crate::resource::Resource;

use super::development::Development;
use super::seat::Seat;
use super::trade::{Offer, Trade};

/// What the seat that acts may do.
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
    /// Give up a card after a 7.
    Discard(Resource),
    /// Move the robber to another hex and rob an opponent there; nobody if there is none.
    Robber(Hex, Option<Seat>),
    /// Trade with the bank, at the rate of the best port.
    Maritime {
        /// Given: two to four of these.
        give: Resource,
        /// Taken: one of these.
        take: Resource,
    },
    /// Offer a trade to others.
    Offer(Offer),
    /// Agree to the offer.
    Accept,
    /// Refuse the offer.
    Decline,
    /// Refuse the offer and name other terms: what the answering seat gives and takes.
    Counter(Trade),
    /// Trade with this seat, which accepted or named other terms: on its terms.
    TradeWith(Seat),
    /// Trade with nobody.
    Withdraw,
}

/// What chance made of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Chance had no part in it.
    Certain,
    /// The sum of two dice, 2 to 12: of [`Action::Roll`].
    Dice(u8),
    /// The card drawn: of [`Action::BuyCard`].
    Card(Development),
    /// The card stolen: of [`Action::Robber`] when the robbed player has cards.
    Stolen(Resource),
}

/// An action with its outcome: what a log of a game consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// What was done.
    pub action: Action,
    /// What came of it.
    pub outcome: Outcome,
}
