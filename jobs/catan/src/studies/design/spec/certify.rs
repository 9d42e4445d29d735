//! The certification in a spec.

use std::ops::RangeInclusive;

use hatchery_core::InvalidValue;
use hatchery_stats::spread::resolution;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::map::PieceSwap;
use crate::params::method::{LookSchedule, MethodParam, SpendingParam};
use crate::players::Agent;
use crate::players::agent_name::short_agent_name;
use crate::rules::Seat;

/// The certification of balanced maps after the last step.
///
/// The classifier picks candidates, games narrow them down round by round, and the remaining maps
/// are confirmed by fresh games, which had no part in the choice. Rounds may also breed: maps as
/// even as wanted may be too rare to be found by chance, and are then reached in small steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifyParams {
    /// The certified bound: the standard deviation of the true win rates is below this, in percent
    /// points.
    #[serde(default = "half_a_point")]
    #[schemars(range(min = 0.01, max = 40.0), extend("x-source" = "Hwang & Kaneko, §5.1.2: 0.5"))]
    pub margin: f64,
    /// The largest probability of certifying a map that is not balanced.
    #[serde(default = "five_percent")]
    #[schemars(range(min = 0.000_001, max = 0.5), extend("x-source" = "ours"))]
    pub error_rate: f64,
    /// The number of maps, certified for all agents, at which the run ends.
    #[schemars(range(min = 1, max = 100), extend("x-source" = "ours"))]
    pub wanted: u32,
    /// Random maps that are classified; the best of them compete in the first round.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-source" = "ours"))]
    pub candidates: u32,
    /// The rounds. Maps of the start and of the steps compete from the second round on, as far as
    /// they belong to the policy.
    #[schemars(length(min = 1, max = 20))]
    pub rounds: Vec<RoundParams>,
    /// The number of maps of the last round that are confirmed, each of another family.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "ours"))]
    pub finalists: u32,
    /// Fresh games until the first look at a map; further looks come after twice as many, and so
    /// on.
    #[schemars(range(min = 1, max = 100_000_000), extend("x-source" = "ours"))]
    pub games: u32,
    /// Fresh games until the last look.
    #[schemars(range(min = 1, max = 100_000_000), extend("x-source" = "ours"))]
    pub most_games: u32,
    /// Maps that the last look would certify with less than this probability, judging by their
    /// fresh games, are given up, because games are better spent on others. 0 gives up none.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 0.5), extend("x-source" = "ours"))]
    pub futility: f64,
    /// The way in which the looks share the error rate.
    #[serde(default = "pocock")]
    #[schemars(extend("x-source" = "Lan & DeMets 1983"))]
    pub spending: SpendingParam,
    /// The agents that certificates are for: four copies of each play fresh games on every
    /// finalist, and a map is certified if it is balanced for all of them. Without it, `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MOST_AGENTS), extend("x-source" = "ours"))]
    pub panel: Option<Vec<Agent>>,
    /// The agents whose games narrow down the candidates. With a panel, maps are ranked by the
    /// agent for which they are least even, and maps of the start and of the steps do not compete.
    /// Without it, `agent`.
    #[serde(default, skip_serializing_if = "RoundAgentsParam::is_agent")]
    #[schemars(extend("x-source" = "ours"))]
    pub rounds_by: RoundAgentsParam,
    /// True if the maps of `start.maps` are finalists too, besides the ones chosen, however even
    /// they are. Without it, false.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("x-source" = "ours"))]
    pub confirm_given: bool,
}

/// A round of the competition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundParams {
    /// The number of remaining maps.
    #[schemars(range(min = 1, max = 10_000), extend("x-source" = "ours"))]
    pub maps: u32,
    /// The most remaining maps of one family: the descendants of a candidate, and the candidate
    /// itself. Without it, any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000), extend("x-source" = "ours"))]
    pub relatives: Option<u32>,
    /// Children of each remaining map, which compete with it from this round on.
    #[serde(default)]
    #[schemars(range(max = 1000), extend("x-source" = "ours"))]
    pub children: u32,
    /// The kind of swap between parent and child.
    #[serde(default)]
    #[schemars(extend("x-source" = "ours"))]
    pub swap: PieceSwap,
    /// New games on each map, including children.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-source" = "ours"))]
    pub games: u32,
}

