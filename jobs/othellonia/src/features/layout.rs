//! The layout of rows: where their columns are, and what they mean.

use std::ops::Range;

use super::blocks::{action, cell, deck, game, hand, status};
use super::encoding::PieceEncoding;
use super::error::FeatureError;
use super::field::{Field, block_len, describe_column};
use super::scale::VECTOR_LEN;
use super::sight::{GameView, Information, N_SLOTS};
use super::sink::{DenseRow, SparseRow};
use super::writer;
use crate::rules::{Action, Cell, DECK_PIECES, Game, HAND_SLOTS, N_CELLS};

/// The version of the features: it changes when a column gets another meaning, so that what was
/// learned with other features can be told apart.
pub const FEATURE_VERSION: u32 = 1;

/// The layout of feature rows: the features of a state, then the features of an action in this
/// state.
#[derive(Clone, Copy, Debug)]
pub struct FeatureLayout<'a> {
    pub(super) encoding: PieceEncoding<'a>,
}

/// A part of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeaturePart {
    /// Its name.
    pub name: &'static str,
    /// Its columns in the row of a state and an action.
    pub columns: Range<usize>,
}

/// Slots of a state, in their order: places that hold a piece or can hold a piece.
const SLOT_GROUPS: [SlotGroup; 5] = [
    SlotGroup { name: "board", len: N_CELLS, fields: cell::FIELDS },
    SlotGroup { name: "own hand", len: HAND_SLOTS, fields: hand::FIELDS },
    SlotGroup { name: "enemy hand", len: HAND_SLOTS, fields: hand::FIELDS },
    SlotGroup { name: "own deck", len: DECK_PIECES, fields: deck::FIELDS },
    SlotGroup { name: "enemy deck", len: DECK_PIECES, fields: deck::FIELDS },
];

/// Slots of the same sort.
struct SlotGroup {
    name: &'static str,
    len: usize,
    /// The status fields in every slot.
    fields: &'static [Field],
}

impl SlotGroup {
    /// Returns the name of a slot.
    fn slot(&self, at: usize) -> String {
        let name = self.name;
        match u8::try_from(at).ok().and_then(Cell::new).filter(|_| self.len == N_CELLS) {
            Some(cell) => format!("{name} {cell}"),
            None => format!("{name} {}", at + 1),
        }
    }
}

/// The number of columns for a state, without the columns that say which piece is in each slot.
const STATE_STATUS: usize = {
    let (mut len, mut at) = (0, 0);
    while at < SLOT_GROUPS.len() {
        len += SLOT_GROUPS[at].len * block_len(SLOT_GROUPS[at].fields);
        at += 1;
    }
    len + block_len(game::FIELDS) + 2 * block_len(status::FIELDS)
};

/// The number of columns for an action, without the columns that say which piece is placed.
const ACTION_STATUS: usize = block_len(action::FIELDS);

/// A row with vectors has as many columns as in Kono et al.
const _: () = assert!(N_SLOTS == 76);
const _: () = assert!((N_SLOTS + 1) * VECTOR_LEN + STATE_STATUS + ACTION_STATUS == 5_649);
const _: () = assert!(N_SLOTS * VECTOR_LEN + STATE_STATUS == 5_411);
const _: () = assert!(VECTOR_LEN + ACTION_STATUS == 238);

impl<'a> FeatureLayout<'a> {
    /// Returns the layout of rows that encode pieces in this way.
    ///
    /// # Errors
    /// If the encoding has no kinds, or too many.
    pub fn new(encoding: PieceEncoding<'a>) -> Result<Self, FeatureError> {
        encoding.check()?;
        Ok(Self { encoding })
    }

    /// Returns the length of the row of a state.
    #[must_use]
    pub const fn state_len(&self) -> usize {
        N_SLOTS * self.encoding.width() + STATE_STATUS
    }

    /// Returns the length of the row of an action.
    #[must_use]
    pub const fn action_len(&self) -> usize {
        self.encoding.width() + ACTION_STATUS
    }

    /// Returns the length of the row of a state and an action.
    #[must_use]
    pub const fn row_len(&self) -> usize {
        self.state_len() + self.action_len()
    }

    /// Returns the parts of a row, in their order.
    #[must_use]
    pub fn parts(&self) -> Vec<FeaturePart> {
        let width = self.encoding.width();
        let statuses = SLOT_GROUPS.iter().map(|it| (it.name, it.len * block_len(it.fields)));
        let ends = [
            ("game", block_len(game::FIELDS)),
            ("own status", block_len(status::FIELDS)),
            ("enemy status", block_len(status::FIELDS)),
            ("action piece", width),
            ("action", ACTION_STATUS),
        ];
        let mut start = 0;
        let parts = [("pieces", N_SLOTS * width)].into_iter().chain(statuses).chain(ends);
        let part = |(name, len)| {
            let columns = start..start + len;
            start += len;
            FeaturePart { name, columns }
        };
        parts.map(part).collect()
    }

