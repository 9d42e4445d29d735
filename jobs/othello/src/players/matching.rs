//! The rules for matching an opponent's moves with the choices of agents.

use hatchery_core::WireValue;
use hatchery_core::wire::WireElement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rules by which the opponent's strength is estimated, each of them a point that the paper
/// leaves open (Takagi et al., section 3.1.1); the defaults are those of the crate's README.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(deny_unknown_fields, default)]
pub struct MatchingRules {
    /// Choices of each agent that are compared with the opponent's move: first all 1st choices,
    /// then all 2nd ones, and so on.
    #[schemars(range(min = 1, max = 60), extend("x-source" = "Takagi et al. §3.1.1: 3"))]
    #[wire(tag = 2)]
    pub choices: u32,
    /// The depth that counts if several agents match at the same choice.
    #[wire(tag = 3)]
    pub several: SeveralMatch,
    /// The depth that counts if no agent matches.
    #[wire(tag = 4)]
    pub unmatched: Unmatched,
    /// The agent that replies before anything was observed.
    #[wire(tag = 5)]
    pub first: FirstReply,
    /// The agent that replies if two are equally near to the estimate.
    #[wire(tag = 6)]
    pub tie: NearestTie,
    /// True if moves of an opponent that had one legal move are observed, too.
    #[wire(tag = 7)]
    pub forced: bool,
    /// True if the estimate is kept from game to game.
    #[wire(tag = 8)]
    pub carry: bool,
}

impl Default for MatchingRules {
    fn default() -> Self {
        Self {
            choices: 3,
            several: SeveralMatch::Mean,
            unmatched: Unmatched::Skip,
            first: FirstReply::Middle,
            tie: NearestTie::Lower,
            forced: false,
            carry: false,
        }
    }
}

/// The depth that counts if several agents match at the same choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "kebab-case")]
pub enum SeveralMatch {
    /// The lowest.
    Lowest,
    /// The highest.
    Highest,
    /// The mean of the depths.
    Mean,
    /// The one nearest to the estimate so far, and the lower of two; the lowest before there is
    /// one.
    Nearest,
}

/// The depth that counts if no agent matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "kebab-case")]
pub enum Unmatched {
    /// None: the move is not observed.
    Skip,
    /// That of the lowest agent.
    Lowest,
}

/// The agent that replies before anything was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "kebab-case")]
pub enum FirstReply {
    /// The lowest.
    Lowest,
    /// The middle one; of two, the lower.
    Middle,
    /// The highest.
    Highest,
}

/// The agent that replies if two are equally near to the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "kebab-case")]
pub enum NearestTie {
    /// The lower.
    Lower,
    /// The higher.
    Higher,
}
