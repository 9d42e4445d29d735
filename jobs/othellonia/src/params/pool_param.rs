//! Pools in specs.

use hatchery_core::InvalidValue;
use hatchery_core::spec::{FileFault, FromFile, SpecFile};
use hatchery_core::text::counted;

use crate::generate::{PoolSettings, generate_pieces};
use crate::pool::{PieceDefinition, PiecePool, PoolError};
use crate::rules::{EffectError, EffectScope};

/// Returns true if the pool begins with the default one, which the shipped decks are of.
pub(crate) fn begins_with_default(settings: &PoolSettings) -> bool {
    let default = PoolSettings::default();
    default.kinds <= settings.kinds
        && *settings == PoolSettings { kinds: settings.kinds, ..default }
}

/// Returns the generated pieces, and then the pieces in the parameter `pieces`.
///
/// # Errors
/// If there are too many pieces, or one is malformed.
pub(crate) fn resolve_pool(
    settings: &PoolSettings,
    pieces: &[PieceDefinition],
) -> Result<PiecePool, InvalidValue> {
    let mut definitions = generate_pieces(settings);
    let n_generated = definitions.len();
    definitions.extend_from_slice(pieces);
    PiecePool::new(definitions).map_err(|error| refused(&error, n_generated, pieces))
}

/// Own pieces in a file are TOML or JSON: one, a list, or the pieces of a spec.
impl FromFile for PieceDefinition {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        file.values("pieces")
    }
}

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
