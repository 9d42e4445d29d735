//! The experiments.

mod agent_param;
mod deck_param;
mod encoding_param;
mod event_file;
mod finding_parts;
mod imitate;
mod impact;
mod learning_games;
mod logs;
mod loss_curve;
mod matrix;
mod network_findings;
mod pool_param;
mod represent;
mod representation;
mod scene;
mod selfplay;
mod series;
mod simulation;
mod training_param;
mod trial_cost;
mod win_rates;

pub use agent_param::{
    AgentParam, AgentPreset, GameAgentParam, LookaheadParam, NetworkParam, RandomParam, RuleParam,
};
pub use deck_param::{
    DeckParam, GeneratedDeckParam, ListedDeckParam, RandomDecksParam, ShippedDeckParam,
};
pub use encoding_param::{EncodingParam, RandomVectorsParam, VectorFileParam};
pub use imitate::{
    CheckedImitate, EvaluationParam, FirstLayerParam, ImitateSpec, ImitateState,
    LearnedVectorsParam, NetworkLook, NetworkState, OthelloniaImitate, VectorsParam,
};
pub use impact::{
    ChangeCounts, CheckedImpact, HostParam, ImpactLook, ImpactSpec, ImpactState, NewVectorParam,
    OthelloniaImpact, ReplacedPiece, ReplacementRule, TuneParam, TuningState,
};
pub use learning_games::{GeneratedDecksParam, LearningGamesParam, WeightedAgentParam};
pub use logs::{CheckedLogs, LogsSpec, LogsState, OthelloniaLogs, SeriesGames};
pub use matrix::{
    CheckedMatrix, MatchupState, MatrixSpec, MatrixState, MirrorMatches, OthelloniaMatrix,
};
pub use represent::{CheckedRepresent, OthelloniaRepresent, RepresentSpec, RepresentState};
pub use representation::VectorLearning;
pub use selfplay::{
    CheckedSelfplay, EndReturnsParam, LearnerState, LearningPeriod, OpponentLook,
    OthelloniaSelfplay, PaperModeParam, ReinforcementParam, ReturnsParam, SelfplayMode,
    SelfplaySpec, SelfplayState, SelfplayVectorsParam, Snapshot, StepReturnsParam, StrengthLook,
    StrengthParam, WideModeParam,
};
pub use simulation::OthelloniaGames;
pub use training_param::TrainingParam;
