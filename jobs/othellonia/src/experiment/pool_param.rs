//! Pools in specs.

use hatchery_core::InvalidValue;
use hatchery_core::spec::{FileFault, FromFile, SpecFile};
use hatchery_core::text::counted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::generate::{
    ArchetypeFactors, DEFAULT_KINDS, DEFAULT_POOL_SEED, PoolSettings, generate_pieces,
};
use crate::pool::{MAX_KINDS, PieceDefinition, PiecePool, PoolError};
use crate::rules::{EffectError, EffectScope};

/// A generated pool of pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PoolParam {
    /// The seed of the generator.
    pub seed: u64,
    /// The number of kinds. A larger pool begins with the pieces of a smaller one.
    #[schemars(range(min = 1, max = 20000))]
    pub kinds: u32,
    /// The factors on HP and attack of the pieces of each archetype, in 1/10,000.
    pub factors: ArchetypeFactors,
}

impl Default for PoolParam {
    fn default() -> Self {
        Self { seed: DEFAULT_POOL_SEED, kinds: DEFAULT_KINDS, factors: ArchetypeFactors::default() }
    }
}

impl PoolParam {
    /// Returns true if the pool begins with the default one, which the shipped decks are of.
    pub(super) fn begins_with_default(&self) -> bool {
        let default = Self::default();
        let Self { seed, kinds, factors } = self;
        *seed == default.seed && default.kinds <= *kinds && *factors == default.factors
    }

    /// Returns the generated pieces, and then those of the parameter `pieces`.
    ///
    /// # Errors
    /// If there are no pieces or too many, or one is malformed.
    pub(super) fn resolve(&self, pieces: &[PieceDefinition]) -> Result<PiecePool, InvalidValue> {
        let Self { seed, kinds, factors } = *self;
        if kinds == 0 || MAX_KINDS < kinds as usize {
            let expected = format!("from 1 to {MAX_KINDS}");
            return Err(InvalidValue::new("pool.kinds", &kinds, expected));
        }
        for (name, pair) in
            [("burst", factors.burst), ("tricky", factors.tricky), ("endurance", factors.endurance)]
        {
            for (field, factor) in [("hp", pair.hp), ("attack", pair.attack)] {
                if !FACTORS.contains(&factor) {
                    let (least, most) = (FACTORS.start(), FACTORS.end());
                    let expected = format!("from {least} to {most}");
                    let key = format!("pool.factors.{name}.{field}");
                    return Err(InvalidValue::new(key, &factor, expected));
                }
            }
        }
        let mut definitions = generate_pieces(&PoolSettings { seed, kinds, factors });
        let n_generated = definitions.len();
        definitions.extend_from_slice(pieces);
        PiecePool::new(definitions).map_err(|error| refused(&error, n_generated, pieces))
    }
}

/// Own pieces in a file are TOML or JSON: one, a list, or the pieces of a spec.
impl FromFile for PieceDefinition {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        file.values("pieces")
    }
}

/// The factors allowed.
const FACTORS: std::ops::RangeInclusive<u32> = 5_000..=20_000;

/// Returns the error of a pool as that of a parameter: its first `n_generated` pieces are right.
fn refused(error: &PoolError, n_generated: usize, pieces: &[PieceDefinition]) -> InvalidValue {
    match error {
        PoolError::Kinds { found: _, most } => {
            let expected = format!("fewer: with the {n_generated} of `pool.kinds`, at most {most}");
            InvalidValue::new("pieces", &counted(pieces.len(), "piece"), expected)
        }
        PoolError::Piece { piece, field, found, expected } => {
            let key = format!("pieces.{}.{field}", piece.saturating_sub(n_generated));
            InvalidValue::new(key, found, expected)
        }
        PoolError::Effect { piece, skill, source } => {
            let own = piece.saturating_sub(n_generated);
            let key = format!("pieces.{own}.{skill}.{}", source.field);
            InvalidValue::new(key, &source.found, effect_expectation(source))
        }
        PoolError::Echo { piece, skill, echoed, expected } => {
            let own = piece.saturating_sub(n_generated);
            let key = format!("pieces.{own}.{skill}.magnitude");
            InvalidValue::new(key, echoed, expected)
        }
        PoolError::Chain { piece, skill, chain, most } => {
            let own = piece.saturating_sub(n_generated);
            let expected =
                format!("a chain of at most {most} effects, the last of which is no echo");
            InvalidValue::new(format!("pieces.{own}.{skill}"), chain, expected)
        }
        error => InvalidValue::new("pieces", &error.to_string(), "pieces that the rules have"),
    }
}

/// Returns the values allowed for an effect's field that is wrong, and the reason if there is one.
fn effect_expectation(error: &EffectError) -> String {
    let EffectError { field, kind, found: _, expected } = error;
    let name = kind.name();
    match *field {
        "scaling" => format!("{expected}: the magnitude of `{name}` is never scaled"),
        "target" => format!("{expected}: `{name}` bears on no attacks"),
        "turns" if kind.scope() == EffectScope::Placement => {
            format!("0: `{name}` is over with the placement")
        }
        _ => expected.clone(),
    }
}
