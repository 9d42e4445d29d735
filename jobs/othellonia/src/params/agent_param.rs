//! Agents in specs.

use hatchery_core::{InvalidValue, LargeValue, NamedInput, Part, PartInput, error_chain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::players::model::AgentModel;
use crate::players::{GameAgent, RuleAgent};
use crate::trial::setup::{DeckTable, MatchAgent};

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
    /// Chooses by a network.
    Network(NetworkParam),
}

/// An agent that needs nothing but the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GameAgentParam {
    /// Chooses every action with the same probability.
    Random(RandomParam),
    /// Chooses by a table of scores.
    Rule(RuleParam),
    /// Chooses by the same table, and by the enemy's best reply.
    Lookahead(LookaheadParam),
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

/// A learned agent, which takes the action that its network values most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkParam {
    /// The file of the agent, such as a run that learns shows: it says what the network knows of
    /// the game, and how it sees pieces.
    pub weights: PartInput,
}

/// An agent whose settings are in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckedAgent {
    /// One that needs nothing but the game.
    Rule(GameAgent),
    /// A learned one.
    Network(PartInput),
}

impl CheckedAgent {
    /// Returns the agent as trials have it; `weights` are the files of learned agents.
    ///
    /// # Panics
    /// If the file of this one is not among them: a state has the inputs of its spec.
    pub(crate) fn of_match(self, weights: &[Part]) -> MatchAgent {
        match self {
            Self::Rule(agent) => agent.into(),
            Self::Network(input) => {
                let part = weights.iter().find(|part| part.hash() == input.blake3);
                let part = part.expect("the state has the inputs of its spec");
                MatchAgent::Network(LargeValue::new(vec![*part]))
            }
        }
    }

    /// Returns the input that is the agent's file.
    pub(crate) const fn input(&self) -> Option<&PartInput> {
        match self {
            Self::Rule(_) => None,
            Self::Network(input) => Some(input),
        }
    }
}

/// Checks that the bytes of an input are a learned agent that can play all decks.
///
/// # Errors
/// If they are not: an error for the parameter that names the input.
pub(crate) fn check_weights(
    input: &NamedInput,
    bytes: &[u8],
    decks: &DeckTable,
) -> Result<(), InvalidValue> {
    let check = |model: AgentModel| {
        decks.decks().iter().try_for_each(|deck| model.check_decks([deck, deck]))
    };
    AgentModel::decode(bytes).and_then(check).map_err(|error| {
        let expected =
            format!("a learned agent that can play here; the file has {}", error_chain(&error));
        InvalidValue::new(&input.key, &input.value(), expected)
    })
}

/// The strength of a rule-based agent.
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

impl AgentPreset {
    /// Returns the name, as specs have it.
    const fn name(self) -> &'static str {
        match self {
            Self::Novice => "novice",
            Self::Standard => "standard",
            Self::Hard => "hard",
        }
    }
}

impl RuleParam {
    fn resolve(&self) -> GameAgent {
        let preset = match self.preset {
            AgentPreset::Novice => RuleAgent::NOVICE,
            AgentPreset::Standard => RuleAgent::STANDARD,
            AgentPreset::Hard => RuleAgent::HARD,
        };
        let own = |temperature| RuleAgent { temperature: thousandths(temperature) };
        GameAgent::Rule(self.temperature.map_or(preset, own))
    }

    fn text(&self) -> String {
        match self.temperature {
            None => format!("rule ({})", self.preset.name()),
            Some(temperature) => format!("rule (temperature {temperature})"),
        }
    }
}

impl GameAgentParam {
    /// Returns the agent.
    pub(crate) fn resolve(&self) -> GameAgent {
        match self {
            Self::Random(RandomParam {}) => GameAgent::Random,
            Self::Rule(rule) => rule.resolve(),
            Self::Lookahead(LookaheadParam {}) => GameAgent::Lookahead,
        }
    }
}

