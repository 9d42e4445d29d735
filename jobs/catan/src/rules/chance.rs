//! What chance may make of an action.

use crate::resource::Resource;

use super::action::{Action, Outcome};
use super::development::Development;
use super::state::State;

/// The possible outcomes of an action, with integer weights proportional to their probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcomes {
    items: [(Outcome, u8); 11],
    len: usize,
}

impl Outcomes {
    /// Outcomes and weights; all weights are positive.
    #[must_use]
    pub fn as_slice(&self) -> &[(Outcome, u8)] {
        &self.items[..self.len]
    }

    /// Whether `outcome` is among them.
    #[must_use]
    pub fn contains(&self, outcome: Outcome) -> bool {
        self.as_slice().iter().any(|(other, _)| *other == outcome)
    }

    /// The sum of the weights.
    #[must_use]
    pub fn total_weight(&self) -> u32 {
        self.as_slice().iter().map(|(_, weight)| u32::from(*weight)).sum()
    }

    /// The outcome at `ticket`, below [`Outcomes::total_weight`], when each weight is so many
    /// tickets in a row.
    #[must_use]
    pub fn at(&self, ticket: u32) -> Outcome {
        let mut left = ticket;
        for (outcome, weight) in self.as_slice() {
            if left < u32::from(*weight) {
                return *outcome;
            }
            left -= u32::from(*weight);
        }
        Outcome::Certain
    }

    fn weighted(items: impl Iterator<Item = (Outcome, u8)>) -> Self {
        let mut all = Self { items: [(Outcome::Certain, 1); 11], len: 0 };
        for item in items.filter(|(_, weight)| *weight != 0) {
            all.items[all.len] = item;
            all.len += 1;
        }
        // Where chance has nothing to choose from, the outcome is certain.
        all.len = all.len.max(1);
        all
    }
}

impl State {
    /// What chance may make of `action` here: the dice for a roll, the deck for a bought card, the
    /// victim's hand for a theft, and only [`Outcome::Certain`] for all else.
    #[must_use]
    pub fn outcomes(&self, action: Action) -> Outcomes {
        match action {
            Action::Roll => {
                let sums = (2..=12).map(|sum: u8| (Outcome::Dice(sum), 6 - sum.abs_diff(7)));
                Outcomes::weighted(sums)
            }
            Action::BuyCard => {
                let deck =
                    Development::ALL.map(|card| (Outcome::Card(card), self.deck.count(card)));
                Outcomes::weighted(deck.into_iter())
            }
            Action::Robber(_, Some(victim)) => {
                let hand = self.hand(victim);
                let cards = Resource::ALL.map(|card| (Outcome::Stolen(card), hand.count(card)));
                Outcomes::weighted(cards.into_iter())
            }
            _ => Outcomes::weighted(std::iter::empty()),
        }
    }
}
