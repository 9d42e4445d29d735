//! Decks in specs.

use std::cell::LazyCell;

use hatchery_core::InvalidValue;
use hatchery_core::spec::{FileFault, FromFile, SpecFile};
use hatchery_core::text::{counted, is_plain_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pool_param::begins_with_default;
use crate::generate::{Archetype, DEFAULT_COST_CAP, PoolSettings, generate_deck, shipped_decks};
use crate::pool::{CostCap, DeckDefinition, MAX_DRAWS, PiecePool, PoolError, draw_deck};
use crate::rules::GameDeck;
use crate::trial::setup::DeckTable;

/// A deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DeckParam {
    /// The deck of an archetype that comes with the default pool.
    Shipped(ShippedDeckParam),
    /// A deck that the generator makes.
    Generated(GeneratedDeckParam),
    /// A deck of listed pieces.
    Listed(ListedDeckParam),
}

/// Decks in a file are TOML or JSON: one, a list, or the decks of a spec.
impl FromFile for DeckParam {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        file.values("decks")
    }
}

/// The deck of an archetype that comes with the default pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShippedDeckParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// The archetype.
    pub archetype: Archetype,
}

/// A deck that the generator makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeneratedDeckParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// The archetype.
    pub archetype: Archetype,
    /// The seed.
    pub seed: u64,
}

/// A deck of listed pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedDeckParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// The numbers of its 16 pieces in the pool; own pieces follow those that are generated.
    #[schemars(length(min = 16, max = 16))]
    pub pieces: Vec<u32>,
    /// The number of the leader.
    pub leader: u32,
}

/// Decks of 16 pieces drawn at random from few, so that they share pieces: what a regression on
/// pieces needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomDecksParam {
    /// The number of decks.
    #[schemars(range(min = 1, max = 64))]
    pub count: u32,
    /// The numbers of the pieces that are drawn from.
    #[schemars(length(min = 17, max = 200))]
    pub pieces: Vec<u32>,
    /// The seed.
    pub seed: u64,
}

/// A deck with its name.
#[derive(Clone, Debug)]
pub(crate) struct NamedDeck {
    pub(crate) name: String,
    pub(crate) definition: DeckDefinition,
    pub(crate) deck: GameDeck,
}

/// Returns the table of the decks of a spec.
pub(crate) fn deck_table(decks: &[NamedDeck]) -> DeckTable {
    let decks = decks.iter().map(|named| named.deck.clone()).collect();
    DeckTable::new(decks).expect("specs have one deck or more, and fewer than a table holds")
}

/// The most decks.
pub(crate) const MAX_DECKS: usize = 64;

/// The default cost cap: with costs of 5, 10 and 20, four strong pieces beside twelve of 10.
pub(crate) fn standard_cost_cap() -> u32 {
    DEFAULT_COST_CAP.0
}

/// The most characters of a name.
const MAX_NAME: usize = 32;

/// Returns the error of a number of decks, those drawn at random among them.
pub(crate) fn wrong_count(n_decks: usize, expected: &str) -> InvalidValue {
    let expected = format!("{expected}, with those of `random_decks`");
    InvalidValue::new("decks", &counted(n_decks, "deck"), expected)
}

/// Returns the decks of a spec, in order, those drawn at random at the end.
///
/// # Errors
/// If a deck is not one of the pool, or a name is malformed or there twice.
pub(crate) fn resolve(
    decks: &[DeckParam],
    random: Option<&RandomDecksParam>,
    (settings, pool): (&PoolSettings, &PiecePool),
    cap: CostCap,
) -> Result<Vec<NamedDeck>, InvalidValue> {
    let mut resolved: Vec<NamedDeck> = Vec::new();
    // They cost a pool: only if there is one, and once.
    let shipped: LazyCell<[DeckDefinition; 3]> = LazyCell::new(shipped_decks);
    for (number, param) in decks.iter().enumerate() {
        let (name, definition) = param.definition(pool, cap, &shipped);
        let refused = |expected: String| {
            InvalidValue::new(format!("decks.{number}.name"), &format!("{name:?}"), expected)
        };
        if !is_plain_name(name, MAX_NAME) {
            let expected = format!("1 to {MAX_NAME} letters, digits, `-`, `_` and `.`");
            return Err(refused(expected));
        }
        if matches!(param, DeckParam::Shipped(_)) && !begins_with_default(settings) {
            let expected = "\"generated\" or \"listed\": the shipped decks are of the default pool";
            return Err(InvalidValue::new(format!("decks.{number}.kind"), "\"shipped\"", expected));
        }
        if let Some(other) = resolved.iter().position(|other| other.name == *name) {
            return Err(refused(format!("another name: decks.{other} has this one")));
        }
        let built = definition.and_then(|it| Ok((it.build(pool, cap)?, it)));
        let (deck, definition) =
            built.map_err(|error| refused_deck(&format!("decks.{number}"), param, &error))?;
        resolved.push(NamedDeck { name: name.to_owned(), definition, deck });
    }
    if let Some(random) = random {
        for deck in random.resolve(pool, cap)? {
            if let Some(other) = resolved.iter().position(|other| other.name == deck.name) {
                let expected = "another name: one of `random_decks` has this one";
                let (key, found) = (format!("decks.{other}.name"), format!("{:?}", deck.name));
                return Err(InvalidValue::new(key, &found, expected));
            }
            resolved.push(deck);
        }
    }
    if MAX_DECKS < resolved.len() {
        return Err(wrong_count(resolved.len(), &format!("at most {MAX_DECKS}")));
    }
    Ok(resolved)
}

