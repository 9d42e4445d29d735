//! Agents in specs.

use hatchery_core::InvalidValue;
use hatchery_core::text::is_plain_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::players::{
    AdjustingAgent, AgentChoices, DynamicSettings, MatchingRules, MctsAgent, OthelloAgent,
    SearchSettings, SoftmaxSettings, refused_search,
};

/// An agent, such as `{ name = "d5", kind = "mcts", depth = 5 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum AgentParam {
    /// Takes the first choice of Monte-Carlo tree search.
    Mcts(MctsParam),
    /// Estimates the opponent's strength by the agents that would have made the same moves, and
    /// lets the agent nearest to it reply: the method of the paper.
    Adjusting(AdjustingParam),
    /// Plays weaker when ahead.
    Dynamic(DynamicParam),
    /// Takes moves at random by their visits to a power, which changes with the results.
    Softmax(SoftmaxParam),
    /// Always lets the agent of one depth reply: the control that does not adjust.
    Fixed(FixedParam),
    /// Lets any agent reply, each with the same probability: the control that has all strengths.
    RandomAgent(ChoicesParam),
    /// Takes any legal move, all with the same probability.
    Random(RandomParam),
    /// Plays perfectly at the end of the game, and by Monte-Carlo tree search before.
    Solver(SolverParam),
}

/// An agent that searches to a depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MctsParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// The limit of the depth, in plies.
    #[schemars(range(min = 1, max = 60))]
    pub depth: u32,
    /// The settings of this agent's search; those of the spec without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchSettings>,
}

/// The agent of the paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdjustingParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// The names of its agents, of kind `mcts` and of different depths.
    #[schemars(
        length(min = 1, max = 60),
        extend("x-source" = "Takagi et al. §4.3: depths 5, 9, 12, 15, 18, 21 and 25")
    )]
    pub choices: Vec<String>,
    /// The rules of the estimate.
    #[serde(default)]
    pub rules: MatchingRules,
}

/// An agent that plays weaker when ahead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DynamicParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// The name of the agent of kind `mcts` that searches.
    pub agent: String,
    /// The rule.
    #[serde(default)]
    pub rule: DynamicSettings,
}

/// An agent that takes moves by their visits to a power.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoftmaxParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// The name of the agent of kind `mcts` that searches.
    pub agent: String,
    /// The rule.
    #[serde(default)]
    pub rule: SoftmaxSettings,
}

/// The control that does not adjust.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// The name of the agent of kind `mcts` that always replies.
    pub agent: String,
}

/// The control that lets any agent reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoicesParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// The names of its agents, of kind `mcts` and of different depths.
    #[schemars(length(min = 1, max = 60))]
    pub choices: Vec<String>,
}

/// An agent without parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
}

/// An agent that plays perfectly at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolverParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// The name of the agent of kind `mcts` that plays before.
    pub agent: String,
    /// The number of empty squares up to which moves are perfect.
    #[serde(default = "empties")]
    #[schemars(range(min = 0, max = 16))]
    pub empties: u32,
}

fn empties() -> u32 {
    14
}

/// The most characters of a name.
const MAX_NAME: usize = 32;

impl AgentParam {
    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Mcts(MctsParam { name, .. })
            | Self::Adjusting(AdjustingParam { name, .. })
            | Self::Dynamic(DynamicParam { name, .. })
            | Self::Softmax(SoftmaxParam { name, .. })
            | Self::Fixed(FixedParam { name, .. })
            | Self::RandomAgent(ChoicesParam { name, .. })
            | Self::Random(RandomParam { name })
            | Self::Solver(SolverParam { name, .. }) => name,
        }
    }
}

