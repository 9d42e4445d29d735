//! The part of a scene that does not change.

use schemars::JsonSchema;
use serde::Serialize;

use super::place::ScenePlace;

/// The part of a scene that does not change: the picture that things are on, and their symbols.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SceneBase {
    /// The space that places are in.
    pub space: SceneSpace,
    /// The symbols of tiles and things, which name them by their index.
    pub symbols: Vec<SceneSymbol>,
    /// The permanent parts, below all things; later tiles are drawn above earlier tiles.
    pub tiles: Vec<SceneTile>,
    /// Texts that are always there, above the tiles and below all things.
    pub labels: Vec<SceneLabel>,
}

impl SceneBase {
    /// Returns a base that has captions only.
    #[must_use]
    pub const fn captions() -> Self {
        Self::new(SceneSpace::Captions, Vec::new())
    }

    /// Returns a base without tiles and labels.
    #[must_use]
    pub const fn new(space: SceneSpace, symbols: Vec<SceneSymbol>) -> Self {
        Self { space, symbols, tiles: Vec::new(), labels: Vec::new() }
    }

    /// Returns the symbol; none if there is no such symbol.
    #[must_use]
    pub fn symbol(&self, symbol: SymbolId) -> Option<&SceneSymbol> {
        self.symbols.get(usize::from(symbol.0))
    }

    /// Returns true if things can be at `place`.
    #[must_use]
    pub fn contains(&self, ScenePlace { x, y }: ScenePlace) -> bool {
        match self.space {
            SceneSpace::Captions => false,
            SceneSpace::Grid { columns, rows, margin } => {
                let margin = i32::from(margin);
                let within = |at: i32, n: u16| -margin <= at && at < i32::from(n) + margin;
                within(x, columns) && within(y, rows)
            }
            SceneSpace::Hexes => {
                let place = ScenePlace { x, y };
                let mut centers = self.tiles.iter().map(|tile| tile.place);
                centers.any(|center| center.is_hex_center() && place.is_near_hex(center))
            }
            SceneSpace::World { left, right, bottom, top } => {
                (left..=right).contains(&x) && (bottom..=top).contains(&y)
            }
        }
    }
}

/// The space of a scene, which gives the numbers of places their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SceneSpace {
    /// No space and no things: frames have captions only.
    Captions,
    /// A board of square cells: x is the column and y the row, both counted from 0 at the top left.
    Grid {
        /// The number of columns.
        columns: u16,
        /// The number of rows.
        rows: u16,
        /// The number of cells around the board where things can be as well, and labels.
        margin: u16,
    },
    /// A board of hexagonal cells with a corner at the top; its cells are the tiles. Places are
    /// axial coordinates in sixths of a cell: x grows to the right, y downward and half a cell to
    /// the right, and the center of the cell (q, r) is (6 q, 6 r). Things can be up to a cell away
    /// from a tile.
    Hexes,
    /// A plane for bodies: x grows to the right and y upward, in thousandths of the world's unit.
    World {
        /// The smallest x.
        left: i32,
        /// The largest x, above `left`.
        right: i32,
        /// The smallest y.
        bottom: i32,
        /// The largest y, above `bottom`.
        top: i32,
    },
}

/// The index of a symbol in its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct SymbolId(pub u16);

/// A symbol: how a kind of tile or thing is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SceneSymbol {
    /// The name, unlike the names of the other symbols, such as `city of seat 2`.
    pub name: String,
    /// One character or a few, each a column wide, that stand for it in a terminal.
    pub glyph: String,
    /// The color in a picture.
    pub color: SceneColor,
    /// The shape in a picture.
    pub shape: SymbolShape,
    /// A few characters on the shape in a picture; only present if there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inscription: Option<String>,
}

impl SceneSymbol {
    /// Returns the symbol of these parts.
    pub fn new(
        name: impl Into<String>,
        glyph: impl Into<String>,
        color: SceneColor,
        shape: SymbolShape,
    ) -> Self {
        Self { name: name.into(), glyph: glyph.into(), color, shape, inscription: None }
    }

    /// Returns the symbol with these characters on its shape.
    #[must_use]
    pub fn inscribed(self, inscription: impl Into<String>) -> Self {
        Self { inscription: Some(inscription.into()), ..self }
    }
}

/// The color of a symbol. The drawing program chooses the shade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SceneColor {
    Black,
    Gray,
    White,
    Red,
    Orange,
    Yellow,
    LightGreen,
    Green,
    Blue,
    Purple,
    Brown,
    Sand,
}

/// The shape of a symbol. Lengths are thousandths: of a cell's width on a board, of the unit in a
/// world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SymbolShape {
    /// The glyph, as text.
    Glyph,
    /// The whole cell.
    Cell,
    /// A disk around its place.
    Disk {
        /// The radius.
        radius: u32,
    },
    /// A polygon.
    Polygon {
        /// The corners around its place before it is turned: to the right and upward, in order.
        corners: Vec<[i32; 2]>,
    },
}

/// A symbol that is always at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SceneTile {
    /// The symbol.
    pub symbol: SymbolId,
    /// The place.
    #[serde(flatten)]
    pub place: ScenePlace,
}

/// A text that is always at its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SceneLabel {
    /// The text: one line.
    pub text: String,
    /// The place of its middle.
    #[serde(flatten)]
    pub place: ScenePlace,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_within_their_space() {
        let check = |base: &SceneBase, inside: &[(i32, i32)], outside: &[(i32, i32)]| {
            for (places, expected) in [(inside, true), (outside, false)] {
                for &(x, y) in places {
                    assert_eq!(base.contains(ScenePlace::new(x, y)), expected, "{x}, {y}");
                }
            }
        };
        check(&SceneBase::captions(), &[], &[(0, 0)]);
        let grid = SceneBase::new(SceneSpace::Grid { columns: 3, rows: 2, margin: 1 }, Vec::new());
        check(&grid, &[(-1, -1), (3, 2)], &[(-2, 0), (4, 0), (0, 3), (i32::MAX, i32::MIN)]);
        let world = SceneSpace::World { left: -5, right: 5, bottom: 0, top: 9 };
        check(&SceneBase::new(world, Vec::new()), &[(-5, 0), (5, 9)], &[(6, 0), (0, -1)]);
        let mut hexes = SceneBase::new(SceneSpace::Hexes, Vec::new());
        check(&hexes, &[], &[(0, 0)]);
        hexes.tiles = vec![SceneTile { symbol: SymbolId(0), place: ScenePlace::hex(1, 0) }];
        check(&hexes, &[(6, 0), (0, 0), (12, -6), (8, -4)], &[(-1, 0), (12, 6)]);
    }
}
