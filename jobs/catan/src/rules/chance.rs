//! The possible outcomes of an action.

use crate::resource::Resource;

use super::action::{Action, ChanceOutcome};
use super::development::DevelopmentCard;
use super::state::GameState;

/// The possible outcomes of an action, with integer weights proportional to their probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutcomeDistribution {
    items: [(ChanceOutcome, u8); 11],
    len: usize,
}

impl OutcomeDistribution {
    /// Returns the outcomes with their weights, which are all positive.
    #[must_use]
    pub fn as_slice(&self) -> &[(ChanceOutcome, u8)] {
        &self.items[..self.len]
    }

    /// Returns true if `outcome` is possible.
    #[must_use]
    pub fn contains(&self, outcome: ChanceOutcome) -> bool {
        self.as_slice().iter().any(|(other, _)| *other == outcome)
    }

    /// Returns the sum of the weights.
    #[must_use]
    pub fn total_weight(&self) -> u32 {
        self.as_slice().iter().map(|(_, weight)| u32::from(*weight)).sum()
    }

    /// Returns the outcome that owns `ticket`, a number below
    /// [`OutcomeDistribution::total_weight`]: each outcome owns as many consecutive tickets as its
    /// weight.
    #[must_use]
    pub fn at(&self, ticket: u32) -> ChanceOutcome {
        let mut left = ticket;
        for (outcome, weight) in self.as_slice() {
            if left < u32::from(*weight) {
                return *outcome;
            }
            left -= u32::from(*weight);
        }
        ChanceOutcome::Certain
    }

    fn weighted(items: impl Iterator<Item = (ChanceOutcome, u8)>) -> Self {
        let mut all = Self { items: [(ChanceOutcome::Certain, 1); 11], len: 0 };
        for item in items.filter(|(_, weight)| *weight != 0) {
            all.items[all.len] = item;
            all.len += 1;
        }
        // With nothing to choose from, the outcome is certain.
        all.len = all.len.max(1);
        all
    }
}

impl GameState {
    /// Returns the possible outcomes of `action` here: the dice for a roll, the deck for a bought
    /// card, the victim's hand for a theft, and only [`ChanceOutcome::Certain`] for anything else.
    #[must_use]
    pub fn outcomes(&self, action: Action) -> OutcomeDistribution {
        match action {
            Action::Roll => {
                let sums = (2..=12).map(|sum: u8| (ChanceOutcome::Dice(sum), 6 - sum.abs_diff(7)));
                OutcomeDistribution::weighted(sums)
            }
            Action::BuyCard => {
                let deck = DevelopmentCard::ALL
                    .map(|card| (ChanceOutcome::Card(card), self.deck.count(card)));
                OutcomeDistribution::weighted(deck.into_iter())
            }
            Action::Robber(_, Some(victim)) => {
                let hand = self.hand(victim);
                let cards =
                    Resource::ALL.map(|card| (ChanceOutcome::Stolen(card), hand.count(card)));
                OutcomeDistribution::weighted(cards.into_iter())
            }
            _ => OutcomeDistribution::weighted(std::iter::empty()),
        }
    }
}
