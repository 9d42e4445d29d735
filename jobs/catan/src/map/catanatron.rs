//! Maps as Catanatron's game encoder writes them: the key `tiles` of a game in JSON.
//!
//! Every entry has cube coordinates `[x, y, z]` (`q` is `x`, `r` is `z`) and a tile of type
//! `RESOURCE_TILE`, `DESERT`, `PORT` or `WATER`. Everything else in a game is ignored.

use hatchery_core::text::excerpt;
use serde::Deserialize;
use serde_json::{Value, json};

use super::file::token_on;
use super::{Map, MapLocation, Port, ReadError, Terrain};
use crate::board::{Axial, Direction, Hex, Node, PortPlace};
use crate::resource::Resource;

const TYPES: &str = "RESOURCE_TILE, DESERT, PORT, WATER";
const RESOURCES: &str = "BRICK, ORE, SHEEP, WHEAT, WOOD";
const ELSEWHERE: &str = "no port of the base game lies here in this direction";

#[derive(Deserialize)]
struct EncodedGame {
    tiles: Vec<EncodedEntry>,
}

#[derive(Deserialize)]
struct EncodedEntry {
    coordinate: [i64; 3],
    tile: EncodedTile,
}

#[derive(Deserialize)]
struct EncodedTile {
    #[serde(rename = "type")]
    kind: String,
    resource: Option<String>,
    number: Option<i64>,
    direction: Option<String>,
}

/// Reads the map of a game.
///
/// # Errors
/// If the text is no map. The error names the place: line and column of broken JSON, or else the
/// coordinates.
pub fn read(text: &str) -> Result<Map, ReadError> {
    let game: EncodedGame = serde_json::from_str(text)?;
    let mut found = PartialMap::default();
    for entry in &game.tiles {
        found.add(entry)?;
    }
    let (mut terrain, mut tokens) = ([Terrain::Desert; Hex::COUNT], [0; Hex::COUNT]);
    for hex in Hex::ALL {
        let missing = ReadError::Missing { place: MapLocation::Tile(hex) };
        (terrain[hex.index()], tokens[hex.index()]) = found.tiles[hex.index()].ok_or(missing)?;
    }
    let mut ports = [Port::Generic; PortPlace::COUNT];
    for place in PortPlace::ALL {
        let missing = ReadError::Missing { place: MapLocation::Port(place) };
        ports[place.index()] = found.ports[place.index()].ok_or(missing)?;
    }
    Ok(Map::new(terrain, tokens, ports)?)
}

/// Writes the map as the key `tiles` of a game.
#[must_use]
pub fn write(map: &Map) -> String {
    let lines: Vec<String> = tiles(map).iter().map(|tile| format!("    {tile}")).collect();
    format!("{{\n  \"tiles\": [\n{}\n  ]\n}}\n", lines.join(",\n"))
}

/// Returns the entries of the key `tiles`, with the numbers that Catanatron gives to tiles and
/// ports.
pub(crate) fn tiles(map: &Map) -> Vec<Value> {
    let (mut entries, mut n_land, mut n_ports) = (Vec::new(), 0, 0);
    for axial in [0, 1, 2, 3].into_iter().flat_map(ring) {
        let port = PortPlace::ALL.into_iter().find(|place| place.sea() == axial);
        let tile = if let Some(hex) = Hex::at(axial) {
            n_land += 1;
            let id = n_land - 1;
            match (map.terrain(hex).resource(), map.token(hex)) {
                (Some(resource), Some(number)) => {
                    let name = resource_word(resource);
                    json!({"id": id, "type": "RESOURCE_TILE", "resource": name, "number": number})
                }
                _ => json!({"id": id, "type": "DESERT"}),
            }
        } else if let Some(place) = port {
            n_ports += 1;
            let resource = match map.port(place) {
                Port::Generic => Value::Null,
                Port::Special(resource) => Value::from(resource_word(resource)),
            };
            let direction = direction_word(place.land_direction());
            json!({"id": n_ports - 1, "type": "PORT", "direction": direction, "resource": resource})
        } else {
            json!({"type": "WATER"})
        };
        entries.push(json!({"coordinate": cube(axial), "tile": tile}));
    }
    entries
}

/// Returns the numbers that Catanatron gives to the nodes. Catanatron numbers the nodes hex by hex,
/// in the order of its hexes of land, and clockwise from the north around each hex.
pub(crate) fn node_ids() -> [u8; Node::COUNT] {
    let mut order = Vec::new();
    for hex in [0, 1, 2].into_iter().flat_map(ring).filter_map(Hex::at) {
        let new: Vec<Node> =
            hex.nodes().iter().filter(|node| !order.contains(*node)).copied().collect();
        order.extend(new);
    }
    let mut ids = [0; Node::COUNT];
    for (id, node) in (0..).zip(order) {
        ids[node.index()] = id;
    }
    ids
}

/// Returns cube coordinates.
pub(crate) const fn cube(Axial { q, r }: Axial) -> [i8; 3] {
    [q, -q - r, r]
}

/// The tiles and ports read so far.
#[derive(Default)]
struct PartialMap {
    tiles: [Option<(Terrain, u8)>; Hex::COUNT],
    ports: [Option<Port>; PortPlace::COUNT],
}