impl AgentParam {
    /// Returns the agent.
    pub(crate) fn resolve(&self) -> CheckedAgent {
        match self {
            Self::Random(RandomParam {}) => CheckedAgent::Rule(GameAgent::Random),
            Self::Rule(rule) => CheckedAgent::Rule(rule.resolve()),
            Self::Lookahead(LookaheadParam {}) => CheckedAgent::Rule(GameAgent::Lookahead),
            Self::Network(NetworkParam { weights }) => CheckedAgent::Network(*weights),
        }
    }

    /// Returns the input that the parameter `key` names.
    pub(crate) fn input(&self, key: &str) -> Option<NamedInput> {
        match self {
            Self::Network(NetworkParam { weights }) => {
                Some(weights.named(format!("{key}.weights")))
            }
            Self::Random(_) | Self::Rule(_) | Self::Lookahead(_) => None,
        }
    }

    /// Returns a plain name for names of measures, such as `rule-standard`. Agents with the same
    /// settings have the same plain name.
    pub(crate) fn plain_name(&self) -> String {
        match self {
            Self::Random(_) => "random".to_owned(),
            Self::Lookahead(_) => "lookahead".to_owned(),
            Self::Network(NetworkParam { weights }) => {
                format!("network-{}", &weights.blake3.to_string()[..NAME_DIGITS])
            }
            Self::Rule(RuleParam { preset, temperature: None }) => {
                format!("rule-{}", preset.name())
            }
            Self::Rule(RuleParam { temperature: Some(temperature), .. }) => {
                let thousandths = thousandths(*temperature);
                format!("rule-{}", f64::from(thousandths) / 1_000.0)
            }
        }
    }

    /// Returns the name as an opponent for names of measures, such as `standard`. Agents with the
    /// same settings have the same name.
    pub(crate) fn opponent_name(&self) -> String {
        match self {
            Self::Rule(RuleParam { preset, temperature: None }) => preset.name().to_owned(),
            _ => self.plain_name(),
        }
    }

    /// Returns what games of the agent do not show, if that is much.
    pub(crate) const fn caveat(&self) -> Option<&'static str> {
        match self {
            Self::Random(_) => Some(
                "Both sides play at random: games of people, who choose, may show the opposite.",
            ),
            Self::Rule(RuleParam { temperature: Some(temperature), .. })
                if NEARLY_RANDOM <= *temperature =>
            {
                Some(
                    "Both sides hardly beat an agent that plays at random: games of people, who \
                     choose, may show the opposite.",
                )
            }
            Self::Network(_) => Some(
                "This run does not measure how strong the network is: othellonia-logs plays it \
                 against other agents.",
            ),
            Self::Rule(_) | Self::Lookahead(_) => None,
        }
    }

    /// Describes the agent to a person.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Random(_) => "random".to_owned(),
            Self::Lookahead(_) => "lookahead".to_owned(),
            Self::Network(NetworkParam { weights }) => {
                let hash = weights.blake3.to_string();
                format!("network ({}…)", &hash[..NAME_DIGITS])
            }
            Self::Rule(rule) => rule.text(),
        }
    }
}

/// The temperature from which on a rule-based agent scores less than two thirds against random
/// moves. In 4,800 games of the three shipped decks (`othellonia-logs/quick`, seed 1) it scores
/// 82 % at temperature 2, 72 % at 4, 67 % at 8, 63 % at 16 and 54 % at 100.
const NEARLY_RANDOM: f64 = 10.0;

/// The digits of the hash of a file that name a learned agent.
const NAME_DIGITS: usize = 6;

/// Returns a temperature in thousandths of the unit of specs, rounded.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100,000")]
fn thousandths(temperature: f64) -> u32 {
    libm::round(1_000.0 * temperature) as u32
}

const _: () = assert!(RuleAgent::MAX_TEMPERATURE == 100_000, "100 in the unit of specs");
