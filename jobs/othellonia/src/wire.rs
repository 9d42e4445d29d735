//! Setups and results on the wire.

mod agent;
mod decks;
mod effect;
mod results;
mod setup;
mod training;
mod training_result;

pub use agent::{AgentMessage, MatchAgentMessage};
pub use decks::{DeckTableMessage, GameDeckMessage, GamePieceMessage};
pub use effect::{ConditionMessage, EffectMessage};
pub use results::{DeckMatchResultsMessage, TrialResultsMessage};
pub use setup::{MatchSetupMessage, TrialKindMessage, TrialSetupMessage};
pub use training::{
    ImitationTaskMessage, RecordSetupMessage, RepresentationTaskMessage, TrainingEncodingMessage,
    TrainingSetupMessage, TrainingTaskMessage,
};
pub use training_result::{
    LossPointMessage, PieceNeighborsMessage, RecordedGamesMessage, StoredLearnerMessage,
    TrainingResultMessage,
};
