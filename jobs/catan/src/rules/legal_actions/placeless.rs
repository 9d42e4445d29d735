//! Actions without a place on the board, one bit each.

use crate::resource::{Resource, ResourceCards};
use crate::rules::action::Action;
use crate::rules::seat::Seat;

/// A set of actions without a place on the board.
///
/// ```text
/// bit 0        8         13         18               33         58          62
///     plain    discard   monopoly   year of plenty   maritime   trade with
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlacelessActions(u64);

const DISCARD: usize = 8;
const MONOPOLY: usize = DISCARD + Resource::COUNT;
const YEAR_OF_PLENTY: usize = MONOPOLY + Resource::COUNT;
const MARITIME: usize = YEAR_OF_PLENTY + 15;
const TRADE_WITH: usize = MARITIME + Resource::COUNT * Resource::COUNT;
const END: usize = TRADE_WITH + Seat::COUNT;

const PLAIN: [Action; DISCARD] = [
    Action::Roll,
    Action::EndTurn,
    Action::BuyCard,
    Action::Knight,
    Action::RoadBuilding,
    Action::Accept,
    Action::Decline,
    Action::Withdraw,
];

/// The action that each bit represents.
static ACTIONS: [Action; END] = {
    let mut actions = [Action::Roll; END];
    let mut i = 0;
    while i < DISCARD {
        actions[i] = PLAIN[i];
        i += 1;
    }
    let (mut pair, mut a) = (0, 0);
    while a < Resource::COUNT {
        let one = Resource::ALL[a];
        actions[DISCARD + a] = Action::Discard(one);
        actions[MONOPOLY + a] = Action::Monopoly(one);
        let mut b = 0;
        while b < Resource::COUNT {
            let other = Resource::ALL[b];
            actions[MARITIME + a * Resource::COUNT + b] =
                Action::Maritime { give: one, take: other };
            if a <= b {
                actions[YEAR_OF_PLENTY + pair] = Action::YearOfPlenty(one, other);
                pair += 1;
            }
            b += 1;
        }
        a += 1;
    }
    let mut seat = 0;
    while seat < Seat::COUNT {
        actions[TRADE_WITH + seat] = Action::TradeWith(Seat::ALL[seat]);
        seat += 1;
    }
    actions
};

impl PlacelessActions {
    pub(super) const NONE: Self = Self(0);

    pub(super) const fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub(super) fn get(self, index: u32) -> Option<Action> {
        let mut bits = self.0;
        for _ in 0..index {
            bits &= bits.wrapping_sub(1);
        }
        ACTIONS.get(bits.trailing_zeros() as usize).copied()
    }

    pub(super) fn contains(self, action: Action) -> bool {
        bit(action).is_some_and(|bit| self.0 >> bit & 1 == 1)
    }

    pub(super) fn add(&mut self, action: Action) {
        if let Some(bit) = bit(action) {
            self.0 |= 1 << bit;
        }
    }

    pub(super) fn add_discards(&mut self, hand: ResourceCards) {
        self.0 |= present(hand, 1) << DISCARD;
    }

    pub(super) fn add_monopolies(&mut self) {
        self.0 |= 0b11111 << MONOPOLY;
    }

    pub(super) fn add_maritime(&mut self, give: Resource, bank: ResourceCards) {
        let takes = present(bank, 1) & !(1 << give.index());
        self.0 |= takes << (MARITIME + give.index() * Resource::COUNT);
    }

    pub(super) fn add_years_of_plenty(&mut self, bank: ResourceCards) {
        let (one, two) = (present(bank, 1), present(bank, 2));
        for a in Resource::ALL {
            let has_one = one >> a.index() & 1;
            // The bits of the resources from `a` on; that of `a` itself only if there are two.
            let row = (one & !(1 << a.index()) | two & 1 << a.index()) >> a.index();
            self.0 |= (row * has_one) << (YEAR_OF_PLENTY + row_start(a));
        }
    }
}

impl Iterator for PlacelessActions {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        let action = self.get(0)?;
        self.0 &= self.0.wrapping_sub(1);
        Some(action)
    }
}

/// Returns the bit of an action; none if the action names a place or terms.
const fn bit(action: Action) -> Option<usize> {
    Some(match action {
        Action::Roll => 0,
        Action::EndTurn => 1,
        Action::BuyCard => 2,
        Action::Knight => 3,
        Action::RoadBuilding => 4,
        Action::Accept => 5,
        Action::Decline => 6,
        Action::Withdraw => 7,
        Action::Discard(resource) => DISCARD + resource.index(),
        Action::Monopoly(resource) => MONOPOLY + resource.index(),
        Action::YearOfPlenty(a, b) => {
            if b.index() < a.index() {
                return None;
            }
            YEAR_OF_PLENTY + row_start(a) + b.index() - a.index()
        }
        Action::Maritime { give, take } => MARITIME + give.index() * Resource::COUNT + take.index(),
        Action::TradeWith(seat) => TRADE_WITH + seat.index(),
        Action::Settlement(_)
        | Action::City(_)
        | Action::Road(_)
        | Action::Robber(..)
        | Action::Offer(_)
        | Action::Counter(_) => return None,
    })
}

/// Returns the number of pairs of resources whose earlier one comes before `resource`.
const fn row_start(resource: Resource) -> usize {
    let before = resource.index();
    before * Resource::COUNT - before * before.saturating_sub(1) / 2
}

/// Returns a bit for each resource with at least `n` cards.
fn present(cards: ResourceCards, n: u8) -> u64 {
    let has = |resource: Resource| u64::from(n <= cards.count(resource)) << resource.index();
    Resource::ALL.map(has).into_iter().fold(0, |bits, bit| bits | bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_has_its_action() {
        for (index, action) in ACTIONS.into_iter().enumerate() {
            assert_eq!(bit(action), Some(index), "{action:?}");
        }
    }
}
