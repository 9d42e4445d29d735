//! An action and what it leads to: 208 columns.

use super::hand::last_magnitude;
use crate::features::field::{Field, Labels, block_len};
use crate::features::scale::{
    ATTRIBUTES, CONDITIONS, HP_CHANGE, PIECE_HP, PLAYER_HP, condition_index, scaled, truth, turns,
};
use crate::features::sight::KnownPiece;
use crate::features::sink::{Block, FeatureSink};
use crate::rules::{
    Action, ActionError, CellSet, EffectScope, Game, GameEvent, GameWatcher, HpChange, Player,
    legal_cells,
};

const CELL: Field = Field::first("on", Labels::Cells);
const FLIPS: Field = CELL.then("flips", Labels::Cells);
const COMBOS: Field = FLIPS.then("combo fires on", Labels::Cells);
const AFTER: Field = COMBOS.then("then the enemy can place on", Labels::Cells);
const SLOT: Field = AFTER.then("from slot", Labels::Numbers { first: 1, len: 4 });
const LEADER: Field = SLOT.then("leader", Labels::Single);
const ATTRIBUTE: Field = LEADER.then("attribute", Labels::Names(&ATTRIBUTES));
const HP: Field = ATTRIBUTE.then("HP of the piece", Labels::Single);
const ATTACK: Field = HP.then("attack of the piece", Labels::Single);
const FIRES: Field = ATTACK.then("fires", Labels::Kinds);
const CONDITION: Field = FIRES.then("skill's condition", Labels::Names(&CONDITIONS));
const HAS_COMBO: Field = CONDITION.then("has combo", Labels::Single);
const MAGNITUDE: Field = HAS_COMBO.then("skill's magnitude", Labels::Single);
const TURNS: Field = MAGNITUDE.then("skill's turns", Labels::Single);
const N_FLIPS: Field = TURNS.then("number of flips", Labels::Single);
const SKILL_FIRES: Field = N_FLIPS.then("skill fires", Labels::Single);
const N_COMBOS: Field = SKILL_FIRES.then("number of combos that fire", Labels::Single);
const DAMAGE: Field = N_COMBOS.then("damage", Labels::Single);
const SPECIAL: Field = DAMAGE.then("special damage", Labels::Single);
const OWN_DAMAGE: Field = SPECIAL.then("own damage", Labels::Single);
const HEALED: Field = OWN_DAMAGE.then("healed", Labels::Single);
const HP_AFTER: Field = HEALED.then("HP after", Labels::Names(&["own", "enemy"]));
const TAKEN: Field = HP_AFTER.then("share of the enemy's HP taken", Labels::Single);
const ENDS: Field = TAKEN.then("ends the game", Labels::Names(&["won", "lost", "drawn"]));
const ENDED: Field = ENDS.then("enemy effects ended", Labels::Single);
const STARTED: Field = ENDED.then("lasting effects started", Labels::Single);
const MOBILITY: Field = STARTED.then("enemy mobility after", Labels::Single);

/// The fields of the block.
pub(crate) const FIELDS: &[Field] = &[
    CELL,
    FLIPS,
    COMBOS,
    AFTER,
    SLOT,
    LEADER,
    ATTRIBUTE,
    HP,
    ATTACK,
    FIRES,
    CONDITION,
    HAS_COMBO,
    MAGNITUDE,
    TURNS,
    N_FLIPS,
    SKILL_FIRES,
    N_COMBOS,
    DAMAGE,
    SPECIAL,
    OWN_DAMAGE,
    HEALED,
    HP_AFTER,
    TAKEN,
    ENDS,
    ENDED,
    STARTED,
    MOBILITY,
];

const _: () = assert!(block_len(FIELDS) == 208);

/// The fields that depend on the cell and the slot only, whatever the piece.
pub(crate) const PLACEMENT_FIELDS: [Field; 4] = [CELL, FLIPS, SLOT, N_FLIPS];

/// The outcome of an action, to the end of the turn.
pub(crate) struct ActionPreview {
    player: Player,
    flipped: CellSet,
    /// The cells of the pieces whose combo skill fires.
    combos: CellSet,
    skill_fires: bool,
    /// The kinds that fire: bit number `i` is the kind number `i`.
    kinds: u64,
    /// The effects that fire and last beyond the placement.
    started: u32,
    damage: u32,
    special_damage: u32,
    own_damage: u32,
    healed: u32,
    hp_before: u32,
    /// The HP after, the player's first.
    hp_after: [u32; 2],
    /// The effects of the enemy that no longer run.
    ended: u32,
    /// The cells where the enemy can place; none if the game is over.
    enemy_cells: CellSet,
    /// The columns won, lost and drawn.
    ends: [f32; 3],
}

