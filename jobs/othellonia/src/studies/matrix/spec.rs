//! The spec of `othellonia-matrix`.

use hatchery_core::InvalidValue;
use hatchery_core::spec::FileList;
use hatchery_stats::error::ErrorRate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::generate::PoolSettings;
use crate::params::agent_param::{AgentParam, CheckedAgent};
use crate::params::deck_param::{self, DeckParam, NamedDeck, RandomDecksParam, standard_cost_cap};
use crate::params::pool_param::resolve_pool;
use crate::pool::{CostCap, PieceDefinition, PiecePool};

/// The spec of `othellonia-matrix`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatrixSpec {
    /// The decks.
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub decks: FileList<DeckParam>,
    /// Decks drawn at random from a list of pieces, beside those of `decks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_decks: Option<RandomDecksParam>,
    /// The generated pieces.
    #[serde(default)]
    pub pool: PoolSettings,
    /// Own pieces, which follow the generated ones: the first one has the number `pool.kinds`.
    #[serde(default, skip_serializing_if = "FileList::is_empty")]
    pub pieces: FileList<PieceDefinition>,
    /// The sum that the costs of a deck's pieces may reach.
    #[serde(default = "standard_cost_cap")]
    #[schemars(range(min = 0, max = 16000))]
    pub cost_cap: u32,
    /// The agent that plays all decks.
    pub agent: AgentParam,
    /// The pairs of games of a match-up at each look.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub pairs: u32,
    /// The most looks. A match-up is settled, and not played on, when the interval of its score
    /// excludes one half.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1000))]
    pub looks: u32,
    /// Mirror matches: each deck against itself, at the first look. They show the advantage of the
    /// first player.
    #[serde(default)]
    pub mirrors: MirrorMatches,
    /// The score that a piece must be worth beyond an average piece to count as dominant: 0.05 is 5
    /// points of win rate.
    #[serde(default = "dominance_margin")]
    #[schemars(range(min = 0, max = 0.5))]
    pub dominance_margin: f64,
    /// The share of intervals that may miss the true value, and of named pieces that may be none.
    #[serde(default = "error_rate")]
    #[schemars(range(min = 1e-6, max = 0.5))]
    pub error_rate: f64,
}

/// Mirror matches of decks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MirrorMatches {
    /// Each deck meets itself, at the first look.
    #[default]
    Played,
    /// No deck meets itself.
    LeftOut,
}

fn one() -> u32 {
    1
}

fn dominance_margin() -> f64 {
    0.05
}

fn error_rate() -> f64 {
    ErrorRate::FIVE_PERCENT.get()
}

/// The most pairs of games of a generation: results are a byte for each.
const MAX_GENERATION_PAIRS: u64 = 20_000_000;

/// A spec whose parameters fit together.
#[derive(Clone, Debug)]
pub struct CheckedMatrix {
    pub(super) spec: MatrixSpec,
    pub(super) pool: PiecePool,
    /// The decks, in the order of the spec.
    pub(super) decks: Vec<NamedDeck>,
    pub(super) agent: CheckedAgent,
    /// The indices of the decks that meet: A, then B, which is not before A.
    pub(super) matchups: Vec<[usize; 2]>,
    pub(super) error_rate: ErrorRate,
}

impl MatrixSpec {
    /// Checks that the parameters fit together.
    pub(super) fn check(self) -> Result<CheckedMatrix, InvalidValue> {
        let pool = resolve_pool(&self.pool, &self.pieces)?;
        let cap = CostCap(self.cost_cap);
        let decks =
            deck_param::resolve(&self.decks, self.random_decks.as_ref(), (&self.pool, &pool), cap)?;
        if decks.len() < 2 {
            return Err(deck_param::wrong_count(decks.len(), "two or more"));
        }
        let agent = self.agent.resolve();
        let error_rate = ErrorRate::new(self.error_rate).map_err(|_| {
            InvalidValue::new("error_rate", &self.error_rate, "above 0 and at most 0.5")
        })?;
        let least = usize::from(self.mirrors == MirrorMatches::LeftOut);
        let n = decks.len();
        let matchups: Vec<_> = (0..n).flat_map(|a| (a + least..n).map(move |b| [a, b])).collect();
        let factors = [(self.pairs.into(), "pairs"), (matchups.len() as u64, "match-ups")];
        let what = "pairs in a generation";
        InvalidValue::check_product("pairs", &factors, what, MAX_GENERATION_PAIRS)?;
        Ok(CheckedMatrix { spec: self, pool, decks, agent, matchups, error_rate })
    }
}
