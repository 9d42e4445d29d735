//! Setups and results on the wire.

mod agent;
mod decks;
mod effect;
mod learn;
mod lesson;
mod results;
mod setup;

pub use agent::{AgentMessage, MatchAgentMessage};
pub use decks::{DeckTableMessage, GameDeckMessage, GamePieceMessage};
pub use effect::{ConditionMessage, EffectMessage};
pub use learn::{
    ImitationLessonMessage, LearnSetupMessage, LessonEncodingMessage, LessonMessage,
    RecordSetupMessage, RepresentationLessonMessage,
};
pub use lesson::{
    LessonResultMessage, LossPointMessage, PieceNeighborsMessage, RecordedGamesMessage,
    StoredLearnerMessage,
};
pub use results::{DeckMatchResultsMessage, TrialResultsMessage};
pub use setup::{MatchSetupMessage, TrialKindMessage, TrialSetupMessage};
