//! What a planner remembers within a turn.

use crate::resource::{Resource, ResourceCards};
use crate::rules::{DevelopmentCard, GameState, Seat, Trade, TradeOffer};

use super::plan::Plan;
use super::survey::n_pieces;

/// The memory of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    turn: u16,
    /// Offers made.
    pub(super) n_offers: u8,
    /// The last offer, and the hand before it.
    pending: Option<(TradeOffer, ResourceCards)>,
    /// A bit per seat and resource that the seat does not sell.
    refusals: u32,
    /// Cards that were traded away to other players.
    sold: ResourceCards,
    /// Cards that came for them.
    bought: ResourceCards,
    plan: Option<(Key, Option<Plan>)>,
}

/// What a plan depends on, within a turn: other hands aside, which a plan does not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    hand: ResourceCards,
    cards: [u8; DevelopmentCard::COUNT],
    n_cards: u8,
    n_pieces: u32,
}

impl Memory {
    pub(super) const NONE: Self = Self {
        turn: 0,
        n_offers: 0,
        pending: None,
        refusals: 0,
        sold: ResourceCards::NONE,
        bought: ResourceCards::NONE,
        plan: None,
    };

    /// Forgets the turn before, and notes what came of the last offer.
    pub(super) fn update(&mut self, state: &GameState, me: Seat) {
        if self.turn != state.turn() {
            *self = Self { turn: state.turn(), ..Self::NONE };
        }
        if let Some((offer, hand)) = self.pending
            && state.offered().is_none()
        {
            self.pending = None;
            let now = state.hand(me);
            if now == hand {
                self.note(offer);
            }
            self.sold = self.sold.plus(hand.minus(now));
            self.bought = self.bought.plus(now.minus(hand));
        }
    }

    pub(super) fn offered(&mut self, offer: TradeOffer, hand: ResourceCards) {
        self.n_offers += 1;
        self.pending = Some((offer, hand));
    }

    /// Whether `seat` refused to sell `resource` in this turn.
    pub(super) const fn refused(&self, seat: Seat, resource: Resource) -> bool {
        self.refusals >> bit(seat, resource) & 1 == 1
    }

    /// Whether the trade would take back what was traded away in this turn, or the other way round:
    /// plans change with the hand, and could change back.
    pub(super) fn would_undo(&self, trade: Trade) -> bool {
        trade.take.shares_resource(self.sold) || trade.give.shares_resource(self.bought)
    }

    /// The plan made before for this position, else that of `make`.
    pub(super) fn plan(
        &mut self,
        state: &GameState,
        me: Seat,
        make: impl FnOnce() -> Option<Plan>,
    ) -> Option<Plan> {
        let key = Key::of(state, me);
        if let Some((known, plan)) = self.plan
            && known == key
        {
            return plan;
        }
        let plan = make();
        self.plan = Some((key, plan));
        plan
    }

    fn note(&mut self, offer: TradeOffer) {
        for seat in Seat::ALL.into_iter().filter(|&seat| offer.to.contains(seat)) {
            for resource in Resource::ALL {
                if offer.trade.take.count(resource) != 0 {
                    self.refusals |= 1 << bit(seat, resource);
                }
            }
        }
    }
}

impl Key {
    fn of(state: &GameState, me: Seat) -> Self {
        Self {
            hand: state.hand(me),
            cards: state.cards(me).0,
            n_cards: state.deck().total(),
            n_pieces: n_pieces(state),
        }
    }
}

const fn bit(seat: Seat, resource: Resource) -> usize {
    seat.index() * Resource::COUNT + resource.index()
}