impl ActionPreview {
    /// Returns what an action leads to.
    pub(crate) fn new(game: &Game<'_>, action: Action) -> Result<Self, ActionError> {
        let (state, player) = (game.state(), game.state().to_move);
        let enemy = player.enemy();
        let mut preview = Self {
            player,
            flipped: CellSet::EMPTY,
            combos: CellSet::EMPTY,
            skill_fires: false,
            kinds: 0,
            started: 0,
            damage: 0,
            special_damage: 0,
            own_damage: 0,
            healed: 0,
            hp_before: state.player(enemy).hp,
            hp_after: [0; 2],
            ended: 0,
            enemy_cells: CellSet::EMPTY,
            ends: [0.0; 3],
        };
        let after = game.preview(action, &mut preview)?;
        let [own_after, enemy_after] = [player, enemy].map(|it| after.state().player(it));
        preview.hp_after = [own_after.hp, enemy_after.hp];
        let n_running = [state, after.state()].map(|state| state.running(enemy).count());
        preview.ended = u32::try_from(n_running[0].saturating_sub(n_running[1])).unwrap_or(0);
        match after.outcome().map(|outcome| outcome.winner) {
            None => preview.enemy_cells = legal_cells(enemy_after.cells, own_after.cells),
            Some(Some(winner)) if winner == player => preview.ends[0] = 1.0,
            Some(Some(_)) => preview.ends[1] = 1.0,
            Some(None) => preview.ends[2] = 1.0,
        }
        Ok(preview)
    }
}

impl GameWatcher for ActionPreview {
    fn event(&mut self, event: GameEvent) {
        match event {
            GameEvent::Placed { flipped, .. } => self.flipped = flipped,
            GameEvent::Fired { source, kind, .. } => {
                self.kinds |= 1 << kind.index();
                self.started += u32::from(kind.scope() != EffectScope::Placement);
                if source.is_combo {
                    self.combos = self.combos.or(source.cell.set());
                } else {
                    self.skill_fires = true;
                }
            }
            GameEvent::Lost { player, amount, cause } => {
                let sum = match cause {
                    _ if player == self.player => &mut self.own_damage,
                    HpChange::Attack => &mut self.damage,
                    HpChange::Effect(_) => &mut self.special_damage,
                };
                *sum = sum.saturating_add(amount);
            }
            GameEvent::Healed { amount, .. } => self.healed = self.healed.saturating_add(amount),
            GameEvent::TurnBegan { .. }
            | GameEvent::Drew { .. }
            | GameEvent::Passed { .. }
            | GameEvent::Applied { .. }
            | GameEvent::Dispelled { .. }
            | GameEvent::Sealed { .. }
            | GameEvent::Ended { .. } => {}
        }
    }
}

/// Writes an action that places the piece `known`.
pub(crate) fn write<S: FeatureSink>(
    action: Action,
    known: KnownPiece<'_>,
    preview: &ActionPreview,
    mut to: Block<'_, S>,
) {
    to.mark(CELL, action.cell.index());
    to.mark_all(FLIPS, preview.flipped.bits());
    to.mark_all(COMBOS, preview.combos.bits());
    to.mark_all(AFTER, preview.enemy_cells.bits());
    to.mark(SLOT, action.slot.into());
    write_piece(known, preview, &mut to);
    to.put(N_FLIPS, scaled(preview.flipped.len(), 10));
    to.put(SKILL_FIRES, truth(preview.skill_fires));
    to.put(N_COMBOS, scaled(preview.combos.len(), 4));
    to.put(DAMAGE, scaled(preview.damage, HP_CHANGE));
    to.put(SPECIAL, scaled(preview.special_damage, HP_CHANGE));
    to.put(OWN_DAMAGE, scaled(preview.own_damage, HP_CHANGE));
    to.put(HEALED, scaled(preview.healed, HP_CHANGE));
    to.put_all(HP_AFTER, preview.hp_after.map(|hp| scaled(hp, PLAYER_HP)));
    let taken = preview.hp_before.saturating_sub(preview.hp_after[1]);
    to.put(TAKEN, scaled(taken, preview.hp_before.max(1)));
    to.put_all(ENDS, preview.ends);
    to.put(ENDED, scaled(preview.ended, 4));
    to.put(STARTED, scaled(preview.started, 4));
    to.put(MOBILITY, scaled(preview.enemy_cells.len(), 20));
}

fn write_piece<S: FeatureSink>(
    known: KnownPiece<'_>,
    preview: &ActionPreview,
    to: &mut Block<'_, S>,
) {
    let piece = known.piece;
    to.put(LEADER, truth(known.is_leader));
    to.mark(ATTRIBUTE, piece.attribute as usize);
    to.put(HP, scaled(piece.hp, PIECE_HP));
    to.put(ATTACK, scaled(piece.attack, PIECE_HP));
    to.mark_all(FIRES, preview.kinds);
    if let Some(first) = piece.skill.first() {
        to.mark(CONDITION, condition_index(first.condition));
    }
    to.put(HAS_COMBO, truth(!piece.combo.is_none()));
    to.put(MAGNITUDE, last_magnitude(&piece.skill));
    to.put(TURNS, piece.skill.iter().last().map_or(0.0, |last| turns(last.turns)));
}
