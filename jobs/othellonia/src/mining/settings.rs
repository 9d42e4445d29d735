//! Settings of mining.

use super::error::MiningError;
use crate::generate::DEFAULT_COST_CAP;
use crate::pool::CostCap;

/// The settings of mining. The paper gives no values for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MiningSettings {
    /// The cost cap of the decks that are made.
    pub cost_cap: CostCap,
    /// The number of decks for training, at most 1,000.
    pub training_decks: u32,
    /// The fewest clusters, at least 1. Fewer are made if there are too few different decks.
    pub min_clusters: u32,
    /// The most clusters, from the fewest to 64.
    pub max_clusters: u32,
    /// The share of a cluster's winning decks that have a frequent set, in percent: 1 to 100. It is
    /// in 2 decks at least, whatever the share.
    pub min_support: u32,
    /// The least confidence for every rule in a set, in percent: 0 to 100.
    pub min_confidence: u32,
    /// The most pieces of a set, from 2 to 6.
    pub max_set: u32,
}

impl Default for MiningSettings {
    fn default() -> Self {
        Self {
            cost_cap: DEFAULT_COST_CAP,
            training_decks: 16,
            min_clusters: 3,
            max_clusters: 12,
            min_support: 20,
            min_confidence: 50,
            max_set: 4,
        }
    }
}

impl MiningSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// If one is out of its range.
    pub(super) fn check(&self) -> Result<(), MiningError> {
        for (name, found, least, most) in [
            ("training_decks", self.training_decks, 0, 1_000),
            ("min_clusters", self.min_clusters, 1, 64),
            ("max_clusters", self.max_clusters, self.min_clusters, 64),
            ("min_support", self.min_support, 1, 100),
            ("min_confidence", self.min_confidence, 0, 100),
            ("max_set", self.max_set, 2, 6),
        ] {
            if !(least..=most).contains(&found) {
                let expected = format!("from {least} to {most}");
                return Err(MiningError::Setting { name, found, expected });
            }
        }
        Ok(())
    }
}
