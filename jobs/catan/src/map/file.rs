//! The map file format.

use hatchery_core::text::excerpt;
use serde::Deserialize;

use super::read_error::{FORMAT, MAX_CERTIFICATE_CHARS, MAX_NAME_CHARS, VERSION};
use super::{Map, MapLocation, Port, ReadError, Terrain, pips};
use crate::board::{Hex, PortPlace};

const TERRAINS: &str = "brick, ore, sheep, wheat, wood, desert";
const PORTS: &str = "generic, brick, ore, sheep, wheat, wood";
const TOKENS: &str = "2, 3, 4, 5, 6, 8, 9, 10, 11, 12";

/// The contents of a map file: JSON with a format name and a version.
///
/// ```json
/// {
///   "format": "hatchery-catan-map",
///   "version": 1,
///   "name": "Map for beginners",
///   "certificate": "sigma below 0.5 points for planner on all seats, ...",
///   "tiles": [{"terrain": "ore", "token": 10}, ..., {"terrain": "desert"}, ...],
///   "ports": ["generic", "wheat", ...]
/// }
/// ```
///
/// - `tiles`: 19, from the top row to the bottom row and from west to east, as [`Hex::ALL`];
///   `terrain` is `brick`, `ore`, `sheep`, `wheat`, `wood` or `desert`; `token` is 2 to 12 without
///   7, and absent on the desert
/// - `ports`: 9, as [`PortPlace::ALL`]; `generic` or the resource that the port trades 2:1
/// - `name`: optional, at most 80 characters, for people only
/// - `certificate`: optional, at most 8,000 characters, for people only: how even the map is, and
///   for which agents
///
/// Other keys are errors. The pieces must be the pieces of the base game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapFile {
    /// The name of the map.
    pub name: Option<String>,
    /// The statement of how even the map is, and of the agents that it is so for.
    pub certificate: Option<String>,
    /// The map.
    pub map: Map,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapDocument {
    format: String,
    version: u64,
    name: Option<String>,
    certificate: Option<String>,
    tiles: Vec<DocumentTile>,
    ports: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentTile {
    terrain: String,
    token: Option<i64>,
}

impl MapFile {
    /// The map file of the rulebook's map for beginners, [`Map::RULEBOOK`].
    pub const RULEBOOK: &str = include_str!("../../maps/rulebook.json");

    /// The map file of the map that Catanatron calls `TOURNAMENT`.
    pub const TOURNAMENT: &str = include_str!("../../maps/tournament.json");

    /// Reads a map file.
    ///
    /// # Errors
    /// If the text is no map file. The error names the place: line and column of broken JSON, or
    /// else the tile or the port.
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        let document: MapDocument = serde_json::from_str(text)?;
        if document.format != FORMAT {
            return Err(ReadError::Format { found: excerpt(&document.format) });
        }
        if document.version != VERSION {
            return Err(ReadError::Version { found: document.version });
        }
        if document.name.as_deref().is_some_and(|name| !is_line(name, MAX_NAME_CHARS)) {
            return Err(ReadError::Name);
        }
        let certificate = document.certificate;
        if certificate.as_deref().is_some_and(|text| !is_line(text, MAX_CERTIFICATE_CHARS)) {
            return Err(ReadError::Certificate);
        }
        let tiles: [DocumentTile; Hex::COUNT] = exactly(document.tiles, "tiles")?;
        let ports: [String; PortPlace::COUNT] = exactly(document.ports, "ports")?;
        let (mut terrain, mut tokens) = ([Terrain::Desert; Hex::COUNT], [0; Hex::COUNT]);
        for (hex, tile) in Hex::ALL.into_iter().zip(&tiles) {
            let place = MapLocation::Tile(hex);
            terrain[hex.index()] = terrain_named(place, &tile.terrain)?;
            tokens[hex.index()] = token_on(place, terrain[hex.index()], tile.token)?;
        }
        let mut trades = [Port::Generic; PortPlace::COUNT];
        for (place, name) in PortPlace::ALL.into_iter().zip(&ports) {
            let known = Port::ALL.into_iter().find(|port| port.name() == name);
            let place_named = MapLocation::Port(place);
            trades[place.index()] = known
                .ok_or_else(|| ReadError::unknown(place_named, "port", excerpt(name), PORTS))?;
        }
        let map = Map::new(terrain, tokens, trades)?;
        Ok(Self { name: document.name, certificate, map })
    }

    /// Writes the map file, with each row of the board on a line. A name or a certificate that is
    /// too long or has control characters is left out.
    #[must_use]
    pub fn to_json(&self) -> String {
        let texts = [
            ("name", &self.name, MAX_NAME_CHARS),
            ("certificate", &self.certificate, MAX_CERTIFICATE_CHARS),
        ];
        let texts = texts.into_iter().filter_map(|(key, text, most)| {
            let text = text.as_deref().filter(|text| is_line(text, most))?;
            Some(format!("  \"{key}\": {},\n", serde_json::Value::from(text)))
        });
        let rows = [-2, -1, 0, 1, 2].map(|r| {
            let row = Hex::ALL.into_iter().filter(|hex| hex.axial().r == r);
            row.map(|hex| self.tile(hex)).collect::<Vec<String>>().join(", ")
        });
        let ports = PortPlace::ALL.map(|place| format!("\"{}\"", self.map.port(place)));
        format!(
            "{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n{}  \
             \"tiles\": [\n    {}\n  ],\n  \"ports\": [{}]\n}}\n",
            texts.collect::<String>(),
            rows.join(",\n    "),
            ports.join(", ")
        )
    }

    fn tile(&self, hex: Hex) -> String {
        let terrain = self.map.terrain(hex);
        match self.map.token(hex) {
            Some(token) => format!("{{\"terrain\": \"{terrain}\", \"token\": {token}}}"),
            None => format!("{{\"terrain\": \"{terrain}\"}}"),
        }
    }
}

fn is_line(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !text.chars().any(char::is_control)
}

fn exactly<T, const N: usize>(list: Vec<T>, what: &'static str) -> Result<[T; N], ReadError> {
    list.try_into().map_err(|list: Vec<T>| ReadError::Count { what, found: list.len(), right: N })
}

/// Returns the terrain with this name.
pub(super) fn terrain_named(place: MapLocation, name: &str) -> Result<Terrain, ReadError> {
    let known = Terrain::ALL.into_iter().find(|terrain| terrain.name() == name);
    known.ok_or_else(|| ReadError::unknown(place, "terrain", excerpt(name), TERRAINS))
}

/// Checks the token on a tile and returns it, 0 on the desert.
pub(super) fn token_on(
    place: MapLocation,
    terrain: Terrain,
    token: Option<i64>,
) -> Result<u8, ReadError> {
    match (terrain, token) {
        (Terrain::Desert, None) => Ok(0),
        (Terrain::Desert, Some(token)) => Err(ReadError::TokenOnDesert { place, token }),
        (Terrain::Land(_), None) => Err(ReadError::NoToken { place }),
        (Terrain::Land(_), Some(token)) => {
            let known = u8::try_from(token).ok().filter(|&token| token != 7 && pips(token) != 0);
            known.ok_or_else(|| ReadError::unknown(place, "token", token, TOKENS))
        }
    }
}
