//! Checks the counting of cards in whole games.

use hatchery_catan::players::{CardCounter, PlannerParams};
use hatchery_catan::rules::{Action, ChanceOutcome, GameMove, GameState, Seat};
use hatchery_catan::trial::game::play_watched;

use super::{TURN_CAP, deal};

const VIEWER: Seat = Seat::Second;

/// Returns true if others steal a card from each other.
fn is_hidden(state: &GameState, step: GameMove) -> bool {
    match (step.action, step.outcome) {
        (Action::Robber(_, Some(victim)), ChanceOutcome::Stolen(_)) => {
            ![state.current_seat(), victim].contains(&VIEWER)
        }
        _ => false,
    }
}

#[test]
fn what_is_certain_is_there() {
    let (mut n_counted, mut n_held) = (0_u32, 0_u32);
    for game in 0..40 {
        let (island, mut streams) = deal("card counter", game);
        let (mut counter, mut n_hidden) = (CardCounter::NEW, 0);
        let watch = |state: &GameState, step: GameMove| {
            n_hidden += u32::from(is_hidden(state, step));
            let mut after = *state;
            after.apply(&island, step);
            counter.observe(VIEWER, state, step, &after);
            for seat in Seat::ALL {
                let (certain, hand) = (counter.certain(seat), after.hand(seat));
                assert!(hand.covers(certain), "{certain:?} of {hand:?}");
                assert!(certain == hand || (seat != VIEWER && n_hidden != 0));
                if seat != VIEWER {
                    n_counted += u32::from(certain.total());
                    n_held += u32::from(hand.total());
                }
            }
        };
        let mut players = [PlannerParams::VALUE.player(); 4];
        play_watched(&island, &mut players, &mut streams, TURN_CAP, watch);
    }
    // 92 % of the cards of others are known.
    assert!(9 * n_held < 10 * n_counted && n_counted < n_held, "{n_counted} of {n_held}");
}
