//! The settings of reinforcement learning.

use hatchery_core::{InvalidValue, WireElement, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::learning::step::check_open_ranges;

/// The most decisions of a replay memory (Kono et al., 9.3).
pub const MAX_CAPACITY: u32 = 2_000_000;

/// The most decisions between a decision and the value that it is learned towards. Games have some
/// ten decisions per player.
pub const MAX_RETURN_STEPS: u8 = 32;

/// The settings of reinforcement learning.
///
/// Defaults follow Kono et al. (7.4 and 9.3) where their text gives a value. Our own defaults fill
/// in where it is silent: `batch`, `rate`, `moves`, `priority_loss` and `priority_floor`.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct ReinforcementSettings {
    /// The decisions of a step.
    #[wire(tag = 1, range(min = 1, max = 4_096))]
    pub batch: u32,
    /// The step size of Adam, above 0.
    #[wire(tag = 2, range(max = 1))]
    pub rate: f32,
    /// The bins of a distribution of values between 0 and 1 (51).
    #[wire(tag = 3, range(min = 2, max = 255))]
    pub bins: u16,
    /// The discount factor for each decision of the player (0.999).
    #[wire(tag = 4, range(min = 0, max = 1))]
    pub discount: f64,
    /// The values that decisions are learned towards.
    #[wire(tag = 5)]
    pub returns: Returns,
    /// The decisions that are learned from.
    #[wire(tag = 6)]
    pub moves: LearnedMoves,
    /// The number of steps between updates of the target network (4,000).
    #[wire(tag = 7, range(min = 1))]
    pub target_steps: u32,
    /// The most decisions in the replay memory, at least `batch` (2,000,000).
    #[wire(tag = 8, range(max = MAX_CAPACITY))]
    pub capacity: u32,
    /// The prioritization exponent (0.7): a decision is drawn with a probability
    /// proportional to (loss + `priority_floor`) to this power; 0 draws uniformly.
    #[wire(tag = 9, range(min = 0, max = 1))]
    pub alpha: f64,
    /// The exponent of the importance-sampling weights (0.5). It stays the same;
    /// Schaul et al. raise it to 1.
    #[wire(tag = 10, range(min = 0, max = 1))]
    pub beta: f64,
    /// The loss that decides how often a decision is drawn.
    #[wire(tag = 11)]
    pub priority_loss: PriorityLoss,
    /// The number added to that loss.
    #[wire(tag = 12, range(min = 1e-12, max = 1))]
    pub priority_floor: f64,
    /// The initial noise scale: the noise on each weight of the last layer begins with a standard
    /// deviation of `noise` over the square root of the number of inputs (0.5, Fortunato et al.
    /// 2018, 3.2); 0 for no noise.
    #[wire(tag = 13, range(min = 0, max = 10))]
    pub noise: f32,
    /// How the actions in the decisions that follow are evaluated.
    #[wire(tag = 14)]
    pub next_actions: NextActions,
    /// The steps of a stretch of the curve of losses.
    #[wire(tag = 15, range(min = 1))]
    pub stretch: u64,
}

/// The values that decisions are learned towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireElement)]
#[wire(try_from = u8)]
pub enum Returns {
    /// The value that the network gives to the player's decision so many decisions later, from 1 to
    /// [`MAX_RETURN_STEPS`]; the paper has 1. The result of the game if it ends sooner.
    Steps(u8),
    /// The result of the game (Monte Carlo).
    End,
}

/// The decisions that are learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[schemars(rename = "LearnedMovesParam")]
#[serde(rename_all = "snake_case")]
pub enum LearnedMoves {
    /// Those of the learner.
    Own,
    /// Those of both players.
    Both,
}

/// The loss that decides how often a decision is drawn.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[schemars(rename = "PriorityLossParam")]
#[serde(rename_all = "snake_case")]
pub enum PriorityLoss {
    /// The cross entropy, which is never 0 for a target of several bins.
    CrossEntropy,
    /// The Kullback-Leibler divergence: the cross entropy less the entropy of the target.
    // Hessel et al. 2018, "Rainbow".
    #[default]
    Divergence,
}

/// The way in which the actions of the decisions that follow are evaluated.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[schemars(rename = "NextActionsParam")]
#[serde(rename_all = "snake_case")]
pub enum NextActions {
    /// Those of all decisions of a step in one long batch.
    // Kono et al., 7.4.2. The other way changes no bit.
    #[default]
    LongBatch,
    /// Decision by decision: for timing.
    OneByOne,
}

impl Default for ReinforcementSettings {
    fn default() -> Self {
        Self {
            batch: 32,
            rate: 1e-3,
            bins: 51,
            discount: 0.999,
            returns: Returns::Steps(1),
            moves: LearnedMoves::Own,
            target_steps: 4_000,
            capacity: MAX_CAPACITY,
            alpha: 0.7,
            beta: 0.5,
            priority_loss: PriorityLoss::Divergence,
            priority_floor: 1e-6,
            noise: 0.5,
            next_actions: NextActions::LongBatch,
            stretch: 100,
        }
    }
}

impl ReinforcementSettings {
    /// Checks the ranges that depend on others, or lack one of their ends.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_open_ranges(self.rate, 0.0)?;
        match self.batch <= self.capacity {
            true => Ok(()),
            false => Err(InvalidValue::new("capacity", &self.capacity, "at least `batch`")),
        }
    }
}

/// The number of decisions; 0 for the end of the game.
impl From<&Returns> for u8 {
    fn from(returns: &Returns) -> Self {
        match returns {
            Returns::Steps(steps) => *steps,
            Returns::End => 0,
        }
    }
}

impl TryFrom<u8> for Returns {
    type Error = InvalidValue;

    fn try_from(steps: u8) -> Result<Self, InvalidValue> {
        InvalidValue::check_range("", &steps, &0, &MAX_RETURN_STEPS)?;
        Ok(if steps == 0 { Self::End } else { Self::Steps(steps) })
    }
}
