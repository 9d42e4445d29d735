//! The parts of specs that the studies share.

pub mod agent_param;
pub mod deck_param;
pub mod encoding_param;
pub mod learning_games_param;
pub(crate) mod pool_param;
pub mod reinforcement_param;
pub mod training_param;
