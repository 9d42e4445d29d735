//! Sets of pieces that go together.

use std::cmp::Reverse;

use hatchery_stats::{AssociationRule, FrequentItemSets, ItemSet, ItemSetLimits, StatsError};

use super::settings::MiningSettings;
use super::used::UsedTable;

/// The most item sets: some megabytes. With the default settings there are at most 12,580: 16
/// pieces have 2,516 sets of up to 4, and each set is in a fifth of the decks.
const MAX_SETS: usize = 100_000;

/// The most rules. With the default settings there are at most 145,400: the sets of 16 pieces have
/// 29,080.
const MAX_RULES: usize = 200_000;

/// The most sets of a cluster that are kept.
const MAX_STRONGEST: usize = 100;

/// The fewest decks that a set is in, whatever its share.
const MIN_DECKS: usize = 2;

/// Returns the strongest sets with two or more pieces in the winning decks among `decks`, ordered
/// by their number of pieces times decks. Every rule in such a set is confident enough.
///
/// # Errors
/// If there are too many sets.
pub(super) fn strongest(
    table: &UsedTable<'_>,
    decks: &[usize],
    settings: &MiningSettings,
) -> Result<Vec<ItemSet>, StatsError> {
    let frequent = frequent_sets(table, decks, settings)?;
    let least = f64::from(settings.min_confidence) / 100.0;
    let holds_together = |set: &&ItemSet| {
        2 <= set.items.len()
            && frequent.all_confidence(&set.items).is_some_and(|confidence| least <= confidence)
    };
    let mut sets: Vec<ItemSet> = frequent.sets().iter().filter(holds_together).cloned().collect();
    sets.sort_by_key(|set| (Reverse(strength(set)), Reverse(set.items.len())));
    sets.truncate(MAX_STRONGEST);
    Ok(sets)
}

/// Returns the strength of a set: its pieces times the decks that have it.
pub(super) fn strength(set: &ItemSet) -> u64 {
    (set.items.len() * set.count) as u64
}

/// Returns the rules of the winning decks among `decks`, the most confident first.
///
/// # Errors
/// If there are too many sets or rules.
pub(super) fn rules(
    table: &UsedTable<'_>,
    decks: &[usize],
    settings: &MiningSettings,
) -> Result<Vec<AssociationRule>, StatsError> {
    let least = f64::from(settings.min_confidence) / 100.0;
    frequent_sets(table, decks, settings)?.rules(least, MAX_RULES)
}

/// Returns the frequent sets in the winning decks, or in all decks if fewer than two decks won.
fn frequent_sets(
    table: &UsedTable<'_>,
    decks: &[usize],
    settings: &MiningSettings,
) -> Result<FrequentItemSets, StatsError> {
    let mut baskets: Vec<usize> =
        decks.iter().copied().filter(|deck| table.is_winner(*deck)).collect();
    if baskets.len() < MIN_DECKS {
        baskets = decks.to_vec();
    }
    let basket = |deck: &usize| table.decks[*deck].definition.pieces.clone();
    let baskets: Vec<Vec<u32>> = baskets.iter().map(basket).collect();
    let share = (baskets.len() * settings.min_support as usize).div_ceil(100);
    let limits = ItemSetLimits {
        min_count: share.max(MIN_DECKS),
        max_items: settings.max_set as usize,
        max_sets: MAX_SETS,
    };
    FrequentItemSets::find(&baskets, limits)
}
