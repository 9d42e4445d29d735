//! Generated effects: each has a price in damage, and gets the magnitude that its budget buys.
//!
//! The worths were set by hand and corrected by a regression of won games on what decks consist of.

use hatchery_core::StreamRng;

use super::Archetype;
use super::conditions::{SkillSlot, draw, draw_condition, draw_weighted};
use crate::rules::{
    Attribute, Condition, Effect, EffectKind, EffectScaling, EffectScope, EffectTarget,
    MagnitudeUnit,
};

/// The worth of a kind, and how often it is drawn.
struct KindPrice {
    kind: EffectKind,
    /// The worth in damage of 1,000 HP, of 10,000 basis points, of a single piece, or of the effect
    /// if it has no magnitude; per turn, for kinds that run and act in each turn.
    worth: u32,
    /// The archetype that lives on it.
    archetype: Option<Archetype>,
    /// The least and the largest magnitude.
    range: (u32, u32),
}

const fn row(
    kind: EffectKind,
    worth: u32,
    archetype: Option<Archetype>,
    least: u32,
    most: u32,
) -> KindPrice {
    KindPrice { kind, worth, archetype, range: (least, most) }
}

const BURST: Option<Archetype> = Some(Archetype::Burst);
const TRICKY: Option<Archetype> = Some(Archetype::Tricky);
const ENDURANCE: Option<Archetype> = Some(Archetype::Endurance);

/// All kinds, in their order.
const PRICES: [KindPrice; 24] = [
    row(EffectKind::Strike, 2_000, BURST, 500, 20_000),
    row(EffectKind::Pierce, 2_450, BURST, 500, 20_000),
    row(EffectKind::Echo, 0, None, 1, 1),
    row(EffectKind::Dispel, 180, TRICKY, 1, 6),
    row(EffectKind::Bolt, 1_100, BURST, 100, 4_000),
    row(EffectKind::Ruin, 16_000, TRICKY, 100, 3_000),
    row(EffectKind::Drain, 2_600, TRICKY, 100, 3_000),
    row(EffectKind::Vengeance, 12_500, ENDURANCE, 200, 6_000),
    row(EffectKind::Heal, 1_050, ENDURANCE, 100, 5_000),
    row(EffectKind::Mend, 15_500, ENDURANCE, 200, 7_000),
    row(EffectKind::Bloom, 1_200, ENDURANCE, 100, 4_000),
    row(EffectKind::Cleanse, 20, ENDURANCE, 1, 1),
    row(EffectKind::Regen, 700, ENDURANCE, 50, 1_500),
    row(EffectKind::Guard, 1_050, ENDURANCE, 500, 7_000),
    row(EffectKind::Ward, 130, ENDURANCE, 1_000, 8_000),
    row(EffectKind::Banner, 1_400, BURST, 500, 12_000),
    row(EffectKind::Poison, 1_150, TRICKY, 50, 1_500),
    row(EffectKind::Counter, 1_200, TRICKY, 500, 12_000),
    row(EffectKind::Trap, 300, TRICKY, 1_000, 20_000),
    row(EffectKind::Thorns, 200, TRICKY, 100, 6_000),
    row(EffectKind::Weaken, 1_050, ENDURANCE, 500, 7_500),
    row(EffectKind::Curse, 1_250, TRICKY, 50, 3_000),
    row(EffectKind::Charge, 1_700, BURST, 500, 15_000),
    row(EffectKind::Seal, 720, TRICKY, 1, 1),
];

/// The weight of a kind for pieces of the attribute of its archetype, of others, and of kinds that
/// are no archetype's.
const OWN_WEIGHT: u32 = 10;
const OTHER_WEIGHT: u32 = 3;
const NEUTRAL_WEIGHT: u32 = 5;

/// The part of the magnitude that a rare effect has more, of what would make up for its rarity.
const RARITY_PERCENT: u64 = 75;

/// The turns that an effect on a piece acts before the piece is flipped, in tenths.
const TENTHS_STANDING: u64 = 32;

/// The percentage of effects with a magnitude that are scaled.
const SCALED_PERCENT: u32 = 18;

/// The percentage of effects on attacks that bear on one attribute alone.
const TARGET_PERCENT: u32 = 30;

/// The most turns of a seal.
const MOST_SEALED_TURNS: u8 = 3;

/// The largest budget that can go to a cleanse: an effect spends hardly any budget on cleansing.
const CLEANSE_BUDGET: u32 = 700;

/// Returns the archetype that lives on a kind.
pub(super) fn kind_archetype(kind: EffectKind) -> Option<Archetype> {
    PRICES[kind.index()].archetype
}

/// Draws a kind for a piece of `attribute`, and a budget.
pub(super) fn draw_kind(attribute: Attribute, budget: u32, rng: &mut StreamRng) -> EffectKind {
    let weights = PRICES.each_ref().map(|row| match row.archetype {
        _ if row.kind == EffectKind::Cleanse && CLEANSE_BUDGET < budget => 0,
        None => NEUTRAL_WEIGHT,
        Some(archetype) if archetype.attribute() == attribute => OWN_WEIGHT,
        Some(_) => OTHER_WEIGHT,
    });
    PRICES[draw_weighted(&weights, rng)].kind
}

/// A generated effect.
pub(super) struct BoughtEffect {
    pub(super) effect: Effect,
    /// What is left of the budget: a magnitude has a largest value, and some kinds have none.
    pub(super) unspent: u32,
}

