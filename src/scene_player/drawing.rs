//! Scenes as SVG: symbols, the ground, and the present things.

use hatchery_core::scene::{
    Scene, SceneBase, SceneLabel, SceneSpace, SceneSymbol, SceneThings, SceneTile, SymbolId,
    SymbolShape, ThingPose,
};
use maud::Render;

use super::geometry::{CELL, HEX_PATH, SceneGeometry};
use super::palette::{self, INK, SymbolColors, colors};
use crate::html::Shown;

/// The font of texts in pictures.
const FONT: &str = "font-family=\"Helvetica,Arial,sans-serif\" text-anchor=\"middle\"";

/// Lengths of boards in thousandths of a cell: the radius of a token, how far it and the name of a
/// tile are below the center, and the sizes of letters.
const TOKEN_RADIUS: i64 = 190;
const TOKEN_BELOW: i64 = 240;
const NAME_BELOW: i64 = -330;
const TOKEN_LETTERS: i64 = 190;
const NAME_LETTERS: i64 = 130;
const LABEL_LETTERS: i64 = 420;
const GLYPH_LETTERS: i64 = 620;

/// The width of borders, in thousandths of a cell, or of the unit in a world.
const OUTLINE: i64 = 35;

/// A drawable scene: a pure function of its base and of the present things.
///
/// Its parts are markup for the inside of an `svg` element with the [view
/// box](Self::view_box). They name each other by ids that begin with a prefix, so that a page can
/// have several.
#[derive(Clone, Copy, Debug)]
pub(super) struct SceneDrawing<'a> {
    base: &'a SceneBase,
    pub(super) geometry: SceneGeometry,
    prefix: &'a str,
}

impl<'a> SceneDrawing<'a> {
    /// Returns the drawing of a scene; none if it has captions only. `prefix` is a name of letters.
    pub(super) fn new(scene: &'a Scene, prefix: &'a str) -> Option<Self> {
        Some(Self { base: &scene.base, geometry: SceneGeometry::new(scene)?, prefix })
    }

    /// Returns the value of the attribute `viewBox`.
    pub(super) fn view_box(&self) -> String {
        self.geometry.view.map(|number| number.to_string()).join(" ")
    }

    /// Returns the definitions that [`things`](Self::things) refer to.
    pub(super) fn definitions(&self) -> String {
        let symbols = self.base.symbols.iter().zip(0..).map(|(symbol, number)| {
            let (id, shape) = (self.symbol_id(SymbolId(number)), self.symbol(symbol));
            // A symbol inherits from where it is used, and not from where it is defined.
            format!("<g id=\"{id}\" {FONT}>{shape}</g>\n")
        });
        format!("<defs>\n{}</defs>\n", symbols.collect::<String>())
    }

    /// Returns the permanent parts.
    pub(super) fn ground(&self) -> String {
        let tiles = self.base.tiles.iter().filter_map(|tile| self.tile(*tile));
        let labels = self.base.labels.iter().map(|label| self.label(label));
        let (paper, lines) = match self.base.space {
            SceneSpace::Captions => (String::new(), String::new()),
            SceneSpace::Grid { columns, rows, margin: _ } => {
                let board = self.board(columns.into(), rows.into());
                (self.paper("scene-sheet") + &board, grid_lines(columns.into(), rows.into()))
            }
            SceneSpace::Hexes => (self.paper("scene-sea"), String::new()),
            SceneSpace::World { .. } => (self.paper("scene-sky"), String::new()),
        };
        let (tiles, labels): (String, String) = (tiles.collect(), labels.collect());
        format!("<g {FONT}>\n{paper}{tiles}{lines}{labels}</g>\n")
    }

    /// Returns the present things.
    pub(super) fn things(&self, things: &SceneThings) -> String {
        things.iter().map(|(_, pose)| self.thing(pose) + "\n").collect()
    }

    /// Returns a thing.
    fn thing(&self, pose: ThingPose) -> String {
        let (id, place) = (self.symbol_id(pose.symbol), self.transform(pose));
        format!("<use href=\"#{id}\" transform=\"{place}\"/>")
    }

    /// Returns the id of a symbol.
    pub(super) fn symbol_id(&self, SymbolId(number): SymbolId) -> String {
        format!("{}-s{number}", self.prefix)
    }

    /// Returns the view box of a symbol by itself: a cell, or a unit of a world and some more.
    pub(super) fn symbol_view(&self) -> String {
        let [corner, side] = match self.base.space {
            SceneSpace::World { .. } => [-1_000, 2_000],
            _ => [-600, 1_200],
        }
        .map(|length| self.geometry.length(length));
        format!("{corner} {corner} {side} {side}")
    }

    /// Returns the value of the attribute `transform` that brings a symbol to its pose.
    pub(super) fn transform(&self, pose: ThingPose) -> String {
        let [x, y] = self.geometry.point(pose.place);
        match pose.turn.tenths() {
            0 => format!("translate({x} {y})"),
            tenths => format!("translate({x} {y}) rotate({})", degrees(tenths)),
        }
    }

