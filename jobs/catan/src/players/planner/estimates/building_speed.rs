//! Building speed estimates: the number of throws of the dice until a player can pay for something.

mod economy;
mod lookup;

use crate::resource::{Resource, ResourceCards};
use crate::rules::{CARD_COST, CITY_COST, ROAD_COST, SETTLEMENT_COST};
use economy::{cards_after, quotient};

pub(crate) use economy::Economy;

/// The longest time that is distinguished, in throws.
pub(crate) const LIMIT: u16 = 127;

impl Economy {
    /// Returns the number of throws until `hand` pays for `cost`, at most `limit`.
    ///
    /// After `t` throws there are `t · income / 36` more cards of a resource, rounded down. Cards
    /// beyond the cost then go to the bank for missing ones.
    pub(crate) fn throws(&self, hand: ResourceCards, cost: ResourceCards, limit: u16) -> u16 {
        let looked_up = lookup::throws(self, hand, cost, limit);
        looked_up.unwrap_or_else(|| self.search_throws(hand, cost, limit))
    }

    /// Computes [`Economy::throws`] by bisection, for any numbers.
    fn search_throws(&self, hand: ResourceCards, cost: ResourceCards, limit: u16) -> u16 {
        if self.pays(0, hand, cost) {
            return 0;
        }
        // The longest time after which the hand does not pay, and the shortest after which it may.
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

    /// Returns the sum of the throws until a road, a settlement, a city and a card, each from an
    /// empty hand and each at most `limit`.
    pub(crate) fn building_time(&self, limit: u16) -> u16 {
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

#[cfg(test)]
mod tests {
    use proptest::array;
    use proptest::prelude::*;

    use super::*;
    use crate::board::Node;
    use crate::map::Port;
    use crate::rules::Island;

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
        // Five wood, one per 4 throws: four of them buy the brick. With a 2:1 port, three are
        // enough.
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
        /// Holds for any numbers, inside the table and outside.
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
            let economy = Economy::NONE.with_settlement(&island, node).with_city(&island, node);
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
