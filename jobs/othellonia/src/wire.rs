//! Setups and results on the wire.

mod agent;
mod decks;
mod effect;
mod results;
mod setup;

pub use agent::{AgentMessage, MatchAgentMessage};
pub use decks::{DeckTableMessage, GameDeckMessage, GamePieceMessage};
pub use effect::{ConditionMessage, EffectMessage};
pub use results::{DeckMatchResultsMessage, TrialResultsMessage};
pub use setup::{MatchSetupMessage, TrialKindMessage, TrialSetupMessage};
