//! The one-line notation of maps.

use std::fmt;
use std::str::FromStr;

use super::{Map, MapLocation, Port, ReadError, Terrain};
use crate::board::{Hex, PortPlace};
use crate::resource::Resource;

const TERRAIN_LETTERS: &str = "B (brick), O (ore), S (sheep), G (wheat), W (wood), D (desert)";
const TOKEN_LETTERS: &str = "2 to 6, 8, 9, A (10), B (11), C (12)";
const PORT_LETTERS: &str = "3 (generic), B (brick), O (ore), S (sheep), G (wheat), W (wood)";
const N_TOKENS: usize = Hex::COUNT - 1;

/// Writes the notation: a map in one line of 48 characters, such as the rulebook's
/// `OSWGBSBGWDWOWOGSBGS-A29C64A9B38834556B-3GO3S33BW`.
///
/// - 19 tiles in the order of [`Hex::ALL`]: `B` brick, `O` ore, `S` sheep, `G` wheat (grain),
///   `W` wood, `D` desert
/// - 18 tokens in the same order, none for the desert: `2` to `6`, `8`, `9`, `A` 10,
///   `B` 11, `C` 12
/// - 9 ports in the order of [`PortPlace::ALL`]: `3` generic (3:1), or the letter of a resource
///
/// The notation is written in capitals and read in either case.
impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::with_capacity(Hex::COUNT + N_TOKENS + PortPlace::COUNT + 2);
        line.extend(Hex::ALL.map(|hex| terrain_letter(self.terrain(hex))));
        line.push('-');
        line.extend(Hex::ALL.into_iter().filter_map(|hex| self.token(hex)).map(token_letter));
        line.push('-');
        line.extend(PortPlace::ALL.map(|place| port_letter(self.port(place))));
        f.pad(&line)
    }
}

/// Reads the notation that `Display` writes, in either case.
impl FromStr for Map {
    type Err = ReadError;

    fn from_str(line: &str) -> Result<Self, ReadError> {
        let parts: Vec<&str> = line.trim().split('-').collect();
        let &[tiles, tokens, ports] = parts.as_slice() else {
            return Err(ReadError::Count {
                what: "parts joined by `-`",
                found: parts.len(),
                right: 3,
            });
        };
        let tiles: [char; Hex::COUNT] = letters(tiles, "tiles")?;
        let tokens: [char; N_TOKENS] = letters(tokens, "tokens")?;
        let ports: [char; PortPlace::COUNT] = letters(ports, "ports")?;
        let (mut terrain, mut numbers) = ([Terrain::Desert; Hex::COUNT], [0; Hex::COUNT]);
        let mut tokens = tokens.into_iter();
        for hex in Hex::ALL {
            let i = hex.index();
            terrain[i] = read_terrain(hex, tiles[i])?;
            if terrain[i] != Terrain::Desert {
                // A missing token means one land tile too many, which the counts will report.
                numbers[i] = tokens.next().map_or(Ok(0), |letter| read_token(hex, letter))?;
            }
        }
        let mut trades = [Port::Generic; PortPlace::COUNT];
        for place in PortPlace::ALL {
            trades[place.index()] = read_port(place, ports[place.index()])?;
        }
        Ok(Self::new(terrain, numbers, trades)?)
    }
}

impl From<Map> for String {
    fn from(map: Map) -> Self {
        Self::from(&map)
    }
}

impl From<&Map> for String {
    fn from(map: &Map) -> Self {
        map.to_string()
    }
}

impl TryFrom<String> for Map {
    type Error = ReadError;

    fn try_from(line: String) -> Result<Self, ReadError> {
        line.parse()
    }
}

fn letters<const N: usize>(part: &str, what: &'static str) -> Result<[char; N], ReadError> {
    let letters: Vec<char> = part.chars().take(2 * N).map(|c| c.to_ascii_uppercase()).collect();
    letters.try_into().map_err(|_| ReadError::Count { what, found: part.chars().count(), right: N })
}

fn read_terrain(hex: Hex, letter: char) -> Result<Terrain, ReadError> {
    let known = Terrain::ALL.into_iter().find(|&terrain| terrain_letter(terrain) == letter);
    known.ok_or_else(|| {
        ReadError::unknown(MapLocation::Tile(hex), "terrain", letter, TERRAIN_LETTERS)
    })
}

fn read_token(hex: Hex, letter: char) -> Result<u8, ReadError> {
    let known = (2..=12).find(|&token| token != 7 && token_letter(token) == letter);
    known.ok_or_else(|| ReadError::unknown(MapLocation::Tile(hex), "token", letter, TOKEN_LETTERS))
}

fn read_port(place: PortPlace, letter: char) -> Result<Port, ReadError> {
    let known = Port::ALL.into_iter().find(|&port| port_letter(port) == letter);
    known.ok_or_else(|| ReadError::unknown(MapLocation::Port(place), "port", letter, PORT_LETTERS))
}

const fn terrain_letter(terrain: Terrain) -> char {
    match terrain {
        Terrain::Land(resource) => resource_letter(resource),
        Terrain::Desert => 'D',
    }
}

const fn resource_letter(resource: Resource) -> char {
    match resource {
        Resource::Brick => 'B',
        Resource::Ore => 'O',
        Resource::Sheep => 'S',
        Resource::Wheat => 'G',
        Resource::Wood => 'W',
    }
}

const fn port_letter(port: Port) -> char {
    match port {
        Port::Generic => '3',
        Port::Special(resource) => resource_letter(resource),
    }
}

/// Returns a token as a digit to base 13.
fn token_letter(token: u8) -> char {
    let digit = char::from_digit(u32::from(token), 13);
    digit.expect("tokens are at most 12").to_ascii_uppercase()
}
