//! The effort of searches.

use hatchery_core::WireValue;
use hatchery_search::{SearchEnd, SearchReport};
use serde::{Deserialize, Serialize};

/// The effort of searches: sums over searches, and sums of squares of the playouts for an interval
/// of their mean. Positions with one legal move are not searched and do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, WireValue)]
pub struct SearchEffort {
    /// The number of searches.
    #[wire(tag = 1)]
    pub searches: u64,
    /// Their playouts.
    #[wire(tag = 2)]
    pub playouts: u64,
    /// The sum of squares of the playouts per search.
    #[wire(tag = 3)]
    pub squared_playouts: u64,
    /// The nodes of their trees.
    #[wire(tag = 4)]
    pub nodes: u64,
    /// The depths of their deepest leaves, in plies.
    #[wire(tag = 5)]
    pub deepest_leaves: u64,
    /// The deepest leaf in any search, in plies.
    #[wire(tag = 6)]
    pub deepest_leaf: u32,
}

impl SearchEffort {
    /// Adds a search.
    pub(super) fn add<M>(&mut self, report: &SearchReport<'_, M>) {
        if report.end == SearchEnd::Forced {
            return;
        }
        let playouts = u64::from(report.playouts);
        self.absorb(&Self {
            searches: 1,
            playouts,
            squared_playouts: playouts * playouts,
            nodes: u64::from(report.nodes),
            deepest_leaves: u64::from(report.deepest_leaf),
            deepest_leaf: report.deepest_leaf,
        });
    }

    /// Adds other searches. Sums stop at 2^64 - 1, which no honest run comes near.
    pub fn absorb(&mut self, other: &Self) {
        let Self { searches, playouts, squared_playouts, nodes, deepest_leaves, deepest_leaf } =
            *other;
        self.searches = self.searches.saturating_add(searches);
        self.playouts = self.playouts.saturating_add(playouts);
        self.squared_playouts = self.squared_playouts.saturating_add(squared_playouts);
        self.nodes = self.nodes.saturating_add(nodes);
        self.deepest_leaves = self.deepest_leaves.saturating_add(deepest_leaves);
        self.deepest_leaf = self.deepest_leaf.max(deepest_leaf);
    }
}

/// The mean effort of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanEffort {
    /// Playouts.
    pub playouts: f64,
    /// The standard error of the mean number of playouts.
    pub playouts_error: f64,
    /// Nodes.
    pub nodes: f64,
    /// The depth of the deepest leaf, in plies.
    pub deepest_leaf: f64,
}

impl SearchEffort {
    /// Returns the mean effort of a search; `None` without searches.
    #[must_use]
    pub fn mean(&self) -> Option<MeanEffort> {
        if self.searches == 0 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "for display")]
        let [n, playouts, squares, nodes, leaves] =
            [self.searches, self.playouts, self.squared_playouts, self.nodes, self.deepest_leaves]
                .map(|sum| sum as f64);
        let mean = playouts / n;
        let variance = (squares / n - mean * mean).max(0.0);
        Some(MeanEffort {
            playouts: mean,
            playouts_error: libm::sqrt(variance / n),
            nodes: nodes / n,
            deepest_leaf: leaves / n,
        })
    }
}
