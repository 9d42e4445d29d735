//! The parameter that chooses an estimator of scores.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::BoardSize;
use crate::splitting::SplittingConfig;

/// The way scores are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EstimatorParam {
    /// By playing games.
    #[default]
    Games,
    /// By multilevel splitting: the rates at which the wall rises from one height to the next. Each
    /// replicate takes a million pieces, however long games are.
    Splitting,
}

impl EstimatorParam {
    /// Returns the splitting parameters of trials on a board of `size`, or `None` if trials are
    /// games; `key` is the key of the parameters in the spec.
    pub(crate) fn splitting(
        self,
        params: &SplittingConfig,
        size: BoardSize,
        key: &str,
    ) -> Result<Option<SplittingConfig>, InvalidValue> {
        match self {
            Self::Games => Ok(None),
            Self::Splitting => {
                params.check(size).map_err(|invalid| invalid.under(key))?;
                Ok(Some(params.clone()))
            }
        }
    }
}
