//! Checks of the spec of `othellonia-impact`.

use hatchery_core::InvalidValue;
use hatchery_core::spec::FileList;

use super::replacement;
use super::spec::{
    HostParam, ImpactSpec, NewVectorParam, ReplacedPiece, ReplacementRule, TuneParam,
};
use crate::learning::reinforcement::{LearnedMoves, ReinforcementSettings};
use crate::params::agent_param::CheckedAgent;
use crate::params::deck_param::{self, DeckParam, NamedDeck};
use crate::params::learning_games_param::{CheckedGames, LearningGamesParam};
use crate::params::pool_param::resolve_pool;
use crate::params::reinforcement_param::ModeDefaults;
use crate::pool::{CostCap, PiecePool};
use crate::studies::vector_learning::representation_setup;
use crate::trial::setup::{TrainingSetup, TrainingTask};

/// The most decks that hosts meet.
const MAX_FIELD: usize = 32;

/// The change of the score, in points, from which on a piece is too strong by default: it turns 50
/// wins of 100 games into 55.
const TOO_STRONG: f64 = 5.0;

/// The most pairs of games of a generation: results are a byte for each.
const MAX_GENERATION_PAIRS: u64 = 20_000_000;

/// A spec whose parameters fit together.
#[derive(Clone, Debug)]
pub struct CheckedImpact {
    pub(super) spec: ImpactSpec,
    pub(super) pool: PiecePool,
    pub(super) cap: CostCap,
    /// The number of the new piece.
    pub(super) piece: u32,
    /// The hosts as they are.
    pub(super) hosts: Vec<NamedDeck>,
    /// For each host the piece that gives way; `None` for the most similar one.
    pub(super) replaced: Vec<Option<u32>>,
    /// The decks that the hosts meet.
    pub(super) field: Vec<NamedDeck>,
    pub(super) agent: CheckedAgent,
    pub(super) vector: Option<CheckedVector>,
    pub(super) tune: Option<CheckedTune>,
    /// The change of the score, as a share, from which on the new piece is too strong.
    pub(super) too_strong: f64,
}

/// The games and the training of the new piece's vector.
#[derive(Clone, Debug)]
pub(super) struct CheckedVector {
    pub(super) games: CheckedGames,
    /// The setup of training, without games, without a learner before and without the agent.
    pub(super) setup: TrainingSetup,
    pub(super) periods: u32,
}

/// The games and steps that tune the agent.
#[derive(Clone, Debug)]
pub(super) struct CheckedTune {
    pub(super) periods: u32,
    pub(super) steps: u32,
    pub(super) steps_per_pair: u32,
    pub(super) settings: ReinforcementSettings,
    /// The probability of any legal action in games to learn from, in millionths.
    pub(super) epsilon: u32,
}

/// The points of the curve of losses in a period.
const PERIOD_POINTS: u32 = 10;

impl ImpactSpec {
    /// Checks that the parameters fit together.
    pub(super) fn check(self) -> Result<CheckedImpact, InvalidValue> {
        let pool = resolve_pool(&self.pool, &self.pieces)?;
        let cap = CostCap(self.cost_cap);
        let last = u32::try_from(pool.len() - 1).expect("at most 20,000 kinds");
        let piece = self.piece.unwrap_or(last);
        InvalidValue::check_range("piece", &piece, &0, &last)?;
        let agent = self.agent.resolve();
        let hosts: Vec<_> = self.hosts.iter().map(|host| (*host.deck).clone()).collect();
        let hosts = self.decks(&hosts, &pool).map_err(below_hosts)?;
        let mut replaced = Vec::new();
        for (at, (param, host)) in self.hosts.iter().zip(&hosts).enumerate() {
            let key = format!("hosts.{at}");
            replaced.push(self.check_host(&key, (&pool, piece), param, host)?);
        }
        let field = match &self.field[..] {
            [] => hosts.clone(),
            field => self.decks(field, &pool).map_err(below_field)?,
        };
        let factors = [
            (self.pairs.into(), "pairs"),
            (hosts.len() as u64, "hosts"),
            (field.len() as u64, "decks of the field"),
            (2, "sides of the change"),
        ];
        let what = "pairs of a generation";
        InvalidValue::check_product("pairs", &factors, what, MAX_GENERATION_PAIRS)?;
        let vector = match (&self.vector, agent) {
            (None, _) => None,
            (Some(_), CheckedAgent::Rule(_)) => {
                let expected = "left out: a rule-based agent needs no vectors";
                return Err(InvalidValue::new("vector", "a group", expected));
            }
            (Some(vector), CheckedAgent::Network(_)) => {
                let vector = self.check_vector(vector, (&pool, piece), &hosts);
                Some(vector.map_err(|error| error.under("vector"))?)
            }
        };
        let tune = match (&self.tune, agent) {
            (None, _) => None,
            (Some(_), CheckedAgent::Rule(_)) => {
                let expected = "left out: a rule-based agent does not learn";
                return Err(InvalidValue::new("tune", "a group", expected));
            }
            (Some(tune), CheckedAgent::Network(_)) => {
                Some(tune.check().map_err(|error| error.under("tune"))?)
            }
        };
        let too_strong = self.too_strong.unwrap_or(TOO_STRONG);
        Ok(CheckedImpact {
            pool,
            cap,
            piece,
            hosts,
            replaced,
            field,
            agent,
            vector,
            tune,
            too_strong: too_strong / 100.0,
            spec: self,
        })
    }