/// Returns the agents of a spec, in order, where `search` has the settings of agents without their
/// own.
///
/// # Errors
/// If a name is malformed or used twice, an agent refers to one that is missing or does not search,
/// or settings contradict each other.
pub(crate) fn resolve(
    params: &[AgentParam],
    search: &SearchSettings,
) -> Result<Vec<OthelloAgent>, InvalidValue> {
    for (number, param) in params.iter().enumerate() {
        let name = param.name();
        let refused = |expected: String| {
            InvalidValue::new(format!("agents.{number}.name"), &format!("{name:?}"), expected)
        };
        if !is_plain_name(name, MAX_NAME) {
            let expected = format!("1 to {MAX_NAME} letters, digits, `-`, `_` and `.`");
            return Err(refused(expected));
        }
        if let Some(other) = params[..number].iter().position(|other| other.name() == name) {
            return Err(refused(format!("another name: agents.{other} has this one")));
        }
    }
    let resolver = AgentResolver { params, search };
    (0..params.len()).map(|number| resolver.agent(number)).collect()
}

struct AgentResolver<'a> {
    params: &'a [AgentParam],
    search: &'a SearchSettings,
}

impl AgentResolver<'_> {
    fn agent(&self, number: usize) -> Result<OthelloAgent, InvalidValue> {
        let key = |field: &str| format!("agents.{number}.{field}");
        match &self.params[number] {
            AgentParam::Mcts(param) => self.searching(number, param).map(OthelloAgent::Mcts),
            AgentParam::Adjusting(AdjustingParam { choices, rules, .. }) => {
                let choices = self.choices(&key("choices"), choices)?;
                Ok(OthelloAgent::Adjusting(AdjustingAgent { choices, rules: *rules }))
            }
            AgentParam::Dynamic(DynamicParam { agent, rule, .. }) => {
                let search = self.named(key("agent"), agent)?;
                Ok(OthelloAgent::Dynamic { search, settings: *rule })
            }
            AgentParam::Softmax(SoftmaxParam { agent, rule, .. }) => {
                let search = self.named(key("agent"), agent)?;
                rule.check().map_err(|invalid| invalid.under(&key("rule")))?;
                Ok(OthelloAgent::Softmax { search, settings: *rule })
            }
            AgentParam::Fixed(FixedParam { agent, .. }) => {
                self.named(key("agent"), agent).map(OthelloAgent::Mcts)
            }
            AgentParam::RandomAgent(ChoicesParam { choices, .. }) => {
                self.choices(&key("choices"), choices).map(OthelloAgent::RandomAgent)
            }
            AgentParam::Random(RandomParam { .. }) => Ok(OthelloAgent::Random),
            AgentParam::Solver(SolverParam { agent, empties, .. }) => {
                let search = self.named(key("agent"), agent)?;
                Ok(OthelloAgent::Solver { search, empties: *empties })
            }
        }
    }

    fn searching(&self, number: usize, param: &MctsParam) -> Result<MctsAgent, InvalidValue> {
        let settings = param.search.as_ref().unwrap_or(self.search);
        MctsAgent::new(param.depth, *settings)
            .map_err(|error| refused_search(error).under(&format!("agents.{number}")))
    }

    /// Returns the agent of kind `mcts` with a name.
    fn named(&self, key: String, name: &str) -> Result<MctsAgent, InvalidValue> {
        let number = self.params.iter().position(|param| param.name() == name);
        match number.map(|number| (number, &self.params[number])) {
            Some((number, AgentParam::Mcts(param))) => self.searching(number, param),
            found => {
                let is_mcts = |param: &&AgentParam| matches!(param, AgentParam::Mcts(_));
                let known: Vec<String> = self
                    .params
                    .iter()
                    .filter(is_mcts)
                    .map(|it| format!("{:?}", it.name()))
                    .collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let found = match found {
                    Some(_) => format!("{name:?}, which is of another kind"),
                    None => format!("{name:?}"),
                };
                let expected = format!("the name of an agent of kind `mcts`; there are {known}");
                Err(InvalidValue::new(key, &found, expected))
            }
        }
    }

    fn choices(&self, key: &str, names: &[String]) -> Result<AgentChoices, InvalidValue> {
        let numbered = names.iter().enumerate();
        let agents = numbered.map(|(at, name)| self.named(format!("{key}.{at}"), name));
        let mut agents: Vec<MctsAgent> = agents.collect::<Result<_, _>>()?;
        agents.sort_by_key(MctsAgent::depth);
        AgentChoices::new(agents).map_err(|invalid| invalid.under(key))
    }
}