/// Draws an effect of `kind`, which must not be an echo, for as much damage as `budget` says.
pub(super) fn draw_effect(
    kind: EffectKind,
    slot: SkillSlot,
    attribute: Attribute,
    budget: u32,
    rng: &mut StreamRng,
) -> BoughtEffect {
    let row = &PRICES[kind.index()];
    let priced = draw_condition(slot, attribute, rng);
    let (target, target_percent) = draw_target(kind, attribute, rng);
    let (scaling, scaling_mean) = draw_scaling(kind, rng);
    let (turns, tenths_acting) = draw_turns(kind, budget, rng);
    let (one, step) = match kind.unit() {
        MagnitudeUnit::Hp => (1_000, 10),
        MagnitudeUnit::BasisPoints => (10_000, 100),
        MagnitudeUnit::Pieces | MagnitudeUnit::PieceNumber | MagnitudeUnit::None => (1, 1),
    };
    // An effect that seldom fires is not worth more in the same proportion: waiting costs turns.
    let rarity = 100 + (10_000 / u64::from(priced.holds_percent) - 100) * RARITY_PERCENT / 100;
    let price = u64::from(row.worth.max(1)) * tenths_acting * target_percent * scaling_mean;
    let thousandths = u64::from(budget) * one * rarity * 10 * 1_000 / price;
    let (least, most) = (u64::from(row.range.0) / scaling_mean, u64::from(row.range.1));
    let magnitude = (thousandths / 1_000).min(most).max(least) / step * step;
    let magnitude = magnitude.max(step);
    let spent = u64::from(budget) * magnitude * 1_000 / thousandths.max(1);
    let narrow = |number| u32::try_from(number).unwrap_or(u32::MAX);
    let effect = Effect {
        kind,
        magnitude: narrow(magnitude),
        target,
        turns,
        condition: priced.condition,
        scaling,
    };
    BoughtEffect { effect, unspent: budget.saturating_sub(narrow(spent)) }
}

/// Draws an echo of the piece `number`.
pub(super) fn echo_of(number: u32, condition: Condition) -> Effect {
    Effect {
        kind: EffectKind::Echo,
        magnitude: number,
        target: EffectTarget::All,
        turns: 0,
        condition,
        scaling: EffectScaling::None,
    }
}

/// Returns a target, and the percentage of attacks that it bears on.
fn draw_target(kind: EffectKind, attribute: Attribute, rng: &mut StreamRng) -> (EffectTarget, u64) {
    if !kind.has_target() || TARGET_PERCENT <= rng.below(100) {
        return (EffectTarget::All, 100);
    }
    match kind {
        // The player's own attacks: mostly those of the piece's attribute.
        EffectKind::Banner | EffectKind::Charge => (attribute.into(), 80),
        _ => (draw(Attribute::ALL, rng).into(), 45),
    }
}

/// Returns a scaling, and the mean of its number.
fn draw_scaling(kind: EffectKind, rng: &mut StreamRng) -> (EffectScaling, u64) {
    let scales = kind.can_scale() && kind != EffectKind::Dispel;
    if !scales || SCALED_PERCENT <= rng.below(100) {
        return (EffectScaling::None, 1);
    }
    let scalings = [
        (EffectScaling::Flips, 2),
        (EffectScaling::OwnPieces, 4),
        (EffectScaling::LostTenths, 5),
        (EffectScaling::Turns, 6),
    ];
    draw(scalings, rng)
}

/// Returns the number of turns, and the number of turns when the effect acts, in tenths.
fn draw_turns(kind: EffectKind, budget: u32, rng: &mut StreamRng) -> (u8, u64) {
    match kind.scope() {
        EffectScope::Placement => (0, 10),
        EffectScope::Piece => {
            let turns = draw([0, 0, 0, 0, 3, 4, 5], rng);
            // Traps and thorns act once, if at all.
            let acts_once = matches!(kind, EffectKind::Trap | EffectKind::Thorns);
            match (acts_once, turns) {
                (true, 0) => (0, 10),
                (true, _) => (turns, 8),
                (false, 0) => (0, TENTHS_STANDING),
                (false, _) => (turns, TENTHS_STANDING * (4 + u64::from(turns)) / 10),
            }
        }
        EffectScope::OwnState | EffectScope::EnemyState => {
            let turns = match kind {
                // It has no magnitude: the budget buys turns.
                EffectKind::Seal => {
                    let bought = budget / PRICES[kind.index()].worth;
                    u8::try_from(bought).unwrap_or(u8::MAX).clamp(1, MOST_SEALED_TURNS)
                }
                _ => draw([1, 2, 2, 3, 4], rng),
            };
            (turns, 10 * u64::from(turns))
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    #[test]
    fn prices_are_those_of_their_kinds() {
        for (row, kind) in PRICES.iter().zip(EffectKind::ALL) {
            assert_eq!(row.kind, kind);
            assert!(row.range.0 <= row.range.1 && row.range.1 <= kind.largest(), "{}", kind.name());
        }
    }

    #[test]
    fn effects_are_those_of_the_rules() {
        let mut rng = RunSeed::new("effects", 1).generation(0).stream("effects");
        for kind in EffectKind::ALL.into_iter().filter(|&kind| kind != EffectKind::Echo) {
            for (budget, attribute) in (0..2_000).zip(Attribute::ALL.into_iter().cycle()) {
                for slot in [SkillSlot::Skill, SkillSlot::Combo] {
                    let effect = draw_effect(kind, slot, attribute, budget * 3, &mut rng).effect;
                    assert_eq!(effect.check(), Ok(()), "{effect:?}");
                }
            }
        }
    }
}
