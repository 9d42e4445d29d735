//! The experiments.

mod agent_param;
mod deck_param;
mod logs;
mod matrix;
mod pool_param;
mod scene;
mod simulation;

pub use agent_param::{
    AgentParam, AgentPreset, LookaheadParam, NetworkParam, RandomParam, RuleParam,
};
pub use deck_param::{
    DeckParam, GeneratedDeckParam, ListedDeckParam, RandomDecksParam, ShippedDeckParam,
};
pub use logs::{LogsSpec, LogsState, OthelloniaLogs, SeriesGames};
pub use matrix::{MatchupState, MatrixSpec, MatrixState, MirrorMatches, OthelloniaMatrix};
pub use pool_param::PoolParam;
pub use simulation::OthelloniaGames;
