//! The board in the header of a catanlog file (`.catan`): three lines, such as
//!
//! ```text
//! terrain: wood wheat ore wheat sheep brick sheep wheat wood ore brick desert wheat ...
//! numbers: 6 4 8 3 6 4 8 11 5 3 9 None 9 12 5 10 2 10 11
//! ports: 3:1(1 NW) wood(2 W) brick(4 W) 3:1(5 SW) 3:1(6 SE) sheep(8 SE) 3:1(9 E) ...
//! ```
//!
//! Tiles are numbered 1 to 19 counter-clockwise inward from the north-west corner; a port is at a
//! side of a tile. The version, time and players in a header do not belong to the board: they are
//! neither read nor written.

use hatchery_core::text::excerpt;

use super::file::{terrain_named, token_on};
use super::{Map, MapLocation, Port, ReadError, Terrain};
use crate::board::{Direction, Hex, PortPlace, SPIRAL};

const PORTS: &str = "3:1, brick, ore, sheep, wheat, wood";
const ELSEWHERE: &str = "no port of the base game lies here; they are at \
    1 NW, 2 W, 4 W, 5 SW, 6 SE, 8 SE, 9 E, 10 NE, 12 NE";
const NOT_A_PORT: &str = "no port; one is written as `3:1(1 NW)`";

/// The first word of a log, and the line that ends its header.
const FIRST_WORD: &str = "catanlog";
const END: &str = "...CATAN!";

/// Returns true if `text` is meant to be a log, or the lines of its map.
#[must_use]
pub fn is_log(text: &str) -> bool {
    let of_map = ["terrain:", "numbers:", "ports:"];
    text.trim_start().starts_with(FIRST_WORD)
        || text.lines().any(|line| of_map.iter().any(|key| line.trim_start().starts_with(key)))
}

/// Returns the header of a log, without the line that ends it.
#[must_use]
pub fn header(text: &str) -> &str {
    let ends = text.split_inclusive('\n').scan(0, |end, line| {
        let start = *end;
        *end += line.len();
        Some((start, line))
    });
    let end = { ends }.find(|(_, line)| line.trim_start().starts_with(END));
    end.map_or(text, |(start, _)| &text[..start])
}

/// Reads the map of a log. Only the header is read: the lines before `...CATAN!`.
///
/// # Errors
/// If the header has no map. The error names the line and the word.
pub fn read(text: &str) -> Result<Map, ReadError> {
    let (mut terrain, mut tokens) = ([Terrain::Desert; Hex::COUNT], [0; Hex::COUNT]);
    let names = words(line(text, "terrain")?, "words after `terrain:`")?;
    let numbers = words(line(text, "numbers")?, "words after `numbers:`")?;
    for (i, hex) in tiles().enumerate() {
        let place = MapLocation::Word("numbers", i + 1);
        terrain[hex.index()] = terrain_named(MapLocation::Word("terrain", i + 1), names[i])?;
        tokens[hex.index()] = token_on(place, terrain[hex.index()], number(place, numbers[i])?)?;
    }
    Ok(Map::new(terrain, tokens, read_ports(line(text, "ports")?)?)?)
}

/// Writes the three lines of the map, each with a line end.
#[must_use]
pub fn write(map: &Map) -> String {
    let terrain: Vec<&str> = tiles().map(|hex| map.terrain(hex).name()).collect();
    let number = |hex| map.token(hex).map_or_else(|| "None".to_owned(), |token| token.to_string());
    let numbers: Vec<String> = tiles().map(number).collect();
    let mut places = PortPlace::ALL.map(|place| (tile_number(place.hex()), place));
    places.sort_unstable();
    let ports = places.map(|(tile, place)| {
        let port = port_word(map.port(place));
        format!("{port}({tile} {})", side(place))
    });
    let (terrain, numbers, ports) = (terrain.join(" "), numbers.join(" "), ports.join(" "));
    format!("terrain: {terrain}\nnumbers: {numbers}\nports: {ports}\n")
}

