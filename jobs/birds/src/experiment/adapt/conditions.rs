//! The conditions under which levels are made.

use serde::{Deserialize, Serialize};

/// A condition: adaptation with an alpha, or the conventional fitness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LevelCondition {
    /// Adapted with the alpha of this number in the spec.
    Adapted(usize),
    /// The conventional fitness.
    Conventional,
}

impl LevelCondition {
    /// Returns all conditions of a study with this many alphas: the conventional one is the last.
    pub(super) fn all(n_alphas: usize) -> Vec<Self> {
        (0..n_alphas).map(Self::Adapted).chain([Self::Conventional]).collect()
    }

    /// Returns the name in tables and measures: `alpha-0.25`, or `conventional`.
    pub(super) fn name(self, alphas: &[f64]) -> String {
        match self {
            Self::Adapted(alpha) => match alphas.get(alpha) {
                Some(alpha) => format!("alpha-{alpha}"),
                None => format!("alpha-number-{alpha}"),
            },
            Self::Conventional => "conventional".to_owned(),
        }
    }

    /// Returns the name in sentences: `alpha 0.25`, or `conventional`.
    pub(super) fn words(self, alphas: &[f64]) -> String {
        self.name(alphas).replacen('-', " ", 1)
    }
}