    /// Describes a column of the row of a state and an action, such as `board c4: skill bolt`;
    /// `None` if there is no such column.
    #[must_use]
    pub fn describe(&self, column: usize) -> Option<String> {
        let width = self.encoding.width();
        if column < N_SLOTS * width {
            let slot = slot_name(column / width)?;
            return Some(format!("{slot}: {}", self.encoding.describe(column % width)));
        }
        let mut rest = column - N_SLOTS * width;
        for group in &SLOT_GROUPS {
            let len = block_len(group.fields);
            if rest < group.len * len {
                let (slot, field) = (group.slot(rest / len), rest % len);
                return Some(format!("{slot}: {}", describe_column(group.fields, field)?));
            }
            rest -= group.len * len;
        }
        let blocks = [
            ("game", game::FIELDS),
            ("own status", status::FIELDS),
            ("enemy status", status::FIELDS),
        ];
        for (name, fields) in blocks {
            if rest < block_len(fields) {
                return Some(format!("{name}: {}", describe_column(fields, rest)?));
            }
            rest -= block_len(fields);
        }
        if rest < width {
            return Some(format!("action piece: {}", self.encoding.describe(rest)));
        }
        Some(format!("action: {}", describe_column(action::FIELDS, rest - width)?))
    }

    /// Writes the row of a state, as the player whose turn it is sees it with this information.
    ///
    /// # Errors
    /// If the row is not of `state_len`, or a piece of a deck has no features: then nothing was
    /// written.
    pub fn write_state<'g>(
        &self,
        view: impl Into<GameView<'g>>,
        information: Information,
        row: &mut [f32],
    ) -> Result<(), FeatureError> {
        let view = view.into();
        check_len(row, self.state_len())?;
        self.encoding.check_decks(view.decks)?;
        writer::state(self.encoding, view, information, &mut DenseRow::zeros(row));
        Ok(())
    }

    /// Writes the row of an action of the player whose turn it is. It does not depend on what other
    /// players hide.
    ///
    /// # Errors
    /// If the row is not of `action_len`, a piece of a deck has no features, or the action is not
    /// legal: then nothing was written.
    pub fn write_action(
        &self,
        game: &Game<'_>,
        action: Action,
        row: &mut [f32],
    ) -> Result<(), FeatureError> {
        check_len(row, self.action_len())?;
        self.encoding.check_decks(game.decks())?;
        let preview = action::ActionPreview::new(game, action)?;
        writer::action(self.encoding, game, action, &preview, &mut DenseRow::zeros(row));
        Ok(())
    }

    /// Writes the row of a state and an action: that of the state, then that of the action.
    ///
    /// # Errors
    /// If the row is not of `row_len`, a piece of a deck has no features, or the action is not
    /// legal.
    pub fn write_row(
        &self,
        game: &Game<'_>,
        information: Information,
        action: Action,
        row: &mut [f32],
    ) -> Result<(), FeatureError> {
        check_len(row, self.row_len())?;
        let (state_row, action_row) = row.split_at_mut(self.state_len());
        self.write_action(game, action, action_row)?;
        self.write_state(game, information, state_row)
    }

    /// Writes the row of a state as its columns that are not 0.
    ///
    /// # Errors
    /// If a piece of a deck has no features: then nothing was written.
    pub fn sparse_state<'g>(
        &self,
        view: impl Into<GameView<'g>>,
        information: Information,
        row: &mut SparseRow,
    ) -> Result<(), FeatureError> {
        let view = view.into();
        self.encoding.check_decks(view.decks)?;
        row.clear();
        writer::state(self.encoding, view, information, row);
        Ok(())
    }

    /// Writes the row of an action as its columns that are not 0, counted from the first column of
    /// the action.
    ///
    /// # Errors
    /// If a piece of a deck has no features, or the action is not legal: then nothing was written.
    pub fn sparse_action(
        &self,
        game: &Game<'_>,
        action: Action,
        row: &mut SparseRow,
    ) -> Result<(), FeatureError> {
        self.encoding.check_decks(game.decks())?;
        let preview = action::ActionPreview::new(game, action)?;
        row.clear();
        writer::action(self.encoding, game, action, &preview, row);
        Ok(())
    }
}

/// Returns the name of a slot of a state.
fn slot_name(slot: usize) -> Option<String> {
    let mut rest = slot;
    for group in &SLOT_GROUPS {
        if rest < group.len {
            return Some(group.slot(rest));
        }
        rest -= group.len;
    }
    None
}

fn check_len(row: &[f32], expected: usize) -> Result<(), FeatureError> {
    let found = row.len();
    if found == expected { Ok(()) } else { Err(FeatureError::RowLength { found, expected }) }
}
