//! The spec of `catan-design`.

mod certify;
mod features;
mod learning;

use hatchery_core::spec::FileList;
use hatchery_core::{CostTrend, InvalidValue, WorkPhase};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::map::{Map, MapPolicy};
use crate::params::maps::{MapParam, RandomMaps};
use crate::players::Agent;
use crate::rules::Seat;
use crate::trial::setup::{GameSetup, MAX_TURNS};

pub(super) use certify::CertifyLooks;
pub use certify::{CertifyParams, RoundAgentsParam, RoundParams};
pub use features::{FeatureParams, FeatureSetParam, ScalingParam};
pub use learning::{
    BasisParams, ClusterMapsParam, ClusteredParam, LabelParams, LabelledMapsParam, LearningParams,
    PriorParams,
};

/// The spec of `catan-design`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignSpec {
    /// The agent on all four seats.
    #[schemars(extend("x-source" = "Hwang & Kaneko, §4.1: JSettlers"))]
    pub agent: Agent,
    /// Turns of all players after which a game is stopped undecided.
    #[serde(default = "turn_cap")]
    #[schemars(range(min = 1, max = MAX_TURNS), extend("x-source" = "ours"))]
    pub turn_cap: u16,
    /// Games on each map of the start and of the steps.
    #[serde(default = "games")]
    #[schemars(
        range(min = 1, max = 10_000_000),
        extend("x-source" = "Hwang & Kaneko, §5.1.1: 2,000")
    )]
    pub games: u32,
    /// Number of steps after the start, each of which learns and simulates.
    #[serde(default = "steps")]
    #[schemars(range(min = 1, max = 100), extend("x-source" = "Hwang & Kaneko, §5.1.2: 3"))]
    pub steps: u32,
    /// The maps that are simulated first.
    #[serde(default)]
    #[schemars(extend("x-source" = "Hwang & Kaneko, §4.2: 15, of which 9 were not published"))]
    pub start: StartParams,
    /// The policy of the random maps that are learned from without label and chosen from.
    #[serde(default = "free")]
    #[schemars(extend("x-source" = "Hwang & Kaneko, §5.1: free"))]
    pub policy: MapPolicy,
    /// The numbers of candidates that are simulated at each step.
    #[serde(default)]
    pub picks: PickParams,
    /// The method by which games label maps.
    #[serde(default)]
    pub labels: LabelParams,
    /// The features of a map that a learner sees.
    #[serde(default)]
    pub features: FeatureParams,
    /// The settings of learning.
    #[serde(default)]
    pub learning: LearningParams,
    /// The certification of balanced maps after the last step; without it, the run ends there, as
    /// in the paper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-source" = "ours"))]
    pub certify: Option<CertifyParams>,
}

/// The parameters of `catan-design`, checked, with the looks that follow from them.
#[derive(Debug)]
pub struct CheckedDesign {
    pub(super) spec: DesignSpec,
    /// The looks at finalists, if maps are to be certified.
    pub(super) looks: Option<CertifyLooks>,
}

/// The maps that are simulated first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StartParams {
    /// Given maps.
    pub maps: FileList<MapParam>,
    /// Maps drawn at random.
    pub random: Vec<RandomMaps>,
}

/// The numbers of candidates that are simulated at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PickParams {
    /// Candidates with the highest scores.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "Hwang & Kaneko, §4.2: 5"))]
    pub best: u32,
    /// Candidates with the lowest scores.
    #[schemars(range(max = 1000), extend("x-source" = "Hwang & Kaneko, §4.2: 5"))]
    pub worst: u32,
}

/// The default turn cap: no game of 100,000 by random players is longer.
fn turn_cap() -> u16 {
    2_000
}

fn games() -> u32 {
    2000
}

fn steps() -> u32 {
    3
}

fn free() -> MapPolicy {
    MapPolicy::Free
}

impl Default for StartParams {
    /// Returns the two maps that ship, and 13 random maps. The random maps replace the maps that
    /// the paper does not show.
    fn default() -> Self {
        let maps = ["rulebook", "tournament"].map(|name| MapParam::Text(name.to_owned()));
        Self {
            maps: maps.into_iter().collect(),
            random: vec![RandomMaps { policy: MapPolicy::Free, count: 13 }],
        }
    }
}

impl Default for PickParams {
    fn default() -> Self {
        Self { best: 5, worst: 5 }
    }
}

impl DesignSpec {
    /// Checks the parameters together, beyond their single ranges.
    pub(super) fn checked(self) -> Result<CheckedDesign, InvalidValue> {
        self.learning.check(self.picks.best + self.picks.worst)?;
        let looks = self.certify.as_ref().map(CertifyParams::looks).transpose()?;
        Ok(CheckedDesign { spec: self, looks })
    }

    /// Returns the agents that certificates are for: the panel, or without a panel the agent that
    /// plays the other games. There is at least one such agent.
    pub(super) fn certified_agents(&self) -> &[Agent] {
        let panel = self.certify.as_ref().and_then(|certify| certify.panel.as_deref());
        panel.unwrap_or_else(|| std::slice::from_ref(&self.agent))
    }

    /// Returns the agents that play the rounds, at least one.
    pub(super) fn round_agents(&self) -> &[Agent] {
        match self.certify.as_ref().map(|certify| certify.rounds_by) {
            Some(RoundAgentsParam::Panel) => self.certified_agents(),
            Some(RoundAgentsParam::Agent) | None => std::slice::from_ref(&self.agent),
        }
    }

    /// Returns the setup of the games on `map` with four copies of `agent`.
    pub(super) fn game_setup(&self, map: Map, agent: Agent) -> GameSetup {
        GameSetup::of_base_game(map, vec![agent; Seat::COUNT], self.turn_cap)
    }
}

impl CheckedDesign {
    /// Returns the phases of a run: the start, the steps, the rounds of certification and its
    /// looks.
    pub(super) fn phases(&self) -> Vec<WorkPhase> {
        let Self { spec, looks } = self;
        // Games of the same agent take about as long on any map.
        let cost = CostTrend::Steady;
        let phase = |n_generations, n_trials| WorkPhase::new(n_generations, n_trials, cost);
        let drawn: u64 = spec.start.random.iter().map(|random| u64::from(random.count)).sum();
        let games = u64::from(spec.games);
        let start = (spec.start.maps.len() as u64 + drawn) * games;
        let picked = |n: u32| u64::from(n.min(spec.learning.candidates));
        let step = (picked(spec.picks.best) + picked(spec.picks.worst)) * games;
        let mut phases = vec![phase(1, start..=start), phase(spec.steps, step..=step)];
        if let (Some(certify), Some(looks)) = (&spec.certify, looks) {
            phases.extend(certify.trials_of_rounds().map(|n_trials| phase(1, n_trials)));
            let n_finalists = certify.n_finalists(spec.start.maps.len());
            phases.extend(looks.single.phases(n_finalists));
        }
        phases
    }
}
