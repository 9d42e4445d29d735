//! Building-speed estimates: how many throws of the dice until a player can pay for something.

use crate::board::{Hex, Node, NodeSet};
use crate::map::{Port, pips};
use crate::resource::{Resource, ResourceCards};
use crate::rules::{CARD_COST, CITY_COST, GameState, Island, ROAD_COST, SETTLEMENT_COST, Seat};

use super::waits;

/// The longest time to anything that is told apart, in throws.
pub(super) const LIMIT: u16 = 127;

/// Combinations of two dice.
const THROWS: u32 = 36;

/// What the bank wants for one card from a player without ports.
const RATE_WITHOUT_PORT: u8 = 4;

/// What a player gets by his buildings, and what he pays the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Economy {
    /// Cards of each resource in 36 throws, one of each combination.
    income: [u8; Resource::COUNT],
    /// Cards of each resource that the bank wants for one other.
    rates: [u8; Resource::COUNT],
}

impl Economy {
    /// Of a player without buildings.
    pub(super) const NONE: Self =
        Self { income: [0; Resource::COUNT], rates: [RATE_WITHOUT_PORT; Resource::COUNT] };

    /// Income and rates as given, in the order brick, ore, sheep, wheat, wood.
    #[cfg(test)]
    pub(super) const fn new(income: [u8; Resource::COUNT], rates: [u8; Resource::COUNT]) -> Self {
        Self { income, rates }
    }

    /// Of `seat`, as if the robber were away.
    pub(super) fn of(island: &Island, state: &GameState, seat: Seat) -> Self {
        let cities = state.cities(seat);
        let settled = state.settlements(seat).union(cities);
        let economy = settled.fold(Self::NONE, |economy, node| economy.settled(island, node));
        cities.fold(economy, |economy, node| economy.raised(island, node))
    }

    /// With one more settlement.
    pub(super) fn settled(self, island: &Island, node: Node) -> Self {
        let mut economy = self.raised(island, node);
        match island.port(node) {
            Some(Port::Generic) => economy.rates = self.rates.map(|rate| rate.min(3)),
            Some(Port::Special(resource)) => economy.rates[resource.index()] = 2,
            None => {}
        }
        economy
    }

    /// With a city in place of a settlement.
    pub(super) fn raised(mut self, island: &Island, node: Node) -> Self {
        let more = island.pips_by_resource(node);
        self.income = std::array::from_fn(|i| self.income[i] + more[i]);
        self
    }

    /// With the robber on `hex`, where the player has these buildings.
    pub(super) fn robbed(
        mut self,
        island: &Island,
        hex: Hex,
        [settled, cities]: [NodeSet; 2],
    ) -> Self {
        let map = island.map();
        if let (Some(token), Some(resource)) = (map.token(hex), map.terrain(hex).resource()) {
            let corners = hex.node_set();
            let n = settled.and(corners).len() + 2 * cities.and(corners).len();
            let lost = u8::try_from(n).unwrap_or(u8::MAX).saturating_mul(pips(token));
            let income = &mut self.income[resource.index()];
            *income = income.saturating_sub(lost);
        }
        self
    }

    /// Cards of `resource` in 36 throws.
    pub(super) const fn income(&self, resource: Resource) -> u8 {
        self.income[resource.index()]
    }

    /// Cards of `resource` that the bank wants for one other.
    pub(super) const fn rate(&self, resource: Resource) -> u8 {
        self.rates[resource.index()]
    }

    /// After how many throws `hand` pays for `cost`; `limit` if not before.
    ///
    /// After `t` throws there are `t · income / 36` cards of a resource more, rounded down; what is
    /// then beyond the cost goes to the bank for what lacks.
    pub(super) fn throws(&self, hand: ResourceCards, cost: ResourceCards, limit: u16) -> u16 {
        let looked_up = waits::throws(self, hand, cost, limit);
        looked_up.unwrap_or_else(|| self.search_throws(hand, cost, limit))
    }

