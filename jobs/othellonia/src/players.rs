//! Players: agents that play by rule, and learned ones.
//!
//! Agents see both hands, both decks, the board and all states, but not the order of the draws.

mod agent;
pub mod model;
mod rule;
mod score;
mod worth;

pub use agent::{GameAgent, play_out};
pub use rule::RuleAgent;
