//! Clusters of used decks.

use std::collections::BTreeMap;

use hatchery_stats::clustering::cluster_means;
use hatchery_stats::{AssociationRule, ItemSet, StatsError, WardTree, k_means};

use super::error::MiningError;
use super::settings::MiningSettings;
use super::used::UsedTable;

/// The numbers of pieces of an attribute are divided by this. Take two decks that have a single
/// attribute each, but not the same. With this divisor, they are as far apart by attributes as two
/// decks without a common piece are by pieces: the square of the distance is 2 (16 / 4)^2 = 32, and
/// 16 + 16.
const ATTRIBUTE_DIVISOR: f64 = 4.0;

/// Used decks that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeckCluster {
    /// The indices of the decks, ascending.
    pub decks: Vec<usize>,
    /// The sets of pieces that go together in its winning decks, the strongest first; at most 100.
    pub sets: Vec<ItemSet>,
    /// The association rules of the pieces of its winning decks, the most confident first; at most
    /// 100.
    pub rules: Vec<AssociationRule>,
}

impl DeckCluster {
    /// Returns the cluster of these decks, without sets and rules.
    pub(super) const fn new(decks: Vec<usize>) -> Self {
        Self { decks, sets: Vec::new(), rules: Vec::new() }
    }
}

/// Returns the clusters for all decks, without their sets and rules.
///
/// # Errors
/// Never: the decks were checked.
pub(super) fn find(
    table: &UsedTable<'_>,
    settings: &MiningSettings,
) -> Result<Vec<DeckCluster>, MiningError> {
    let points = points(table);
    let tree = WardTree::new(&points)?;
    let k = cluster_count(&tree, points.len(), settings)?;
    let means = cluster_means(&points, &tree.cut(k)?, k);
    let members = k_means(&points, means.into_iter().flatten().collect())?.members;
    let mut clusters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (deck, member) in members.into_iter().enumerate() {
        clusters.entry(member).or_default().push(deck);
    }
    let mut clusters: Vec<Vec<usize>> = clusters.into_values().collect();
    clusters.sort_unstable();
    Ok(clusters.into_iter().map(DeckCluster::new).collect())
}

/// Returns a point for each deck: 1 for each of its pieces among all used pieces, and its numbers
/// of pieces by attribute, divided.
fn points(table: &UsedTable<'_>) -> Vec<Vec<f64>> {
    let mut used: Vec<u32> =
        table.decks.iter().flat_map(|deck| &deck.definition.pieces).copied().collect();
    used.sort_unstable();
    used.dedup();
    let point = |deck: usize| {
        let mut point = vec![0.0; used.len()];
        for piece in &table.decks[deck].definition.pieces {
            point[used.binary_search(piece).expect("all used pieces are there")] = 1.0;
        }
        point.extend(table.attributes(deck).map(|count| f64::from(count) / ATTRIBUTE_DIVISOR));
        point
    };
    (0..table.decks.len()).map(point).collect()
}

/// Returns the number of clusters with the largest variance ratio; of equals, the smallest.
fn cluster_count(
    tree: &WardTree,
    n: usize,
    settings: &MiningSettings,
) -> Result<usize, StatsError> {
    let [least, most] = [settings.min_clusters, settings.max_clusters].map(|it| it as usize);
    let mut best: Option<(f64, usize)> = None;
    for k in least.max(2)..=most.min(n.saturating_sub(1)) {
        // Without a ratio, all decks of each cluster are equal: more clusters say nothing.
        let Some(ratio) = tree.variance_ratio(k)? else { return Ok(k) };
        if best.is_none_or(|(most, _)| most < ratio) {
            best = Some((ratio, k));
        }
    }
    Ok(best.map_or_else(|| least.min(n), |(_, k)| k))
}
