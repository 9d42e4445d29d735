//! Counts the cards that other players must hold, from what happens openly.

use std::array;

use crate::resource::{Resource, ResourceCards};
use crate::rules::{Action, ChanceOutcome, GameMove, GameState, RESOURCE_SUPPLY, Seat};

/// A lower bound of the cards in each hand, as one player can count them.
///
/// Everybody sees which cards the dice, trades, payments and discards move, how many cards each
/// player holds, and how many cards the bank has per resource. A thief and its victim see the
/// stolen card. To other players, the victim may have lost any card and the thief may have got any
/// card. The counter keeps no alternatives: after such a theft it forgets which cards may have been
/// stolen. It draws no conclusions from offers.
///
/// Invariant: nobody holds fewer cards of a resource than are certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardCounter {
    certain: [ResourceCards; Seat::COUNT],
}

impl CardCounter {
    /// The counter before the first cards are dealt.
    pub const NEW: Self = Self { certain: [ResourceCards::NONE; Seat::COUNT] };

    /// Returns the cards that `seat` holds at least; all cards of the counting player.
    #[must_use]
    pub const fn certain(&self, seat: Seat) -> ResourceCards {
        self.certain[seat.index()]
    }

    /// Counts a move as the player at `viewer` sees it, with the states before and after it.
    pub fn observe(&mut self, viewer: Seat, before: &GameState, step: GameMove, after: &GameState) {
        match hidden_theft(viewer, before, step) {
            Some(victim) => {
                let left = self.certain(victim).0.map(|n| n.saturating_sub(1));
                self.certain[victim.index()] = ResourceCards(left);
            }
            None => {
                for (certain, seat) in self.certain.iter_mut().zip(Seat::ALL) {
                    let (had, has) = (before.hand(seat), after.hand(seat));
                    *certain = certain.minus(had.minus(has)).plus(has.minus(had));
                }
            }
        }
        self.certain[viewer.index()] = after.hand(viewer);
        self.deduce(after);
    }

    /// Adds the cards that follow from the bank and the numbers of cards.
    ///
    /// The cards that are not certain fill a table of players and resources whose row and column
    /// sums are known. Each entry is at least row sum + column sum - total: the Fréchet bound,
    /// which some filling attains.
    fn deduce(&mut self, state: &GameState) {
        debug_assert!(Seat::ALL.iter().all(|&seat| state.hand(seat).covers(self.certain(seat))));
        let hidden_by_seat =
            Seat::ALL.map(|seat| state.hand(seat).minus(self.certain(seat)).total());
        let supply = ResourceCards([RESOURCE_SUPPLY; Resource::COUNT]);
        let in_hands = supply.minus(state.bank());
        let hidden = self.certain.iter().fold(in_hands, |left, hand| left.minus(*hand));
        let total = hidden.total();
        for (certain, of_seat) in self.certain.iter_mut().zip(hidden_by_seat) {
            let least = array::from_fn(|idx| (of_seat + hidden.0[idx]).saturating_sub(total));
            *certain = certain.plus(ResourceCards(least));
        }
    }
}

/// Returns the victim if the move is a theft of a card that `viewer` does not see.
fn hidden_theft(viewer: Seat, before: &GameState, step: GameMove) -> Option<Seat> {
    match (step.action, step.outcome) {
        (Action::Robber(_, Some(victim)), ChanceOutcome::Stolen(_))
            if viewer != victim && viewer != before.current_seat() =>
        {
            Some(victim)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Hex;
    use crate::map::Map;
    use crate::rules::Island;

    const VIEWER: Seat = Seat::Second;

    /// An action that moves no card unseen.
    const OPEN: GameMove = GameMove { action: Action::EndTurn, outcome: ChanceOutcome::Certain };

    /// The theft of a card from `victim` by the first seat.
    fn theft(victim: Seat, card: Resource) -> GameMove {
        let action = Action::Robber(Hex::ALL[0], Some(victim));
        GameMove { action, outcome: ChanceOutcome::Stolen(card) }
    }

    #[test]
    fn payments_tell_what_was_stolen() {
        let mut counter = CardCounter::NEW;
        let mut now = with_hands([[0; 5], [0; 5], [2, 0, 0, 0, 0], [1, 1, 0, 0, 0]]);
        counter.observe(VIEWER, &with_hands([[0; 5]; 4]), OPEN, &now);
        let mut check = |step, hands, expected: [[u8; 5]; 4]| {
            let after = with_hands(hands);
            counter.observe(VIEWER, &now, step, &after);
            now = after;
            assert_eq!(Seat::ALL.map(|seat| counter.certain(seat).0), expected);
        };
        // The brick or the ore: nobody else knows.
        check(
            theft(Seat::Fourth, Resource::Ore),
            [[0, 1, 0, 0, 0], [0; 5], [2, 0, 0, 0, 0], [1, 0, 0, 0, 0]],
            [[0; 5], [0; 5], [2, 0, 0, 0, 0], [0; 5]],
        );
        // The thief gets wheat for all to see.
        check(
            OPEN,
            [[0, 1, 0, 1, 0], [0; 5], [2, 0, 0, 0, 0], [1, 0, 0, 0, 0]],
            [[0, 0, 0, 1, 0], [0; 5], [2, 0, 0, 0, 0], [0; 5]],
        );
        // The victim pays its last brick, so it lost the ore.
        check(
            OPEN,
            [[0, 1, 0, 1, 0], [0; 5], [2, 0, 0, 0, 0], [0; 5]],
            [[0, 1, 0, 1, 0], [0; 5], [2, 0, 0, 0, 0], [0; 5]],
        );
    }

    #[test]
    fn thefts_from_equal_cards_and_from_the_viewer_are_known() {
        let before = with_hands([[0; 5], [1, 1, 1, 0, 0], [0; 5], [0, 0, 3, 0, 0]]);
        for (step, hands) in [
            (
                theft(Seat::Fourth, Resource::Sheep),
                [[0, 0, 1, 0, 0], [1, 1, 1, 0, 0], [0; 5], [0, 0, 2, 0, 0]],
            ),
            (
                theft(VIEWER, Resource::Ore),
                [[0, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0; 5], [0, 0, 3, 0, 0]],
            ),
        ] {
            let mut counter = CardCounter::NEW;
            counter.observe(VIEWER, &with_hands([[0; 5]; 4]), OPEN, &before);
            counter.observe(VIEWER, &before, step, &with_hands(hands));
            assert_eq!(Seat::ALL.map(|seat| counter.certain(seat).0), hands);
        }
    }

    fn with_hands(hands: [[u8; 5]; Seat::COUNT]) -> GameState {
        let mut state = GameState::new(&Island::new(Map::RULEBOOK));
        for (seat, hand) in Seat::ALL.into_iter().zip(hands) {
            state.receive(seat, ResourceCards(hand));
        }
        state
    }
}
