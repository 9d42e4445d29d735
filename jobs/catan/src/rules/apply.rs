//! The effects of actions.

use crate::board::{Edge, Node};
use crate::resource::{Resource, ResourceCards};

use super::action::{Action, ChanceOutcome, GameMove};
use super::development::{DevelopmentCard, DevelopmentCards};
use super::island::Island;
use super::offer::OfferAnswer;
use super::seat::Seat;
use super::state::{GamePhase, GameState};
use super::{CARD_COST, CITY_COST, ROAD_COST, SETTLEMENT_COST};

/// A move that the rules do not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The seat to act may not do this now.
    #[error("{actor:?} seat may not do {action:?} in phase {phase:?}")]
    Action {
        /// The seat to act.
        actor: Seat,
        /// The phase of the game.
        phase: GamePhase,
        /// The action that was tried.
        action: Action,
    },
    /// The action cannot have this outcome.
    #[error("{outcome:?} cannot come of {action:?}")]
    Outcome {
        /// The action that was tried.
        action: Action,
        /// The outcome that was given.
        outcome: ChanceOutcome,
    },
}

impl GameState {
    /// Checks and applies a move: for logs and other moves from outside.
    ///
    /// # Errors
    /// If the seat to act may not do the action, or if the action cannot have the outcome. The
    /// state is then unchanged.
    pub fn try_apply(&mut self, island: &Island, step: GameMove) -> Result<(), IllegalMove> {
        let GameMove { action, outcome } = step;
        if !self.allows(action) {
            return Err(IllegalMove::Action { actor: self.actor, phase: self.phase, action });
        }
        if !self.outcomes(action).contains(outcome) {
            return Err(IllegalMove::Outcome { action, outcome });
        }
        self.apply(island, step);
        Ok(())
    }

    /// Applies a legal move: an action that [`GameState::allows`] with one of its
    /// [`GameState::outcomes`]. Any other move leaves a state without meaning.
    ///
    /// # Panics
    /// In builds with debug assertions, if the move is not legal.
    pub fn apply(&mut self, island: &Island, step: GameMove) {
        let GameMove { action, outcome } = step;
        debug_assert!(self.allows(action), "{action:?} in {:?}", self.phase);
        debug_assert!(self.outcomes(action).contains(outcome), "{outcome:?} of {action:?}");
        match action {
            Action::Roll => {
                if let ChanceOutcome::Dice(dice) = outcome {
                    self.roll(island, dice);
                }
            }
            Action::EndTurn => self.begin_turn(self.next_seat()),
            Action::Settlement(node) => self.settle(island, node),
            Action::Road(edge) => self.build_road(edge),
            Action::City(node) => {
                self.pay(self.current_seat, CITY_COST);
                self.upgrade_to_city(self.current_seat, node);
                self.check_victory();
            }
            Action::BuyCard => {
                if let ChanceOutcome::Card(card) = outcome {
                    self.pay(self.current_seat, CARD_COST);
                    self.draw(self.current_seat, card);
                    self.check_victory();
                }
            }
            Action::Knight => self.play_knight(),
            Action::RoadBuilding => {
                self.spend(DevelopmentCard::RoadBuilding);
                self.phase = GamePhase::FreeRoads(2);
            }
            Action::YearOfPlenty(a, b) => {
                self.spend(DevelopmentCard::YearOfPlenty);
                self.receive(
                    self.current_seat,
                    ResourceCards::of(a, 1).plus(ResourceCards::of(b, 1)),
                );
            }
            Action::Monopoly(resource) => self.play_monopoly(resource),
            Action::Discard(resource) => self.discard(resource),
            Action::Robber(hex, victim) => self.move_robber(hex, victim, outcome),
            Action::Maritime { give, take } => {
                self.pay(
                    self.current_seat,
                    ResourceCards::of(give, self.rate(self.current_seat, give)),
                );
                self.receive(self.current_seat, ResourceCards::of(take, 1));
            }
            Action::Offer(offer) => self.make_offer(offer),
            Action::Accept => self.give_answer(OfferAnswer::Accepted),
            Action::Decline => self.give_answer(OfferAnswer::Declined),
            Action::Counter(terms) => self.give_answer(OfferAnswer::Countered(terms)),
            Action::TradeWith(seat) => self.trade_with(seat),
            Action::Withdraw => self.clear_offer(),
        }
    }

    fn begin_turn(&mut self, seat: Seat) {
        self.turn = self.turn.saturating_add(1);
        self.current_seat = seat;
        self.actor = seat;
        self.phase = GamePhase::Start;
        self.has_rolled = false;
        self.has_played_card = false;
        self.bought = DevelopmentCards::NONE;
        self.offers = 0;
        self.check_victory();
    }

    fn settle(&mut self, island: &Island, node: Node) {
        self.place_settlement(island, self.current_seat, node);
        if self.phase == GamePhase::SetupSettlement {
            if self.settlements(self.current_seat).len() == 2 {
                self.grant_starting_cards(island, self.current_seat, node);
            }
            self.phase = GamePhase::SetupRoad(node);
        } else {
            self.pay(self.current_seat, SETTLEMENT_COST);
            self.check_victory();
        }
    }

    fn build_road(&mut self, edge: Edge) {
        self.place_road(self.current_seat, edge);
        match self.phase {
            GamePhase::SetupRoad(_) => return self.advance_setup(),
            GamePhase::FreeRoads(left) => {
                let player = self.player(self.current_seat);
                let is_last = left == 1
                    || player.roads_left == 0
                    || self.road_places(self.current_seat).is_empty();
                if is_last {
                    self.resume();
                } else {
                    self.phase = GamePhase::FreeRoads(left - 1);
                }
            }
            _ => self.pay(self.current_seat, ROAD_COST),
        }
        self.check_victory();
    }

    /// Returns the seat whose turn comes next.
    fn next_seat(&self) -> Seat {
        *self.seats().get(self.current_seat.index() + 1).unwrap_or(&Seat::First)
    }

    /// Passes the setup on in snake order: from the first seat to the last, then back.
    fn advance_setup(&mut self) {
        let placed: usize =
            self.players.iter().map(|player| player.settlements.len() as usize).sum();
        let seats = self.seats();
        let mut snake = seats.iter().chain(seats.iter().rev());
        let Some(seat) = snake.nth(placed) else { return self.begin_turn(Seat::First) };
        self.phase = GamePhase::SetupSettlement;
        self.current_seat = *seat;
        self.actor = *seat;
    }

    fn spend(&mut self, card: DevelopmentCard) {
        self.has_played_card = true;
        self.player_mut(self.current_seat).cards.remove(card);
    }

    fn play_knight(&mut self) {
        self.spend(DevelopmentCard::Knight);
        self.player_mut(self.current_seat).knights += 1;
        self.award_largest_army(self.current_seat);
        self.phase = GamePhase::Robber;
        self.check_victory();
    }

    fn play_monopoly(&mut self, resource: Resource) {
        self.spend(DevelopmentCard::Monopoly);
        for seat in self.current_seat.others() {
            let cards = ResourceCards::of(resource, self.hand(seat).count(resource));
            self.player_mut(seat).hand = self.hand(seat).minus(cards);
            let hand = self.hand(self.current_seat);
            self.player_mut(self.current_seat).hand = hand.plus(cards);
        }
    }
}