/// The looks at finalists, with their decision rules.
#[derive(Clone, Debug)]
pub(in super::super) struct CertifyLooks {
    /// The looks with the whole error rate for each agent.
    pub(in super::super) single: LookSchedule,
    /// The looks with the error rate shared among the agents (Bonferroni). Statements about every
    /// agent at once use these looks.
    pub(in super::super) joint: LookSchedule,
}

impl CertifyLooks {
    /// Returns the number of new games of a map until look number `look`.
    pub(in super::super) fn games_at(&self, look: u32) -> u32 {
        let until = |look: usize| self.single.looks().get(look).copied().unwrap_or_default();
        let before = (look as usize).checked_sub(1).map_or(0, until);
        u32::try_from(until(look as usize) - before).unwrap_or(u32::MAX)
    }
}

/// The agents that play the rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoundAgentsParam {
    /// The agent of the steps.
    #[default]
    Agent,
    /// Each agent of the panel, in games of its own.
    Panel,
}

impl RoundAgentsParam {
    fn is_agent(&self) -> bool {
        *self == Self::Agent
    }
}

/// The most agents of a panel. A table has a column for each agent.
const MOST_AGENTS: usize = 10;

/// The most maps in a round, counted for each agent that plays it: a round is a generation, and all
/// of its maps are in its state.
const MOST_ENTRANTS: u32 = 20_000;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

fn half_a_point() -> f64 {
    0.5
}

fn five_percent() -> f64 {
    0.05
}

fn pocock() -> SpendingParam {
    SpendingParam::Pocock
}

impl CertifyParams {
    /// Returns the fewest and the most finalists if `n_given` maps are given, each for one agent.
    /// The chosen ones are of different families: without children, every map is a family.
    pub(in super::super) fn n_finalists(&self, n_given: usize) -> RangeInclusive<u64> {
        let last = self.rounds.last().map_or(1, |round| round.maps);
        let are_families = self.rounds.iter().all(|round| round.children == 0);
        let fewest = if are_families { self.finalists.min(last) } else { 1 };
        let n_agents = self.n_agents() as u64;
        // A given map may be one of the last round, or be given twice.
        let n_given = if self.confirm_given { n_given as u64 } else { 0 };
        let fewest = if n_given == 0 { u64::from(fewest) } else { 1 };
        fewest * n_agents..=(u64::from(self.finalists) + n_given) * n_agents
    }

    /// Iterates over the rounds, with the fewest and the most games of a round. There may be fewer
    /// maps than asked for where relatives are limited, and fewer children where no swap gives a
    /// new map.
    pub(in super::super) fn trials_of_rounds(&self) -> impl Iterator<Item = RangeInclusive<u64>> {
        self.rounds.iter().map(|round| {
            let fewest = if round.relatives.is_some() { 1 } else { round.maps };
            let most = u64::from(round.maps) * (1 + u64::from(round.children));
            let games = u64::from(round.games) * self.n_round_agents() as u64;
            u64::from(fewest) * games..=most * games
        })
    }

