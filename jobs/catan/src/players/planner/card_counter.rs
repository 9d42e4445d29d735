//! What a player knows of the hands of others if it sees only what happens openly.

use std::array;

use crate::resource::{Resource, ResourceCards};
use crate::rules::{Action, ChanceOutcome, GameMove, GameState, RESOURCE_SUPPLY, Seat};

/// The cards that each player must hold, as one player knows who has seen the whole game except the
/// cards that others steal from each other.
///
/// Everybody sees which cards the dice, trades, payments and discards move, how many cards each
/// player holds and how many of each resource the bank has. A thief and its victim know the stolen
/// card; to others the victim may have lost any card and the thief may have got any.
///
/// Invariant: nobody holds fewer cards of a resource than are certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CardCounter {
    certain: [ResourceCards; Seat::COUNT],
}

impl CardCounter {
    /// The knowledge before the first cards are dealt.
    pub(super) const NEW: Self = Self { certain: [ResourceCards::NONE; Seat::COUNT] };

    /// Returns the cards that `seat` must hold.
    pub(super) const fn certain(&self, seat: Seat) -> ResourceCards {
        self.certain[seat.index()]
    }

    /// Notes a move as `viewer` sees it, with the states before and after it.
    pub(super) fn observe(
        &mut self,
        viewer: Seat,
        before: &GameState,
        step: GameMove,
        after: &GameState,
    ) {
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
    /// sums are known. An entry is at least its row's sum plus its column's less the sum of all, and
    /// for some filling it is no more.
    fn deduce(&mut self, state: &GameState) {
        let certain = self.certain;
        let hidden_in_hand = Seat::ALL
            .map(|seat| state.hand(seat).total().saturating_sub(certain[seat.index()].total()));
        let supply = ResourceCards([RESOURCE_SUPPLY; Resource::COUNT]);
        let hidden =
            certain.iter().fold(supply.minus(state.bank()), |left, hand| left.minus(*hand));
        let all = hidden.total();
        for (certain, in_hand) in self.certain.iter_mut().zip(hidden_in_hand) {
            let least = array::from_fn(|idx| (in_hand + hidden.0[idx]).saturating_sub(all));
            *certain = certain.plus(ResourceCards(least));
        }
    }
}

/// Returns the victim if the move is a theft of a card that `viewer` does not see.
fn hidden_theft(viewer: Seat, before: &GameState, step: GameMove) -> Option<Seat> {
    match (step.action, step.outcome) {
        (Action::Robber(_, Some(victim)), ChanceOutcome::Stolen(_)) => {
            (![before.current_seat(), victim].contains(&viewer)).then_some(victim)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::board::Hex;
    use crate::game::play_watched;
    use crate::map::Map;
    use crate::players::{HandsSeen, PlannerParams};
    use crate::rules::Island;
    use crate::streams::GameStreams;

    const VIEWER: Seat = Seat::Second;

    /// Plays games of planners, and passes what the viewer has counted after each move to `check`
    /// together with the state and the number of cards that others have stolen from each other.
    fn watch_games(mut check: impl FnMut(&CardCounter, &GameState, u32)) {
        let planner = PlannerParams { sees: HandsSeen::Public, ..PlannerParams::VALUE };
        for game in 0..40 {
            let stream = RunSeed::new("card counter", 1).generation(0).stream("game").part(game);
            let island = Island::new(Map::RULEBOOK);
            let (mut counter, mut n_hidden) = (CardCounter::NEW, 0);
            let observe = |state: &GameState, step: GameMove| {
                n_hidden += u32::from(hidden_theft(VIEWER, state, step).is_some());
                let mut after = *state;
                after.apply(&island, step);
                counter.observe(VIEWER, state, step, &after);
                check(&counter, &after, n_hidden);
            };
            let mut players = [planner.player(); Seat::COUNT];
            play_watched(&island, &mut players, &mut GameStreams::new(stream), 400, observe);
        }
    }

    #[test]
    fn what_is_certain_is_there() {
        let (mut counted, mut held) = (0_u32, 0_u32);
        watch_games(|counter, state, n_hidden| {
            for seat in Seat::ALL {
                let (certain, hand) = (counter.certain(seat), state.hand(seat));
                assert!(hand.covers(certain), "{certain:?} of {hand:?}");
                assert!(certain == hand || (seat != VIEWER && n_hidden != 0));
            }
            for seat in VIEWER.others() {
                counted += u32::from(counter.certain(seat).total());
                held += u32::from(state.hand(seat).total());
            }
        });
        // 92 % of the cards are known.
        assert!(9 * held < 10 * counted && counted < held, "{counted} of {held}");
    }

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