    /// Returns decks of the spec. The keys are the keys of `decks`.
    fn decks(&self, decks: &[DeckParam], pool: &PiecePool) -> Result<Vec<NamedDeck>, InvalidValue> {
        // Files may hold more decks than the list has entries.
        if MAX_FIELD < decks.len() {
            return Err(InvalidValue::new("decks", &decks.len(), format!("at most {MAX_FIELD}")));
        }
        deck_param::resolve(decks, None, (&self.pool, pool), CostCap(self.cost_cap))
    }

    /// Checks that the new piece can enter a host, and returns the piece that gives way; `None` for
    /// the most similar one.
    fn check_host(
        &self,
        key: &str,
        (pool, piece): (&PiecePool, u32),
        HostParam { replaces, .. }: &HostParam,
        host: &NamedDeck,
    ) -> Result<Option<u32>, InvalidValue> {
        let pieces = &host.definition.pieces;
        if pieces.contains(&piece) {
            let expected = format!("a deck without the new piece, which is piece {piece}");
            return Err(InvalidValue::new(format!("{key}.deck"), &host.name, expected));
        }
        let cap = CostCap(self.cost_cap);
        let key = format!("{key}.replaces");
        match *replaces {
            ReplacedPiece::Number(number) => {
                let refused = |expected| InvalidValue::new(key, &number, expected);
                if number == host.definition.leader {
                    return Err(refused("another piece: this one is the leader".to_owned()));
                }
                if !pieces.contains(&number) {
                    let numbers: Vec<String> = pieces.iter().map(u32::to_string).collect();
                    let numbers = numbers.join(", ");
                    return Err(refused(format!("a piece of the deck {}: {numbers}", host.name)));
                }
                match replacement::replaced(host, pool, [number, piece], cap) {
                    Ok(_) => Ok(Some(number)),
                    Err(error) => Err(refused(format!(
                        "a piece for which the new one can take its place: {error}"
                    ))),
                }
            }
            ReplacedPiece::Rule(ReplacementRule::Similar) => {
                let refused = |expected: String| InvalidValue::new(&key, "\"similar\"", expected);
                if self.vector.is_none() {
                    let expected = "the number of the piece that leaves the deck: only a run with \
                                    `vector` can compare pieces";
                    return Err(refused(expected.to_owned()));
                }
                match replacement::candidates(host, pool, piece, cap).is_empty() {
                    false => Ok(None),
                    true => Err(refused(
                        "a deck with a piece of the new one's cost, or of a lower cost that \
                         `cost_cap` allows"
                            .to_owned(),
                    )),
                }
            }
        }
    }

    /// Checks the group `vector`. Keys are those below it.
    fn check_vector(
        &self,
        vector: &NewVectorParam,
        (pool, piece): (&PiecePool, u32),
        hosts: &[NamedDeck],
    ) -> Result<CheckedVector, InvalidValue> {
        let cap = CostCap(self.cost_cap);
        let generated = vector.generated_decks.resolve(pool, cap)?;
        let all = generated.iter().chain(hosts);
        let decks: Vec<_> =
            all.filter_map(|deck| replacement::entered(deck, pool, piece, cap)).collect();
        if decks.is_empty() {
            let expected = "decks that the new piece can enter: more, or a higher `cost_cap`";
            return Err(InvalidValue::new("generated_decks", "no deck", expected));
        }
        let games = LearningGamesParam {
            decks: FileList::default(),
            random_decks: None,
            generated_decks: None,
            pool: self.pool,
            pieces: FileList::default(),
            cost_cap: self.cost_cap,
            agents: vector.agents.clone(),
            files: vector.files,
            pairs: vector.pairs,
        };
        let games = games.check_with(pool.clone(), decks)?;
        let learn = &vector.learn;
        let mut setup = representation_setup(&games, learn, vector.explored);
        if let TrainingTask::Representation(task) = &mut setup.task {
            task.neighbors = TrainingSetup::MAX_NEIGHBORS;
        }
        learn.check_setup(&setup).map_err(|error| error.under("learn"))?;
        Ok(CheckedVector { games, setup, periods: learn.periods })
    }
}

impl TuneParam {
    /// Checks the group. Keys are those below it.
    fn check(&self) -> Result<CheckedTune, InvalidValue> {
        let Self { periods, pairs, steps_per_pair, learn } = self;
        let factors = [((*pairs).into(), "pairs"), ((*steps_per_pair).into(), "steps for each")];
        let most = TrainingSetup::MAX_STEPS.into();
        InvalidValue::check_product("pairs", &factors, "steps of a period", most)?;
        let defaults = ModeDefaults { moves: LearnedMoves::Both, target_steps: 500 };
        let settings = learn.checked_settings(defaults).map_err(|error| error.under("learn"))?;
        let epsilon = learn.epsilon_millionths();
        let steps = pairs * steps_per_pair;
        let stretch = steps.div_ceil(PERIOD_POINTS).into();
        let settings = ReinforcementSettings { stretch, ..settings };
        let (periods, steps_per_pair) = (*periods, *steps_per_pair);
        Ok(CheckedTune { periods, steps, steps_per_pair, settings, epsilon })
    }
}

/// Returns an error of `decks.N` as that of `hosts.N.deck`.
fn below_hosts(error: InvalidValue) -> InvalidValue {
    let key = match error.key.strip_prefix("decks.").map(|rest| rest.split_once('.')) {
        Some(Some((number, field))) => format!("hosts.{number}.deck.{field}"),
        _ => error.key.replacen("decks", "hosts", 1),
    };
    InvalidValue { key, expected: error.expected.replace("decks.", "hosts."), ..error }
}

/// Returns an error of `decks.N` as that of `field.N`.
fn below_field(error: InvalidValue) -> InvalidValue {
    let [key, expected] =
        [error.key.replacen("decks", "field", 1), error.expected.replace("decks.", "field.")];
    InvalidValue { key, expected, ..error }
}
