//! The status of a cell: 64 columns.

use crate::features::field::{Field, Labels, block_len};
use crate::features::scale::{PIECE_HP, kinds, magnitude, scaled, truth, turns};
use crate::features::sight::SlotContent;
use crate::features::sink::{Block, FeatureSink};
use crate::rules::{CellClass, RunningEffect};

/// The columns of what runs, of the skill or of the combo skill.
const RUNNING: Labels = Labels::Names(&["magnitude", "turns left", "until flipped"]);

const OWNER: Field = Field::first("is", Labels::Names(&["own", "enemy", "empty"]));
const STANDS: Field = OWNER.then("stands", Labels::Single);
const SKILL: Field = STANDS.then("skill", Labels::Kinds);
const COMBO: Field = SKILL.then("combo", Labels::Kinds);
const SKILL_RUNS: Field = COMBO.then("skill runs", RUNNING);
const COMBO_RUNS: Field = SKILL_RUNS.then("combo runs", RUNNING);
const ATTACK: Field = COMBO_RUNS.then("attack", Labels::Single);
const CLASS: Field = ATTACK.then("class", Labels::Names(&["corner", "edge", "x", "inner"]));
const LEGAL: Field = CLASS.then("legal", Labels::Single);

/// The fields of the block.
pub(crate) const FIELDS: &[Field] =
    &[OWNER, STANDS, SKILL, COMBO, SKILL_RUNS, COMBO_RUNS, ATTACK, CLASS, LEGAL];

const _: () = assert!(block_len(FIELDS) == 64);

/// The owner of a cell, by its column.
#[derive(Clone, Copy)]
pub(crate) enum CellOwner {
    Own,
    Enemy,
    Nobody,
}

/// A cell.
pub(crate) struct CellStatus<'a> {
    pub(crate) owner: CellOwner,
    pub(crate) content: SlotContent<'a>,
    /// The effects that run on its piece.
    pub(crate) running: [Option<RunningEffect>; 2],
    pub(crate) class: CellClass,
    pub(crate) is_legal: bool,
}

/// Writes the status of a cell.
pub(crate) fn write<S: FeatureSink>(cell: &CellStatus<'_>, mut to: Block<'_, S>) {
    to.mark(OWNER, cell.owner as usize);
    if let SlotContent::Piece(known) = cell.content {
        to.put(STANDS, 1.0);
        to.mark_all(SKILL, kinds(&known.piece.skill));
        to.mark_all(COMBO, kinds(&known.piece.combo));
    }
    for (field, running) in [SKILL_RUNS, COMBO_RUNS].into_iter().zip(cell.running) {
        if let Some(RunningEffect { kind, magnitude: size, turns: left, .. }) = running {
            to.put_all(field, [magnitude(kind, size), turns(left), truth(left == 0)]);
        }
    }
    if let SlotContent::Piece(known) = cell.content {
        to.put(ATTACK, scaled(known.piece.attack, PIECE_HP));
    }
    to.mark(CLASS, cell.class as usize);
    to.put(LEGAL, truth(cell.is_legal));
}