    /// Checks the parameters together, beyond their single ranges, and returns the looks.
    pub(super) fn looks(&self) -> Result<CertifyLooks, InvalidValue> {
        let (mut left, n_agents) = (self.candidates, self.n_round_agents() as u64);
        for (idx, round) in self.rounds.iter().enumerate() {
            let refuse = |key: &str, value: u32, expected: String| {
                InvalidValue::new(format!("certify.rounds.{idx}.{key}"), &value, expected)
            };
            if left < round.maps {
                let expected = format!("at most {left}, the number of maps before it");
                return Err(refuse("maps", round.maps, expected));
            }
            if idx == 0 && round.children != 0 {
                let expected = "0: no map of the first round has played yet".to_owned();
                return Err(refuse("children", round.children, expected));
            }
            left = round.maps * (1 + round.children);
            if u64::from(MOST_ENTRANTS) < u64::from(left) * n_agents {
                let (key, value) = match round.children {
                    0 => ("maps", round.maps),
                    children => ("children", children),
                };
                let most = u64::from(MOST_ENTRANTS) / n_agents;
                let by =
                    if n_agents == 1 { String::new() } else { format!(" by {n_agents} agents") };
                let expected = format!("fewer: {most} maps in a round{by} are the most");
                return Err(refuse(key, value, expected));
            }
        }
        // Children do not start new families.
        let families = self.rounds.iter().map(|round| round.maps).min().unwrap_or(0);
        for (key, value, most, what) in [
            (
                "finalists",
                self.finalists,
                families,
                "maps that the rounds leave, each with its children",
            ),
            ("wanted", self.wanted, self.finalists, "finalists"),
        ] {
            if most < value {
                let expected = format!("at most {most}, the number of {what}");
                return Err(InvalidValue::new(format!("certify.{key}"), &value, expected));
            }
        }
        self.check_panel()?;
        let single = self.look_schedule(1)?;
        if self.margin() <= resolution(N_SEATS, u64::from(self.most_games)) {
            // The number of games at which the resolution equals the margin.
            let of_one_game = resolution(N_SEATS, 1) / self.margin();
            let least = of_one_game * of_one_game;
            let expected = format!(
                "above {least:.0}: fewer games tell no spread below {} points from 0",
                self.margin
            );
            return Err(InvalidValue::new("certify.most_games", &self.most_games, expected));
        }
        let n_agents = u32::try_from(self.n_agents()).unwrap_or(u32::MAX);
        Ok(CertifyLooks { single, joint: self.look_schedule(n_agents)? })
    }

    /// Refuses rounds by a panel that is missing, and an agent that is in the panel twice: its
    /// verdict would count twice.
    fn check_panel(&self) -> Result<(), InvalidValue> {
        if self.rounds_by == RoundAgentsParam::Panel && self.panel.is_none() {
            let expected = "\"agent\", or a panel";
            return Err(InvalidValue::new("certify.rounds_by", &"\"panel\"", expected));
        }
        let panel = self.panel.as_deref().unwrap_or_default();
        for (idx, agent) in panel.iter().enumerate() {
            if let Some(first) = panel[..idx].iter().position(|other| other == agent) {
                let expected = format!("another agent than panel.{first}: each is named once");
                let name = short_agent_name(agent);
                return Err(InvalidValue::new(format!("certify.panel.{idx}"), &name, expected));
            }
        }
        Ok(())
    }

    /// Returns the number of agents that certificates are for.
    pub(in super::super) fn n_agents(&self) -> usize {
        self.panel.as_ref().map_or(1, Vec::len)
    }

    /// Returns the number of agents that play the rounds.
    fn n_round_agents(&self) -> usize {
        match self.rounds_by {
            RoundAgentsParam::Agent => 1,
            RoundAgentsParam::Panel => self.n_agents(),
        }
    }

    /// Returns the margin as a share.
    pub(in super::super) fn margin(&self) -> f64 {
        self.margin / 100.0
    }

    /// Returns the looks with the error rate shared among `n` statements.
    fn look_schedule(&self, n: u32) -> Result<LookSchedule, InvalidValue> {
        let Self { margin, error_rate, games, most_games, spending, .. } = *self;
        let method = MethodParam::GroupSequential { most_games, spending };
        let error_rate = error_rate / f64::from(n);
        method.look_schedule(Seat::COUNT, games, margin, error_rate).map_err(|refusal| {
            let InvalidValue { key, value, expected } = refusal;
            let key = key.strip_prefix("method.").unwrap_or(&key);
            InvalidValue { key: format!("certify.{key}"), value, expected }
        })
    }
}

/// The number of outcomes of a decided game.
#[expect(clippy::cast_possible_truncation, reason = "four seats")]
const N_SEATS: u32 = Seat::COUNT as u32;
