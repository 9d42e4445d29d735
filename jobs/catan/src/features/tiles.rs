//! The tiles of a map by their resource, and the pips on them.

use crate::board::Hex;
use crate::map::{Map, Terrain, pips};
use crate::resource::Resource;

/// Returns the tiles of a resource in order.
pub(super) fn tiles(map: &Map, resource: Resource) -> impl Iterator<Item = Hex> {
    Hex::ALL.into_iter().filter(move |&hex| map.terrain(hex) == Terrain::Land(resource))
}

/// Returns the pips of the token on a hex, 0 without one.
pub(super) fn pips_on(map: &Map, hex: Hex) -> u8 {
    map.token(hex).map_or(0, pips)
}

/// Returns the number of tiles of a resource whose token has `n_pips` pips.
pub(super) fn n_with_pips(map: &Map, resource: Resource, n_pips: u8) -> u8 {
    tiles(map, resource).map(|hex| u8::from(pips_on(map, hex) == n_pips)).sum()
}
