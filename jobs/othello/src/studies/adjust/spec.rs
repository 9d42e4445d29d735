//! The spec of `othello-adjust`.

use hatchery_stats::ErrorRate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arms::ArmKind;
use crate::params::match_param;
use crate::params::opening_param::OpeningParam;
use crate::players::{DynamicSettings, MatchingRules, SearchSettings, SoftmaxSettings};

/// The spec of `othello-adjust`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdjustSpec {
    /// The opponents: depths, and BOTs that change from one depth to another.
    #[serde(default = "bots")]
    #[schemars(
        length(min = 1, max = 16),
        extend("x-source" = "Takagi et al. §4.3: 5, 10, 15, 20 and 25")
    )]
    pub bots: Vec<BotParam>,
    /// The depths of the agents that arms choose from, in ascending order.
    #[serde(default = "choices")]
    #[schemars(
        length(min = 2, max = 60),
        inner(range(min = 1, max = 60)),
        extend("x-source" = "Takagi et al. §4.3: 5, 9, 12, 15, 18, 21 and 25")
    )]
    pub choices: Vec<u32>,
    /// The depth of the control that does not adjust.
    #[serde(default = "fixed")]
    #[schemars(range(min = 1, max = 60), extend("x-source" = "ours: the middle one"))]
    pub fixed: u32,
    /// The arms besides the controls `fixed` and `random-agent`, which are always there.
    #[serde(default = "ArmParam::all")]
    #[schemars(length(max = 3))]
    pub arms: Vec<ArmParam>,
    /// The settings of all searches.
    pub search: SearchSettings,
    /// The rules of the estimate of the adjusting arm.
    #[serde(default)]
    pub rules: MatchingRules,
    /// The rule of the dynamic arm, which searches with the deepest of `choices`.
    #[serde(default)]
    pub dynamic: DynamicSettings,
    /// The rule of the softmax arm, which searches with the deepest of `choices`.
    #[serde(default)]
    pub softmax: SoftmaxSettings,
    /// Games of an arm against an opponent. Of an arm that learns from game to game, those that
    /// count: at least those of six sequences, without which a score has no interval.
    #[schemars(range(min = 2, max = 1_000_000), extend("x-source" = "Takagi et al. §4.3: 50"))]
    pub games: u32,
    /// Games in a row of an arm that learns from game to game. Only the second half of them counts.
    /// There are as many sequences as `games` asks for, and at least six. Against a BOT that
    /// changes, all arms play sequences, and the games after the change count.
    #[serde(default = "sequence")]
    #[schemars(range(min = 4, max = 2000), extend("x-source" = "ours"))]
    pub sequence: u32,
    /// Simulated people, whom the adjusting and the dynamic arm meet.
    #[serde(default)]
    pub people: PeopleParam,
    /// The openings, of which each two games with swapped colors have one.
    #[serde(default)]
    pub openings: OpeningParam,
    /// The judge of the moves of all arms.
    #[serde(default)]
    pub judge: JudgeParam,
    /// The share of intervals that may miss the true value, and the rate of false verdicts. Below
    /// 0.0002, naturalness has no intervals.
    #[serde(default = "match_param::standard_error_rate")]
    #[schemars(with = "f64", range(min = 1e-6, max = 0.5))]
    pub error_rate: ErrorRate,
}

/// An opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a depth, or { from = 5, to = 25, at = 50 }")]
pub enum BotParam {
    /// A BOT of this depth.
    Depth(#[schemars(range(min = 1, max = 60))] u32),
    /// A BOT that changes its depth.
    Changing(ChangingBotParam),
}

/// A BOT that changes its depth in the middle of sequences of games, which all arms play against
/// it: how soon does an arm follow?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangingBotParam {
    /// The depth at first.
    #[schemars(range(min = 1, max = 60))]
    pub from: u32,
    /// The depth after the change.
    #[schemars(range(min = 1, max = 60))]
    pub to: u32,
    /// The games of a sequence before the change: an even number, at least 4 and at most 8 less
    /// than `sequence`.
    #[schemars(range(min = 4, max = 1992))]
    pub at: u32,
}

/// An arm that adjusts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArmParam {
    /// The method of the paper: the agent nearest to the estimate replies.
    Adjusting,
    /// Plays weaker when ahead.
    Dynamic,
    /// Takes moves at random by their visits to a power, which changes with the results.
    Softmax,
}

/// Simulated people: agents that stand for the subjects of the paper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PeopleParam {
    /// The depths of the simulated people; none leaves people out.
    #[schemars(
        length(max = 8),
        inner(range(min = 1, max = 60)),
        extend("x-source" = "ours, for three people with ratings of 1149, 1188 and 1242")
    )]
    pub depths: Vec<u32>,
    /// Games of each simulated person against an arm.
    #[schemars(range(min = 2, max = 10_000), extend("x-source" = "Takagi et al. §4.4: 4"))]
    pub games: u32,
}

impl Default for PeopleParam {
    fn default() -> Self {
        Self { depths: vec![8, 13, 18], games: 4 }
    }
}

/// The judge of moves: exact values near the end, a search before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeParam {
    /// Playouts of the judge's search, which has no limit of depth: at least those of the strongest
    /// agent.
    #[schemars(range(min = 100, max = 1_000_000), extend("x-source" = "ours"))]
    pub playouts: u32,
    /// The number of empty squares up to which values are exact.
    #[schemars(range(min = 0, max = 16), extend("x-source" = "ours"))]
    pub empties: u32,
    /// Games of each arm against each opponent that are judged, at most; 0 leaves judging out. Of
    /// an arm that learns from game to game, at least six sequences are judged.
    #[schemars(range(min = 0, max = 1_000_000), extend("x-source" = "ours"))]
    pub games: u32,
}

impl Default for JudgeParam {
    fn default() -> Self {
        Self { playouts: 2_000, empties: 14, games: 100 }
    }
}

impl BotParam {
    /// Returns the depths of the opponent.
    pub(super) fn depths(self) -> impl Iterator<Item = u32> {
        let (first, second) = match self {
            Self::Depth(depth) => (depth, None),
            Self::Changing(ChangingBotParam { from, to, .. }) => (from, Some(to)),
        };
        [first].into_iter().chain(second)
    }

    /// Returns the depth of an opponent that does not change.
    pub(super) const fn depth(self) -> Option<u32> {
        match self {
            Self::Depth(depth) => Some(depth),
            Self::Changing(_) => None,
        }
    }
}

impl ArmParam {
    /// Returns the kind of the arm.
    pub(super) const fn kind(self) -> ArmKind {
        match self {
            Self::Adjusting => ArmKind::Adjusting,
            Self::Dynamic => ArmKind::Dynamic,
            Self::Softmax => ArmKind::Softmax,
        }
    }

    fn all() -> Vec<Self> {
        vec![Self::Adjusting, Self::Dynamic, Self::Softmax]
    }
}

fn bots() -> Vec<BotParam> {
    [5, 10, 15, 20, 25].map(BotParam::Depth).to_vec()
}

fn choices() -> Vec<u32> {
    vec![5, 9, 12, 15, 18, 21, 25]
}

fn fixed() -> u32 {
    15
}

fn sequence() -> u32 {
    40
}
