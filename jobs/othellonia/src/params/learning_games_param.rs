//! Games to learn from, in specs.

use hatchery_core::spec::FileList;
use hatchery_core::{InvalidValue, Series};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent_param::GameAgentParam;
use super::deck_param::{self, DeckParam, NamedDeck, RandomDecksParam, standard_cost_cap};
use super::pool_param::resolve_pool;
use crate::generate::{Archetype, PoolSettings, generate_deck};
use crate::pool::{CostCap, DeckDefinition, PieceDefinition, PiecePool, PoolError, draw_deck};
use crate::trial::series::{PAIR_BY_RULE, TrialCosts};
use crate::trial::setup::{RecordPlayers, RecordSetup, TrialSetup, WeightedAgent};

/// Games to learn from: decks and agents are drawn at random for each pair of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearningGamesParam {
    /// The decks.
    #[serde(default, skip_serializing_if = "FileList::is_empty")]
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
    /// The agents, with the weights by which they are drawn.
    #[schemars(length(min = 1, max = 8))]
    pub agents: Vec<WeightedAgentParam>,
    /// The files of records: each is a trial.
    #[schemars(range(min = 1, max = 1000))]
    pub files: u32,
    /// The pairs of games of a file. Both games of a pair have the same shuffles.
    #[schemars(range(min = 1, max = 10_000))]
    pub pairs: u32,
}

/// Decks that the generator makes: in turn one of each attribute (burst, tricky, endurance) and one
/// of any pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeneratedDecksParam {
    /// The number of decks.
    #[schemars(range(min = 1, max = 512))]
    pub count: u32,
    /// The seed.
    pub seed: u64,
}

/// An agent and its weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightedAgentParam {
    /// The agent.
    pub agent: GameAgentParam,
    /// The weight: an agent of weight 3 is drawn three times as often as one of weight 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1000))]
    pub weight: u32,
}

fn one() -> u32 {
    1
}

/// The most games of a run: some 10 MB of records, which training keeps in memory.
const MAX_GAMES: u64 = 200_000;

/// Games whose parameters fit together.
#[derive(Clone, Debug)]
pub(crate) struct CheckedGames {
    pub(crate) pool: PiecePool,
    pub(crate) decks: Vec<NamedDeck>,
    record: RecordSetup,
    files: u32,
}

impl LearningGamesParam {
    /// Checks that the parameters fit together. Keys are those below the group.
    pub(crate) fn check(&self) -> Result<CheckedGames, InvalidValue> {
        let pool = resolve_pool(&self.pool, &self.pieces)?;
        let cap = CostCap(self.cost_cap);
        let pools = (&self.pool, &pool);
        let mut decks = deck_param::resolve(&self.decks, self.random_decks.as_ref(), pools, cap)?;
        if let Some(generated) = &self.generated_decks {
            decks.extend(generated.resolve(&pool, cap)?);
        }
        if decks.is_empty() {
            let expected = "one or more, with those of `random_decks` and `generated_decks`";
            return Err(InvalidValue::new("decks", "0 decks", expected));
        }
        self.check_with(pool, decks)
    }

    /// Checks the parameters without pool and decks, which are given: there is at least one deck.
    pub(crate) fn check_with(
        &self,
        pool: PiecePool,
        decks: Vec<NamedDeck>,
    ) -> Result<CheckedGames, InvalidValue> {
        let agents = self.agents.iter().map(WeightedAgentParam::resolve).collect();
        let factors =
            [(self.pairs.into(), "pairs"), (2, "games"), (self.files.into(), "files of records")];
        InvalidValue::check_product("pairs", &factors, "games", MAX_GAMES)?;
        let n_decks = u16::try_from(decks.len()).expect("at most 576 decks");
        let record =
            RecordSetup { pairs: self.pairs, n_decks, players: RecordPlayers::Drawn(agents) };
        Ok(CheckedGames { pool, decks, record, files: self.files })
    }

    /// Returns the trials that record them.
    pub(crate) fn trial_costs(&self) -> TrialCosts {
        TrialCosts::new(self.files, f64::from(self.pairs) * PAIR_BY_RULE)
    }
}

impl CheckedGames {
    /// Returns the series whose trials record the games.
    pub(crate) fn series(&self) -> Series<TrialSetup> {
        Series::new(TrialSetup::Record(self.record.clone()), self.files)
    }

    /// Returns the number of kinds of the pool.
    pub(crate) fn kinds(&self) -> u32 {
        u32::try_from(self.pool.len()).expect("at most 20,000 kinds")
    }
}

impl WeightedAgentParam {
    fn resolve(&self) -> WeightedAgent {
        WeightedAgent { agent: self.agent.resolve(), weight: self.weight }
    }
}

impl GeneratedDecksParam {
    /// Returns the decks. Keys are those below the group that holds `generated_decks`.
    pub(crate) fn resolve(
        &self,
        pool: &PiecePool,
        cap: CostCap,
    ) -> Result<Vec<NamedDeck>, InvalidValue> {
        let Self { count, seed } = *self;
        let all: Vec<u32> = (0..).take(pool.len()).collect();
        let refused = |error: PoolError| {
            let found = format!("decks that the pool refuses ({error})");
            let expected = "decks that the pool allows: another pool, or a higher `cost_cap`";
            InvalidValue::new("generated_decks", &found, expected)
        };
        let deck = |number: u32| {
            let archetype = Archetype::ALL.get(number as usize % (1 + Archetype::ALL.len()));
            let definition: Result<DeckDefinition, PoolError> = match archetype {
                Some(&archetype) => {
                    generate_deck(pool, archetype, seed.wrapping_add(number.into()), cap)
                }
                None => draw_deck(pool, &all, seed, number, cap),
            };
            let definition = definition.map_err(refused)?;
            let deck = definition.build(pool, cap).map_err(refused)?;
            let kind = archetype.map_or("mixed", |archetype| archetype.name());
            Ok(NamedDeck { name: format!("{kind}-{}", number + 1), definition, deck })
        };
        (0..count).map(deck).collect()
    }
}
