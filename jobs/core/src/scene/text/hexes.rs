//! Boards of hexagonal cells as text.
//!
//! ```text
//!         +           -3   corner 0
//!      /     \        -2   sides 5 and 0
//!   +   glyph   +     -1   corners 5 and 1
//!   |   label   |      0   sides 4 and 1
//!   +   thing   +      1   corners 4 and 2
//!      \     /         2   sides 3 and 2
//!         +            3   corner 3
//! ```
//!
//! A place (x, y) in sixths of a cell is in column 2 x + y and, rounded, in row 2 y / 3.

use super::canvas::TextCanvas;
use crate::scene::base::{SceneBase, SymbolShape};
use crate::scene::place::ScenePlace;
use crate::scene::things::SceneThings;

/// The characters for a cell's sides, clockwise from the north-east.
const SIDES: [&str; 6] = ["\\", "|", "/", "\\", "|", "/"];

/// Returns the board. Sides and corners of tiles are drawn where a tile fills its cell.
pub(super) fn picture(base: &SceneBase, things: &SceneThings) -> String {
    let mut canvas = TextCanvas::default();
    let is_cell = |tile| base.symbol(tile).is_some_and(|symbol| symbol.shape == SymbolShape::Cell);
    for tile in base.tiles.iter().filter(|tile| is_cell(tile.symbol)) {
        for (side, text) in tile.place.sides().zip(SIDES) {
            draw(&mut canvas, side, 0, text);
        }
        for corner in tile.place.corners() {
            draw(&mut canvas, corner, 0, "+");
        }
    }
    for tile in &base.tiles {
        let glyph = base.symbol(tile.symbol).map_or("", |symbol| &symbol.glyph);
        draw(&mut canvas, tile.place, -1, glyph);
    }
    for label in &base.labels {
        draw(&mut canvas, label.place, 0, &label.text);
    }
    for (_, pose) in things.iter() {
        let glyph = base.symbol(pose.symbol).map_or("", |symbol| &symbol.glyph);
        draw(&mut canvas, pose.place, 1, glyph);
    }
    canvas.lines()
}

/// Writes `text` around `place`; in the center of a cell, `line` lines below.
fn draw(canvas: &mut TextCanvas, place: ScenePlace, line: i32, text: &str) {
    let ScenePlace { x, y } = place;
    let line = if place.is_hex_center() { line } else { 0 };
    canvas.write_centered(2 * x + y, (2 * y + 1).div_euclid(3) + line, text);
}
