//! Association rules.

use std::cmp::Ordering;

use super::{FrequentItemSets, ItemSet};
use crate::count::to_f64;
use crate::error::StatsError;

/// A rule: baskets with the items of the antecedent tend to have the items of the consequent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssociationRule {
    /// The items that a basket has, ascending.
    pub antecedent: Vec<u32>,
    /// The items that it then tends to have, ascending.
    pub consequent: Vec<u32>,
    /// The number of baskets that have both.
    pub count: usize,
    /// The number of baskets that have the antecedent.
    pub antecedent_count: usize,
    /// The number of baskets that have the consequent.
    pub consequent_count: usize,
    /// The number of baskets.
    pub n_baskets: usize,
}

impl AssociationRule {
    /// Returns the share of baskets that have antecedent and consequent.
    #[must_use]
    pub fn support(&self) -> f64 {
        to_f64(self.count as u64) / to_f64(self.n_baskets as u64)
    }

    /// Returns the share of the baskets with the antecedent that have the consequent.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        to_f64(self.count as u64) / to_f64(self.antecedent_count as u64)
    }

    /// Returns the confidence divided by the share of baskets that have the consequent: 1 if the
    /// two are independent, more if they go together (Brin, Motwani, Ullman & Tsur, "Dynamic
    /// itemset counting", SIGMOD 1997, there called interest).
    #[must_use]
    pub fn lift(&self) -> f64 {
        self.confidence() / (to_f64(self.consequent_count as u64) / to_f64(self.n_baskets as u64))
    }

    /// Compares two rules: more confidence first, then more support, then by items.
    fn order(&self, other: &Self) -> Ordering {
        // Shares are compared as fractions: rounding would make ties of what is none.
        let product = |a: usize, b: usize| a as u128 * b as u128;
        let mine = product(self.count, other.antecedent_count);
        let theirs = product(other.count, self.antecedent_count);
        theirs
            .cmp(&mine)
            .then(other.count.cmp(&self.count))
            .then_with(|| self.antecedent.cmp(&other.antecedent))
            .then_with(|| self.consequent.cmp(&other.consequent))
    }
}

impl FrequentItemSets {
    /// Returns all rules of the sets, with any number of items on both sides, whose confidence is
    /// at least `min_confidence`: more confidence first, then more support, then by their items.
    ///
    /// # Errors
    /// If `min_confidence` is not from 0 to 1, or there are more than `max_rules` rules.
    pub fn rules(
        &self,
        min_confidence: f64,
        max_rules: usize,
    ) -> Result<Vec<AssociationRule>, StatsError> {
        if !(0.0..=1.0).contains(&min_confidence) {
            let (name, range) = ("the minimum confidence", "from 0 to 1");
            return Err(StatsError::OutOfRange { name, value: min_confidence, range });
        }
        let mut rules = Vec::new();
        for set in self.sets.iter().filter(|set| 2 <= set.items.len()) {
            // Each bit says that the item is in the antecedent: neither none nor all of them.
            for antecedent in 1..(1_u32 << set.items.len()) - 1 {
                let rule = self.rule(set, antecedent);
                if rule.confidence() < min_confidence {
                    continue;
                }
                if rules.len() == max_rules {
                    return Err(StatsError::TooManyRules { most: max_rules });
                }
                rules.push(rule);
            }
        }
        rules.sort_by(AssociationRule::order);
        Ok(rules)
    }

    /// Returns the rule of a set whose antecedent has the items of these bits.
    fn rule(&self, set: &ItemSet, antecedent: u32) -> AssociationRule {
        let half = |of: bool| {
            let is_in = |at: usize| (antecedent >> at & 1 == 1) == of;
            let items = set.items.iter().enumerate().filter(|(at, _)| is_in(*at));
            items.map(|(_, item)| *item).collect::<Vec<u32>>()
        };
        let (antecedent, consequent) = (half(true), half(false));
        let count = |items: &[u32]| self.count(items).expect("subsets of a frequent set are, too");
        AssociationRule {
            count: set.count,
            antecedent_count: count(&antecedent),
            consequent_count: count(&consequent),
            n_baskets: self.n_baskets,
            antecedent,
            consequent,
        }
    }
}