/// Returns the tiles in the order of their numbers.
fn tiles() -> impl Iterator<Item = Hex> {
    let (outer, inner) = SPIRAL.split_at(12);
    let (inner, middle) = inner.split_at(6);
    // The north-west corner is the third of six, counter-clockwise from the east.
    let outer = outer[4..].iter().chain(&outer[..4]);
    let inner = inner[2..].iter().chain(&inner[..2]);
    outer.chain(inner).chain(middle).copied()
}

fn tile_number(hex: Hex) -> usize {
    let place = tiles().position(|other| other == hex);
    place.expect("the spiral has every hex") + 1
}

/// Returns the side of a port's tile that has the port.
fn side(place: PortPlace) -> &'static str {
    match place.land_direction() {
        Direction::NorthEast => "SW",
        Direction::East => "W",
        Direction::SouthEast => "NW",
        Direction::SouthWest => "NE",
        Direction::West => "E",
        Direction::NorthWest => "SE",
    }
}

/// Returns the text after `key:` in the header.
fn line<'a>(text: &'a str, key: &'static str) -> Result<&'a str, ReadError> {
    let place = MapLocation::Line(key);
    let lines = header(text).lines().map(str::trim);
    let mut found = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let first = found.next().ok_or(ReadError::Missing { place })?;
    if found.next().is_some() { Err(ReadError::Twice { place }) } else { Ok(first) }
}

fn words<'a>(line: &'a str, what: &'static str) -> Result<[&'a str; Hex::COUNT], ReadError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let found = words.len();
    words.try_into().map_err(|_| ReadError::Count { what, found, right: Hex::COUNT })
}

fn number(place: MapLocation, word: &str) -> Result<Option<i64>, ReadError> {
    const KNOWN: &str = "None, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12";
    if word == "None" {
        return Ok(None);
    }
    let number =
        word.parse().map_err(|_| ReadError::unknown(place, "number", excerpt(word), KNOWN))?;
    Ok(Some(number))
}

fn read_ports(line: &str) -> Result<[Port; PortPlace::COUNT], ReadError> {
    let mut ports = [None; PortPlace::COUNT];
    // Every port ends with a parenthesis; the rest after the last one must be blank.
    let mut items: Vec<&str> = line.split(')').map(str::trim).collect();
    let rest = items.pop().unwrap_or_default();
    if !rest.is_empty() {
        let place = MapLocation::Word("ports", items.len() + 1);
        return Err(ReadError::Misplaced { place, problem: NOT_A_PORT });
    }
    for (i, item) in items.iter().enumerate() {
        let place = MapLocation::Word("ports", i + 1);
        let not_a_port = ReadError::Misplaced { place, problem: NOT_A_PORT };
        let (word, at) = item.split_once('(').ok_or(not_a_port)?;
        let here = PortPlace::ALL
            .into_iter()
            .find(|&port| at == format!("{} {}", tile_number(port.hex()), side(port)));
        let here = here.ok_or(ReadError::Misplaced { place, problem: ELSEWHERE })?;
        let port = Port::ALL.into_iter().find(|&port| port_word(port) == word);
        let port = port.ok_or_else(|| ReadError::unknown(place, "port", excerpt(word), PORTS))?;
        if ports[here.index()].replace(port).is_some() {
            return Err(ReadError::Twice { place });
        }
    }
    let mut full = [Port::Generic; PortPlace::COUNT];
    for place in PortPlace::ALL {
        let missing = ReadError::Missing { place: MapLocation::Port(place) };
        full[place.index()] = ports[place.index()].ok_or(missing)?;
    }
    Ok(full)
}

const fn port_word(port: Port) -> &'static str {
    match port {
        Port::Generic => "3:1",
        Port::Special(resource) => resource.name(),
    }
}
