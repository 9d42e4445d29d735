//! The spec of `othello-match`.

use hatchery_core::{CostTrend, InvalidValue, WorkPhase};
use hatchery_stats::{EloModel, EloSprt, StatsError, error::ErrorRate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::params::agent_param::{self, AgentParam};
use crate::params::match_param;
use crate::params::opening_param::OpeningParam;
use crate::players::{OthelloAgent, SearchSettings};
use crate::trial::opening::OpeningRule;
use crate::trial::setup::KeptGames;

/// The spec of `othello-match`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchSpec {
    /// The agents. A trial is one pair of games: an agent that learns from game to game begins anew
    /// after two games. `othello-adjust` plays longer sequences.
    #[schemars(length(min = 2, max = 64))]
    pub agents: Vec<AgentParam>,
    /// The settings of all searches that have none of their own.
    pub search: SearchSettings,
    /// The agents that meet.
    #[serde(default)]
    pub pairing: MatchPairing,
    /// The openings, of which each pair of games has one.
    #[serde(default)]
    pub openings: OpeningParam,
    /// Pairs of games between two agents, with the colors swapped; with `sprt`, pairs from one look
    /// to the next.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub pairs: u32,
    /// The method that says when a match ends.
    #[serde(default)]
    pub method: MatchMethod,
    /// The games that `games.ggf` has: those of the first pairs of each match, or all. A run keeps
    /// all games of at most 20,000 pairs, with at most 100 looks.
    #[serde(default, skip_serializing_if = "KeptGames::is_first")]
    pub kept: KeptGames,
    /// The share of intervals that may miss the true value.
    #[serde(default = "match_param::standard_error_rate")]
    #[schemars(with = "f64", range(min = 1e-6, max = 0.5))]
    pub error_rate: ErrorRate,
}

/// The agents that meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MatchPairing {
    /// Each agent meets each other one.
    #[default]
    All,
    /// The first agent meets all others.
    First,
}

/// The method that says when a match ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MatchMethod {
    /// After `pairs`.
    #[default]
    Fixed,
    /// After each `pairs`, a sequential probability ratio test looks at all pairs so far, until it
    /// accepts a hypothesis on how much stronger the first agent of a match is.
    Sprt {
        /// The hypothesis of no, or little, difference, in the unit of `model`. Scores and Elo
        /// after a sequential stop overstate the true difference.
        #[serde(default)]
        #[schemars(range(min = -1000, max = 1000))]
        elo0: f64,
        /// The hypothesis of a difference, above `elo0` and in the same unit.
        #[schemars(range(min = -1000, max = 1000))]
        elo1: f64,
        /// The unit of the hypotheses.
        #[serde(default)]
        model: EloModelParam,
        /// The probability of accepting `elo1` where `elo0` is true.
        #[serde(default = "match_param::standard_error_rate")]
        #[schemars(with = "f64", range(min = 1e-6, max = 0.5))]
        alpha: ErrorRate,
        /// The probability of accepting `elo0` where `elo1` is true.
        #[serde(default = "match_param::standard_error_rate")]
        #[schemars(with = "f64", range(min = 1e-6, max = 0.5))]
        beta: ErrorRate,
        /// The number of pairs at which a match ends undecided.
        #[schemars(range(min = 1, max = 1_000_000))]
        most_pairs: u32,
    },
}

/// The unit of an Elo difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EloModelParam {
    /// Elo points, a function of the mean score: from -1,000 to 1,000.
    Logistic,
    /// Normalized Elo points, a function of mean score over standard deviation: from -200 to 200.
    /// The length of a test hardly depends on the share of draws.
    #[default]
    Normalized,
}

/// The most states of matches that a run stores, some hundred bytes each.
const MAX_STATES: u64 = 200_000;

/// The most looks, since each is a generation.
const MAX_LOOKS: u32 = 10_000;

/// The most pairs of a run that keeps all games, some hundred bytes each, and its most looks.
const MAX_KEPT_PAIRS: u64 = 20_000;
const MAX_KEPT_LOOKS: usize = 100;

/// A spec whose parameters fit together.
#[derive(Debug)]
pub struct CheckedMatch {
    pub(super) spec: MatchSpec,
    /// The agents, in the order of the spec.
    pub(super) agents: Vec<OthelloAgent>,
    pub(super) openings: OpeningRule,
    /// The indices of the agents that meet.
    pub(super) pairings: Vec<[usize; 2]>,
    /// The pairs at each look, by their number.
    pub(super) looks: Vec<u32>,
    pub(super) sprt: Option<EloSprt>,
}

