//! Scales: numbers of the game as features of about 0 to 1.

use crate::rules::{Attribute, Condition, EffectChain, EffectKind, MAX_TURNS, MagnitudeUnit};

/// The length of the vector of a piece (Kono et al., 8).
pub const VECTOR_LEN: usize = 30;

/// The largest feature: what is larger counts as this.
const LARGEST: f32 = 8.0;

/// The HP of a player that are 1.
pub(super) const PLAYER_HP: u32 = 30_000;

/// The damage or healing that is 1.
pub(super) const HP_CHANGE: u32 = 10_000;

/// The HP or attack of a piece, or the HP of an effect's magnitude, that are 1.
pub(super) const PIECE_HP: u32 = 2_500;

/// Returns `amount` over `scale`, at most 8.
#[inline]
pub(super) fn scaled(amount: u32, scale: u32) -> f32 {
    (amount as f32 / scale as f32).min(LARGEST)
}

/// Returns the first amount minus the second over `scale`, from -8 to 8.
pub(super) fn difference(amount: u32, other: u32, scale: u32) -> f32 {
    ((amount as f32 - other as f32) / scale as f32).clamp(-LARGEST, LARGEST)
}

/// Returns the magnitude of an effect: HP over 2,500, basis points over 10,000, pieces over 4, and
/// 0 for the number of a piece.
pub(super) fn magnitude(kind: EffectKind, magnitude: u32) -> f32 {
    match kind.unit() {
        MagnitudeUnit::Hp => scaled(magnitude, PIECE_HP),
        MagnitudeUnit::BasisPoints => scaled(magnitude, 10_000),
        MagnitudeUnit::Pieces => scaled(magnitude, 4),
        MagnitudeUnit::PieceNumber => 0.0,
        MagnitudeUnit::None => scaled(magnitude, 1),
    }
}

/// Returns a number of turns over 16.
pub(super) fn turns(turns: u8) -> f32 {
    scaled(turns.into(), MAX_TURNS.into())
}

/// Returns 1 or 0.
pub(super) const fn truth(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

/// Returns the kinds of a chain's effects: bit number `i` is the kind number `i`.
pub(super) fn kinds(chain: &EffectChain) -> u64 {
    chain.iter().fold(0, |kinds, effect| kinds | 1 << effect.kind.index())
}

/// The names of conditions, without their numbers.
pub(super) const CONDITIONS: [&str; 11] = [
    "always",
    "flips at least",
    "flips exactly",
    "on cell",
    "HP at most",
    "HP at least",
    "attribute at least",
    "mono deck",
    "turn at most",
    "turn at least",
    "combos at least",
];

/// Returns the index of a condition in [`CONDITIONS`].
pub(super) const fn condition_index(condition: Condition) -> usize {
    match condition {
        Condition::Always => 0,
        Condition::FlipsAtLeast(_) => 1,
        Condition::FlipsExactly(_) => 2,
        Condition::OnCell(_) => 3,
        Condition::HpAtMost(_) => 4,
        Condition::HpAtLeast(_) => 5,
        Condition::AttributeAtLeast(..) => 6,
        Condition::MonoDeck(_) => 7,
        Condition::TurnAtMost(_) => 8,
        Condition::TurnAtLeast(_) => 9,
        Condition::CombosAtLeast(_) => 10,
    }
}

/// The names of attributes, in their order.
pub(super) const ATTRIBUTES: [&str; 3] =
    [Attribute::God.name(), Attribute::Demon.name(), Attribute::Dragon.name()];
