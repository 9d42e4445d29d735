//! The income of a player, and the rates at which the bank exchanges it.

use crate::board::{Hex, Node, NodeSet};
use crate::map::{Port, pips};
use crate::resource::Resource;
use crate::rules::{GameState, Island, Seat};

/// Combinations of two dice.
const THROWS: u32 = 36;

/// Cards that the bank takes for one other card from a player without ports.
const RATE_WITHOUT_PORT: u8 = 4;

/// The income from a player's buildings and the player's rates at the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Economy {
    /// The number of cards per resource that 36 throws bring, one throw for every combination of
    /// the dice.
    pub(super) income: [u8; Resource::COUNT],
    /// The number of cards that the bank takes for one other card, per resource.
    pub(super) rates: [u8; Resource::COUNT],
}

impl Economy {
    /// The economy of a player without buildings.
    pub(crate) const NONE: Self =
        Self { income: [0; Resource::COUNT], rates: [RATE_WITHOUT_PORT; Resource::COUNT] };

    /// Creates an economy with this income and these rates, in the order brick, ore, sheep, wheat,
    /// wood.
    #[cfg(test)]
    pub(crate) const fn new(income: [u8; Resource::COUNT], rates: [u8; Resource::COUNT]) -> Self {
        Self { income, rates }
    }

    /// Returns the economy of `seat`, as if there were no robber.
    pub(crate) fn of(island: &Island, state: &GameState, seat: Seat) -> Self {
        let cities = state.cities(seat);
        let with_settlement = state.settlements(seat).union(cities);
        let economy =
            with_settlement.fold(Self::NONE, |economy, node| economy.with_settlement(island, node));
        cities.fold(economy, |economy, node| economy.with_city(island, node))
    }

    /// Returns the economy with one more settlement.
    pub(crate) fn with_settlement(self, island: &Island, node: Node) -> Self {
        let mut economy = self.with_city(island, node);
        match island.port(node) {
            Some(Port::Generic) => economy.rates = self.rates.map(|rate| rate.min(3)),
            Some(Port::Special(resource)) => economy.rates[resource.index()] = 2,
            None => {}
        }
        economy
    }

    /// Returns the economy with a city in place of a settlement.
    pub(crate) fn with_city(mut self, island: &Island, node: Node) -> Self {
        let more = island.pips_by_resource(node);
        self.income = std::array::from_fn(|i| self.income[i] + more[i]);
        self
    }

    /// Returns the economy with the robber on `hex`, given the player's settlements and cities.
    pub(crate) fn with_robber(
        mut self,
        island: &Island,
        hex: Hex,
        [with_settlement, cities]: [NodeSet; 2],
    ) -> Self {
        let map = island.map();
        if let (Some(token), Some(resource)) = (map.token(hex), map.terrain(hex).resource()) {
            let corners = hex.node_set();
            let n = with_settlement.and(corners).len() + 2 * cities.and(corners).len();
            let lost = u8::try_from(n).unwrap_or(u8::MAX).saturating_mul(pips(token));
            let income = &mut self.income[resource.index()];
            *income = income.saturating_sub(lost);
        }
        self
    }

    /// Returns the number of cards of `resource` in 36 throws.
    pub(crate) const fn income(&self, resource: Resource) -> u8 {
        self.income[resource.index()]
    }

    /// Returns the number of cards of `resource` that the bank takes for one other card.
    pub(crate) const fn rate(&self, resource: Resource) -> u8 {
        self.rates[resource.index()]
    }
}

/// Returns the number of cards of a resource after this many throws, starting with `hand` cards.
pub(super) fn cards_after(hand: u8, income: u8, throws: u16) -> u32 {
    u32::from(hand) + u32::from(throws) * u32::from(income) / THROWS
}

/// Returns `cards / rate`, rounded down, without a division. Holds for at most 1,000 cards and
/// rates 2 to 4.
pub(super) const fn quotient(cards: u32, rate: u8) -> u32 {
    /// 65,536 / rate, rounded up.
    const RECIPROCALS: [u32; 5] = [0, 65_536, 32_768, 21_846, 16_384];
    (cards * RECIPROCALS[rate as usize]) >> 16
}
