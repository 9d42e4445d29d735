//! The worth of effects that run, in damage. All numbers here are our own choice.

use crate::rules::{EffectKind, EffectTarget, GameState, Player, RunningEffect};

/// The damage of an attack that effects on attacks are counted with.
const TYPICAL_ATTACK: i64 = 1_600;

/// The special damage that a player takes in a turn, which wards are counted with.
const TYPICAL_SPECIAL: i64 = 400;

/// The worth of keeping the enemy's skills from firing for a turn.
const SEALED_TURN: i64 = 800;

/// The turns until a piece is flipped.
const TURNS_STANDING: i64 = 3;

/// The percentage of traps and thorns that are ever flipped.
const SPRUNG_PERCENT: i64 = 60;

/// The percentage of attacks that an effect on one attribute bears on.
const TARGET_PERCENT: i64 = 50;

/// Returns the worth of what runs for the player: on its pieces, its charges, and the bad states
/// of the enemy.
pub(super) fn running_worth(state: &GameState, player: Player) -> i64 {
    let pieces = state.running(player).map(|(_, running)| effect_worth(running));
    let own = state.player(player).states.iter();
    let charges = own.filter(|it| it.kind == EffectKind::Charge).map(effect_worth);
    let enemy = state.player(player.enemy()).states.iter();
    let burdens = enemy.filter(|it| it.kind != EffectKind::Charge).map(effect_worth);
    pieces.sum::<i64>() + charges.sum::<i64>() + burdens.sum::<i64>()
}

/// Returns the worth of a running effect for the player who gains by it.
pub(super) fn effect_worth(running: &RunningEffect) -> i64 {
    let turns = match running.turns {
        0 => TURNS_STANDING,
        turns => i64::from(turns).min(TURNS_STANDING),
    };
    let magnitude = i64::from(running.magnitude);
    let share_of = |amount: i64| magnitude * amount / 10_000;
    let worth = match running.kind {
        EffectKind::Regen | EffectKind::Poison | EffectKind::Curse => magnitude * turns,
        EffectKind::Guard
        | EffectKind::Weaken
        | EffectKind::Banner
        | EffectKind::Charge
        | EffectKind::Counter => share_of(TYPICAL_ATTACK) * turns,
        EffectKind::Ward => share_of(TYPICAL_SPECIAL) * turns,
        EffectKind::Trap => share_of(TYPICAL_ATTACK) * SPRUNG_PERCENT / 100,
        EffectKind::Thorns => magnitude * SPRUNG_PERCENT / 100,
        EffectKind::Seal => SEALED_TURN * turns,
        // No other kind runs.
        _ => 0,
    };
    match running.target {
        EffectTarget::All => worth,
        _ => worth * TARGET_PERCENT / 100,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::EffectScope;

    #[test]
    fn whatever_runs_has_a_worth() {
        for kind in EffectKind::ALL {
            let target = EffectTarget::All;
            let running = RunningEffect { kind, magnitude: kind.largest(), target, turns: 2 };
            let runs = kind.scope() != EffectScope::Placement;
            assert_eq!(effect_worth(&running) != 0, runs, "{}", kind.name());
        }
    }
}