/// Returns the error of a deck as that of a parameter.
fn refused_deck(key: &str, param: &DeckParam, error: &PoolError) -> InvalidValue {
    let DeckParam::Listed(ListedDeckParam { pieces, leader, .. }) = param else {
        return InvalidValue::new(key, &error.to_string(), "a deck that the pool allows");
    };
    match error {
        PoolError::DeckSize { found, expected } => InvalidValue::new(
            format!("{key}.pieces"),
            &format!("{found} pieces"),
            expected.to_string(),
        ),
        PoolError::Twice { piece } | PoolError::Unknown { piece, .. } => {
            let at = pieces.iter().rposition(|it| it == piece).unwrap_or(0);
            let expected = match error {
                PoolError::Unknown { last, .. } => format!("a piece from 0 to {last}"),
                _ => "another piece: this one is there before".to_owned(),
            };
            InvalidValue::new(format!("{key}.pieces.{at}"), piece, expected)
        }
        PoolError::Leader { .. } => {
            InvalidValue::new(format!("{key}.leader"), leader, "one of the deck's pieces")
        }
        PoolError::Cost { cost, cap } => {
            let found = format!("pieces that cost {cost} together");
            let expected = format!("cheaper: `cost_cap` is {cap}");
            InvalidValue::new(format!("{key}.pieces"), &found, expected)
        }
        error => InvalidValue::new(key, &error.to_string(), "a deck that the pool allows"),
    }
}

impl DeckParam {
    /// Returns the name and the definition.
    fn definition(
        &self,
        pool: &PiecePool,
        cap: CostCap,
        shipped: &LazyCell<[DeckDefinition; 3]>,
    ) -> (&str, Result<DeckDefinition, PoolError>) {
        match self {
            Self::Shipped(ShippedDeckParam { name, archetype }) => {
                (name, Ok(shipped[*archetype as usize].clone()))
            }
            Self::Generated(GeneratedDeckParam { name, archetype, seed }) => {
                (name, generate_deck(pool, *archetype, *seed, cap))
            }
            Self::Listed(ListedDeckParam { name, pieces, leader }) => {
                (name, Ok(DeckDefinition { pieces: pieces.clone(), leader: *leader }))
            }
        }
    }
}

impl RandomDecksParam {
    /// Returns the decks `random-1`, `random-2` and so on.
    fn resolve(&self, pool: &PiecePool, cap: CostCap) -> Result<Vec<NamedDeck>, InvalidValue> {
        let Self { count, pieces, seed } = self;
        for (at, piece) in pieces.iter().enumerate() {
            let key = || format!("random_decks.pieces.{at}");
            if pool.len() <= *piece as usize {
                let expected = format!("a piece from 0 to {}", pool.len() - 1);
                return Err(InvalidValue::new(key(), piece, expected));
            }
            if pieces[..at].contains(piece) {
                let expected = "another piece: this one is there before";
                return Err(InvalidValue::new(key(), piece, expected));
            }
        }
        let refused = |error: PoolError| match error {
            PoolError::Cost { cap, .. } => {
                let found =
                    format!("pieces of which {MAX_DRAWS} random decks in a row were too expensive");
                let expected = format!("cheaper: `cost_cap` is {cap}");
                InvalidValue::new("random_decks.pieces", &found, expected)
            }
            error => {
                let expected = "pieces of which decks can be drawn";
                InvalidValue::new("random_decks.pieces", &error.to_string(), expected)
            }
        };
        let deck = |number: u32| {
            let definition = draw_deck(pool, pieces, *seed, number, cap).map_err(refused)?;
            let deck = definition.build(pool, cap).map_err(refused)?;
            Ok(NamedDeck { name: format!("random-{}", number + 1), definition, deck })
        };
        (0..*count).map(deck).collect()
    }
}
