//! The start and the end of turns.

use std::ops::ControlFlow;

use super::event::{GameEvent, GameWatcher, HpChange};
use super::game::Game;
use super::outcome::{EndCause, GameFlow, GameOutcome, Player};
use crate::rules::{CellSet, EffectKind, legal_cells};

/// The largest highest HP of a player, whatever blooms.
pub(super) const MAX_HP: u32 = 999_999;

impl Game<'_> {
    /// Begins turns until a player can place a piece, or the game is over.
    pub(super) fn begin_turns(&mut self, watcher: &mut impl GameWatcher) -> GameFlow {
        loop {
            self.begin_turn(watcher)?;
            let player = self.state.to_move;
            let (own, enemy) = (self.state.player(player), self.state.player(player.enemy()));
            // The hand has a piece: whoever has used up its deck has ended the game.
            self.state.legal = legal_cells(own.cells, enemy.cells);
            if !self.state.legal.is_empty() {
                return ControlFlow::Continue(());
            }
            watcher.event(GameEvent::Passed { player });
            self.end_turn(watcher)?;
            if self.state.has_passed {
                return self.end_by_hp(EndCause::NoMoves, watcher);
            }
            self.state.has_passed = true;
            self.state.to_move = player.enemy();
        }
    }

    /// Draws, suffers from curses, regenerates, and latches the HP.
    fn begin_turn(&mut self, watcher: &mut impl GameWatcher) -> GameFlow {
        let player = self.state.to_move;
        watcher.event(GameEvent::TurnBegan { player });
        self.state.player_mut(player).turn += 1;
        self.draw(player, watcher);
        let states = self.state.player(player).states;
        for curse in states.iter().filter(|state| state.kind == EffectKind::Curse) {
            self.lose(player, curse.magnitude, HpChange::Effect(EffectKind::Curse), watcher)?;
        }
        let own = self.state.player(player).running;
        for cell in own {
            for running in self.state.at(cell).running.into_iter().flatten() {
                if running.kind == EffectKind::Regen {
                    self.heal(player, running.magnitude, EffectKind::Regen, watcher);
                }
            }
        }
        let own = self.state.player_mut(player);
        own.latched_hp = own.hp;
        ControlFlow::Continue(())
    }

    fn draw(&mut self, player: Player, watcher: &mut impl GameWatcher) {
        let own = self.state.player_mut(player);
        let Some(slot) = own.hand.iter().position(Option::is_none) else { return };
        let Some(&piece) = own.order.get(usize::from(own.drawn)) else { return };
        own.hand[slot] = Some(piece);
        own.drawn += 1;
        let slot = u8::try_from(slot).expect("4 slots");
        watcher.event(GameEvent::Drew { player, slot, piece });
    }

    /// Suffers from poison, and counts the turn of what runs for the player.
    pub(super) fn end_turn(&mut self, watcher: &mut impl GameWatcher) -> GameFlow {
        let player = self.state.to_move;
        for cell in self.state.player(player.enemy()).running {
            for running in self.state.at(cell).running.into_iter().flatten() {
                if running.kind == EffectKind::Poison {
                    let cause = HpChange::Effect(EffectKind::Poison);
                    self.lose(player, running.magnitude, cause, watcher)?;
                }
            }
        }
        for cell in self.state.player(player).running {
            let mut runs = false;
            for place in &mut self.state.board[cell.index()].running {
                if place.as_mut().is_some_and(|running| !running.outlives_turn()) {
                    *place = None;
                }
                runs |= place.is_some();
            }
            if !runs {
                let own = self.state.player_mut(player);
                own.running = own.running.without(cell.set());
            }
        }
        self.state.player_mut(player).states.retain(|state| state.outlives_turn());
        ControlFlow::Continue(())
    }

    pub(super) fn lose(
        &mut self,
        player: Player,
        amount: u32,
        cause: HpChange,
        watcher: &mut impl GameWatcher,
    ) -> GameFlow {
        let own = self.state.player_mut(player);
        own.hp = own.hp.saturating_sub(amount);
        let is_over = own.hp == 0;
        watcher.event(GameEvent::Lost { player, amount, cause });
        if is_over {
            return self.end(Some(player.enemy()), EndCause::HpZero, watcher);
        }
        ControlFlow::Continue(())
    }

    pub(super) fn heal(
        &mut self,
        player: Player,
        amount: u32,
        kind: EffectKind,
        watcher: &mut impl GameWatcher,
    ) {
        let own = self.state.player_mut(player);
        let amount = amount.min(own.highest_hp - own.hp);
        own.hp += amount;
        watcher.event(GameEvent::Healed { player, amount, kind });
    }

    /// Ends the game in favor of the higher HP.
    pub(super) fn end_by_hp(
        &mut self,
        cause: EndCause,
        watcher: &mut impl GameWatcher,
    ) -> GameFlow {
        let [a, b] = Player::ALL.map(|player| self.state.player(player).hp);
        let winner = match a.cmp(&b) {
            std::cmp::Ordering::Greater => Some(Player::A),
            std::cmp::Ordering::Less => Some(Player::B),
            std::cmp::Ordering::Equal => None,
        };
        self.end(winner, cause, watcher)
    }

    pub(super) fn end(
        &mut self,
        winner: Option<Player>,
        cause: EndCause,
        watcher: &mut impl GameWatcher,
    ) -> GameFlow {
        let outcome = GameOutcome { winner, cause };
        self.state.outcome = Some(outcome);
        self.state.legal = CellSet::EMPTY;
        watcher.event(GameEvent::Ended { outcome });
        ControlFlow::Break(())
    }
}
