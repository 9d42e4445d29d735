//! The settings of reinforcement learning in specs.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::learning::reinforcement::{
    LearnedMoves, NextActions, PriorityLoss, ReinforcementSettings, Returns,
};
use crate::trial::setup::SelfPlayOpponents;

/// A learner of how often actions win (Kono et al., 7.4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReinforcementParam {
    /// The decisions of a step.
    #[schemars(range(min = 1, max = 4096), extend("x-source" = "ours: the text does not say"))]
    pub batch: u32,
    /// The step size of Adam.
    #[schemars(
        range(max = 1),
        extend("exclusiveMinimum" = 0),
        extend("x-source" = "ours: the text does not say")
    )]
    pub rate: f32,
    /// The bins of a distribution of values between 0, a loss, and 1, a win.
    #[schemars(range(min = 2, max = 255), extend("x-source" = "Kono et al., 9.3: 51"))]
    pub bins: u16,
    /// The discount factor for each decision of the player.
    #[schemars(range(min = 0, max = 1), extend("x-source" = "Kono et al., 9.3: 0.999"))]
    pub discount: f64,
    /// The values that decisions are learned towards.
    #[schemars(extend("x-source" = "Kono et al., 7.4: 1 step"))]
    pub returns: ReturnsParam,
    /// The decisions that are learned from: by default `own` in the mode `paper`, and `both` in
    /// the mode `wide`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-source" = "ours: the text does not say"))]
    pub moves: Option<LearnedMoves>,
    /// The number of steps between updates of the target network: by default 4,000 in the mode
    /// `paper`, and 500 in the mode `wide`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("x-source" = "Kono et al., 9.3: 4,000; in `wide` ours"))]
    pub target_steps: Option<u32>,
    /// The most decisions in the replay memory, at least `batch`.
    #[schemars(range(min = 1, max = 2_000_000), extend("x-source" = "Kono et al., 9.3: 2,000,000"))]
    pub capacity: u32,
    /// The prioritization exponent: a decision is drawn with a probability proportional to (loss +
    /// `priority_floor`) to the power of `alpha`; 0 draws uniformly.
    #[schemars(range(min = 0, max = 1), extend("x-source" = "Kono et al., 9.3: 0.7"))]
    pub alpha: f64,
    /// The exponent of the importance-sampling weights; 0 for none. It stays the same throughout
    /// (Schaul et al. 2016 raise it to 1).
    #[schemars(range(min = 0, max = 1), extend("x-source" = "Kono et al., 9.3: 0.5"))]
    pub beta: f64,
    /// The loss that decides how often a decision is drawn.
    #[schemars(extend("x-source" = "ours: the text does not say"))]
    pub priority_loss: PriorityLoss,
    /// The number added to that loss.
    #[schemars(range(min = 1e-12, max = 1), extend("x-source" = "ours: the text does not say"))]
    pub priority_floor: f64,
    /// The initial noise scale: the noise of each weight of the last layer begins with a standard
    /// deviation of `noise` over the square root of the number of inputs; 0 for no noise.
    #[schemars(range(min = 0, max = 10), extend("x-source" = "Fortunato et al. 2018, 3.2: 0.5"))]
    pub noise: f32,
    /// The probability with which a network plays any legal action in games to learn from.
    #[schemars(range(min = 0, max = 1), extend("x-source" = "ours: the text has noise alone"))]
    pub epsilon: f64,
    /// The way in which the actions of the decisions that follow are evaluated. It changes the
    /// cost, and no bit of what is learned.
    #[schemars(extend("x-source" = "Kono et al., 7.4.2: long_batch"))]
    pub next_actions: NextActions,
}

/// The values that decisions are learned towards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReturnsParam {
    /// The value that the network gives to a later decision of the player.
    Steps(StepReturnsParam),
    /// The result of the game.
    End(EndReturnsParam),
}

/// The value of a later decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepReturnsParam {
    /// The number of the player's decisions to look ahead. If the game ends sooner, its result is
    /// used.
    #[schemars(range(min = 1, max = 32))]
    pub steps: u8,
}

/// The result of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndReturnsParam {}

impl Default for ReturnsParam {
    fn default() -> Self {
        Self::Steps(StepReturnsParam { steps: 1 })
    }
}

impl Default for ReinforcementParam {
    fn default() -> Self {
        let ReinforcementSettings { batch, rate, bins, discount, capacity, alpha, beta, .. } =
            ReinforcementSettings::default();
        let ReinforcementSettings { priority_loss, priority_floor, noise, next_actions, .. } =
            ReinforcementSettings::default();
        Self {
            batch,
            rate,
            bins,
            discount,
            returns: ReturnsParam::default(),
            moves: None,
            target_steps: None,
            capacity,
            alpha,
            beta,
            priority_loss,
            priority_floor,
            noise,
            epsilon: 0.0,
            next_actions,
        }
    }
}

/// The defaults that depend on the mode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModeDefaults {
    pub(crate) moves: LearnedMoves,
    pub(crate) target_steps: u32,
}

impl ReinforcementParam {
    /// Returns the settings of the learner; a stretch in the curve of losses is a single step.
    pub(crate) fn checked_settings(
        &self,
        defaults: ModeDefaults,
    ) -> Result<ReinforcementSettings, InvalidValue> {
        let settings = ReinforcementSettings {
            batch: self.batch,
            rate: self.rate,
            bins: self.bins,
            discount: self.discount,
            returns: match self.returns {
                ReturnsParam::Steps(StepReturnsParam { steps }) => Returns::Steps(steps),
                ReturnsParam::End(EndReturnsParam {}) => Returns::End,
            },
            moves: self.moves.unwrap_or(defaults.moves),
            target_steps: self.target_steps.unwrap_or(defaults.target_steps),
            capacity: self.capacity,
            alpha: self.alpha,
            beta: self.beta,
            priority_loss: self.priority_loss,
            priority_floor: self.priority_floor,
            noise: self.noise,
            next_actions: self.next_actions,
            stretch: 1,
        };
        settings.check()?;
        Ok(settings)
    }

    /// Returns the probability of any legal action in millionths, rounded.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to 1,000,000"
    )]
    pub(crate) fn epsilon_millionths(&self) -> u32 {
        libm::round(self.epsilon * f64::from(SelfPlayOpponents::MAX_EPSILON)) as u32
    }
}
