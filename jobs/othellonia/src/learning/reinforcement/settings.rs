//! The settings of reinforcement learning.

use crate::learning::step::{LearnError, check_common};

/// The most bins of a distribution of values.
pub const MAX_BINS: u16 = 255;

/// The most decisions of a replay memory (Kono et al., 9.3).
pub const MAX_CAPACITY: u32 = 2_000_000;

/// The most decisions until the value that a decision is learned towards: games have some ten of
/// each player.
pub const MAX_RETURN_STEPS: u8 = 32;

/// The settings of reinforcement learning.
///
/// Defaults are those of Kono et al. (7.4 and 9.3) where their text has them, and our own where it
/// is silent: `batch`, `rate`, `moves`, `priority_loss` and `priority_floor`.
#[derive(Clone, Debug, PartialEq)]
pub struct ReinforcementSettings {
    /// The decisions of a step, from 1 to 4,096.
    pub batch: u32,
    /// The step size of Adam, above 0 and at most 1.
    pub rate: f32,
    /// The bins of a distribution of values between 0 and 1, from 2 to [`MAX_BINS`] (51).
    pub bins: u16,
    /// The discount factor for each decision of the player, from 0 to 1 (0.999).
    pub discount: f64,
    /// The values that decisions are learned towards.
    pub returns: Returns,
    /// The decisions that are learned from.
    pub moves: LearnedMoves,
    /// The number of steps between updates of the target network, at least 1 (4,000).
    pub target_steps: u32,
    /// The most decisions in the replay memory, from `batch` to [`MAX_CAPACITY`] (2,000,000).
    pub capacity: u32,
    /// The prioritization exponent, from 0 to 1 (0.7): a decision is drawn with a probability
    /// proportional to (loss + `priority_floor`) to this power; 0 draws uniformly.
    pub alpha: f64,
    /// The exponent of the importance-sampling weights, from 0 to 1 (0.5). It stays the same;
    /// Schaul et al. raise it to 1.
    pub beta: f64,
    /// The loss that decides how often a decision is drawn.
    pub priority_loss: PriorityLoss,
    /// The number added to that loss, from 1e-12 to 1.
    pub priority_floor: f64,
    /// The initial noise scale, from 0 to 10: the noise of each weight of the last layer begins
    /// with a standard deviation of `noise` over the square root of the number of inputs (0.5,
    /// Fortunato et al. 2018, 3.2); 0 for no noise.
    pub noise: f32,
    /// The way in which the actions of the decisions that follow are evaluated.
    pub next_actions: NextActions,
    /// The steps of a stretch of the curve of losses, at least 1.
    pub stretch: u64,
}

/// The values that decisions are learned towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// The value that the network gives to the player's decision so many decisions later, from 1 to
    /// [`MAX_RETURN_STEPS`]; the paper has 1. The result of the game if it ends sooner.
    Steps(u8),
    /// The result of the game (Monte Carlo).
    End,
}

/// The decisions that are learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearnedMoves {
    /// Those of the learner: player A.
    Own,
    /// Those of both players.
    Both,
}

/// The loss that decides how often a decision is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriorityLoss {
    /// The cross entropy, which is never 0 for a target of several bins.
    CrossEntropy,
    /// The Kullback-Leibler divergence: the cross entropy less the entropy of the target (Hessel et
    /// al. 2018, "Rainbow").
    Divergence,
}

/// The way in which the actions of the decisions that follow are evaluated. It changes no bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextActions {
    /// Those of all decisions of a step in one long batch (Kono et al., 7.4.2).
    LongBatch,
    /// Decision by decision.
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
    /// Checks the settings.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<(), LearnError> {
        let Self { batch, rate, bins, discount, target_steps, capacity, alpha, beta, .. } = *self;
        let (floor, noise) = (self.priority_floor, self.noise);
        check_common(batch, [rate, 0.0, 0.0], self.stretch).map_err(|error| match error {
            LearnError::Setting { setting: "decisions", found, expected } => {
                LearnError::Setting { setting: "batch", found, expected }
            }
            error => error,
        })?;
        let returns = match self.returns {
            Returns::Steps(steps) => (1..=MAX_RETURN_STEPS).contains(&steps),
            Returns::End => true,
        };
        let in_unit = |value: f64| (0.0..=1.0).contains(&value);
        let checks = [
            ("bins", bins.to_string(), (2..=MAX_BINS).contains(&bins), "from 2 to 255"),
            ("discount", discount.to_string(), in_unit(discount), "from 0 to 1"),
            ("returns", format!("{:?}", self.returns), returns, "from 1 to 32 steps"),
            ("target_steps", target_steps.to_string(), target_steps != 0, "at least 1"),
            (
                "capacity",
                capacity.to_string(),
                (batch..=MAX_CAPACITY).contains(&capacity),
                "at least `batch`, and at most 2000000",
            ),
            ("alpha", alpha.to_string(), in_unit(alpha), "from 0 to 1"),
            ("beta", beta.to_string(), in_unit(beta), "from 0 to 1"),
            (
                "priority_floor",
                floor.to_string(),
                (1e-12..=1.0).contains(&floor),
                "from 1e-12 to 1",
            ),
            ("noise", noise.to_string(), (0.0..=10.0).contains(&noise), "from 0 to 10"),
        ];
        match checks.into_iter().find(|(_, _, holds, _)| !holds) {
            Some((setting, found, _, expected)) => {
                Err(LearnError::Setting { setting, found, expected })
            }
            None => Ok(()),
        }
    }
}
