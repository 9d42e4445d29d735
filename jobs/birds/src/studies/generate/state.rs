//! The state: results by kind, and the levels among them.

use serde::{Deserialize, Serialize};

use super::spec::GenerateSpec;
use crate::level::Level;
use crate::studies::stored_results::StoredResults;
use crate::trial::results::LevelResult;

/// The most levels with a file of their own: the game names files with two digits.
pub(super) const MAX_FILES: usize = 99;

/// The state of `birds-generate`: the results per kind, once they are there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GenerateState {
    /// The levels per kind, in the order of the spec.
    pub kinds: Vec<StoredResults>,
}

/// A level with its kind, its name, and the result that it comes from.
pub(super) struct MadeLevel<'a> {
    pub(super) kind: &'a str,
    pub(super) name: String,
    pub(super) result: &'a LevelResult,
    pub(super) level: &'a Level,
}

/// Returns all levels, kind by kind.
pub(super) fn made_levels<'a>(
    spec: &'a GenerateSpec,
    state: &'a GenerateState,
) -> Vec<MadeLevel<'a>> {
    let mut levels = Vec::new();
    for (kind, results) in spec.kinds.iter().zip(&state.kinds) {
        for (result, number) in results.trials().iter().zip(1..) {
            let Some(level) = &result.level else { continue };
            let name = format!("{}-{number}", kind.name);
            levels.push(MadeLevel { kind: &kind.name, name, result, level });
        }
    }
    levels
}
