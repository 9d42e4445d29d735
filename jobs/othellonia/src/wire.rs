//! Setups and results on the wire.

mod decks;
mod effect;
mod results;
mod setup;

pub use decks::{DeckTableMessage, GameDeckMessage, GamePieceMessage};
pub use effect::{ConditionMessage, EffectMessage};
pub use results::{DeckMatchResultsMessage, TrialResultsMessage};
pub use setup::{AgentMessage, MatchSetupMessage, TrialKindMessage, TrialSetupMessage};
