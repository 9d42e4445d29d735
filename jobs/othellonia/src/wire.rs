//! Setups and results on the wire.

mod effect;
mod results;
mod setup;

pub use effect::{ConditionMessage, EffectMessage};
pub use results::DeckMatchResultsMessage;
pub use setup::{AgentMessage, GameDeckMessage, GamePieceMessage, MatchSetupMessage};
