//! The setup of reinforcement learning.

use hatchery_core::{Part, WireValue};

use super::{SelfPlayOpponents, TrainingEncoding};
use crate::features::Information;
use crate::learning::reinforcement::ReinforcementSettings;

/// The task to learn which actions win.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub struct ReinforcementTask {
    /// The encoding of pieces of a new network.
    #[wire(flatten = 1)]
    pub encoding: TrainingEncoding,
    /// The network's knowledge of the game.
    #[wire(tag = 4)]
    pub information: Information,
    /// The settings of the learner.
    #[wire(tag = 5)]
    pub settings: ReinforcementSettings,
    /// The model that a new learner begins with; `None` for random weights. Its own encoding and
    /// knowledge of the game then count.
    #[wire(tag = 6)]
    pub initial: Option<Part>,
    /// The number of the first decision in the files of games. It equals the number of decisions in
    /// earlier files, which have all left the replay memory.
    #[wire(tag = 7, range(max = 1 << 48))]
    pub first_item: u64,
    /// The games that are played between steps; `None` to learn from the files alone.
    #[wire(tag = 8)]
    pub rounds: Option<SelfPlayRounds>,
}

/// Games that a learner plays itself: rounds of a pair of games, the learner being player A in
/// both, and then of some steps.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct SelfPlayRounds {
    /// The number of decks that are drawn from: the first ones of the run's table.
    #[wire(tag = 1, range(min = 1, max = 1_024))]
    pub n_decks: u16,
    /// The opponents.
    #[wire(tag = 2)]
    pub opponents: SelfPlayOpponents,
    /// The steps of a round: a divisor of the steps of training.
    #[wire(tag = 3, range(min = 1, max = 1_000_000))]
    pub steps: u32,
}
