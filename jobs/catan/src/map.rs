//! Maps: each hex's terrain and token, and the port at each port place.

pub mod catanatron;
pub mod catanlog;
mod constraint;
mod file;
mod identity;
mod notation;
mod picture;
mod pieces;
mod policy;
mod read_error;
mod swap;

use hatchery_core::WireElement;
use serde::{Deserialize, Serialize};

use crate::board::{Hex, PortPlace};
use crate::resource::Resource;

pub use constraint::{MAX_NODE_PIPS, MapConstraint};
pub use file::MapFile;
pub use identity::MapId;
pub use pieces::{Port, Terrain, is_red, pips, token_supply};
pub use policy::{MapPolicy, apart_arrangements};
pub use read_error::{MapLocation, ReadError};
pub use swap::PieceSwap;

/// A map, made of the pieces of the base game: 4 sheep, 4 wheat, 4 wood, 3 brick, 3 ore, 1 desert;
/// tokens 2 and 12 once, 3 to 6 and 8 to 11 twice; 4 generic ports and one per resource. It is
/// serialized as its one-line notation.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, WireElement,
)]
#[serde(try_from = "String", into = "String")]
#[wire(try_from = String)]
pub struct Map {
    terrain: [Terrain; Hex::COUNT],
    tokens: [u8; Hex::COUNT],
    ports: [Port; PortPlace::COUNT],
}

impl Map {
    /// The rulebook's fixed map for beginners.
    #[rustfmt::skip]
    pub const RULEBOOK: Self = {
        use Port::{Generic, Special};
        use Resource::{Brick, Ore, Sheep, Wheat, Wood};
        use Terrain::{Desert, Land};
        Self {
            terrain: [
                Land(Ore), Land(Sheep), Land(Wood),
                Land(Wheat), Land(Brick), Land(Sheep), Land(Brick),
                Land(Wheat), Land(Wood), Desert, Land(Wood), Land(Ore),
                Land(Wood), Land(Ore), Land(Wheat), Land(Sheep),
                Land(Brick), Land(Wheat), Land(Sheep),
            ],
            tokens: [
                10, 2, 9,
                12, 6, 4, 10,
                9, 11, 0, 3, 8,
                8, 3, 4, 5,
                5, 6, 11,
            ],
            ports: [
                Generic, Special(Wheat), Special(Ore), Generic, Special(Sheep),
                Generic, Generic, Special(Brick), Special(Wood),
            ],
        }
    };

    /// Creates a map from pieces: each hex's terrain and token (0 on the desert), and a port for
    /// each port place.
    ///
    /// # Errors
    /// If the pieces differ from the pieces of the base game.
    pub fn new(
        terrain: [Terrain; Hex::COUNT],
        tokens: [u8; Hex::COUNT],
        ports: [Port; PortPlace::COUNT],
    ) -> Result<Self, MapError> {
        let map = Self { terrain, tokens, ports };
        map.check_terrain()?;
        map.check_tokens()?;
        map.check_ports()?;
        Ok(map)
    }

    /// Returns the terrain of `hex`.
    #[must_use]
    pub const fn terrain(&self, hex: Hex) -> Terrain {
        self.terrain[hex.index()]
    }

    /// Returns the number on `hex`, 2 to 12 without 7; none on the desert.
    #[must_use]
    pub const fn token(&self, hex: Hex) -> Option<u8> {
        match self.tokens[hex.index()] {
            0 => None,
            token => Some(token),
        }
    }

    /// Returns the port at `place`.
    #[must_use]
    pub const fn port(&self, place: PortPlace) -> Port {
        self.ports[place.index()]
    }

    /// Returns the hex of the desert.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "a map is checked to have a desert")]
    pub fn desert(&self) -> Hex {
        let desert = Hex::ALL.into_iter().find(|&hex| self.terrain(hex) == Terrain::Desert);
        desert.expect("every map has a desert")
    }

    fn check_terrain(&self) -> Result<(), MapError> {
        for terrain in Terrain::ALL {
            let found = self.terrain.iter().filter(|&&other| other == terrain).count();
            if found != terrain.supply() {
                return Err(MapError::TerrainCount { terrain, found });
            }
        }
        Ok(())
    }

    fn check_tokens(&self) -> Result<(), MapError> {
        for hex in Hex::ALL {
            let token = self.tokens[hex.index()];
            let is_desert = self.terrain(hex) == Terrain::Desert;
            if is_desert != (token == 0) || token == 7 || token == 1 || 12 < token {
                return Err(MapError::Token { hex: hex.index(), token });
            }
        }
        for token in [2, 3, 4, 5, 6, 8, 9, 10, 11, 12] {
            let found = self.tokens.iter().filter(|&&other| other == token).count();
            if found != token_supply(token) {
                return Err(MapError::TokenCount { token, found });
            }
        }
        Ok(())
    }

    fn check_ports(&self) -> Result<(), MapError> {
        for port in Port::ALL {
            let found = self.ports.iter().filter(|&&other| other == port).count();
            if found != port.supply() {
                return Err(MapError::PortCount { port, found });
            }
        }
        Ok(())
    }
}

/// The reason why pieces make no map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// There are too many or too few hexes of a kind.
    #[error("{found} hexes are {terrain} instead of {}", .terrain.supply())]
    TerrainCount {
        /// The kind.
        terrain: Terrain,
        /// The number found.
        found: usize,
    },
    /// A hex has a token that it cannot have.
    #[error("hex {hex} has token {token}: 0 is for the desert, other hexes have 2 to 12 without 7")]
    Token {
        /// The number of the hex.
        hex: usize,
        /// The token.
        token: u8,
    },
    /// There are too many or too few tokens with one number.
    #[error("token {token} lies on {found} hexes instead of {}", token_supply(*.token))]
    TokenCount {
        /// The number.
        token: u8,
        /// The number found.
        found: usize,
    },
    /// There are too many or too few ports of a kind.
    #[error("{found} ports are {port} instead of {}", .port.supply())]
    PortCount {
        /// The kind.
        port: Port,
        /// The number found.
        found: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulebook_map_is_one() {
        let Map { terrain, tokens, ports } = Map::RULEBOOK;
        assert_eq!(Map::new(terrain, tokens, ports), Ok(Map::RULEBOOK));
    }

    #[test]
    fn other_parts_are_refused() {
        let Map { terrain, tokens, ports } = Map::RULEBOOK;
        let mut wrong = terrain;
        wrong[0] = Terrain::Land(Resource::Wood);
        let error = Map::new(wrong, tokens, ports).unwrap_err();
        assert_eq!(error.to_string(), "2 hexes are ore instead of 3");
        let mut wrong = tokens;
        wrong[1] = 7;
        let error = Map::new(terrain, wrong, ports).unwrap_err();
        assert_eq!(error, MapError::Token { hex: 1, token: 7 });
        wrong[1] = 12;
        let error = Map::new(terrain, wrong, ports).unwrap_err();
        assert_eq!(error, MapError::TokenCount { token: 2, found: 0 });
        let mut wrong = ports;
        wrong[0] = Port::Special(Resource::Wood);
        let error = Map::new(terrain, tokens, wrong).unwrap_err();
        assert_eq!(error, MapError::PortCount { port: wrong[0], found: 2 });
    }
}
