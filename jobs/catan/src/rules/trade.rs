//! Trade among players: an offer of the current player, the answers, and its choice.

use crate::resource::ResourceCards;

use super::OFFERS_PER_TURN;
use super::offer::{OfferAnswer, PendingOffer, Trade, TradeOffer};
use super::seat::Seat;
use super::state::{GamePhase, GameState};

impl GameState {
    /// Returns the trade that the current player offers, while its offer is open.
    #[must_use]
    pub fn offered(&self) -> Option<Trade> {
        matches!(self.phase, GamePhase::Answer | GamePhase::Choose)
            .then_some(self.pending_offer.trade)
    }

    /// Returns the answer of `seat` to the open offer.
    #[must_use]
    pub const fn answer(&self, seat: Seat) -> OfferAnswer {
        self.pending_offer.answers[seat.index()]
    }

    /// Returns true if the seat to act may make this offer.
    #[must_use]
    pub fn may_offer(&self, offer: TradeOffer) -> bool {
        self.phase == GamePhase::Main
            && self.offers < OFFERS_PER_TURN
            && offer.trade.is_allowed()
            && self.hand(self.current_seat).covers(offer.trade.give)
            && !offer.to.is_empty()
            && !offer.to.contains(self.current_seat)
            && offer.to.is_within(self.variant.n_players)
    }

    /// Returns true if the seat to act may answer with these terms, as it sees them.
    #[must_use]
    pub fn may_counter(&self, terms: Trade) -> bool {
        self.phase == GamePhase::Answer
            && terms.is_allowed()
            && terms.reversed() != self.pending_offer.trade
            && self.hand(self.actor).covers(terms.give)
    }

    /// Returns the terms on which the current player can now trade with `seat`, as the current
    /// player sees them. None if `seat` would not trade, or if the current player lacks the cards.
    #[must_use]
    pub fn terms_with(&self, seat: Seat) -> Option<Trade> {
        let terms = match self.answer(seat) {
            OfferAnswer::Accepted => self.pending_offer.trade,
            OfferAnswer::Countered(trade) => trade.reversed(),
            OfferAnswer::NotAsked | OfferAnswer::Asked | OfferAnswer::Declined => return None,
        };
        self.hand(self.current_seat).covers(terms.give).then_some(terms)
    }

    /// Returns the cards that the current player requests from a seat that accepts.
    pub(super) const fn asked_cards(&self) -> ResourceCards {
        self.pending_offer.trade.take
    }

    pub(super) fn make_offer(&mut self, offer: TradeOffer) {
        self.offers += 1;
        self.pending_offer.trade = offer.trade;
        for seat in self.current_seat.others() {
            if offer.to.contains(seat) {
                self.pending_offer.answers[seat.index()] = OfferAnswer::Asked;
            }
        }
        self.ask_next();
    }

    pub(super) fn give_answer(&mut self, answer: OfferAnswer) {
        self.pending_offer.answers[self.actor.index()] = answer;
        self.ask_next();
    }

    pub(super) fn trade_with(&mut self, seat: Seat) {
        if let Some(Trade { give, take }) = self.terms_with(seat) {
            let [mine, theirs] = [self.current_seat, seat].map(|seat| self.hand(seat));
            self.players[self.current_seat.index()].hand = mine.minus(give).plus(take);
            self.players[seat.index()].hand = theirs.minus(take).plus(give);
        }
        self.clear_offer();
    }

    pub(super) fn clear_offer(&mut self) {
        self.pending_offer = PendingOffer::EMPTY;
        self.actor = self.current_seat;
        self.phase = GamePhase::Main;
    }

    /// Asks the next seat. All seats answer before the current player chooses, so that the order of
    /// the seats favors no seat.
    fn ask_next(&mut self) {
        let asked = |seat: &Seat| self.answer(*seat) == OfferAnswer::Asked;
        if let Some(seat) = self.current_seat.others().into_iter().find(asked) {
            self.actor = seat;
            self.phase = GamePhase::Answer;
        } else if self.current_seat.others().into_iter().any(|seat| self.terms_with(seat).is_some())
        {
            self.actor = self.current_seat;
            self.phase = GamePhase::Choose;
        } else {
            self.clear_offer();
        }
    }
}
