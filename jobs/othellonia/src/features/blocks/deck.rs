//! The status of a slot of a deck: 8 columns.

use crate::features::field::{Field, Labels, block_len};
use crate::features::scale::{ATTRIBUTES, truth};
use crate::features::sight::{PlayerSight, SlotContent};
use crate::features::sink::{Block, FeatureSink};

const PLACE: Field = Field::first("in", Labels::Names(&["deck", "hand", "board", "used"]));
const ATTRIBUTE: Field = PLACE.then("attribute", Labels::Names(&ATTRIBUTES));
const LEADER: Field = ATTRIBUTE.then("leader", Labels::Single);

/// The fields of the block.
pub(crate) const FIELDS: &[Field] = &[PLACE, ATTRIBUTE, LEADER];

const _: () = assert!(block_len(FIELDS) == 8);

/// Writes the status of a slot.
pub(crate) fn write<S: FeatureSink>(player: &PlayerSight<'_>, index: usize, mut to: Block<'_, S>) {
    if let (Some(place), SlotContent::Piece(known)) = (player.place(index), player.deck_slot(index))
    {
        to.mark(PLACE, place as usize);
        to.mark(ATTRIBUTE, known.piece.attribute as usize);
        to.put(LEADER, truth(known.is_leader));
    }
}
