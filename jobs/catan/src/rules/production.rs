//! Production by a roll, discards, and the robber.

use crate::board::{Hex, Node};
use crate::resource::{Resource, ResourceCards};

use super::HAND_LIMIT;
use super::action::ChanceOutcome;
use super::island::Island;
use super::seat::Seat;
use super::state::{GamePhase, GameState};

/// The sum of the dice that moves the robber.
const ROBBER_ROLL: u8 = 7;

impl GameState {
    pub(super) fn roll(&mut self, island: &Island, dice: u8) {
        self.has_rolled = true;
        if dice == ROBBER_ROLL {
            self.demand_discards();
        } else {
            self.produce(island, dice);
            self.phase = GamePhase::Main;
        }
    }

    /// Pays the production of the hexes with this number. If the bank cannot pay all cards of a
    /// resource, nobody gets any, unless only one player is owed some.
    pub(super) fn produce(&mut self, island: &Island, dice: u8) {
        for resource in island.resources(dice) {
            let owed = self.owed(island, dice, resource);
            let (demand, stock) = (owed.iter().sum::<u8>(), self.bank.count(resource));
            let is_short = stock < demand;
            if is_short && owed.iter().filter(|cards| **cards != 0).count() != 1 {
                continue;
            }
            for (seat, cards) in Seat::ALL.into_iter().zip(owed) {
                if cards != 0 {
                    self.receive(seat, ResourceCards::of(resource, cards.min(stock)));
                }
            }
        }
    }

    /// Returns the cards of `resource` that the hexes with this number owe each seat.
    fn owed(&self, island: &Island, dice: u8, resource: Resource) -> [u8; Seat::COUNT] {
        let mut owed = [0; Seat::COUNT];
        for field in island.producing_hexes(dice) {
            if field.resource != resource || field.hex == self.robber {
                continue;
            }
            for (owed, player) in owed.iter_mut().zip(&self.players) {
                let n_settlements = player.settlements.and(field.nodes).len();
                let n_cities = player.cities.and(field.nodes).len();
                *owed += u8::try_from(n_settlements + 2 * n_cities).unwrap_or(u8::MAX);
            }
        }
        owed
    }

    /// Pays the starting cards of the second settlement.
    pub(super) fn grant_starting_cards(&mut self, island: &Island, seat: Seat, node: Node) {
        self.receive(seat, island.starting_cards(node));
    }

    pub(super) fn discard(&mut self, resource: Resource) {
        self.pay(self.actor, ResourceCards::of(resource, 1));
        self.player_mut(self.actor).to_discard -= 1;
        self.ask_for_discard();
    }

    pub(super) fn move_robber(&mut self, hex: Hex, victim: Option<Seat>, outcome: ChanceOutcome) {
        self.robber = hex;
        if let (Some(victim), ChanceOutcome::Stolen(resource)) = (victim, outcome) {
            let card = ResourceCards::of(resource, 1);
            let [thief, victim] = [self.current_seat, victim];
            self.player_mut(victim).hand = self.hand(victim).minus(card);
            self.player_mut(thief).hand = self.hand(thief).plus(card);
        }
        self.resume();
    }

    /// Returns to the phase before the current player played a card.
    pub(super) fn resume(&mut self) {
        self.phase = if self.has_rolled { GamePhase::Main } else { GamePhase::Start };
    }

    fn demand_discards(&mut self) {
        for player in &mut self.players {
            let total = player.hand.total();
            player.to_discard = if HAND_LIMIT < total { total / 2 } else { 0 };
        }
        self.ask_for_discard();
    }

    /// Asks the next seat that owes discards; once none is left, the robber moves.
    fn ask_for_discard(&mut self) {
        let [a, b, c] = self.current_seat.others();
        let owing = |seat: &Seat| self.player(*seat).to_discard != 0;
        if let Some(seat) = [self.current_seat, a, b, c].into_iter().find(owing) {
            self.actor = seat;
            self.phase = GamePhase::Discard;
        } else {
            self.actor = self.current_seat;
            self.phase = GamePhase::Robber;
        }
    }
}
