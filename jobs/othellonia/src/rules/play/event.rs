//! Events of a game, for its watchers.

use super::outcome::{GameOutcome, Player};
use crate::rules::{Cell, CellSet, EffectKind};

/// Receives what happens in a game, in order.
pub trait GameWatcher {
    /// Receives an event.
    fn event(&mut self, event: GameEvent);
}

/// Watches nothing.
impl GameWatcher for () {
    #[inline(always)]
    fn event(&mut self, _: GameEvent) {}
}

/// Keeps all events.
impl GameWatcher for Vec<GameEvent> {
    fn event(&mut self, event: GameEvent) {
        self.push(event);
    }
}

/// Something that happens in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEvent {
    /// A turn of `player` begins.
    TurnBegan {
        /// The player.
        player: Player,
    },
    /// A piece was drawn into a slot of the hand.
    Drew {
        /// The player.
        player: Player,
        /// The slot.
        slot: u8,
        /// The index of the piece in its deck.
        piece: u8,
    },
    /// A player has no legal cell.
    Passed {
        /// The player.
        player: Player,
    },
    /// A piece was placed.
    Placed {
        /// The player.
        player: Player,
        /// The cell.
        cell: Cell,
        /// The index of the piece in its deck.
        piece: u8,
        /// The enemy's pieces that became plain pieces of the player.
        flipped: CellSet,
    },
    /// An effect of a skill or combo skill fired.
    Fired {
        /// The player.
        player: Player,
        /// The source.
        source: EffectSource,
        /// The kind.
        kind: EffectKind,
        /// The magnitude, scaled.
        magnitude: u32,
    },
    /// Something that runs changed an attack or special damage: a guard, ward, banner, weaken or
    /// charge.
    Applied {
        /// The player who has the piece or the state.
        player: Player,
        /// The kind.
        kind: EffectKind,
        /// The magnitude.
        magnitude: u32,
    },
    /// Something that ran on a piece was dispelled.
    Dispelled {
        /// The player who has the piece.
        player: Player,
        /// The cell of the piece.
        cell: Cell,
        /// The kind.
        kind: EffectKind,
    },
    /// A player is under a seal: no effect fires.
    Sealed {
        /// The player.
        player: Player,
    },
    /// A player lost HP.
    Lost {
        /// The player.
        player: Player,
        /// The damage; more than the HP that were left if they end at 0.
        amount: u32,
        /// The cause.
        cause: HpChange,
    },
    /// A player won HP.
    Healed {
        /// The player.
        player: Player,
        /// The HP.
        amount: u32,
        /// The effect.
        kind: EffectKind,
    },
    /// The game ended.
    Ended {
        /// Its outcome.
        outcome: GameOutcome,
    },
}

/// The cause of lost HP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HpChange {
    /// An attack.
    Attack,
    /// An effect of this kind.
    Effect(EffectKind),
}

/// The skill that an effect belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectSource {
    /// The cell of the piece.
    pub cell: Cell,
    /// True for the piece's combo skill.
    pub is_combo: bool,
}