impl PartialMap {
    fn add(&mut self, entry: &EncodedEntry) -> Result<(), ReadError> {
        let place = MapLocation::Coordinate(entry.coordinate);
        let axial = axial(entry.coordinate)
            .ok_or(ReadError::Misplaced { place, problem: "no hex of the base game lies here" })?;
        let hex = Hex::at(axial);
        match (entry.tile.kind.as_str(), hex) {
            ("RESOURCE_TILE" | "DESERT", Some(hex)) => {
                let tile = entry.tile.land(place)?;
                fill(&mut self.tiles[hex.index()], tile, place)
            }
            ("PORT", None) => {
                let (port_place, port) = entry.tile.port(place, axial)?;
                fill(&mut self.ports[port_place.index()], port, place)
            }
            ("WATER", None) => Ok(()),
            ("RESOURCE_TILE" | "DESERT", None) => {
                Err(ReadError::Misplaced { place, problem: "the base game has sea here, not land" })
            }
            ("PORT" | "WATER", Some(_)) => {
                Err(ReadError::Misplaced { place, problem: "the base game has land here, not sea" })
            }
            (kind, _) => Err(ReadError::unknown(place, "type", excerpt(kind), TYPES)),
        }
    }
}

impl EncodedTile {
    fn land(&self, place: MapLocation) -> Result<(Terrain, u8), ReadError> {
        let terrain = match (self.kind.as_str(), self.resource.as_deref()) {
            ("DESERT", _) => Terrain::Desert,
            (_, resource) => Terrain::Land(resource_named(place, resource.unwrap_or("null"))?),
        };
        Ok((terrain, token_on(place, terrain, self.number)?))
    }

    fn port(&self, place: MapLocation, sea: Axial) -> Result<(PortPlace, Port), ReadError> {
        let direction = self.direction.as_deref();
        let here = PortPlace::ALL.into_iter().find(|port| {
            port.sea() == sea && direction == Some(direction_word(port.land_direction()))
        });
        let here = here.ok_or(ReadError::Misplaced { place, problem: ELSEWHERE })?;
        let port = match self.resource.as_deref() {
            None => Port::Generic,
            Some(name) => Port::Special(resource_named(place, name)?),
        };
        Ok((here, port))
    }
}

fn fill<T>(slot: &mut Option<T>, value: T, place: MapLocation) -> Result<(), ReadError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(ReadError::Twice { place }),
    }
}

/// Returns the hex at cube coordinates, on land or in the ring of sea around it.
fn axial([x, y, z]: [i64; 3]) -> Option<Axial> {
    let near = [x, y, z].iter().all(|c| (-3..=3).contains(c));
    let (q, r) = (i8::try_from(x).ok()?, i8::try_from(z).ok()?);
    (near && x + y + z == 0).then_some(Axial::new(q, r))
}

fn resource_named(place: MapLocation, name: &str) -> Result<Resource, ReadError> {
    let known = Resource::ALL.into_iter().find(|&resource| resource_word(resource) == name);
    known.ok_or_else(|| ReadError::unknown(place, "resource", excerpt(name), RESOURCES))
}

pub(crate) const fn resource_word(resource: Resource) -> &'static str {
    match resource {
        Resource::Brick => "BRICK",
        Resource::Ore => "ORE",
        Resource::Sheep => "SHEEP",
        Resource::Wheat => "WHEAT",
        Resource::Wood => "WOOD",
    }
}

const fn direction_word(direction: Direction) -> &'static str {
    match direction {
        Direction::NorthEast => "NORTHEAST",
        Direction::East => "EAST",
        Direction::SouthEast => "SOUTHEAST",
        Direction::SouthWest => "SOUTHWEST",
        Direction::West => "WEST",
        Direction::NorthWest => "NORTHWEST",
    }
}

/// Returns the hexes at this distance from the middle, clockwise from the east: Catanatron's order.
fn ring(radius: i8) -> Vec<Axial> {
    let runs = [
        Direction::SouthWest,
        Direction::West,
        Direction::NorthWest,
        Direction::NorthEast,
        Direction::East,
        Direction::SouthEast,
    ];
    let mut at = Axial::new(radius, 0);
    if radius == 0 {
        return vec![at];
    }
    let mut hexes = Vec::new();
    for direction in runs {
        for _ in 0..radius {
            hexes.push(at);
            at = at.step(direction);
        }
    }
    hexes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes around the hexes with these coordinates, as Catanatron 3.2.1 numbers them.
    const NODES: [([i64; 3], [u8; 6]); 4] = [
        ([0, 0, 0], [0, 1, 2, 3, 4, 5]),
        ([-1, 1, 0], [16, 5, 4, 15, 17, 18]),
        ([0, 2, -2], [45, 46, 19, 21, 43, 47]),
        ([2, -1, -1], [52, 53, 24, 7, 6, 23]),
    ];

    #[test]
    fn nodes_have_their_numbers() {
        let ids = node_ids();
        for (coordinate, expected) in NODES {
            let hex = axial(coordinate).and_then(Hex::at).unwrap();
            assert_eq!(hex.nodes().map(|node| ids[node.index()]), expected);
        }
    }
}
