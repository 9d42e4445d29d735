//! Conditions of generated effects, and how often they hold. All numbers are our own choice.

use hatchery_core::StreamRng;

use crate::rules::{Attribute, CellClass, Condition};

/// A condition, and the share of placements for which it holds when agents aim at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PricedCondition {
    pub(super) condition: Condition,
    pub(super) holds_percent: u32,
}

/// What a skill is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SkillSlot {
    Skill,
    Combo,
}

/// How often kinds of conditions are drawn: of 100 skills, and of 100 combo skills.
const WEIGHTS: [(ConditionKind, u32, u32); 11] = [
    (ConditionKind::Always, 34, 64),
    (ConditionKind::FlipsAtLeast, 15, 12),
    (ConditionKind::FlipsExactly, 7, 3),
    (ConditionKind::OnCell, 12, 4),
    (ConditionKind::HpAtMost, 7, 4),
    (ConditionKind::HpAtLeast, 5, 3),
    (ConditionKind::AttributeAtLeast, 6, 3),
    (ConditionKind::MonoDeck, 3, 1),
    (ConditionKind::TurnAtMost, 3, 1),
    (ConditionKind::TurnAtLeast, 4, 2),
    (ConditionKind::CombosAtLeast, 4, 3),
];

#[derive(Clone, Copy)]
enum ConditionKind {
    Always,
    FlipsAtLeast,
    FlipsExactly,
    OnCell,
    HpAtMost,
    HpAtLeast,
    AttributeAtLeast,
    MonoDeck,
    TurnAtMost,
    TurnAtLeast,
    CombosAtLeast,
}

/// Draws a condition for a piece of `attribute`.
pub(super) fn draw_condition(
    slot: SkillSlot,
    attribute: Attribute,
    rng: &mut StreamRng,
) -> PricedCondition {
    let weight = |&(_, skill, combo): &(ConditionKind, u32, u32)| match slot {
        SkillSlot::Skill => skill,
        SkillSlot::Combo => combo,
    };
    let kind = WEIGHTS[draw_weighted(&WEIGHTS.each_ref().map(weight), rng)].0;
    let (condition, holds_percent) = match kind {
        ConditionKind::Always => (Condition::Always, 100),
        ConditionKind::FlipsAtLeast => {
            let (n, percent) = draw([(2, 75), (2, 75), (3, 45), (4, 25)], rng);
            (Condition::FlipsAtLeast(n), percent)
        }
        ConditionKind::FlipsExactly => {
            let (n, percent) = draw([(1, 60), (2, 55), (3, 35)], rng);
            (Condition::FlipsExactly(n), percent)
        }
        ConditionKind::OnCell => {
            let classes = [
                (CellClass::Corner, 30),
                (CellClass::Edge, 82),
                (CellClass::X, 52),
                (CellClass::Inner, 56),
            ];
            let (class, percent) = draw(classes, rng);
            (Condition::OnCell(class), percent)
        }
        ConditionKind::HpAtMost => {
            let (share, percent) = draw([(40, 43), (50, 54), (60, 64), (75, 78)], rng);
            (Condition::HpAtMost(share), percent)
        }
        ConditionKind::HpAtLeast => {
            let (share, percent) = draw([(40, 62), (50, 52), (60, 43), (75, 32)], rng);
            (Condition::HpAtLeast(share), percent)
        }
        ConditionKind::AttributeAtLeast => {
            let (n, percent) = draw([(2, 82), (3, 64), (4, 42)], rng);
            (Condition::AttributeAtLeast(attribute, n), percent)
        }
        ConditionKind::MonoDeck => (Condition::MonoDeck(attribute), 45),
        ConditionKind::TurnAtMost => {
            let (n, percent) = draw([(3, 31), (4, 40), (6, 57)], rng);
            (Condition::TurnAtMost(n), percent)
        }
        ConditionKind::TurnAtLeast => {
            let (n, percent) = draw([(4, 85), (6, 75), (8, 55)], rng);
            (Condition::TurnAtLeast(n), percent)
        }
        ConditionKind::CombosAtLeast => {
            let (n, percent) = draw([(1, 55), (1, 55), (2, 20)], rng);
            (Condition::CombosAtLeast(n), percent)
        }
    };
    PricedCondition { condition, holds_percent }
}

/// Draws one of `values`, all with the same probability.
pub(super) fn draw<T: Copy, const N: usize>(values: [T; N], rng: &mut StreamRng) -> T {
    let n = u32::try_from(N).expect("short lists");
    values[rng.below(n) as usize]
}

/// Draws an index with a probability proportional to its weight.
pub(super) fn draw_weighted(weights: &[u32], rng: &mut StreamRng) -> usize {
    let mut left = rng.below(weights.iter().sum());
    for (at, &weight) in weights.iter().enumerate() {
        if left < weight {
            return at;
        }
        left -= weight;
    }
    unreachable!("the number is below the sum of the weights")
}
