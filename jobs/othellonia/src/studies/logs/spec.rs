//! The spec of `othellonia-logs`.

use hatchery_core::InvalidValue;
use hatchery_core::spec::FileList;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::generate::PoolSettings;
use crate::params::agent_param::{AgentParam, CheckedAgent};
use crate::params::deck_param::{self, DeckParam, NamedDeck, RandomDecksParam, standard_cost_cap};
use crate::params::learning_games_param::GeneratedDecksParam;
use crate::params::pool_param::resolve_pool;
use crate::pool::{CostCap, PieceDefinition, PiecePool};

/// The spec of `othellonia-logs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogsSpec {
    /// The decks. Each meets each, and itself.
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub decks: FileList<DeckParam>,
    /// Decks drawn at random from a list of pieces, beside those of `decks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_decks: Option<RandomDecksParam>,
    /// Decks that the generator makes, beside those of `decks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated_decks: Option<GeneratedDecksParam>,
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
    /// The agents. In each match-up of decks, each plays against each, and against itself.
    #[schemars(length(min = 1, max = 8))]
    pub agents: Vec<AgentParam>,
    /// The pairs of games of each match-up and each two agents.
    #[schemars(range(min = 1, max = 100_000))]
    pub pairs: u32,
    /// The games whose plies are in the table: the first ones of each match-up and each two agents,
    /// as many of each.
    #[serde(default = "table_games")]
    #[schemars(range(min = 0, max = 20_000))]
    pub table_games: u32,
}

fn table_games() -> u32 {
    2_000
}

/// The most games of a run: some 10 MB of records.
const MAX_GAMES: u64 = 200_000;

/// The most match-ups of decks and agents: each is some 3 kB of the plan.
const MAX_SERIES: usize = 10_000;

/// A spec whose parameters fit together.
#[derive(Clone, Debug)]
pub struct CheckedLogs {
    pub(super) spec: LogsSpec,
    pub(super) pool: PiecePool,
    pub(super) decks: Vec<NamedDeck>,
    pub(super) agents: Vec<CheckedAgent>,
    /// The agents in words.
    pub(super) agent_names: Vec<String>,
    pub(super) series: Vec<LogSeries>,
}

/// The decks and the agents of the players A and B, by their index.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogSeries {
    pub(super) decks: [usize; 2],
    pub(super) agents: [usize; 2],
}

impl LogsSpec {
    /// Checks that the parameters fit together.
    pub(super) fn check(self) -> Result<CheckedLogs, InvalidValue> {
        let pool = resolve_pool(&self.pool, &self.pieces)?;
        let decks = self.resolve_decks(&pool)?;
        let agents: Vec<_> = self.agents.iter().map(AgentParam::resolve).collect();
        let (n_decks, n_agents) = (decks.len(), agents.len());
        let found = n_decks * (n_decks + 1) / 2 * n_agents * n_agents;
        let factors = [
            (u64::from(self.pairs), "pairs"),
            (2, "games"),
            (found as u64, "match-ups of decks and agents"),
        ];
        InvalidValue::check_product("pairs", &factors, "games", MAX_GAMES)?;
        if MAX_SERIES < found {
            let expected = format!(
                "fewer, or fewer decks: {found} match-ups of decks and agents, at most {MAX_SERIES}"
            );
            return Err(InvalidValue::new("agents", &n_agents, expected));
        }
        if 0 < self.table_games && (self.table_games as usize) < found {
            let expected =
                format!("0, or at least {found}: a game of each match-up of decks and agents");
            return Err(InvalidValue::new("table_games", &self.table_games, expected));
        }
        let series = all_series(n_decks, n_agents);
        let agent_names = self.agents.iter().map(AgentParam::text).collect();
        Ok(CheckedLogs { spec: self, pool, decks, agents, agent_names, series })
    }

    /// Returns the decks: first the decks in `decks`, then random decks, then generated decks.
    fn resolve_decks(&self, pool: &PiecePool) -> Result<Vec<NamedDeck>, InvalidValue> {
        let cap = CostCap(self.cost_cap);
        let pools = (&self.pool, pool);
        let mut decks = deck_param::resolve(&self.decks, self.random_decks.as_ref(), pools, cap)?;
        if let Some(generated) = &self.generated_decks {
            for deck in generated.resolve(pool, cap)? {
                // Names of random decks are never those of generated ones.
                if let Some(other) = decks.iter().position(|other| other.name == deck.name) {
                    let (key, found) = (format!("decks.{other}.name"), format!("{:?}", deck.name));
                    let expected = "another name: one of `generated_decks` has this one";
                    return Err(InvalidValue::new(key, &found, expected));
                }
                decks.push(deck);
            }
        }
        if decks.is_empty() {
            let expected = "one or more, with those of `random_decks` and `generated_decks`";
            return Err(InvalidValue::new("decks", "0 decks", expected));
        }
        Ok(decks)
    }
}

/// Returns the series: each deck meets each and itself, by each two agents.
fn all_series(n_decks: usize, n_agents: usize) -> Vec<LogSeries> {
    let matchups = (0..n_decks).flat_map(|a| (a..n_decks).map(move |b| [a, b]));
    let of_agents = |decks| {
        let both = (0..n_agents).flat_map(move |a| (0..n_agents).map(move |b| [a, b]));
        both.map(move |agents| LogSeries { decks, agents })
    };
    matchups.flat_map(of_agents).collect()
}
