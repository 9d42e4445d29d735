//! What runs for a player and what it suffers from: 32 columns.

use crate::features::field::{Field, Labels, block_len};
use crate::features::scale::{ATTRIBUTES, PLAYER_HP, magnitude, scaled, turns};
use crate::features::sight::GameView;
use crate::features::sink::{Block, FeatureSink};
use crate::rules::{Attribute, EffectKind, Player, RunningEffect};

const WEAKEN: Field = Field::first("weaken", Labels::Names(&ATTRIBUTES));
const WEAKEN_TURNS: Field = WEAKEN.then("weaken's turns left", Labels::Single);
const CHARGE: Field = WEAKEN_TURNS.then("charge", Labels::Names(&ATTRIBUTES));
const CHARGE_TURNS: Field = CHARGE.then("charge's turns left", Labels::Single);
const CURSE: Field = CHARGE_TURNS.then("curse", Labels::Single);
const CURSE_TURNS: Field = CURSE.then("curse's turns left", Labels::Single);
const SEAL: Field = CURSE_TURNS.then("seals", Labels::Single);
const SEAL_TURNS: Field = SEAL.then("seal's turns left", Labels::Single);
const STATES: Field = SEAL_TURNS.then("states", Labels::Single);
const GUARD: Field = STATES.then("guard", Labels::Names(&ATTRIBUTES));
const BANNER: Field = GUARD.then("banner", Labels::Names(&ATTRIBUTES));
const COUNTER: Field = BANNER.then("counter", Labels::Names(&ATTRIBUTES));
const WARD: Field = COUNTER.then("ward", Labels::Single);
const REGEN: Field = WARD.then("regen", Labels::Single);
const TRAP: Field = REGEN.then("trap", Labels::Single);
const THORNS: Field = TRAP.then("thorns", Labels::Single);
const RUNNING: Field = THORNS.then("pieces with something that runs", Labels::Single);
const STANDING: Field = RUNNING.then("standing", Labels::Names(&ATTRIBUTES));
const COMBOS: Field = STANDING.then("standing with a combo", Labels::Single);
const HIGHEST_HP: Field = COMBOS.then("highest HP", Labels::Single);

/// The fields of the block.
pub(crate) const FIELDS: &[Field] = &[
    WEAKEN,
    WEAKEN_TURNS,
    CHARGE,
    CHARGE_TURNS,
    CURSE,
    CURSE_TURNS,
    SEAL,
    SEAL_TURNS,
    STATES,
    GUARD,
    BANNER,
    COUNTER,
    WARD,
    REGEN,
    TRAP,
    THORNS,
    RUNNING,
    STANDING,
    COMBOS,
    HIGHEST_HP,
];

const _: () = assert!(block_len(FIELDS) == 32);

/// The number of kinds of effects.
const N_KINDS: usize = EffectKind::ALL.len();

/// Sums over the effects that run for a player, by kind.
struct EffectSums {
    /// The magnitudes, by the attribute of the attacks that they bear on.
    magnitudes: [[u32; 3]; N_KINDS],
    /// The most turns left.
    turns: [u8; N_KINDS],
}

impl EffectSums {
    fn of<'a>(effects: impl Iterator<Item = &'a RunningEffect>) -> Self {
        let mut sums = Self { magnitudes: [[0; 3]; N_KINDS], turns: [0; N_KINDS] };
        for effect in effects {
            let kind = effect.kind.index();
            for attribute in Attribute::ALL {
                if effect.target.includes(attribute) {
                    sums.magnitudes[kind][attribute as usize] += effect.magnitude;
                }
            }
            sums.turns[kind] = sums.turns[kind].max(effect.turns);
        }
        sums
    }

    fn by_attribute(&self, kind: EffectKind) -> [f32; 3] {
        self.magnitudes[kind.index()].map(|sum| magnitude(kind, sum))
    }

    /// Returns the sum of a kind that bears on all attacks, or on none.
    fn total(&self, kind: EffectKind) -> f32 {
        magnitude(kind, self.magnitudes[kind.index()][0])
    }

    fn turns(&self, kind: EffectKind) -> f32 {
        turns(self.turns[kind.index()])
    }
}

/// Writes the status of a player.
pub(crate) fn write<S: FeatureSink>(view: GameView<'_>, player: Player, mut to: Block<'_, S>) {
    let state = view.state.player(player);
    let running = view.state.running(player).map(|(_, effect)| effect);
    let sums = EffectSums::of(running.chain(state.states.iter()));
    to.put_all(WEAKEN, sums.by_attribute(EffectKind::Weaken));
    to.put(WEAKEN_TURNS, sums.turns(EffectKind::Weaken));
    to.put_all(CHARGE, sums.by_attribute(EffectKind::Charge));
    to.put(CHARGE_TURNS, sums.turns(EffectKind::Charge));
    to.put(CURSE, sums.total(EffectKind::Curse));
    to.put(CURSE_TURNS, sums.turns(EffectKind::Curse));
    to.put(SEAL, sums.total(EffectKind::Seal));
    to.put(SEAL_TURNS, sums.turns(EffectKind::Seal));
    to.put(STATES, state.states.iter().count() as f32 / 8.0);
    to.put_all(GUARD, sums.by_attribute(EffectKind::Guard));
    to.put_all(BANNER, sums.by_attribute(EffectKind::Banner));
    to.put_all(COUNTER, sums.by_attribute(EffectKind::Counter));
    to.put(WARD, sums.total(EffectKind::Ward));
    to.put(REGEN, sums.total(EffectKind::Regen));
    to.put(TRAP, sums.total(EffectKind::Trap));
    to.put(THORNS, sums.total(EffectKind::Thorns));
    to.put(RUNNING, scaled(state.running.len(), 16));
    let mut standing = [0; 3];
    let mut combos = 0;
    for index in state.cells.iter().filter_map(|cell| view.state.at(cell).piece) {
        let piece = &view.decks[player.index()].pieces()[usize::from(index)];
        standing[piece.attribute as usize] += 1;
        combos += u32::from(!piece.combo.is_none());
    }
    to.put_all(STANDING, standing.map(|pieces| scaled(pieces, 16)));
    to.put(COMBOS, scaled(combos, 16));
    to.put(HIGHEST_HP, scaled(state.highest_hp, PLAYER_HP));
}
