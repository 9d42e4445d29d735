//! Effects that run: on pieces, and as states of players.

use crate::rules::{EffectKind, EffectTarget};

/// An effect that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningEffect {
    /// Its kind.
    pub kind: EffectKind,
    /// Its magnitude, scaled when it fired.
    pub magnitude: u32,
    /// The attacks that it bears on.
    pub target: EffectTarget,
    /// The ends of turns of its holder, the one who has the piece or the state, until it is over;
    /// 0: until its piece is flipped.
    pub turns: u8,
}

/// The most states of a player: when another comes, the oldest is gone.
pub const MAX_STATES: usize = 8;

/// The states of a player, the oldest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerStates {
    states: [Option<RunningEffect>; MAX_STATES],
}

impl PlayerStates {
    /// Iterates over the states, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &RunningEffect> {
        self.states.iter().map_while(Option::as_ref)
    }

    /// Returns true if a state of `kind` is there.
    #[must_use]
    pub fn has(&self, kind: EffectKind) -> bool {
        self.iter().any(|state| state.kind == kind)
    }

    /// Adds a state.
    pub(super) fn push(&mut self, state: RunningEffect) {
        if self.states[MAX_STATES - 1].is_some() {
            self.states.rotate_left(1);
            self.states[MAX_STATES - 1] = None;
        }
        if let Some(free) = self.states.iter_mut().find(|place| place.is_none()) {
            *free = Some(state);
        }
    }

    /// Keeps the states for which `is_kept` returns true; it may change them.
    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(&mut RunningEffect) -> bool) {
        let mut kept = Self::default();
        for mut state in self.states.into_iter().flatten() {
            if is_kept(&mut state) {
                kept.push(state);
            }
        }
        *self = kept;
    }
}

impl RunningEffect {
    /// Counts the end of a turn of its holder; returns false if the effect is over.
    pub(super) fn outlives_turn(&mut self) -> bool {
        if self.turns == 0 {
            return true;
        }
        self.turns -= 1;
        self.turns != 0
    }
}
