//! The one-ply player.

mod evaluator;
mod position_value;

use super::Player;
use crate::rules::{Action, GameState, Island, LegalActions};
use crate::streams::FastRng;

pub(super) use evaluator::ActionEvaluator;

/// A player that takes the action after which its position has the highest value, and one of
/// several such at random.
///
/// The value of a position is a sum of terms in points, with weights of our own: points,
/// production, places to build at, roads, knights, cards, what the hand could buy, less the
/// opponents' points and threats. Chance counts by its mean: over the development cards that the
/// player has not seen, and over a stolen card drawn from all opponents' hands together, whose sum
/// follows from the bank. A knight or road building counts as its best use, with roads chosen one
/// after the other. The player looks at no hidden card, rolls unless a card is worth playing before
/// the roll, offers no trades and declines all offers.
#[derive(Clone, Copy, Debug)]
pub struct ValuePlayer;

impl Player for ValuePlayer {
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut FastRng,
    ) -> Action {
        let only = legal.get(0).expect("a seat that acts has an option");
        if legal.len() == 1 {
            return only;
        }
        let evaluator = ActionEvaluator::of(island, state);
        let mut best = (f64::NEG_INFINITY, only);
        let mut n_best = 0;
        for action in legal.iter() {
            let value = evaluator.value_after(action);
            if best.0 < value {
                best = (value, action);
                n_best = 1;
            } else if value.total_cmp(&best.0).is_eq() {
                n_best += 1;
                if stream.below(n_best) == 0 {
                    best.1 = action;
                }
            }
        }
        best.1
    }
}
