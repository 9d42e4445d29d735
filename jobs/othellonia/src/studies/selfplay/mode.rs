//! The modes of self-play in specs.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schedule::Schedule;
use crate::learning::reinforcement::LearnedMoves;
use crate::params::reinforcement_param::ModeDefaults;
use crate::trial::setup::{RecordSetup, TrainingSetup};

/// The order of games and steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SelfplayMode {
    /// A pair of games and then some steps, in turn, as Kono et al. do. One trial does both, so
    /// that a network learns from every game at once.
    Paper(PaperModeParam),
    /// Many trials play a generation of games while another one learns from those before.
    Wide(WideModeParam),
}

/// Games and steps in turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaperModeParam {
    /// The games of each network: whole periods.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub games: u32,
    /// The steps after each pair of games: a divisor of `period_steps`.
    #[serde(default = "paper_steps")]
    #[schemars(range(min = 1, max = 10_000), extend("x-source" = "Kono et al., 9.3: 32"))]
    pub steps_per_pair: u32,
    /// The steps of a period, which is a generation, and one trial for each network.
    #[serde(default = "period_steps")]
    #[schemars(
        range(min = 1, max = 1_000_000),
        extend("x-source" = "ours: as many as those between target copies")
    )]
    pub period_steps: u32,
}

/// Games and steps at the same time: a generation learns from the games of those before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WideModeParam {
    /// The games of each network: whole trials of `pairs_per_trial` pairs.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub games: u32,
    /// The games of the first generation; rounded down as those of `most`.
    #[serde(default = "first")]
    #[schemars(
        range(min = 1, max = 1_000_000),
        extend("x-source" = "ours: early on, learning from old games costs the most")
    )]
    pub first: u32,
    /// The factor by which generations grow.
    #[serde(default = "growth")]
    #[schemars(range(min = 1, max = 10))]
    pub growth: f64,
    /// The most games of a generation; rounded down to whole trials, but at least one trial.
    #[serde(default = "most")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub most: u32,
    /// The steps for each pair of games.
    #[serde(default = "wide_steps")]
    #[schemars(range(min = 1, max = 10_000), extend("x-source" = "ours; Kono et al., 9.3: 32"))]
    pub steps_per_pair: u32,
    /// The pairs of games of a trial, whose records are one file.
    #[serde(default = "pairs_per_trial")]
    #[schemars(range(min = 1, max = 10_000))]
    pub pairs_per_trial: u32,
}

fn paper_steps() -> u32 {
    32
}

fn period_steps() -> u32 {
    4_000
}

fn first() -> u32 {
    500
}

fn growth() -> f64 {
    1.3
}

fn most() -> u32 {
    2_000
}

fn wide_steps() -> u32 {
    4
}

fn pairs_per_trial() -> u32 {
    25
}

/// The most periods: each is a generation.
const MAX_PERIODS: u32 = 1_000;

impl SelfplayMode {
    /// Returns the number of games per network.
    pub(super) const fn games(&self) -> u32 {
        match self {
            Self::Paper(mode) => mode.games,
            Self::Wide(mode) => mode.games,
        }
    }

    /// Returns the defaults of the learner.
    pub(super) const fn defaults(&self) -> ModeDefaults {
        match self {
            Self::Paper(_) => ModeDefaults { moves: LearnedMoves::Own, target_steps: 4_000 },
            Self::Wide(_) => ModeDefaults { moves: LearnedMoves::Both, target_steps: 500 },
        }
    }

    /// Returns the schedule. Keys are those below `mode`.
    pub(super) fn schedule(&self) -> Result<Schedule, InvalidValue> {
        match self {
            Self::Paper(mode) => mode.schedule(),
            Self::Wide(mode) => mode.schedule(),
        }
    }
}

impl PaperModeParam {
    fn schedule(&self) -> Result<Schedule, InvalidValue> {
        let Self { games, steps_per_pair, period_steps: steps } = *self;
        if !steps.is_multiple_of(steps_per_pair) {
            let expected = format!("a divisor of `period_steps`, which is {steps}");
            return Err(InvalidValue::new("steps_per_pair", &steps_per_pair, expected));
        }
        let pairs = steps / steps_per_pair;
        if RecordSetup::MAX_PAIRS < pairs {
            let expected = format!(
                "less: a period has {pairs} pairs of games, and at most {} are allowed",
                RecordSetup::MAX_PAIRS
            );
            return Err(InvalidValue::new("period_steps", &steps, expected));
        }
        let n_periods = whole("games", games, 2 * pairs, "games of a period")?;
        check_periods(n_periods, games, "a larger `period_steps`")?;
        Ok(Schedule::Paper { n_periods, steps, steps_per_pair })
    }
}

impl WideModeParam {
    fn schedule(&self) -> Result<Schedule, InvalidValue> {
        let Self { games, first, growth, most, steps_per_pair, pairs_per_trial: pairs } = *self;
        if most < first {
            let expected = format!("at least {first}, as many as `first`");
            return Err(InvalidValue::new("most", &most, expected));
        }
        let mut left = whole("games", games, 2 * pairs, "games of a trial")?;
        let (mut trials, mut size) = (Vec::new(), f64::from(first));
        while left != 0 {
            let n_periods = u32::try_from(trials.len()).unwrap_or(u32::MAX);
            check_periods(
                n_periods.saturating_add(1),
                games,
                "larger `first`, `growth` or `most`",
            )?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "from 1 to `most`"
            )]
            let size_games = size as u32;
            let now = (size_games / (2 * pairs)).max(1).min(left);
            trials.push(now);
            left -= now;
            size = (size * growth).min(f64::from(most));
        }
        let steps = u64::from(trials.iter().copied().max().unwrap_or(0))
            * u64::from(pairs)
            * u64::from(steps_per_pair);
        if u64::from(TrainingSetup::MAX_STEPS) < steps {
            let expected = format!(
                "less, or smaller generations: there are {steps} steps for a generation, and at \
                 most {} are allowed",
                TrainingSetup::MAX_STEPS
            );
            return Err(InvalidValue::new("steps_per_pair", &steps_per_pair, expected));
        }
        Ok(Schedule::Wide { trials, pairs, steps_per_pair })
    }
}

/// Returns how many times `unit` games are in `games`.
fn whole(key: &str, games: u32, unit: u32, what: &str) -> Result<u32, InvalidValue> {
    match games.is_multiple_of(unit) {
        true => Ok(games / unit),
        false => Err(InvalidValue::new(key, &games, format!("a multiple of {unit}, the {what}"))),
    }
}

fn check_periods(n_periods: u32, games: u32, or: &str) -> Result<(), InvalidValue> {
    match n_periods <= MAX_PERIODS {
        true => Ok(()),
        false => {
            let expected =
                format!("at most as many as {MAX_PERIODS} periods of learning have, or {or}");
            Err(InvalidValue::new("games", &games, expected))
        }
    }
}
