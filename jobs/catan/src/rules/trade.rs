//! Trade among players: an offer of the player on turn, the answers, his choice.

use crate::resource::Cards;

use super::OFFERS_PER_TURN;
use super::seat::{Seat, Seats};
use super::state::{Phase, State};

/// What a player would give and take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trade {
    /// The cards he gives.
    pub give: Cards,
    /// The cards he takes.
    pub take: Cards,
}

impl Trade {
    /// The same trade as the partner sees it.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { give: self.take, take: self.give }
    }

    /// Whether the rules allow it: no gifts, and no resource on both sides.
    #[must_use]
    pub fn is_allowed(self) -> bool {
        !self.give.is_empty() && !self.take.is_empty() && !self.give.shares_resource(self.take)
    }
}

/// A trade offered to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offer {
    /// What the player on turn would give and take.
    pub trade: Trade,
    /// Whom he asks; not himself.
    pub to: Seats,
}

/// How a seat stands to the offer on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// It is not asked, or there is no offer.
    NotAsked,
    /// It is asked and has not answered yet.
    Asked,
    /// It refuses.
    Declined,
    /// It agrees.
    Accepted,
    /// It would trade on these terms: what it gives and takes.
    Countered(Trade),
}

/// An offer and its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Table {
    trade: Trade,
    answers: [Answer; Seat::COUNT],
}

impl Table {
    pub(super) const EMPTY: Self = Self {
        trade: Trade { give: Cards::NONE, take: Cards::NONE },
        answers: [Answer::NotAsked; Seat::COUNT],
    };
}

impl State {
    /// What the player on turn offers, while his offer is on the table.
    #[must_use]
    pub fn offered(&self) -> Option<Trade> {
        matches!(self.phase, Phase::Answer | Phase::Choose).then_some(self.table.trade)
    }

    /// How `seat` answered the offer on the table.
    #[must_use]
    pub const fn answer(&self, seat: Seat) -> Answer {
        self.table.answers[seat.index()]
    }

    /// Whether the seat that acts may make this offer.
    #[must_use]
    pub fn may_offer(&self, offer: Offer) -> bool {
        self.phase == Phase::Main
            && self.offers < OFFERS_PER_TURN
            && offer.trade.is_allowed()
            && self.hand(self.on_turn).covers(offer.trade.give)
            && !offer.to.is_empty()
            && !offer.to.contains(self.on_turn)
    }

    /// Whether the seat that acts may answer with these terms, what it gives and takes.
    #[must_use]
    pub fn may_counter(&self, terms: Trade) -> bool {
        self.phase == Phase::Answer
            && terms.is_allowed()
            && terms.reversed() != self.table.trade
            && self.hand(self.actor).covers(terms.give)
    }

    /// The terms on which the player on turn can now trade with `seat`: what he gives and takes.
    /// None if `seat` would not trade, or if one of them lacks the cards.
    #[must_use]
    pub fn terms_with(&self, seat: Seat) -> Option<Trade> {
        let terms = match self.answer(seat) {
            Answer::Accepted => self.table.trade,
            Answer::Countered(trade) => trade.reversed(),
            Answer::NotAsked | Answer::Asked | Answer::Declined => return None,
        };
        self.hand(self.on_turn).covers(terms.give).then_some(terms)
    }

    /// What the player on turn wants from those who accept.
    pub(super) const fn asked_cards(&self) -> Cards {
        self.table.trade.take
    }

    pub(super) fn make_offer(&mut self, offer: Offer) {
        self.offers += 1;
        self.table.trade = offer.trade;
        for seat in self.on_turn.others() {
            if offer.to.contains(seat) {
                self.table.answers[seat.index()] = Answer::Asked;
            }
        }
        self.ask_next();
    }

    pub(super) fn give_answer(&mut self, answer: Answer) {
        self.table.answers[self.actor.index()] = answer;
        self.ask_next();
    }

    pub(super) fn trade_with(&mut self, seat: Seat) {
        if let Some(Trade { give, take }) = self.terms_with(seat) {
            let [mine, theirs] = [self.on_turn, seat].map(|seat| self.hand(seat));
            self.players[self.on_turn.index()].hand = mine.minus(give).plus(take);
            self.players[seat.index()].hand = theirs.minus(take).plus(give);
        }
        self.clear_table();
    }

    pub(super) fn clear_table(&mut self) {
        self.table = Table::EMPTY;
        self.actor = self.on_turn;
        self.phase = Phase::Main;
    }

    /// All are heard before the player on turn chooses, so that no seat is favored by its place.
    fn ask_next(&mut self) {
        let asked = |seat: &Seat| self.answer(*seat) == Answer::Asked;
        if let Some(seat) = self.on_turn.others().into_iter().find(asked) {
            self.actor = seat;
            self.phase = Phase::Answer;
        } else if self.on_turn.others().into_iter().any(|seat| self.terms_with(seat).is_some()) {
            self.actor = self.on_turn;
            self.phase = Phase::Choose;
        } else {
            self.clear_table();
        }
    }
}
