//! The columns that tell of the piece that an action places.

use std::ops::Range;

use super::blocks::{action, hand};
use super::field::block_len;
use super::layout::FeatureLayout;

impl FeatureLayout<'_> {
    /// Returns the columns of the row of a state that tell which piece is in a slot of the own
    /// hand, or would help to guess it:
    /// * the status of that slot of the hand;
    /// * the status of all slots of the own deck. These columns show where each piece in the deck
    ///   is, so a slot without status would reveal by its place in the deck which piece is meant.
    ///
    /// The columns of pieces are not among them: columns from a table of zeros say nothing.
    ///
    /// # Panics
    /// If the hand has no such slot.
    #[must_use]
    pub fn hand_piece_columns(&self, slot: u8) -> [Range<usize>; 2] {
        let (hand, len) = (self.part("own hand"), block_len(hand::FIELDS));
        let start = hand.start + usize::from(slot) * len;
        assert!(start < hand.end, "slot {slot} of the hand");
        [start..start + len, self.part("own deck")]
    }

    /// Returns the columns of the row of an action that tell neither which piece is placed nor what
    /// its skill does: the cell, the cells that are flipped, the slot of the hand, and the number
    /// of flips.
    ///
    /// The others tell the piece (its vector, leader, attribute, HP, attack, skill, combo skill),
    /// or its effects: kinds and combo skills that fire, damage, healing, HP after, effects started
    /// and ended, the end of the game. The cells where the enemy can place after it are among them,
    /// because a game that ends has none.
    #[must_use]
    pub fn placement_columns(&self) -> Vec<Range<usize>> {
        let start = self.encoding.width();
        let columns = |field: &super::field::Field| start + field.start()..start + field.end();
        action::PLACEMENT_FIELDS.iter().map(columns).collect()
    }

    /// Returns the columns of a part.
    fn part(&self, name: &str) -> Range<usize> {
        let part = self.parts().into_iter().find(|part| part.name == name);
        part.expect("a name of the list of parts").columns
    }
}
