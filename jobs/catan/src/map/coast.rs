//! Which way ports look.

use crate::board::{Direction, PortPlace};

/// Where the land hex of a port lies, seen from its sea hex.
pub(super) fn facing(place: PortPlace) -> Direction {
    let land = place.hex().axial();
    let direction = Direction::ALL.into_iter().find(|&side| place.sea().step(side) == land);
    direction.expect("a port lies beside its land hex")
}
