//! Learning in specs: the network, and the steps.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::trial::series::{STEP, TrialCosts};
use crate::trial::setup::TrainingSetup;

/// A network and how it learns. Kono et al. leave all of it open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrainingParam {
    /// The units of the hidden layers.
    #[schemars(length(min = 1, max = 4), inner(range(min = 1, max = 1024)))]
    pub hidden: Vec<u32>,
    /// The periods: each is a generation, and its steps are one trial.
    #[schemars(range(min = 1, max = 1000))]
    pub periods: u32,
    /// The steps of a period.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub steps: u32,
    /// The decisions of a step.
    #[serde(default = "decisions")]
    #[schemars(range(min = 1, max = 4096))]
    pub decisions: u32,
    /// The step size of Adam.
    #[serde(default = "rate")]
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub rate: f32,
    /// The share of a weight that L2 regularization adds to its gradient.
    #[serde(default = "weight_decay")]
    #[schemars(range(min = 0, max = 1))]
    pub weight_decay: f32,
    /// The probability with which a hidden value is dropped.
    #[serde(default)]
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub dropout: f32,
}

fn decisions() -> u32 {
    32
}

fn rate() -> f32 {
    1e-3
}

fn weight_decay() -> f32 {
    1e-6
}

/// The points of the curve of losses in a period.
const PERIOD_POINTS: u32 = 10;

/// The most products of a trial, forward: some hours if no zeros of the first layer are skipped,
/// and less if they are.
const MAX_PRODUCTS: u64 = 100_000_000_000_000;

impl TrainingParam {
    /// Returns `n_trials` that take the steps of a period each.
    pub(crate) fn trial_costs(&self, n_trials: u64) -> TrialCosts {
        TrialCosts::new(n_trials, f64::from(self.steps) * STEP)
    }

    /// Checks training with these parameters: the settings of its learner, and its size.
    pub(crate) fn check_setup(&self, setup: &TrainingSetup) -> Result<(), InvalidValue> {
        setup.check_settings()?;
        let steps = [(self.steps.into(), "steps")];
        check_size(setup, ["hidden", "decisions"], ("steps", &steps))
    }

    /// Returns the steps of a stretch of the curve of losses.
    pub(crate) const fn stretch(&self) -> u64 {
        self.steps.div_ceil(PERIOD_POINTS) as u64
    }

    /// Returns the number of steps in all periods together.
    pub(crate) const fn all_steps(&self) -> u64 {
        self.periods as u64 * self.steps as u64
    }
}

/// Checks the size of training: the sizes of its network, of a step, and of its steps together.
/// `keys` are the keys of the hidden layers and of the decisions per step; `steps` has the key and
/// the factors of the number of steps.
pub(crate) fn check_size(
    setup: &TrainingSetup,
    [hidden, decisions]: [&str; 2],
    (key, steps): (&str, &[(u64, &str)]),
) -> Result<(), InvalidValue> {
    let numbers = setup.n_numbers();
    if TrainingSetup::MAX_NUMBERS < numbers {
        let expected = format!(
            "smaller, or an encoding with fewer columns: {numbers} weights, biases and \
             vectors, and at most {} are allowed",
            TrainingSetup::MAX_NUMBERS
        );
        return Err(InvalidValue::new(hidden, &format!("{:?}", setup.hidden), expected));
    }
    let of_decision = setup.decision_rows();
    let factors =
        [(setup.n_rows() / of_decision, "decisions"), (of_decision, "rows of a decision")];
    InvalidValue::check_product(decisions, &factors, "rows of a step", TrainingSetup::MAX_ROWS)?;
    let of_step = [(setup.n_rows(), "rows of a step"), (setup.n_weights(), "weights")];
    let factors: Vec<_> = steps.iter().copied().chain(of_step).collect();
    InvalidValue::check_product(key, &factors, "products of a trial", MAX_PRODUCTS)
}
