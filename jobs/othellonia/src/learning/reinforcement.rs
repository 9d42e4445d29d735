//! Reinforcement learning: a network learns how often each action wins (Kono et al., 7.4).
//!
//! The value of an action is a distribution over bins from 0, a loss, to 1, a win (Bellemare,
//! Dabney & Munos 2017). It is learned from decisions of recorded games, which are drawn by their
//! last losses (Schaul et al. 2016), towards the value of the player's next decision: the action
//! is chosen by the network that learns, and valued by an earlier copy of it, the *target* (van
//! Hasselt, Guez & Silver 2016). What the enemy does in between is part of the environment.
//!
//! ```text
//! TrainingGames -items-> replay memory -draw-> transitions -next actions-> targets -step-> network
//! ```
//!
//! Items are the decisions in the replay memory. Their numbers count the decisions that were pushed
//! over the life of the run, in the order of files, games and plies; with [`LearnedMoves::Own`],
//! those of player A alone.

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
