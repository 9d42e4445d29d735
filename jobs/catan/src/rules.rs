//! The rules of the base game for four players (rulebook and Almanac, catan.com FAQ).
//!
//! A [`State`] is a small value to copy. [`State::options`] are the actions of the seat that acts;
//! [`State::outcomes`] is what chance may make of an action; [`State::apply`] does it.
//!
//! ```text
//! settlement ─ road ─┐ eight times, seats 1 2 3 4 4 3 2 1
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
//! turn. Whoever has [`POINTS_TO_WIN`] points in his own turn has won at once. Rules that are often
//! read in two ways:
//!
//! - **Bank shortage**, per resource: if the bank cannot pay all, nobody gets any, unless only one
//!   player is owed: he takes what is left.
//! - **Longest road** is a trail that uses no edge twice; opponents' buildings may end it but not
//!   lie within. Its holder keeps the card in a tie; if after a cut several others tie, nobody has
//!   it.
//! - **Year of plenty** needs two cards in the bank. **Road building** lays one road if there is no
//!   second piece or place.
//! - **Discards** are made card by card, by the seats in order from that of the player on turn.
//! - **A robbed opponent** may have no cards; if there is an opponent at the hex, one must be named.

mod action;
mod apply;
mod awards;
mod chance;
mod development;
mod island;
mod options;
mod production;
mod queries;
mod road;
mod seat;
mod state;
mod trade;

pub use action::{Action, Move, Outcome};
pub use apply::Illegal;
pub use chance::Outcomes;
pub use development::{Deck, Development};
pub use island::{Field, Island};
pub use options::Options;
pub use seat::{Seat, Seats};
pub use state::{Phase, State};
pub use trade::{Answer, Offer, Trade};

use crate::resource::Cards;

/// Points with which a player wins in his own turn.
pub const POINTS_TO_WIN: u8 = 10;

/// Cards of each resource in the game.
pub const RESOURCE_SUPPLY: u8 = 19;

/// Pieces of each player.
pub const ROADS: u8 = 15;
/// Pieces of each player.
pub const SETTLEMENTS: u8 = 5;
/// Pieces of each player.
pub const CITIES: u8 = 4;

/// What a road costs: brick, wood.
pub const ROAD_COST: Cards = Cards([1, 0, 0, 0, 1]);
/// What a settlement costs: brick, sheep, wheat, wood.
pub const SETTLEMENT_COST: Cards = Cards([1, 0, 1, 1, 1]);
/// What a city costs: three ore, two wheat.
pub const CITY_COST: Cards = Cards([0, 3, 0, 2, 0]);
/// What a development card costs: ore, sheep, wheat.
pub const CARD_COST: Cards = Cards([0, 1, 1, 1, 0]);

/// The most cards that a hand may have on a 7 without loss.
pub const HAND_LIMIT: u8 = 7;

/// Segments from which a road counts as longest road.
pub const LONGEST_ROAD_MINIMUM: u8 = 5;

/// Played knights from which an army counts as largest army.
pub const LARGEST_ARMY_MINIMUM: u8 = 3;

/// Offers that a player may make in one turn. The rules know no limit; without one a game of two
/// stubborn players would not end.
pub const OFFERS_PER_TURN: u8 = 100;

#[cfg(test)]
mod tests;
