//! A planner's memory within a turn.

use crate::players::planner::plans::board_cache::n_pieces;
use crate::players::planner::plans::build_goal::BuildPlan;
use crate::resource::{Resource, ResourceCards};
use crate::rules::{DevelopmentCard, GameState, Seat, Trade, TradeOffer};

/// What a planner remembers during a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TurnMemory {
    turn: u16,
    /// The number of offers made.
    pub(crate) n_offers: u8,
    /// The last offer, and the hand before it.
    pending: Option<(TradeOffer, ResourceCards)>,
    /// A bit for each seat and each resource that the seat does not sell.
    refusals: u32,
    /// Cards that were traded away to other players.
    sold: ResourceCards,
    /// Cards that were received for them.
    bought: ResourceCards,
    plan: Option<(PlanKey, Option<BuildPlan>)>,
}

/// The position that a plan depends on within a turn: not the hands of others, which a plan does
/// not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlanKey {
    hand: ResourceCards,
    cards: [u8; DevelopmentCard::COUNT],
    n_cards: u8,
    n_pieces: u32,
}

impl TurnMemory {
    pub(crate) const NONE: Self = Self {
        turn: 0,
        n_offers: 0,
        pending: None,
        refusals: 0,
        sold: ResourceCards::NONE,
        bought: ResourceCards::NONE,
        plan: None,
    };

    /// Forgets the previous turn, and notes the result of the last offer.
    pub(crate) fn update(&mut self, state: &GameState, me: Seat) {
        if self.turn != state.turn() {
            *self = Self { turn: state.turn(), ..Self::NONE };
        }
        if let Some((offer, hand)) = self.pending
            && state.offered().is_none()
        {
            self.pending = None;
            let now = state.hand(me);
            if now == hand {
                self.note_refusals(offer);
            }
            self.sold = self.sold.plus(hand.minus(now));
            self.bought = self.bought.plus(now.minus(hand));
        }
    }

    pub(crate) fn note_offer(&mut self, offer: TradeOffer, hand: ResourceCards) {
        self.n_offers += 1;
        self.pending = Some((offer, hand));
    }

    /// Returns true if `seat` refused to sell `resource` in this turn.
    pub(crate) const fn refused(&self, seat: Seat, resource: Resource) -> bool {
        self.refusals >> bit(seat, resource) & 1 == 1
    }

    /// Returns true if the trade would take back cards that were traded away in this turn, or give
    /// away cards that were received: plans change with the hand, and could change back.
    pub(crate) fn would_undo(&self, trade: Trade) -> bool {
        trade.take.shares_resource(self.sold) || trade.give.shares_resource(self.bought)
    }

    /// Returns the plan made earlier for this position, or else the one that `make` returns.
    pub(crate) fn plan_or_make(
        &mut self,
        state: &GameState,
        me: Seat,
        make: impl FnOnce() -> Option<BuildPlan>,
    ) -> Option<BuildPlan> {
        let key = PlanKey::of(state, me);
        if let Some((known, plan)) = self.plan
            && known == key
        {
            return plan;
        }
        let plan = make();
        self.plan = Some((key, plan));
        plan
    }

    fn note_refusals(&mut self, offer: TradeOffer) {
        for seat in Seat::ALL.into_iter().filter(|&seat| offer.to.contains(seat)) {
            for resource in Resource::ALL {
                if offer.trade.take.count(resource) != 0 {
                    self.refusals |= 1 << bit(seat, resource);
                }
            }
        }
    }
}

impl PlanKey {
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
