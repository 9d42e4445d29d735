//! The steps that resolve a placement.

use std::ops::ControlFlow;

use super::event::{GameEvent, GameWatcher, HpChange};
use super::game::Game;
use super::outcome::{EndCause, GameFlow, Player};
use super::placement::{FiredEffect, Placement};
use super::running::RunningEffect;
use super::turn::MAX_HP;
use crate::rules::{Attribute, EffectKind, EffectScope};

/// 100 %.
const WHOLE: u64 = 10_000;

/// The largest damage by one attack, and the largest attack on the way to it.
const MAX_DAMAGE: u64 = 99_999;

/// The factor of an attack for each piece flipped beyond the first: 1.2.
const FLIP_FACTOR: u64 = 12_000;

impl Game<'_> {
    /// Resolves what fired, to the end of the turn. The README has the order of the steps.
    pub(super) fn resolve(
        &mut self,
        placement: &Placement<'_>,
        watcher: &mut impl GameWatcher,
    ) -> GameFlow {
        let player = placement.player;
        self.dispel(placement, watcher);
        let damage = self.attack(placement, watcher);
        self.lose(player.enemy(), damage, HpChange::Attack, watcher)?;
        self.strike_back(placement, damage, watcher)?;
        for fired in &placement.fired {
            self.deal_special_damage(player, fired, watcher)?;
        }
        for fired in &placement.fired {
            self.restore(player, fired, watcher);
        }
        for fired in &placement.fired {
            self.start_running(player, fired);
        }
        if self.state.player(player.enemy()).cells.is_empty() {
            return self.end(Some(player), EndCause::OneColor, watcher);
        }
        self.end_turn(watcher)?;
        if self.state.player(player).is_used_up() {
            return self.end_by_hp(EndCause::DeckUsedUp, watcher);
        }
        ControlFlow::Continue(())
    }

    fn dispel(&mut self, placement: &Placement<'_>, watcher: &mut impl GameWatcher) {
        let enemy = placement.player.enemy();
        for fired in placement.fired.iter().filter(|it| it.effect.kind == EffectKind::Dispel) {
            let targets = self.state.player(enemy).running.iter();
            for cell in targets.take(fired.magnitude as usize) {
                for running in self.state.board[cell.index()].running.iter_mut() {
                    if let Some(RunningEffect { kind, .. }) = running.take() {
                        watcher.event(GameEvent::Dispelled { player: enemy, cell, kind });
                    }
                }
                let state = self.state.player_mut(enemy);
                state.running = state.running.without(cell.set());
            }
        }
    }

    /// Returns the damage of the attack.
    fn attack(&self, placement: &Placement<'_>, watcher: &mut impl GameWatcher) -> u32 {
        let Placement { player, piece, flips, .. } = *placement;
        let enemy = player.enemy();
        let mut attack = u64::from(piece.attack);
        for _ in 1..flips {
            attack = (attack * FLIP_FACTOR / WHOLE).min(MAX_DAMAGE);
        }
        let mut pierces = false;
        for fired in &placement.fired {
            pierces |= fired.effect.kind == EffectKind::Pierce;
            if matches!(fired.effect.kind, EffectKind::Strike | EffectKind::Pierce) {
                attack = raised(attack, fired.magnitude);
            }
        }
        let mut apply = |attack: u64, holder: Player, running: &RunningEffect| {
            let RunningEffect { kind, magnitude, .. } = *running;
            watcher.event(GameEvent::Applied { player: holder, kind, magnitude });
            match running.kind {
                EffectKind::Banner | EffectKind::Charge => raised(attack, running.magnitude),
                _ => lowered(attack, running.magnitude),
            }
        };
        for (_, running) in self.state.running(player) {
            if bears_on(running, EffectKind::Banner, piece.attribute) {
                attack = apply(attack, player, running);
            }
        }
        for kind in [EffectKind::Charge, EffectKind::Weaken] {
            for state in self.state.player(player).states.iter() {
                if bears_on(state, kind, piece.attribute) {
                    attack = apply(attack, player, state);
                }
            }
        }
        let guards = self.state.running(enemy).map(|(_, running)| running);
        for running in guards.filter(|_| !pierces) {
            if bears_on(running, EffectKind::Guard, piece.attribute) {
                attack = apply(attack, enemy, running);
            }
        }
        u32::try_from(attack).expect("at most MAX_DAMAGE")
    }

    /// Lets the enemy's traps, thorns and counters act on the player.
    fn strike_back(
        &mut self,
        placement: &Placement<'_>,
        damage: u32,
        watcher: &mut impl GameWatcher,
    ) -> GameFlow {
        let Placement { player, piece, .. } = *placement;
        for sprung in &placement.sprung {
            let returned = match sprung.kind {
                EffectKind::Trap => share(damage, sprung.magnitude),
                _ => sprung.magnitude,
            };
            self.lose_special(player, returned, sprung.kind, watcher)?;
        }
        for cell in self.state.player(player.enemy()).running {
            for running in self.state.at(cell).running.into_iter().flatten() {
                if bears_on(&running, EffectKind::Counter, piece.attribute) {
                    let returned = share(damage, running.magnitude);
                    self.lose_special(player, returned, EffectKind::Counter, watcher)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn deal_special_damage(
        &mut self,
        player: Player,
        fired: &FiredEffect,
        watcher: &mut impl GameWatcher,
    ) -> GameFlow {
        let enemy = player.enemy();
        let magnitude = fired.magnitude;
        let kind = fired.effect.kind;
        let own = self.state.player(player);
        let damage = match kind {
            EffectKind::Bolt | EffectKind::Drain => magnitude,
            EffectKind::Ruin => share(self.state.player(enemy).hp, magnitude),
            EffectKind::Vengeance => share(own.highest_hp - own.hp, magnitude),
            _ => return ControlFlow::Continue(()),
        };
        let dealt = self.lose_special(enemy, damage, kind, watcher)?;
        if kind == EffectKind::Drain {
            self.heal(player, dealt, kind, watcher);
        }
        ControlFlow::Continue(())
    }

    /// Takes special damage from a player, less its wards; returns how much that is.
    fn lose_special(
        &mut self,
        player: Player,
        damage: u32,
        kind: EffectKind,
        watcher: &mut impl GameWatcher,
    ) -> ControlFlow<(), u32> {
        let mut damage = u64::from(damage);
        for (_, running) in self.state.running(player) {
            if running.kind == EffectKind::Ward {
                damage = lowered(damage, running.magnitude);
                let RunningEffect { kind, magnitude, .. } = *running;
                watcher.event(GameEvent::Applied { player, kind, magnitude });
            }
        }
        let damage = u32::try_from(damage).expect("no more than before");
        self.lose(player, damage, HpChange::Effect(kind), watcher)?;
        ControlFlow::Continue(damage)
    }

    fn restore(&mut self, player: Player, fired: &FiredEffect, watcher: &mut impl GameWatcher) {
        let magnitude = fired.magnitude;
        let kind = fired.effect.kind;
        let own = self.state.player_mut(player);
        let amount = match kind {
            EffectKind::Heal => magnitude,
            EffectKind::Mend => share(own.highest_hp - own.hp, magnitude),
            EffectKind::Bloom => {
                own.highest_hp = (own.highest_hp + magnitude).min(MAX_HP);
                magnitude
            }
            EffectKind::Cleanse => {
                let is_bad = |kind: EffectKind| kind.scope() == EffectScope::EnemyState;
                own.states.retain(|state| !is_bad(state.kind));
                return;
            }
            _ => return,
        };
        self.heal(player, amount, kind, watcher);
    }

    fn start_running(&mut self, player: Player, fired: &FiredEffect) {
        let FiredEffect { effect, magnitude, source } = *fired;
        let (kind, target, turns) = (effect.kind, effect.target, effect.turns);
        // The turn in which an effect fires is not counted for the player whose turn it is.
        let own_turns = if turns == 0 { 0 } else { turns + 1 };
        match kind.scope() {
            EffectScope::Placement => {}
            EffectScope::Piece => {
                let running = RunningEffect { kind, magnitude, target, turns: own_turns };
                self.state.board[source.cell.index()].running[usize::from(source.is_combo)] =
                    Some(running);
                let own = self.state.player_mut(player);
                own.running = own.running.or(source.cell.set());
            }
            EffectScope::OwnState => {
                let state = RunningEffect { kind, magnitude, target, turns: own_turns };
                self.state.player_mut(player).states.push(state);
            }
            EffectScope::EnemyState => {
                let state = RunningEffect { kind, magnitude, target, turns };
                self.state.player_mut(player.enemy()).states.push(state);
            }
        }
    }
}

fn bears_on(running: &RunningEffect, kind: EffectKind, attribute: Attribute) -> bool {
    running.kind == kind && running.target.includes(attribute)
}

/// Returns `attack` raised by a share, in basis points.
fn raised(attack: u64, magnitude: u32) -> u64 {
    (attack * (WHOLE + u64::from(magnitude)) / WHOLE).min(MAX_DAMAGE)
}

/// Returns `damage` lowered by a share, in basis points.
fn lowered(damage: u64, magnitude: u32) -> u64 {
    damage * WHOLE.saturating_sub(magnitude.into()) / WHOLE
}

/// Returns a share of `amount`, in basis points.
fn share(amount: u32, magnitude: u32) -> u32 {
    let part = u64::from(amount) * u64::from(magnitude) / WHOLE;
    u32::try_from(part).unwrap_or(u32::MAX)
}
