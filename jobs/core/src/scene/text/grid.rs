//! Boards of square cells as text.

use super::canvas::{TextCanvas, columns};
use crate::scene::base::SceneBase;
use crate::scene::things::SceneThings;

/// The least number of columns of a cell: with two, cells look square.
const CELL_COLUMNS: i32 = 2;

/// The sign for an empty cell.
const EMPTY: &str = "·";

/// Returns a board of `n_columns` and `n_rows` between walls and on a floor. Rows and columns of
/// the margin are drawn only where there is something.
pub(super) fn picture(
    base: &SceneBase,
    things: &SceneThings,
    n_columns: u16,
    n_rows: u16,
) -> String {
    let (n_columns, n_rows) = (i32::from(n_columns), i32::from(n_rows));
    let cell = base.symbols.iter().map(|symbol| columns(&symbol.glyph)).max();
    let cell = cell.unwrap_or(0).max(CELL_COLUMNS);
    let mut canvas = TextCanvas::default();
    // The left wall is before column 0, the right wall takes the one after the cells, and the floor
    // the row after them.
    let mut draw = |x: i32, y: i32, glyph: &str| {
        let wall = match x {
            _ if x < 0 => -1,
            _ if x < n_columns => 0,
            _ => 1,
        };
        let row = if y < n_rows { y } else { y + 1 };
        canvas.write(x * cell + wall + (cell - columns(glyph)).max(0), row, glyph);
    };
    for y in 0..n_rows {
        (0..n_columns).for_each(|x| draw(x, y, EMPTY));
    }
    for tile in &base.tiles {
        let glyph = base.symbol(tile.symbol).map_or("", |symbol| &symbol.glyph);
        draw(tile.place.x, tile.place.y, glyph);
    }
    for label in &base.labels {
        draw(label.place.x, label.place.y, &label.text);
    }
    for (_, pose) in things.iter() {
        let glyph = base.symbol(pose.symbol).map_or("", |symbol| &symbol.glyph);
        draw(pose.place.x, pose.place.y, glyph);
    }
    let right = n_columns * cell;
    for row in 0..n_rows {
        canvas.write(-1, row, "|");
        canvas.write(right, row, "|");
    }
    let floor = "-".repeat(usize::try_from(right).unwrap_or(0));
    canvas.write(-1, n_rows, &format!("+{floor}+"));
    canvas.lines()
}
