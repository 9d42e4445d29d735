//! Setups and results on the wire.

mod agent;
mod decks;
mod effect;
mod fields;
mod record;
mod reinforcement;
mod replay_use;
mod results;
mod setup;
mod training;
mod training_encoding;
mod training_result;

pub use agent::{AgentMessage, MatchAgentMessage};
pub use decks::{DeckTableMessage, GameDeckMessage, GamePieceMessage};
pub use effect::{ConditionMessage, EffectMessage};
pub use record::RecordSetupMessage;
pub use reinforcement::{
    ReinforcementSettingsMessage, ReinforcementTaskMessage, SelfPlayOpponentsMessage,
    SelfPlayRoundsMessage, SelfPlayersMessage,
};
pub use replay_use::{RecordedGamesMessage, ReplayUseMessage};
pub use results::{DeckMatchResultsMessage, TrialResultsMessage};
pub use setup::{MatchSetupMessage, TrialKindMessage, TrialSetupMessage};
pub use training::{
    ImitationTaskMessage, RepresentationTaskMessage, TrainingSetupMessage, TrainingTaskMessage,
};
pub use training_encoding::TrainingEncodingMessage;
pub use training_result::{
    LossPointMessage, PieceNeighborsMessage, StoredLearnerMessage, TrainingResultMessage,
};
