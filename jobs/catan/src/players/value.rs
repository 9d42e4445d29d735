//! The one-ply player.

mod outlook;
mod sight;

use super::Player;
use crate::rules::{Action, GameState, Island, LegalActions};
use crate::streams::Stream;
use sight::Sight;

/// Takes the action after which his position is worth most; one of those at random if several are.
///
/// The worth of a position is a sum of terms in points, whose weights are ours: points, production,
/// places to build at, roads, knights, cards, what he could buy with his hand, less what stands for
/// the opponents. Chance counts by its mean: over the development cards that he has not seen, and
/// over a stolen card drawn from all opponents' hands together, whose sum the bank tells. A knight
/// or road building is worth what its best use brings, roads chosen one after the other. He looks
/// at no hidden card, throws unless a card before the roll is worth playing, offers no trades and
/// declines all.
#[derive(Clone, Copy, Debug)]
pub struct Value;

impl Player for Value {
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut Stream,
    ) -> Action {
        let only = legal.get(0).expect("a seat that acts has an option");
        if legal.len() == 1 {
            return only;
        }
        let sight = Sight::of(island, state);
        let mut best = (f64::NEG_INFINITY, only);
        let mut n_best = 0;
        for action in legal.iter() {
            let worth = sight.worth_after(action);
            if best.0 < worth {
                best = (worth, action);
                n_best = 1;
            } else if worth.total_cmp(&best.0).is_eq() {
                n_best += 1;
                if stream.below(n_best) == 0 {
                    best.1 = action;
                }
            }
        }
        best.1
    }
}