impl MatchSpec {
    /// Checks that the parameters fit together.
    pub(super) fn checked(self) -> Result<CheckedMatch, InvalidValue> {
        let agents = agent_param::resolve(&self.agents, &self.search)?;
        let pairings = self.pairing.pairings(agents.len());
        match_param::check_pairs(self.pairs, pairings.len())?;
        for &[first, second] in &pairings {
            let (both, names) = ([first, second], &self.agents);
            let [a, b] = both.map(|at| agents[at].playouts_per_reply());
            let most = if a < b { second } else { first };
            let (key, name) = (format!("agents.{most}"), format!("{:?}", names[most].name()));
            match_param::check_work((&key, &name), 2, both.map(|at| &agents[at]), 0)?;
        }
        let looks = self.looks()?;
        self.check_kept(&looks, pairings.len())?;
        // Each look stores the state of all matches.
        let factors = [(looks.len() as u64, "looks"), (pairings.len() as u64, "matches")];
        InvalidValue::check_product("method.most_pairs", &factors, "states", MAX_STATES)?;
        Ok(CheckedMatch {
            openings: self.openings.rule(pairings.len())?,
            looks,
            sprt: self.method.sprt()?,
            agents,
            pairings,
            spec: self,
        })
    }

    /// Checks that states are not too large if all games are kept.
    fn check_kept(&self, looks: &[u32], n_matches: usize) -> Result<(), InvalidValue> {
        if self.kept == KeptGames::First {
            return Ok(());
        }
        let n_pairs = looks.iter().copied().map(u64::from).sum();
        let factors = [(n_pairs, "pairs"), (n_matches as u64, "matches")];
        let expected = |problem: InvalidValue| {
            let expected = format!("\"first\": all games are {}", problem.expected);
            InvalidValue::new("kept", "\"all\"", expected)
        };
        InvalidValue::check_product("pairs", &factors, "pairs", MAX_KEPT_PAIRS)
            .map_err(expected)?;
        // Each look stores the games until then.
        match MAX_KEPT_LOOKS < looks.len() {
            true => {
                let expected = format!("\"first\": all games are kept in {MAX_KEPT_LOOKS} looks");
                Err(InvalidValue::new("kept", "\"all\"", expected))
            }
            false => Ok(()),
        }
    }

    /// Returns the number of pairs that each look adds.
    fn looks(&self) -> Result<Vec<u32>, InvalidValue> {
        let MatchMethod::Sprt { most_pairs, .. } = self.method else {
            return Ok(vec![self.pairs]);
        };
        if most_pairs < self.pairs || MAX_LOOKS < most_pairs.div_ceil(self.pairs) {
            let expected = format!("from `pairs`, {}, to {MAX_LOOKS} times as many", self.pairs);
            return Err(InvalidValue::new("method.most_pairs", &most_pairs, expected));
        }
        let full = most_pairs / self.pairs;
        let rest = most_pairs % self.pairs;
        let mut looks = vec![self.pairs; full as usize];
        looks.extend((rest != 0).then_some(rest));
        Ok(looks)
    }
}

impl CheckedMatch {
    /// Returns the phases of a run: each look. A decided match is not played on. Looks after the
    /// first may therefore have no games, or other agents' games than the look before.
    pub(super) fn phases(&self) -> Vec<WorkPhase> {
        let n_matches = self.pairings.len() as u64;
        let phase = |(look, &pairs): (usize, &u32)| {
            let most = n_matches * u64::from(pairs);
            let fewest = if look == 0 { most } else { 0 };
            let cost = if n_matches == 1 { CostTrend::Steady } else { CostTrend::Unknown };
            WorkPhase::new(1, fewest..=most, cost)
        };
        self.looks.iter().enumerate().map(phase).collect()
    }
}

impl MatchPairing {
    fn pairings(self, n_agents: usize) -> Vec<[usize; 2]> {
        let n_first = match self {
            Self::All => n_agents,
            Self::First => 1,
        };
        (0..n_first).flat_map(|a| (a + 1..n_agents).map(move |b| [a, b])).collect()
    }
}

impl MatchMethod {
    fn sprt(self) -> Result<Option<EloSprt>, InvalidValue> {
        let Self::Sprt { elo0, elo1, model, alpha, beta, most_pairs: _ } = self else {
            return Ok(None);
        };
        let model = match model {
            EloModelParam::Logistic => EloModel::Logistic,
            EloModelParam::Normalized => EloModel::Normalized,
        };
        EloSprt::new(model, [elo0, elo1], alpha, beta)
            .map(Some)
            .map_err(|error| refused_test(&error, [alpha.get(), beta.get()]))
    }
}

/// Returns the error of a test with the error rates `alpha` and `beta` as that of a parameter.
fn refused_test(error: &StatsError, [alpha, beta]: [f64; 2]) -> InvalidValue {
    match *error {
        StatsError::HypothesesNotIncreasing { elo0, elo1 } => {
            InvalidValue::new("method.elo1", &elo1, format!("above `elo0`, {elo0}"))
        }
        StatsError::OutOfRange { name: name @ ("elo0" | "elo1"), value, range } => {
            InvalidValue::new(format!("method.{name}"), &value, format!("{range} in this `model`"))
        }
        // They add up to 1: no pair of games would be needed.
        _ => InvalidValue::new("method.beta", &beta, format!("below 1 minus `alpha`, {alpha}")),
    }
}
