//! The status of a slot of a hand: 48 columns.

use crate::features::field::{Field, Labels, block_len};
use crate::features::scale::{
    ATTRIBUTES, CONDITIONS, PIECE_HP, condition_index, kinds, magnitude, scaled, truth, turns,
};
use crate::features::sight::SlotContent;
use crate::features::sink::{Block, FeatureSink};
use crate::rules::{EffectChain, EffectScaling};

const PRESENT: Field = Field::first("present", Labels::Single);
const UNKNOWN: Field = PRESENT.then("unknown", Labels::Single);
const LEADER: Field = UNKNOWN.then("leader", Labels::Single);
const ATTRIBUTE: Field = LEADER.then("attribute", Labels::Names(&ATTRIBUTES));
const HP: Field = ATTRIBUTE.then("HP", Labels::Single);
const ATTACK: Field = HP.then("attack", Labels::Single);
const SKILL: Field = ATTACK.then("skill", Labels::Kinds);
const MAGNITUDE: Field = SKILL.then("skill's magnitude", Labels::Single);
const TURNS: Field = MAGNITUDE.then("skill's turns", Labels::Single);
const CONDITION: Field = TURNS.then("skill's condition", Labels::Names(&CONDITIONS));
const SCALES: Field = CONDITION.then("skill scales", Labels::Single);
const COMBO: Field = SCALES.then("has combo", Labels::Single);
const COMBO_MAGNITUDE: Field = COMBO.then("combo's magnitude", Labels::Single);

/// The fields of the block.
pub(crate) const FIELDS: &[Field] = &[
    PRESENT,
    UNKNOWN,
    LEADER,
    ATTRIBUTE,
    HP,
    ATTACK,
    SKILL,
    MAGNITUDE,
    TURNS,
    CONDITION,
    SCALES,
    COMBO,
    COMBO_MAGNITUDE,
];

const _: () = assert!(block_len(FIELDS) == 48);

/// Writes the status of a slot.
pub(crate) fn write<S: FeatureSink>(content: SlotContent<'_>, mut to: Block<'_, S>) {
    match content {
        SlotContent::Empty | SlotContent::Plain => {}
        SlotContent::Unknown => {
            to.put(PRESENT, 1.0);
            to.put(UNKNOWN, 1.0);
        }
        SlotContent::Piece(known) => {
            let piece = known.piece;
            to.put(PRESENT, 1.0);
            to.put(LEADER, truth(known.is_leader));
            to.mark(ATTRIBUTE, piece.attribute as usize);
            to.put(HP, scaled(piece.hp, PIECE_HP));
            to.put(ATTACK, scaled(piece.attack, PIECE_HP));
            to.mark_all(SKILL, kinds(&piece.skill));
            write_skill(&piece.skill, &mut to);
            to.put(COMBO, truth(!piece.combo.is_none()));
            to.put(COMBO_MAGNITUDE, last_magnitude(&piece.combo));
        }
    }
}

fn write_skill<S: FeatureSink>(skill: &EffectChain, to: &mut Block<'_, S>) {
    let (Some(first), Some(last)) = (skill.first(), skill.iter().last()) else { return };
    to.put(MAGNITUDE, last_magnitude(skill));
    to.put(TURNS, turns(last.turns));
    to.mark(CONDITION, condition_index(first.condition));
    to.put(SCALES, truth(last.scaling != EffectScaling::None));
}

/// Returns the magnitude of the effect that a chain comes to, before scaling; 0 without a skill.
pub(crate) fn last_magnitude(chain: &EffectChain) -> f32 {
    chain.iter().last().map_or(0.0, |effect| magnitude(effect.kind, effect.magnitude))
}