    /// Returns the shape of a symbol around its place.
    fn symbol(&self, symbol: &SceneSymbol) -> String {
        let SymbolColors { fill, outline, ink } = colors(symbol.color);
        let look = format!("fill=\"{fill}\" {}", self.outline(outline));
        let shape = match &symbol.shape {
            SymbolShape::Glyph => {
                return self.text([0, 0], GLYPH_LETTERS, fill, &symbol.glyph);
            }
            SymbolShape::Cell => match self.base.space {
                SceneSpace::Hexes => format!("<path d=\"{HEX_PATH}\" {look}/>"),
                _ => {
                    let [corner, side, round] =
                        [-465, 930, 90].map(|length| self.geometry.length(length));
                    format!(
                        "<rect x=\"{corner}\" y=\"{corner}\" width=\"{side}\" \
                         height=\"{side}\" rx=\"{round}\" {look}/>"
                    )
                }
            },
            SymbolShape::Disk { radius } => {
                let radius = self.geometry.length((*radius).into());
                format!("<circle r=\"{radius}\" {look}/>")
            }
            SymbolShape::Polygon { corners } => {
                let corner = |[x, y]: &[i32; 2]| {
                    let [x, y] = [i64::from(*x), -i64::from(*y)];
                    format!("{},{}", self.geometry.length(x), self.geometry.length(y))
                };
                let corners: Vec<_> = corners.iter().map(corner).collect();
                format!("<polygon points=\"{}\" {look}/>", corners.join(" "))
            }
        };
        match &symbol.inscription {
            Some(text) => shape + &self.text([0, 0], LABEL_LETTERS, ink, text),
            None => shape,
        }
    }

    fn outline(&self, color: &str) -> String {
        let width = self.geometry.length(OUTLINE);
        format!("stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"")
    }

    /// Returns a tile; on a board of squares it fills its cell.
    fn tile(&self, tile: SceneTile) -> Option<String> {
        let symbol = self.base.symbol(tile.symbol)?;
        let [x, y] = self.geometry.point(tile.place);
        let is_cell = symbol.shape == SymbolShape::Cell;
        let shape = match self.base.space {
            SceneSpace::Grid { .. } if is_cell => {
                let fill = colors(symbol.color).fill;
                format!("<rect x=\"-50\" y=\"-50\" width=\"100\" height=\"100\" fill=\"{fill}\"/>")
            }
            SceneSpace::Hexes if is_cell => {
                let ink = colors(symbol.color).ink;
                let name = self.text([0, NAME_BELOW], NAME_LETTERS, ink, &symbol.glyph);
                self.symbol(symbol) + &name
            }
            _ => self.symbol(symbol),
        };
        Some(format!("<g transform=\"translate({x} {y})\">{shape}</g>\n"))
    }

    /// Returns a label: on a hexagonal board a token, below the center so that a thing at the
    /// center does not hide it.
    fn label(&self, SceneLabel { text, place }: &SceneLabel) -> String {
        let [x, y] = self.geometry.point(*place);
        let content = match self.base.space {
            SceneSpace::Hexes => {
                let is_on_cell = self.base.tiles.iter().any(|tile| {
                    let symbol = self.base.symbol(tile.symbol);
                    tile.place == *place && symbol.is_some_and(|it| it.shape == SymbolShape::Cell)
                });
                let below = if is_on_cell { TOKEN_BELOW } else { 0 };
                let [radius, y] = [TOKEN_RADIUS, below].map(|length| self.geometry.length(length));
                let token = format!("<circle cy=\"{y}\" r=\"{radius}\" fill=\"#fbf4e0\"/>");
                token + &self.text([0, below], TOKEN_LETTERS, INK, text)
            }
            _ => self.text([0, 0], LABEL_LETTERS, INK, text),
        };
        format!("<g transform=\"translate({x} {y})\">{content}</g>\n")
    }

    /// Returns a line of text around a point, in thousandths.
    fn text(&self, [x, y]: [i64; 2], letters: i64, fill: &str, content: &str) -> String {
        // A third of a letter's height is between its middle and its baseline.
        let [x, y, size] = [x, y + letters * 35 / 100, letters].map(|it| self.geometry.length(it));
        let content = escaped(content);
        format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\">{content}</text>")
    }

    /// Returns the paper below all.
    fn paper(&self, class: &str) -> String {
        let [x, y, width, height] = self.geometry.view;
        let round = self.geometry.length(120);
        let fill = palette::ground(class);
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{round}\" \
             {fill}/>\n"
        )
    }

    /// Returns the board of squares below its tiles.
    fn board(&self, columns: i64, rows: i64) -> String {
        let (width, height) = (CELL * columns, CELL * rows);
        let fill = palette::ground("scene-board");
        format!("<rect x=\"-50\" y=\"-50\" width=\"{width}\" height=\"{height}\" {fill}/>\n")
    }
}

/// Returns the lines between the cells of a board, and the border.
fn grid_lines(columns: i64, rows: i64) -> String {
    let half = CELL / 2;
    let [right, bottom] = [CELL * columns - half, CELL * rows - half];
    let across = (1..rows).map(|row| format!("M{} {}H{right}", -half, CELL * row - half));
    let down = (1..columns).map(|column| format!("M{} {}V{bottom}", CELL * column - half, -half));
    let lines: String = across.chain(down).collect();
    format!(
        "<path d=\"{lines}\" stroke=\"#000000\" stroke-opacity=\"0.13\" stroke-width=\"3\" \
         fill=\"none\"/>\n<path d=\"M-50-50H{right}V{bottom}H-50Z\" stroke=\"#4c473f\" \
         stroke-width=\"6\" fill=\"none\"/>\n"
    )
}

/// Returns the angle of a turn in degrees as SVG counts them: clockwise.
pub(super) fn degrees(tenths: u16) -> String {
    match (tenths / 10, tenths % 10) {
        (0, 0) => "0".to_owned(),
        (whole, 0) => format!("-{whole}"),
        (whole, tenth) => format!("-{whole}.{tenth}"),
    }
}

/// Returns a text as markup, with control characters and what XML does not allow escaped.
pub(super) fn escaped(text: &str) -> String {
    Shown(text).render().into_string().replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
