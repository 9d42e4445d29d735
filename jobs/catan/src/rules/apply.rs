//! What an action does.

use crate::board::{Edge, Node};
use crate::resource::{Cards, Resource};

use super::action::{Action, Move, Outcome};
use super::development::{Deck, Development};
use super::island::Island;
use super::seat::Seat;
use super::state::{Phase, State};
use super::trade::Answer;
use super::{CARD_COST, CITY_COST, ROAD_COST, SETTLEMENT_COST};

/// A move that the rules do not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The seat that acts may not do this now.
    #[error("{actor:?} seat may not do {action:?} in phase {phase:?}")]
    Action {
        /// Who acts.
        actor: Seat,
        /// What the game waits for.
        phase: Phase,
        /// What was tried.
        action: Action,
    },
    /// The action cannot come out like this.
    #[error("{outcome:?} cannot come of {action:?}")]
    Outcome {
        /// What was tried.
        action: Action,
        /// The outcome that was given.
        outcome: Outcome,
    },
}

impl State {
    /// Does a move after checking it: for logs and other moves from outside.
    ///
    /// # Errors
    /// If the seat that acts may not do the action, or if it cannot have the outcome; the state is
    /// then as before.
    pub fn try_apply(&mut self, island: &Island, step: Move) -> Result<(), Illegal> {
        let Move { action, outcome } = step;
        if !self.allows(action) {
            return Err(Illegal::Action { actor: self.actor, phase: self.phase, action });
        }
        if !self.outcomes(action).contains(outcome) {
            return Err(Illegal::Outcome { action, outcome });
        }
        self.apply(island, step);
        Ok(())
    }

    /// Does a legal move: an action that [`State::allows`] and one of its [`State::outcomes`].
    /// Another move leaves a state without meaning.
    ///
    /// # Panics
    /// In builds with debug assertions, if the move is not legal.
    pub fn apply(&mut self, island: &Island, step: Move) {
        let Move { action, outcome } = step;
        debug_assert!(self.allows(action), "{action:?} in {:?}", self.phase);
        debug_assert!(self.outcomes(action).contains(outcome), "{outcome:?} of {action:?}");
        match action {
            Action::Roll => {
                if let Outcome::Dice(dice) = outcome {
                    self.roll(island, dice);
                }
            }
            Action::EndTurn => self.begin_turn(self.on_turn.next()),
            Action::Settlement(node) => self.settle(island, node),
            Action::Road(edge) => self.build_road(edge),
            Action::City(node) => {
                self.pay(self.on_turn, CITY_COST);
                self.raise(self.on_turn, node);
                self.check_victory();
            }
            Action::BuyCard => {
                if let Outcome::Card(card) = outcome {
                    self.pay(self.on_turn, CARD_COST);
                    self.draw(self.on_turn, card);
                    self.check_victory();
                }
            }
            Action::Knight => self.play_knight(),
            Action::RoadBuilding => {
                self.spend(Development::RoadBuilding);
                self.phase = Phase::FreeRoads(2);
            }
            Action::YearOfPlenty(a, b) => {
                self.spend(Development::YearOfPlenty);
                self.receive(self.on_turn, Cards::of(a, 1).plus(Cards::of(b, 1)));
            }
            Action::Monopoly(resource) => self.play_monopoly(resource),
            Action::Discard(resource) => self.discard(resource),
            Action::Robber(hex, victim) => self.move_robber(hex, victim, outcome),
            Action::Maritime { give, take } => {
                self.pay(self.on_turn, Cards::of(give, self.rate(self.on_turn, give)));
                self.receive(self.on_turn, Cards::of(take, 1));
            }
            Action::Offer(offer) => self.make_offer(offer),
            Action::Accept => self.give_answer(Answer::Accepted),
            Action::Decline => self.give_answer(Answer::Declined),
            Action::Counter(terms) => self.give_answer(Answer::Countered(terms)),
            Action::TradeWith(seat) => self.trade_with(seat),
            Action::Withdraw => self.clear_table(),
        }
    }

    fn begin_turn(&mut self, seat: Seat) {
        self.turn = self.turn.saturating_add(1);
        self.on_turn = seat;
        self.actor = seat;
        self.phase = Phase::Start;
        self.has_rolled = false;
        self.has_played_card = false;
        self.bought = Deck::NONE;
        self.offers = 0;
        self.check_victory();
    }

    fn settle(&mut self, island: &Island, node: Node) {
        self.found(island, self.on_turn, node);
        if self.phase == Phase::SetupSettlement {
            if self.settlements(self.on_turn).len() == 2 {
                self.harvest(island, self.on_turn, node);
            }
            self.phase = Phase::SetupRoad(node);
        } else {
            self.pay(self.on_turn, SETTLEMENT_COST);
            self.check_victory();
        }
    }

    fn build_road(&mut self, edge: Edge) {
        self.lay_road(self.on_turn, edge);
        match self.phase {
            Phase::SetupRoad(_) => return self.pass_setup(),
            Phase::FreeRoads(left) => {
                let player = self.player(self.on_turn);
                let is_last = left == 1
                    || player.roads_left == 0
                    || self.road_places(self.on_turn).is_empty();
                if is_last {
                    self.resume();
                } else {
                    self.phase = Phase::FreeRoads(left - 1);
                }
            }
            _ => self.pay(self.on_turn, ROAD_COST),
        }
        self.check_victory();
    }

    /// The snake: seats in order, then back.
    fn pass_setup(&mut self) {
        let placed = self.players.iter().map(|player| player.settlements.len() as usize).sum();
        self.phase = Phase::SetupSettlement;
        match placed {
            0..4 => self.on_turn = Seat::ALL[placed],
            4..8 => self.on_turn = Seat::ALL[7 - placed],
            _ => return self.begin_turn(Seat::First),
        }
        self.actor = self.on_turn;
    }

    fn spend(&mut self, card: Development) {
        self.has_played_card = true;
        self.player_mut(self.on_turn).cards.remove(card);
    }

    fn play_knight(&mut self) {
        self.spend(Development::Knight);
        self.player_mut(self.on_turn).knights += 1;
        self.award_largest_army(self.on_turn);
        self.phase = Phase::Robber;
        self.check_victory();
    }

    fn play_monopoly(&mut self, resource: Resource) {
        self.spend(Development::Monopoly);
        for seat in self.on_turn.others() {
            let cards = Cards::of(resource, self.hand(seat).count(resource));
            self.player_mut(seat).hand = self.hand(seat).minus(cards);
            let hand = self.hand(self.on_turn);
            self.player_mut(self.on_turn).hand = hand.plus(cards);
        }
    }
}
