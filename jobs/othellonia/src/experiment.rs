//! The experiments.

mod agent_param;
mod csv_text;
mod deck_param;
mod imitate;
mod learning_games;
mod logs;
mod loss_curve;
mod matrix;
mod pool_param;
mod represent;
mod representation;
mod scene;
mod simulation;
mod training_param;

pub use agent_param::{
    AgentParam, AgentPreset, LookaheadParam, NetworkParam, RandomParam, RuleParam,
};
pub use deck_param::{
    DeckParam, GeneratedDeckParam, ListedDeckParam, RandomDecksParam, ShippedDeckParam,
};
pub use imitate::{
    EvaluationParam, FirstLayerParam, ImitateArm, ImitateSpec, ImitateState, InformationParam,
    LearnedVectorsParam, NetworkLook, NetworkState, OthelloniaImitate, RandomVectorsParam,
    VectorFileParam, VectorsParam,
};
pub use learning_games::{GeneratedDecksParam, LearningGamesParam, WeightedAgentParam};
pub use logs::{LogsSpec, LogsState, OthelloniaLogs, SeriesGames};
pub use matrix::{MatchupState, MatrixSpec, MatrixState, MirrorMatches, OthelloniaMatrix};
pub use pool_param::PoolParam;
pub use represent::{OthelloniaRepresent, RepresentSpec, RepresentState};
pub use simulation::OthelloniaGames;
pub use training_param::TrainingParam;
