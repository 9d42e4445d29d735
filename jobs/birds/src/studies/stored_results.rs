//! Results in the state of a run.

use hatchery_core::WireValue;
use serde::{Deserialize, Serialize};

use crate::trial::results::{LevelResult, LevelResults};

/// The most play-outs of a run. A state holds every play-out, in some 60 bytes per play-out.
pub(super) const MAX_PLAYOUTS: u64 = 1_000_000;

/// The results of a series in a state: the bytes that a worker sent, checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct StoredResults(LevelResults);

impl StoredResults {
    /// Returns the results of the trials, in their order.
    #[must_use]
    pub fn trials(&self) -> &[LevelResult] {
        &self.0.trials
    }
}

impl From<LevelResults> for StoredResults {
    fn from(results: LevelResults) -> Self {
        Self(results)
    }
}

impl From<StoredResults> for Vec<u8> {
    fn from(stored: StoredResults) -> Self {
        stored.0.encode()
    }
}

impl TryFrom<Vec<u8>> for StoredResults {
    type Error = hatchery_core::DecodeError;

    fn try_from(bytes: Vec<u8>) -> Result<Self, Self::Error> {
        LevelResults::decode(&bytes).map(Self)
    }
}
