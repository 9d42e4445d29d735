//! The spec of `othello-ladder`.

use hatchery_core::InvalidValue;
use hatchery_stats::error::ErrorRate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::params::match_param;
use crate::params::opening_param::OpeningParam;
use crate::players::{MctsAgent, SearchSettings};
use crate::trial::opening::OpeningRule;

/// The spec of `othello-ladder`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LadderSpec {
    /// The depths of the agents in plies, in ascending order.
    #[schemars(
        length(min = 2, max = 16),
        inner(range(min = 1, max = 60)),
        extend("x-source" = "Takagi et al. §4.1: 5, 10, 15, 20, 25 and 30")
    )]
    pub depths: Vec<u32>,
    /// The settings of all searches.
    pub search: SearchSettings,
    /// The openings, of which each pair of games has one.
    #[serde(default)]
    pub openings: OpeningParam,
    /// Pairs of games between each two agents, with the colors swapped.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub pairs: u32,
    /// Pairs of games of each agent against itself, for the effort of a move.
    #[serde(default = "self_play_pairs")]
    #[schemars(
        range(min = 2, max = 1_000),
        extend("x-source" = "Takagi et al. §4.2: 100 games of each agent against itself")
    )]
    pub self_play_pairs: u32,
    /// The share of intervals that may miss the true value.
    #[serde(default = "match_param::standard_error_rate")]
    #[schemars(with = "f64", range(min = 1e-6, max = 0.5))]
    pub error_rate: ErrorRate,
}

fn self_play_pairs() -> u32 {
    50
}

/// A spec whose parameters fit together.
#[derive(Debug)]
pub struct CheckedLadder {
    pub(super) spec: LadderSpec,
    /// The agents, by ascending depth: two or more.
    pub(super) agents: Vec<MctsAgent>,
    pub(super) openings: OpeningRule,
    /// The indices of the agents that meet, the shallower one first.
    pub(super) matches: Vec<[usize; 2]>,
}

impl LadderSpec {
    /// Checks that the parameters fit together.
    pub(super) fn checked(self) -> Result<CheckedLadder, InvalidValue> {
        for (number, pair) in (1..).zip(self.depths.windows(2)) {
            if pair[1] <= pair[0] {
                let expected = format!("more than the depth before, {}", pair[0]);
                return Err(InvalidValue::new(format!("depths.{number}"), &pair[1], expected));
            }
        }
        let agent = |(number, &depth): (usize, &u32)| {
            MctsAgent::new(depth, self.search).map_err(|error| {
                let expected = format!("possible with `search`: {error}");
                InvalidValue::new(format!("depths.{number}"), &depth, expected)
            })
        };
        let agents = self.depths.iter().enumerate().map(agent).collect::<Result<_, _>>()?;
        let n = self.depths.len();
        let matches: Vec<_> = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect();
        match_param::check_pairs(self.pairs, matches.len())?;
        let openings = self.openings.rule(matches.len() + n * self.self_play_pairs as usize)?;
        Ok(CheckedLadder { agents, openings, matches, spec: self })
    }
}
