//! A random player that also trades with the others.

use hatchery_catan::players::{Player, RandomPlayer};
use hatchery_catan::rules::{Action, GameState, Island, LegalActions, SeatSet, Trade, TradeOffer};
use hatchery_catan::streams::FastRng;
use hatchery_catan::{Resource, ResourceCards};

/// Makes random offers and counter-offers, with one or two cards on either side, and otherwise
/// plays at random.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Haggler;

impl Player for Haggler {
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut FastRng,
    ) -> Action {
        if stream.below(4) == 0 {
            let mut cards = || {
                let resource = Resource::ALL[stream.below(5) as usize];
                ResourceCards::of(resource, if stream.below(3) == 0 { 2 } else { 1 })
            };
            let trade = Trade { give: cards(), take: cards() };
            let mut to = SeatSet::NONE;
            for seat in state.current_seat().others() {
                if stream.below(3) != 0 {
                    to = to.with(seat);
                }
            }
            for action in [Action::Offer(TradeOffer { trade, to }), Action::Counter(trade)] {
                if state.allows(action) {
                    return action;
                }
            }
        }
        RandomPlayer.act(island, state, legal, stream)
    }
}
