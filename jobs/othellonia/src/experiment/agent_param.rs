//! Agents in specs.

use hatchery_core::InvalidParam;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agents::{GameAgent, RuleAgent};

/// An agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentParam {
    /// Chooses every action with the same probability.
    Random(RandomParam),
    /// Chooses by a table of scores.
    Rule(RuleParam),
    /// Chooses by the same table, and by the enemy's best reply.
    Lookahead(LookaheadParam),
    /// Chooses by a network: not in this version.
    Network(NetworkParam),
}

/// An agent that chooses every action with the same probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomParam {}

/// An agent that chooses by a table of scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleParam {
    /// The strength.
    #[serde(default)]
    pub preset: AgentPreset,
    /// The temperature in thousands of damage, in place of the preset's: 0 takes the best action, a
    /// high one explores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub temperature: Option<f64>,
}

/// An agent that looks one reply ahead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookaheadParam {}

/// An agent that chooses by a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkParam {}

/// The strength of an agent by rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentPreset {
    /// Often chooses actions that are not the best.
    Novice,
    /// Seldom chooses an action that is much worse than the best.
    #[default]
    Standard,
    /// Always takes the best action of the table.
    Hard,
}

impl AgentParam {
    /// Returns the agent of the parameter `key`.
    ///
    /// # Errors
    /// If a setting is out of range, or the agent is not in this version.
    pub(super) fn resolve(&self, key: &str) -> Result<GameAgent, InvalidParam> {
        match self {
            Self::Random(RandomParam {}) => Ok(GameAgent::Random),
            Self::Lookahead(LookaheadParam {}) => Ok(GameAgent::Lookahead),
            Self::Rule(RuleParam { preset, temperature }) => {
                let preset = match preset {
                    AgentPreset::Novice => RuleAgent::NOVICE,
                    AgentPreset::Standard => RuleAgent::STANDARD,
                    AgentPreset::Hard => RuleAgent::HARD,
                };
                let Some(temperature) = *temperature else { return Ok(GameAgent::Rule(preset)) };
                thousandths(temperature)
                    .map(|it| GameAgent::Rule(RuleAgent { temperature: it }))
                    .ok_or_else(|| {
                        InvalidParam::new(
                            format!("{key}.temperature"),
                            &temperature,
                            "from 0 to 100",
                        )
                    })
            }
            Self::Network(NetworkParam {}) => Err(InvalidParam::new(
                format!("{key}.kind"),
                "\"network\"",
                "\"random\", \"rule\" or \"lookahead\": this version has no agents with networks",
            )),
        }
    }

    /// Describes the agent to a person.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Random(_) => "random".to_owned(),
            Self::Lookahead(_) => "lookahead".to_owned(),
            Self::Network(_) => "network".to_owned(),
            Self::Rule(RuleParam { preset, temperature }) => {
                let preset = match preset {
                    AgentPreset::Novice => "novice",
                    AgentPreset::Standard => "standard",
                    AgentPreset::Hard => "hard",
                };
                match temperature {
                    None => format!("rule ({preset})"),
                    Some(temperature) => format!("rule (temperature {temperature})"),
                }
            }
        }
    }
}

/// Returns a temperature in thousandths of the unit of specs, rounded; `None` out of its range.
fn thousandths(temperature: f64) -> Option<u32> {
    const MOST: f64 = 100.0;
    if !(0.0..=MOST).contains(&temperature) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to 100,000"
    )]
    let rounded = libm::round(1_000.0 * temperature) as u32;
    Some(rounded)
}

const _: () = assert!(RuleAgent::MAX_TEMPERATURE == 100_000, "100 in the unit of specs");
