//! The value that the seat to act can expect from each action.

use super::position_value::{self, PositionValue};
use crate::board::Hex;
use crate::resource::{Resource, ResourceCards};
use crate::rules::{
    Action, CARD_COST, ChanceOutcome, DevelopmentCard, DevelopmentCards, GameMove, GamePhase,
    GameState, Island, RESOURCE_SUPPLY, Seat,
};

/// A state as the seat to act sees it, to evaluate its actions.
pub(in crate::players) struct ActionEvaluator<'a> {
    island: &'a Island,
    state: &'a GameState,
    seat: Seat,
    hand: ResourceCards,
    cards: DevelopmentCards,
    position_value: PositionValue,
}

impl<'a> ActionEvaluator<'a> {
    pub(in crate::players) fn of(island: &'a Island, state: &'a GameState) -> Self {
        Self::of_seat(island, state, state.actor())
    }

    fn of_seat(island: &'a Island, state: &'a GameState, seat: Seat) -> Self {
        let (hand, cards) = (state.hand(seat), state.cards(seat));
        Self {
            island,
            state,
            seat,
            hand,
            cards,
            position_value: PositionValue::of(island, state, seat),
        }
    }

    /// Returns the value of the position as it is.
    fn value(&self) -> f64 {
        self.position_value.value(self.hand, self.cards)
    }

    /// Returns the expected value of the position after an action, over the outcomes of chance.
    pub(in crate::players) fn value_after(&self, action: Action) -> f64 {
        match action {
            Action::Discard(resource) => {
                self.value_with(self.hand.minus(ResourceCards::of(resource, 1)))
            }
            Action::Maritime { give, take } => {
                let paid = ResourceCards::of(give, self.position_value.rate(give));
                self.value_with(self.hand.minus(paid).plus(ResourceCards::of(take, 1)))
            }
            Action::BuyCard => self.value_of_purchase(),
            Action::YearOfPlenty(a, b) => {
                let cards = without(self.cards, DevelopmentCard::YearOfPlenty);
                let hand = self.hand.plus(ResourceCards::of(a, 1)).plus(ResourceCards::of(b, 1));
                self.position_value.value(hand, cards)
            }
            Action::Monopoly(resource) => {
                let cards = without(self.cards, DevelopmentCard::Monopoly);
                let taken = ResourceCards::of(resource, self.others_hands().count(resource));
                self.position_value.value(self.hand.plus(taken), cards)
            }
            Action::Robber(hex, victim) => self.value_of_robbery(hex, victim),
            Action::Settlement(_) | Action::City(_) | Action::Road(_) => {
                self.after(action, |evaluator| evaluator.value())
            }
            Action::Knight => self.after(action, |evaluator| evaluator.value_of_best_robbery()),
            Action::RoadBuilding => self.after(action, |evaluator| evaluator.value_of_free_roads()),
            Action::Accept | Action::TradeWith(_) | Action::Offer(_) | Action::Counter(_) => {
                f64::NEG_INFINITY
            }
            Action::Roll | Action::EndTurn | Action::Decline | Action::Withdraw => self.value(),
        }
    }

    fn value_with(&self, hand: ResourceCards) -> f64 {
        self.position_value.value(hand, self.cards)
    }

    /// Applies `judge` to the state after an action without chance.
    fn after(&self, action: Action, judge: impl Fn(&ActionEvaluator<'_>) -> f64) -> f64 {
        let mut state = *self.state;
        state.apply(self.island, GameMove { action, outcome: ChanceOutcome::Certain });
        if state.winner().is_some() {
            return f64::INFINITY;
        }
        // After a road of the setup, the next seat is to act.
        judge(&ActionEvaluator::of_seat(self.island, &state, self.seat))
    }
    /// Returns the mean value over the cards that the player has not seen: the cards in the deck
    /// and the cards that the opponents hold.
    fn value_of_purchase(&self) -> f64 {
        let hand = self.hand.minus(CARD_COST);
        let (mut sum, mut n) = (0.0, 0.0);
        for card in DevelopmentCard::ALL {
            let others = self.seat.others().map(|other| self.state.cards(other).count(card));
            let unseen = f64::from(self.state.deck().count(card) + others.iter().sum::<u8>());
            sum += unseen * self.position_value.value(hand, with(self.cards, card));
            n += unseen;
        }
        sum / n
    }

    fn value_of_robbery(&self, hex: Hex, victim: Option<Seat>) -> f64 {
        let moved = self.position_value.value_of_block(self.island, self.state, hex)
            - self.position_value.value_of_block(self.island, self.state, self.state.robber());
        let theft = match victim {
            Some(victim) if !self.state.hand(victim).is_empty() => {
                self.value_of_theft()
                    + position_value::THEFT * position_value::threat(self.state, victim)
            }
            _ => 0.0,
        };
        self.value() + moved + theft
    }

    /// Returns the mean gain of a card drawn from all opponents' hands together.
    fn value_of_theft(&self) -> f64 {
        let pool = self.others_hands();
        let value = |resource: Resource| {
            let hand = self.hand.plus(ResourceCards::of(resource, 1));
            f64::from(pool.count(resource)) * self.value_with(hand)
        };
        let sum: f64 = Resource::ALL.into_iter().map(value).sum();
        sum / f64::from(pool.total().max(1)) - self.value()
    }

    fn value_of_best_robbery(&self) -> f64 {
        let robberies = self.state.legal_actions().iter().map(|action| self.value_after(action));
        robberies.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the value after the best road and the best one that follows it.
    fn value_of_free_roads(&self) -> f64 {
        let roads = self.state.legal_actions().roads().map(Action::Road);
        let best = |best: (f64, Option<Action>), road| {
            let value = self.value_after(road);
            if best.0 < value { (value, Some(road)) } else { best }
        };
        match roads.fold((f64::NEG_INFINITY, None), best) {
            (value, Some(road)) if self.state.phase() == GamePhase::FreeRoads(2) => {
                let next = |evaluator: &ActionEvaluator<'_>| match evaluator.state.phase() {
                    GamePhase::FreeRoads(_) => evaluator.value_of_free_roads(),
                    _ => value,
                };
                self.after(road, next)
            }
            (value, _) => value,
        }
    }

    /// Returns the opponents' resource cards together, which follow from the bank.
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
