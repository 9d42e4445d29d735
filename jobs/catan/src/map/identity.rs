//! The canonical form and id of maps. Two maps are the same map if they have the same id.

use std::fmt;

use super::Map;
use crate::board::{Hex, PortPlace, SYMMETRIES, Symmetry};

/// The id of a map, equal for all its rotations and reflections: the BLAKE3 hash of the notation of
/// its canonical form, as `printf %s NOTATION | b3sum` prints it. `{:.12}` writes the first 12 of
/// its 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MapId(pub [u8; 32]);

impl fmt::Display for MapId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for MapId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MapId({self:.12})")
    }
}

impl Map {
    /// Returns the image of the map under a symmetry of the board.
    #[must_use]
    pub fn moved(&self, symmetry: &Symmetry) -> Self {
        let mut image = *self;
        for hex in Hex::ALL {
            let to = symmetry.hexes[hex.index()].index();
            image.terrain[to] = self.terrain[hex.index()];
            image.tokens[to] = self.tokens[hex.index()];
        }
        for place in PortPlace::ALL {
            image.ports[symmetry.port_places[place.index()].index()] = self.ports[place.index()];
        }
        image
    }

    /// Returns the one of the map's six images whose notation comes first byte by byte. Two maps
    /// are the same game exactly if their canonical forms are equal.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let images = SYMMETRIES.iter().map(|symmetry| self.moved(symmetry));
        images.min_by_key(Self::to_string).unwrap_or(*self)
    }

    /// Returns the id of the map, which is the same for all its images.
    #[must_use]
    pub fn id(&self) -> MapId {
        MapId(*blake3::hash(self.canonical().to_string().as_bytes()).as_bytes())
    }
}
