//! Items that are often together in baskets, and rules of the form "baskets with these items have
//! that item too".
//!
//! An item set is *frequent* if at least a given number of baskets have all its items; a rule says
//! that baskets with some of its items tend to have the others (Agrawal & Srikant, "Fast Algorithms
//! for Mining Association Rules", VLDB 1994, §1.1). Every subset of a frequent set is frequent.
//!
//! Sets are found by pattern growth: a set is extended by the items that follow it in the baskets
//! that have the set, and only these baskets are counted (Han, Pei & Yin, "Mining Frequent Patterns
//! without Candidate Generation", SIGMOD 2000, without the tree that shares beginnings of baskets).
//! The sets equal the sets of Apriori; no candidates are made that might not be frequent.

mod rules;

pub use rules::AssociationRule;

use std::collections::BTreeMap;

use crate::count::to_f64;
use crate::error::StatsError;

/// The most items of a set: a set of n items has 2^n - 2 rules.
const MAX_ITEMS: usize = 16;

/// The bounds of a search for frequent item sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemSetLimits {
    /// The number of baskets that a set must be in, at least 1: its minimum support, as a count.
    pub min_count: usize,
    /// The most items of a set, from 1 to 16. Larger sets are not looked for.
    pub max_items: usize,
    /// The most sets. More are an error.
    pub max_sets: usize,
}

/// A set of items that are together in baskets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemSet {
    /// The items, ascending.
    pub items: Vec<u32>,
    /// The number of baskets that have all items.
    pub count: usize,
}

/// The frequent item sets of some baskets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrequentItemSets {
    sets: Vec<ItemSet>,
    n_baskets: usize,
}

impl FrequentItemSets {
    /// Finds the item sets of at most `max_items` items that at least `min_count` of the baskets
    /// have. An item that is in a basket several times counts once.
    ///
    /// # Errors
    /// If a limit is out of its range, or there are more than `max_sets` sets.
    pub fn find(baskets: &[Vec<u32>], limits: ItemSetLimits) -> Result<Self, StatsError> {
        let ItemSetLimits { min_count, max_items, .. } = limits;
        if min_count == 0 {
            let range = "at least 1";
            return Err(StatsError::OutOfRange { name: "the minimum count", value: 0.0, range });
        }
        if !(1..=MAX_ITEMS).contains(&max_items) {
            let value = to_f64(max_items as u64);
            let (name, range) = ("the number of items of a set", "from 1 to 16");
            return Err(StatsError::OutOfRange { name, value, range });
        }
        let sorted = |basket: &Vec<u32>| {
            let mut basket = basket.clone();
            basket.sort_unstable();
            basket.dedup();
            basket
        };
        let baskets: Vec<Vec<u32>> = baskets.iter().map(sorted).collect();
        let mut growth = PatternGrowth { limits, found: Vec::new() };
        let rests: Vec<&[u32]> = baskets.iter().map(Vec::as_slice).collect();
        growth.extend(&mut Vec::new(), &rests)?;
        let mut sets = growth.found;
        sets.sort_by(|a, b| a.items.len().cmp(&b.items.len()).then_with(|| a.items.cmp(&b.items)));
        Ok(Self { sets, n_baskets: baskets.len() })
    }

    /// Returns the sets, the smaller first, and sets with the same size by their items.
    #[must_use]
    pub fn sets(&self) -> &[ItemSet] {
        &self.sets
    }

    /// Returns the number of baskets.
    #[must_use]
    pub const fn n_baskets(&self) -> usize {
        self.n_baskets
    }

    /// Returns the number of baskets that have all of `items`, which ascend; `None` if that is no
    /// frequent set.
    #[must_use]
    pub fn count(&self, items: &[u32]) -> Option<usize> {
        let order = |set: &ItemSet| {
            set.items.len().cmp(&items.len()).then_with(|| set.items.as_slice().cmp(items))
        };
        self.sets.binary_search_by(order).ok().map(|at| self.sets[at].count)
    }

    /// Returns the least confidence of any rule of a set, from 0 to 1: its count divided by the
    /// count of its most frequent item (*all-confidence*; Omiecinski, "Alternative interest
    /// measures for mining associations in databases", IEEE TKDE 15, 2003). It is 1 if no basket
    /// has some of the items without the others. `None` if it is no frequent set.
    #[must_use]
    pub fn all_confidence(&self, items: &[u32]) -> Option<f64> {
        let count = self.count(items)?;
        // No items are in every basket, but are no set here; each item of a set is one.
        let counts = items.iter().map(|item| self.count(&[*item]));
        let most = counts.collect::<Option<Vec<usize>>>()?.into_iter().max()?;
        Some(to_f64(count as u64) / to_f64(most as u64))
    }
}

/// The search for frequent sets.
struct PatternGrowth {
    limits: ItemSetLimits,
    found: Vec<ItemSet>,
}

impl PatternGrowth {
    /// Finds all frequent sets that begin with `prefix` and have more items. `rests` are the
    /// baskets that have the prefix, without their items up to the prefix's last item.
    fn extend(&mut self, prefix: &mut Vec<u32>, rests: &[&[u32]]) -> Result<(), StatsError> {
        let ItemSetLimits { min_count, max_items, max_sets } = self.limits;
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for item in rests.iter().copied().flatten() {
            *counts.entry(*item).or_default() += 1;
        }
        for (item, count) in counts {
            if count < min_count {
                continue;
            }
            if self.found.len() == max_sets {
                return Err(StatsError::TooManyItemSets { most: max_sets, min_count });
            }
            prefix.push(item);
            self.found.push(ItemSet { items: prefix.clone(), count });
            if prefix.len() < max_items {
                let after = |rest: &&'_ [u32]| rest.binary_search(&item).ok();
                let next = rests.iter().filter_map(|rest| Some(&rest[after(rest)? + 1..]));
                self.extend(prefix, &next.collect::<Vec<_>>())?;
            }
            prefix.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
