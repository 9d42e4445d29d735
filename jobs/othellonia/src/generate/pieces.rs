//! Generated pieces.

use hatchery_core::{RunSeed, StreamRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::conditions::{SkillSlot, draw_condition, draw_weighted};
use super::effects::{BoughtEffect, draw_effect, draw_kind, echo_of};
use super::names::piece_name;
use super::{ArchetypeFactors, FactorPair};
use crate::pool::{MAX_KINDS, PieceDefinition};
use crate::rules::{Attribute, EffectKind, MAX_ATTACK, MAX_CHAIN, MAX_PIECE_HP};

/// A generated pool of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PoolParam")]
#[serde(deny_unknown_fields, default)]
pub struct PoolSettings {
    /// The seed of the generator.
    pub seed: u64,
    /// The number of kinds. A larger pool begins with the pieces of a smaller one.
    // The plain piece is none of them.
    #[schemars(range(min = 1, max = 20000))]
    pub kinds: u32,
    /// The factors on HP and attack of the pieces of each archetype, in 1/10,000.
    pub factors: ArchetypeFactors,
}

/// The seed of the default pool.
pub const DEFAULT_POOL_SEED: u64 = 1;

/// The kinds of the default pool: with the plain piece 925, about as many as the commercial game
/// had in 2017 (Kono et al., 1).
pub const DEFAULT_KINDS: u32 = 924;

impl Default for PoolSettings {
    fn default() -> Self {
        let factors = ArchetypeFactors::default();
        Self { seed: DEFAULT_POOL_SEED, kinds: DEFAULT_KINDS, factors }
    }
}

/// What pieces of a cost have on average.
struct CostClass {
    cost: u32,
    /// How many of 100 pieces have this cost.
    weight: u32,
    hp: u32,
    attack: u32,
    /// The damage that skill and combo skill are worth together.
    budget: u32,
}

const COST_CLASSES: [CostClass; 3] = [
    CostClass { cost: 5, weight: 45, hp: 1_000, attack: 960, budget: 850 },
    CostClass { cost: 10, weight: 40, hp: 1_210, attack: 1_090, budget: 1_270 },
    CostClass { cost: 20, weight: 15, hp: 1_530, attack: 1_220, budget: 1_980 },
];

/// The tendency of an attribute, in percent of the averages.
const fn tendency(attribute: Attribute) -> Tendency {
    match attribute {
        Attribute::God => Tendency { hp: 109, attack: 95, budget: 98 },
        Attribute::Demon => Tendency { hp: 100, attack: 99, budget: 108 },
        Attribute::Dragon => Tendency { hp: 95, attack: 106, budget: 98 },
    }
}

struct Tendency {
    hp: u32,
    attack: u32,
    budget: u32,
}

/// The percentages of pieces with a skill, and with a combo skill.
const SKILL_PERCENT: u32 = 95;
const COMBO_PERCENT: u32 = 55;

/// The percentage of the budget that a combo skill gets: it fires several times, or never.
const COMBO_SHARE: u32 = 50;

/// The percentage of the budget that a combo skill gets if there is no skill.
const LONE_COMBO_SHARE: u32 = 80;

/// The percentages of what skills do not spend that HP and attack get.
const UNSPENT_TO_HP: u32 = 55;
const UNSPENT_TO_ATTACK: u32 = 35;

/// Generates pieces. Pieces with lower numbers come first, so more kinds do not change the pieces
/// before them.
///
/// # Panics
/// If `kinds` is above [`MAX_KINDS`].
#[must_use]
pub fn generate_pieces(settings: &PoolSettings) -> Vec<PieceDefinition> {
    let PoolSettings { seed, kinds, factors } = *settings;
    assert!(kinds as usize <= MAX_KINDS, "{kinds} kinds are more than a pool has");
    let stream = RunSeed::new("othellonia-pool", seed).generation(0).stream("pieces");
    let mut pieces = Vec::new();
    for number in 0..kinds {
        let mut rng = stream.part(number.into());
        let piece = generate_piece(seed, &pieces, &mut rng);
        pieces.push(piece);
    }
    for piece in &mut pieces {
        let FactorPair { hp, attack } = factors.of(piece.attribute);
        piece.hp = basis_points(piece.hp, hp).clamp(1, MAX_PIECE_HP);
        piece.attack = basis_points(piece.attack, attack).min(MAX_ATTACK);
    }
    pieces
}

/// Generates the piece that follows `earlier`.
fn generate_piece(seed: u64, earlier: &[PieceDefinition], rng: &mut StreamRng) -> PieceDefinition {
    let class = &COST_CLASSES[draw_weighted(&COST_CLASSES.each_ref().map(|it| it.weight), rng)];
    let attribute = Attribute::ALL[rng.below(3) as usize];
    let tendency = tendency(attribute);
    // Pieces trade HP for attack, and both for skills.
    let hp_share = 84 + rng.below(33);
    let skill_share = 75 + rng.below(51);
    let has_skill = rng.below(100) < SKILL_PERCENT;
    let has_combo = rng.below(100) < COMBO_PERCENT;
    let unused = match (has_skill, has_combo) {
        (true, _) => 0,
        (false, true) => 12,
        (false, false) => 25,
    };
    let body_share = 150 - percent(50, skill_share) + unused;
    let budget = percent(percent(class.budget, tendency.budget), skill_share);
    let (skill_budget, combo_budget) = match (has_skill, has_combo) {
        (true, true) => (percent(budget, 100 - COMBO_SHARE), percent(budget, COMBO_SHARE)),
        _ => (budget, percent(budget, LONE_COMBO_SHARE)),
    };
    let mut unspent = 0;
    let mut draw_skill = |slot, budget| {
        let draft = SkillDraft { slot, attribute, cost: class.cost, budget };
        let bought = draft.draw(earlier, rng);
        unspent += bought.unspent;
        bought.effect
    };
    let skill = has_skill.then(|| draw_skill(SkillSlot::Skill, skill_budget));
    let combo = has_combo.then(|| draw_skill(SkillSlot::Combo, combo_budget));
    let body = |average, tendency, share, unspent| {
        let number = percent(percent(percent(average, tendency), share), body_share);
        (number + unspent) / 10 * 10
    };
    PieceDefinition {
        name: piece_name(seed, u64::try_from(earlier.len()).expect("at most MAX_KINDS")),
        attribute,
        cost: class.cost,
        hp: body(class.hp, tendency.hp, hp_share, percent(unspent, UNSPENT_TO_HP)),
        attack: body(
            class.attack,
            tendency.attack,
            200 - hp_share,
            percent(unspent, UNSPENT_TO_ATTACK),
        ),
        skill,
        combo,
    }
}

/// What a skill is drawn from.
struct SkillDraft {
    slot: SkillSlot,
    attribute: Attribute,
    cost: u32,
    budget: u32,
}

impl SkillDraft {
    fn draw(&self, earlier: &[PieceDefinition], rng: &mut StreamRng) -> BoughtEffect {
        let Self { slot, attribute, budget, .. } = *self;
        loop {
            let kind = draw_kind(attribute, budget, rng);
            if kind != EffectKind::Echo {
                return draw_effect(kind, slot, attribute, budget, rng);
            }
            let condition = draw_condition(slot, attribute, rng).condition;
            if let Some(number) = self.draw_echoed(earlier, rng) {
                return BoughtEffect { effect: echo_of(number, condition), unspent: 0 };
            }
        }
    }

    /// Draws a piece whose skill can be echoed: not one that costs more, and an earlier one, so
    /// that no chain comes back to itself.
    fn draw_echoed(&self, earlier: &[PieceDefinition], rng: &mut StreamRng) -> Option<u32> {
        let n = u32::try_from(earlier.len()).ok().filter(|&n| n != 0)?;
        (0..ECHO_TRIES).map(|_| rng.below(n)).find(|&number| {
            // The rules have no echo of piece 0: its magnitude would be 0.
            let echoed = &earlier[number as usize];
            let is_dear_enough = self.slot == SkillSlot::Combo || echoed.cost == self.cost;
            let is_short = chain_length(earlier, echoed).is_some_and(|length| length < MAX_CHAIN);
            number != 0 && echoed.cost <= self.cost && is_dear_enough && is_short
        })
    }
}

/// The tries for a piece whose skill can be echoed; after that, another kind is drawn.
const ECHO_TRIES: u32 = 20;

/// Returns the number of effects that the piece's skill fires; `None` if it has none.
fn chain_length(pieces: &[PieceDefinition], piece: &PieceDefinition) -> Option<usize> {
    let mut skill = piece.skill?;
    let mut length = 1;
    while skill.kind == EffectKind::Echo {
        skill = pieces.get(skill.magnitude as usize)?.skill?;
        length += 1;
    }
    Some(length)
}

/// Returns `amount` times a factor in basis points.
fn basis_points(amount: u32, factor: u32) -> u32 {
    let product = u64::from(amount) * u64::from(factor) / 10_000;
    u32::try_from(product).unwrap_or(u32::MAX)
}

/// Returns `amount` times `share` percent.
fn percent(amount: u32, share: u32) -> u32 {
    amount * share / 100
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::pool::PiecePool;

    fn pieces(seed: u64, kinds: u32) -> Vec<PieceDefinition> {
        generate_pieces(&PoolSettings { seed, kinds, factors: ArchetypeFactors::default() })
    }

    #[test]
    fn pools_are_valid_and_grow_at_their_end() {
        for seed in [0, 1, 2, u64::MAX] {
            let small = pieces(seed, 924);
            let large = pieces(seed, 3_000);
            assert_eq!(small, large[..924], "seed {seed}");
            for kinds in [1, 2, 17] {
                assert!(PiecePool::new(pieces(seed, kinds)).is_ok(), "{kinds} of seed {seed}");
            }
            PiecePool::new(large).unwrap();
        }
        let most = u32::try_from(MAX_KINDS).unwrap();
        let names: BTreeSet<_> = pieces(1, most).into_iter().map(|piece| piece.name).collect();
        assert_eq!(names.len(), MAX_KINDS);
    }

    #[test]
    fn numbers_lie_where_they_should() {
        let pieces = generate_pieces(&PoolSettings {
            seed: 1,
            kinds: 3_000,
            factors: ArchetypeFactors::ONE,
        });
        let share = |is_one: &dyn Fn(&&PieceDefinition) -> bool| {
            pieces.iter().filter(is_one).count() * 100 / pieces.len()
        };
        assert!((42..48).contains(&share(&|it| it.cost == 5)));
        assert!((37..43).contains(&share(&|it| it.cost == 10)));
        assert!((12..18).contains(&share(&|it| it.cost == 20)));
        assert!(95 <= share(&|it| (700..=2_200).contains(&it.hp)));
        assert!(95 <= share(&|it| (600..=1_500).contains(&it.attack)));
        let mean = |attribute, number: fn(&PieceDefinition) -> u32| {
            let of: Vec<_> = pieces.iter().filter(|it| it.attribute == attribute).collect();
            of.iter().map(|it| number(it)).sum::<u32>() / u32::try_from(of.len()).unwrap()
        };
        let [god, demon, dragon] =
            Attribute::ALL.map(|it| [mean(it, |it| it.hp), mean(it, |it| it.attack)]);
        assert!(demon[0] < god[0] && dragon[0] < demon[0], "HP {god:?} {demon:?} {dragon:?}");
        assert!(god[1] < demon[1] && demon[1] < dragon[1], "ATK {god:?} {demon:?} {dragon:?}");
    }

    #[test]
    fn all_kinds_and_most_conditions_are_there() {
        let pieces = pieces(DEFAULT_POOL_SEED, DEFAULT_KINDS);
        let effects = || pieces.iter().flat_map(|it| [it.skill, it.combo]).flatten();
        for kind in EffectKind::ALL {
            let n = effects().filter(|effect| effect.kind == kind).count();
            assert!(10 <= n, "{n} of {}", kind.name());
        }
        let conditions: BTreeSet<_> =
            effects().map(|effect| format!("{:?}", effect.condition)).collect();
        assert!(30 <= conditions.len(), "{conditions:?}");
    }
}
