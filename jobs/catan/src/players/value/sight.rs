//! What the player who acts sees, and what he expects of each action.

use super::outlook::{self, Outlook};
use crate::board::Hex;
use crate::resource::{Resource, ResourceCards};
use crate::rules::{
    Action, CARD_COST, ChanceOutcome, DevelopmentCard, DevelopmentCards, GameMove, GameState,
    Island, Phase, RESOURCE_SUPPLY, Seat,
};

/// What the player who acts sees of a state.
pub(super) struct Sight<'a> {
    island: &'a Island,
    state: &'a GameState,
    seat: Seat,
    hand: ResourceCards,
    cards: DevelopmentCards,
    outlook: Outlook,
}

impl<'a> Sight<'a> {
    pub(super) fn of(island: &'a Island, state: &'a GameState) -> Self {
        Self::of_seat(island, state, state.actor())
    }

    fn of_seat(island: &'a Island, state: &'a GameState, seat: Seat) -> Self {
        let (hand, cards) = (state.hand(seat), state.cards(seat));
        Self { island, state, seat, hand, cards, outlook: Outlook::of(island, state, seat) }
    }

    /// The worth of the position as it is.
    fn worth(&self) -> f64 {
        self.outlook.worth(self.hand, self.cards)
    }

    /// The worth of the position after an action, over what chance may make of it.
    pub(super) fn worth_after(&self, action: Action) -> f64 {
        match action {
            Action::Discard(resource) => {
                self.worth_with(self.hand.minus(ResourceCards::of(resource, 1)))
            }
            Action::Maritime { give, take } => {
                let paid = ResourceCards::of(give, self.outlook.rate(give));
                self.worth_with(self.hand.minus(paid).plus(ResourceCards::of(take, 1)))
            }
            Action::BuyCard => self.worth_of_purchase(),
            Action::YearOfPlenty(a, b) => {
                let cards = without(self.cards, DevelopmentCard::YearOfPlenty);
                let hand = self.hand.plus(ResourceCards::of(a, 1)).plus(ResourceCards::of(b, 1));
                self.outlook.worth(hand, cards)
            }
            Action::Monopoly(resource) => {
                let cards = without(self.cards, DevelopmentCard::Monopoly);
                let taken = ResourceCards::of(resource, self.others_hands().count(resource));
                self.outlook.worth(self.hand.plus(taken), cards)
            }
            Action::Robber(hex, victim) => self.worth_of_robbery(hex, victim),
            Action::Settlement(_) | Action::City(_) | Action::Road(_) => {
                self.after(action, |sight| sight.worth())
            }
            Action::Knight => self.after(action, |sight| sight.worth_of_best_robbery()),
            Action::RoadBuilding => self.after(action, |sight| sight.worth_of_free_roads()),
            Action::Accept | Action::TradeWith(_) | Action::Offer(_) | Action::Counter(_) => {
                f64::NEG_INFINITY
            }
            Action::Roll | Action::EndTurn | Action::Decline | Action::Withdraw => self.worth(),
        }
    }

    fn worth_with(&self, hand: ResourceCards) -> f64 {
        self.outlook.worth(hand, self.cards)
    }

    /// What `judge` makes of the state after an action without chance.
    fn after(&self, action: Action, judge: impl Fn(&Sight<'_>) -> f64) -> f64 {
        let mut state = *self.state;
        state.apply(self.island, GameMove { action, outcome: ChanceOutcome::Certain });
        if state.winner().is_some() {
            return f64::INFINITY;
        }
        // After a road of the setup, the next seat acts.
        judge(&Sight::of_seat(self.island, &state, self.seat))
    }
    /// The mean over the cards that he has not seen: those of the deck and of the opponents.
    fn worth_of_purchase(&self) -> f64 {
        let hand = self.hand.minus(CARD_COST);
        let (mut sum, mut n) = (0.0, 0.0);
        for card in DevelopmentCard::ALL {
            let others = self.seat.others().map(|other| self.state.cards(other).count(card));
            let unseen = f64::from(self.state.deck().count(card) + others.iter().sum::<u8>());
            sum += unseen * self.outlook.worth(hand, with(self.cards, card));
            n += unseen;
        }
        sum / n
    }

    fn worth_of_robbery(&self, hex: Hex, victim: Option<Seat>) -> f64 {
        let moved = self.outlook.worth_of_block(self.island, self.state, hex)
            - self.outlook.worth_of_block(self.island, self.state, self.state.robber());
        let theft = match victim {
            Some(victim) if !self.state.hand(victim).is_empty() => {
                self.worth_of_theft() + outlook::THEFT * outlook::threat(self.state, victim)
            }
            _ => 0.0,
        };
        self.worth() + moved + theft
    }

    /// What a card drawn from all opponents' hands together adds on average.
    fn worth_of_theft(&self) -> f64 {
        let pool = self.others_hands();
        let worth = |resource: Resource| {
            let hand = self.hand.plus(ResourceCards::of(resource, 1));
            f64::from(pool.count(resource)) * self.worth_with(hand)
        };
        let sum: f64 = Resource::ALL.into_iter().map(worth).sum();
        sum / f64::from(pool.total().max(1)) - self.worth()
    }

    fn worth_of_best_robbery(&self) -> f64 {
        let robberies = self.state.legal_actions().iter().map(|action| self.worth_after(action));
        robberies.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The worth after the best road, and after the best one then.
    fn worth_of_free_roads(&self) -> f64 {
        let roads = self.state.legal_actions().roads().map(Action::Road);
        let best = |best: (f64, Option<Action>), road| {
            let worth = self.worth_after(road);
            if best.0 < worth { (worth, Some(road)) } else { best }
        };
        match roads.fold((f64::NEG_INFINITY, None), best) {
            (worth, Some(road)) if self.state.phase() == Phase::FreeRoads(2) => {
                let next = |sight: &Sight<'_>| match sight.state.phase() {
                    Phase::FreeRoads(_) => sight.worth_of_free_roads(),
                    _ => worth,
                };
                self.after(road, next)
            }
            (worth, _) => worth,
        }
    }

    /// The resource cards of the opponents together, as the bank tells them.
    fn others_hands(&self) -> ResourceCards {
        ResourceCards([RESOURCE_SUPPLY; Resource::COUNT]).minus(self.state.bank()).minus(self.hand)
    }
}

fn with(cards: DevelopmentCards, card: DevelopmentCard) -> DevelopmentCards {
    let mut cards = cards;
    cards.0[card.index()] += 1;
    cards
}

fn without(cards: DevelopmentCards, card: DevelopmentCard) -> DevelopmentCards {
    let mut cards = cards;
    cards.0[card.index()] -= 1;
    cards
}