    /// The same, for any numbers.
    fn search_throws(&self, hand: ResourceCards, cost: ResourceCards, limit: u16) -> u16 {
        if self.pays(0, hand, cost) {
            return 0;
        }
        // The longest time after which it does not pay, and the shortest after which it may.
        let (mut low, mut high) = (0, limit);
        while low + 1 < high {
            let middle = low.midpoint(high);
            if self.pays(middle, hand, cost) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }

    /// Throws until a road, a settlement, a city and a card, each from an empty hand, in all; every
    /// one counts `limit` at most.
    pub(super) fn building_time(&self, limit: u16) -> u16 {
        let costs = [ROAD_COST, SETTLEMENT_COST, CITY_COST, CARD_COST];
        costs.into_iter().map(|cost| self.throws(ResourceCards::NONE, cost, limit)).sum()
    }

    fn pays(&self, throws: u16, hand: ResourceCards, cost: ResourceCards) -> bool {
        let (mut lacking, mut swaps) = (0, 0);
        for i in 0..Resource::COUNT {
            let has = cards_after(hand.0[i], self.income[i], throws);
            let needs = u32::from(cost.0[i]);
            lacking += needs.saturating_sub(has);
            swaps += quotient(has.saturating_sub(needs), self.rates[i]);
        }
        lacking <= swaps
    }
}

/// Cards of a resource after so many throws, of which there are `hand` now.
pub(super) fn cards_after(hand: u8, income: u8, throws: u16) -> u32 {
    u32::from(hand) + u32::from(throws) * u32::from(income) / THROWS
}

/// `cards / rate`, rounded down, without a division: for at most 1,000 cards and rates 2 to 4.
pub(super) const fn quotient(cards: u32, rate: u8) -> u32 {
    /// 65,536 / rate, rounded up.
    const RECIPROCALS: [u32; 5] = [0, 65_536, 32_768, 21_846, 16_384];
    (cards * RECIPROCALS[rate as usize]) >> 16
}

#[cfg(test)]
mod tests {
    use proptest::array;
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(economy: Economy, hand: [u8; 5], cost: ResourceCards, expected: u16) {
        assert_eq!(economy.throws(ResourceCards(hand), cost, 100), expected);
    }

    #[test]
    fn quotients_are_exact() {
        for rate in 2..=4 {
            for cards in 0..=1_000 {
                assert_eq!(quotient(cards, rate), cards / u32::from(rate));
            }
        }
    }

    #[test]
    fn a_road_waits_for_the_rarer_card() {
        // One brick per 9 throws, one wood per 6.
        check(Economy::new([4, 0, 0, 0, 6], [4; 5]), [0; 5], ROAD_COST, 9);
        check(Economy::new([4, 0, 0, 0, 6], [4; 5]), [1, 0, 0, 0, 0], ROAD_COST, 6);
        check(Economy::new([4, 0, 0, 0, 6], [4; 5]), [1, 0, 0, 0, 1], ROAD_COST, 0);
    }

    #[test]
    fn the_bank_fills_gaps() {
        // Five wood, one per 4 throws: four of them buy the brick. With a 2:1 port three are enough.
        check(Economy::new([0, 0, 0, 0, 9], [4; 5]), [0; 5], ROAD_COST, 20);
        check(Economy::new([0, 0, 0, 0, 9], [4, 4, 4, 4, 2]), [0; 5], ROAD_COST, 12);
        // A city from five ore and no wheat: two trades at 2:1 take 4 ore beyond the three.
        check(Economy::new([0, 6, 0, 0, 0], [4, 2, 4, 4, 4]), [0, 5, 0, 0, 0], CITY_COST, 12);
    }

    #[test]
    fn without_income_the_limit_stands() {
        check(Economy::NONE, [0; 5], CARD_COST, 100);
        check(Economy::NONE, [0, 1, 1, 1, 0], CARD_COST, 0);
        assert_eq!(Economy::NONE.building_time(40), 160);
    }

    #[test]
    fn throws_are_the_first_time_that_pays() {
        let economy = Economy::new([5, 3, 0, 7, 2], [3, 4, 2, 4, 3]);
        for cost in [ROAD_COST, SETTLEMENT_COST, CITY_COST, CARD_COST] {
            let throws = economy.throws(ResourceCards::NONE, cost, 1_000);
            let first = (0..1_000).find(|&t| economy.pays(t, ResourceCards::NONE, cost));
            assert_eq!(Some(throws), first);
        }
    }

    proptest! {
        /// Whatever the numbers, inside the table and outside.
        #[test]
        fn what_is_looked_up_is_what_is_searched(
            income in array::uniform5(0_u8..36),
            rates in array::uniform5(2_u8..=4),
            hand in array::uniform5(0_u8..20),
            cost in array::uniform5(0_u8..10),
            limit in prop::sample::select(vec![1_u16, 31, 32, 33, 40, 127, 128, 129, 500]),
        ) {
            let economy = Economy::new(income, rates);
            let (hand, cost) = (ResourceCards(hand), ResourceCards(cost));
            let searched = economy.search_throws(hand, cost, limit);
            prop_assert_eq!(economy.throws(hand, cost, limit), searched);
        }
    }

    #[test]
    fn ports_and_cities_count() {
        let island = Island::new(crate::Map::RULEBOOK);
        for node in Node::ALL {
            let economy = Economy::NONE.settled(&island, node).raised(&island, node);
            assert_eq!(economy.income, island.pips_by_resource(node).map(|pips| 2 * pips));
            let ports = economy.rates.iter().filter(|&&rate| rate < 4).count();
            let expected = match island.port(node) {
                None => 0,
                Some(Port::Generic) => 5,
                Some(Port::Special(_)) => 1,
            };
            assert_eq!(ports, expected);
        }
    }
}
