//! What a person writes for `catan-design`.

mod certify;
mod features;
mod learning;

use hatchery_core::InvalidParam;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::experiment::{MapParam, PolicyParam, RandomMaps};
use crate::map::Map;
use crate::players::Agent;
use crate::rules::Seat;
use crate::wire::{MAX_TURNS, Table};

pub use certify::{CertifyParams, RoundParams, SwapParam};
pub use features::{
    FeatureParams, NodePipsParam, PortDistanceParam, ScalingParam, SetParam, TwoEqualParam,
};
pub use learning::{
    AboutParam, BasisParams, ClusteredParam, LabelParams, LabelledParam, LearningParams, MadeParam,
    PairsParam, PriorParams,
};

/// What a person writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Who plays, on all four seats.
    #[schemars(extend("x-source" = "Hwang & Kaneko, §4.1: JSettlers"))]
    pub agent: Agent,
    /// A game is stopped undecided after so many turns of all players.
    #[serde(default = "turn_cap")]
    #[schemars(range(min = 1, max = MAX_TURNS), extend("x-source" = "ours"))]
    pub turn_cap: u16,
    /// Games on each map of the start and of the steps.
    #[serde(default = "games")]
    #[schemars(range(min = 1, max = 10_000_000), extend("x-source" = "Hwang & Kaneko, §5.1.1: 2,000"))]
    pub games: u32,
    /// How many times is learned and simulated after the start.
    #[serde(default = "steps")]
    #[schemars(range(min = 1, max = 100), extend("x-source" = "Hwang & Kaneko, §5.1.2: 3"))]
    pub steps: u32,
    /// The maps that are simulated first.
    #[serde(default)]
    #[schemars(extend("x-source" = "Hwang & Kaneko, §4.2: 15, of which 9 were not published"))]
    pub start: StartParams,
    /// Which maps are drawn at random to learn from without label, and to choose from.
    #[serde(default = "free")]
    #[schemars(extend("x-source" = "Hwang & Kaneko, §5.1: free"))]
    pub policy: PolicyParam,
    /// How many candidates are simulated at each step.
    #[serde(default)]
    pub picks: PickParams,
    /// How games label maps.
    #[serde(default)]
    pub labels: LabelParams,
    /// What a learner sees of a map.
    #[serde(default)]
    pub features: FeatureParams,
    /// How a classifier is learned.
    #[serde(default)]
    pub learning: LearningParams,
    /// How balanced maps are certified after the last step; without it, the run ends there, as in
    /// the paper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-source" = "ours"))]
    pub certify: Option<CertifyParams>,
}

/// The maps that are simulated first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StartParams {
    /// Given maps.
    pub maps: Vec<MapParam>,
    /// Maps drawn at random.
    pub random: Vec<RandomMaps>,
}

/// How many candidates are simulated at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PickParams {
    /// Those with the highest scores.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "Hwang & Kaneko, §4.2: 5"))]
    pub best: u32,
    /// Those with the lowest scores.
    #[schemars(range(max = 1000), extend("x-source" = "Hwang & Kaneko, §4.2: 5"))]
    pub worst: u32,
}

/// No game of 100,000 by random players is longer.
fn turn_cap() -> u16 {
    2_000
}

fn games() -> u32 {
    2000
}

fn steps() -> u32 {
    3
}

fn free() -> PolicyParam {
    PolicyParam::Free
}

impl Default for StartParams {
    /// The two maps that ship, and 13 random ones in place of those that the paper does not show.
    fn default() -> Self {
        let maps = ["rulebook", "tournament"].map(|name| MapParam::Text(name.to_owned()));
        Self {
            maps: maps.to_vec(),
            random: vec![RandomMaps { policy: PolicyParam::Free, count: 13 }],
        }
    }
}

impl Default for PickParams {
    fn default() -> Self {
        Self { best: 5, worst: 5 }
    }
}

impl Spec {
    /// Checks what no single parameter can show.
    pub(super) fn check(&self) -> Result<(), InvalidParam> {
        self.learning.check(self.picks.best + self.picks.worst)?;
        self.certify.as_ref().map_or(Ok(()), CertifyParams::check)
    }

    /// The table at which `map` is played.
    pub(super) fn table(&self, map: Map) -> Table {
        Table { map, seats: [self.agent; Seat::COUNT], turn_cap: self.turn_cap }
    }
}
