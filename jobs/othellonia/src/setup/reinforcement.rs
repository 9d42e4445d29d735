//! The setup of reinforcement learning.

use hatchery_core::part::Part;

use super::{SelfPlayOpponents, TrainingEncoding};
use crate::features::Information;
use crate::learning::reinforcement::ReinforcementSettings;

/// The task to learn which actions win.
#[derive(Clone, Debug, PartialEq)]
pub struct ReinforcementTask {
    /// The encoding of pieces of a new network.
    pub encoding: TrainingEncoding,
    /// The network's knowledge of the game.
    pub information: Information,
    /// The settings of the learner.
    pub settings: ReinforcementSettings,
    /// The model that a new learner begins with; `None` for random weights. Its own encoding and
    /// knowledge of the game then count.
    pub initial: Option<Part>,
    /// The number of the first decision in the files of games: that of the decisions in earlier
    /// files, none of which is left in the replay memory.
    pub first_item: u64,
    /// The games that are played between steps; `None` to learn from the files alone.
    pub rounds: Option<SelfPlayRounds>,
}

/// Games that a learner plays itself: rounds of a pair of games, the learner being player A in
/// both, and then of some steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfPlayRounds {
    /// The number of decks that are drawn from: the first ones of the run's table.
    pub n_decks: u16,
    /// The opponents.
    pub opponents: SelfPlayOpponents,
    /// The steps of a round: a divisor of the steps of training.
    pub steps: u32,
}
