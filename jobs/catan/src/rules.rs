//! The rules of the base game (rulebook and Almanac, catan.com FAQ), for two to four players.
//!
//! A [`GameState`] is a small value that is cheap to copy. [`GameState::legal_actions`] lists the
//! actions of the seat to act, [`GameState::outcomes`] the possible outcomes of an action, and
//! [`GameState::apply`] applies one.
//!
//! ```text
//! settlement ─ road ─┐ twice for each player, seats 1 2 3 4 4 3 2 1
//!                    ▼
//!        ┌────── before the roll ──── roll: 7 ──► discards ──► robber ─┐
//!        │           │ ▲ knight,           └ other: production ─┐      │
//!        │           ▼ │ other card                             ▼      ▼
//!        │       robber or free roads ◄──── card ──────────── after the roll ◄──┐
//!        │                                                    │            │    │
//!        └──────────────────── end of turn ───────────────────┘          offer  │
//!                                                            answers ◄─────┘    │
//!                                                               └──► choice ────┘
//! ```
//!
//! Seats are numbered by the order of the first settlements: seat 1 places first and has the first
//! turn. A player with [`POINTS_TO_WIN`] points in its own turn wins at once. A [`GameVariant`] has
//! fewer players, other points to win or a friendly robber. Rules that are often read in two ways
//! are read as follows:
//!
//! - **Bank shortage**, per resource: if the bank cannot pay all cards, nobody gets any, unless
//!   only one player is owed some: it takes what is left.
//! - **Longest road** is a trail that uses no edge twice; opponents' buildings may end it but not
//!   interrupt it. Its holder keeps the card in a tie; if a cut leaves several other players tied,
//!   nobody has it.
//! - **Year of plenty** needs two cards in the bank. **Road building** places one road if there is
//!   no second piece or edge.
//! - **Discards** are made card by card, by the seats in turn order from the current player on.
//! - **A robbed opponent** may have no cards. If an opponent has a building at the hex, one must be
//!   named.

mod action;
mod apply;
mod awards;
mod chance;
mod development;
mod display;
mod island;
mod legal_actions;
mod offer;
mod production;
mod queries;
mod road;
mod seat;
mod state;
mod trade;
mod variant;

pub use action::{Action, ChanceOutcome, GameMove};
pub use apply::IllegalMove;
pub use chance::OutcomeDistribution;
pub use development::{DevelopmentCard, DevelopmentCards};
pub use island::{Island, ProducingHex};
pub use legal_actions::LegalActions;
pub use offer::{OfferAnswer, Trade, TradeOffer};
pub use seat::{BySeat, Seat, SeatSet};
pub use state::{GamePhase, GameState};
pub use variant::{
    FEWEST_PLAYERS, FEWEST_POINTS, GameVariant, MOST_POINTS, POINTS_TO_WIN, RobberRule,
};

use crate::resource::ResourceCards;

/// The number of cards per resource in the game.
pub const RESOURCE_SUPPLY: u8 = 19;

/// The number of roads that each player has.
pub const ROADS: u8 = 15;
/// The number of settlements that each player has.
pub const SETTLEMENTS: u8 = 5;
/// The number of cities that each player has.
pub const CITIES: u8 = 4;

/// The cost of a road: brick, wood.
pub const ROAD_COST: ResourceCards = ResourceCards([1, 0, 0, 0, 1]);
/// The cost of a settlement: brick, sheep, wheat, wood.
pub const SETTLEMENT_COST: ResourceCards = ResourceCards([1, 0, 1, 1, 1]);
/// The cost of a city: three ore, two wheat.
pub const CITY_COST: ResourceCards = ResourceCards([0, 3, 0, 2, 0]);
/// The cost of a development card: ore, sheep, wheat.
pub const CARD_COST: ResourceCards = ResourceCards([0, 1, 1, 1, 0]);

/// The largest hand that loses no cards on a 7.
pub const HAND_LIMIT: u8 = 7;

/// The least number of edges of a longest road.
pub const LONGEST_ROAD_MINIMUM: u8 = 5;

/// The least number of played knights of a largest army.
pub const LARGEST_ARMY_MINIMUM: u8 = 3;

/// Offers that a player may make in one turn. The rules set no limit, but without one a game of two
/// stubborn players would not end.
pub const OFFERS_PER_TURN: u8 = 100;

#[cfg(test)]
mod tests;
