//! Reinforcement learning: a network learns how often each action wins (Kono et al., 7.4).
//!
//! The value of an action is a distribution over bins from 0, a loss, to 1, a win (Bellemare,
//! Dabney & Munos 2017). The learner learns this value from decisions in recorded games, which it
//! draws by their last losses (Schaul et al. 2016). It learns towards the value of the player's
//! next decision. The learning network chooses the next action, and an earlier copy of the network,
//! the *target*, values it (van Hasselt, Guez & Silver 2016). What the enemy does in between is
//! part of the environment.
//!
//! ```text
//! TrainingGames -items-> replay memory -draw-> transitions -next actions-> targets -step-> network
//! ```
//!
//! Items are the decisions in the replay memory. Their numbers count the decisions that were pushed
//! over the life of the run, in the order of files, games and plies. With [`LearnedMoves::Own`],
//! only player A's decisions count.

mod file;
mod items;
mod learner;
mod settings;
mod steps;
mod targets;
mod transitions;

pub use file::ReinforcementFileError;
pub use learner::ReinforcementLearner;
pub use settings::{
    LearnedMoves, MAX_CAPACITY, MAX_RETURN_STEPS, NextActions, PriorityLoss, ReinforcementSettings,
    Returns,
};
