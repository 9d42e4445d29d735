//! Bodies in a plane as text.

use std::f64::consts::PI;

use super::canvas::TextCanvas;
use crate::scene::base::{SceneBase, SymbolShape};
use crate::scene::frame::ThingPose;
use crate::scene::place::ScenePlace;
use crate::scene::things::SceneThings;

/// The columns of the picture, so that it fits a terminal of 80 columns with its walls.
const COLUMNS: i32 = 72;

/// The most rows of the picture.
const MAX_ROWS: i32 = 36;

/// Returns the world between walls and on a floor. A body fills the characters whose middles it
/// covers; a thing that covers no character is at the character of its place.
pub(super) fn picture(
    base: &SceneBase,
    things: &SceneThings,
    [left, right]: [i32; 2],
    [bottom, top]: [i32; 2],
) -> String {
    let mut raster = TextRaster::new([left, right], [bottom, top]);
    for tile in &base.tiles {
        raster.draw(base, ThingPose::at(tile.symbol, tile.place));
    }
    for label in &base.labels {
        let (column, row) = raster.character(label.place);
        raster.canvas.write_centered(column, row, &label.text);
    }
    for (_, pose) in things.iter() {
        raster.draw(base, pose);
    }
    let TextRaster { mut canvas, rows, .. } = raster;
    for row in 0..rows {
        canvas.write(-1, row, "|");
        canvas.write(COLUMNS, row, "|");
    }
    let floor = "-".repeat(usize::try_from(COLUMNS).unwrap_or(0));
    canvas.write(-1, rows, &format!("+{floor}+"));
    canvas.lines()
}

/// A canvas with the size of its characters in the world.
struct TextRaster {
    canvas: TextCanvas,
    rows: i32,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl TextRaster {
    fn new([left, right]: [i32; 2], [bottom, top]: [i32; 2]) -> Self {
        let (left, top) = (f64::from(left), f64::from(top));
        let width = ((f64::from(right) - left) / f64::from(COLUMNS)).max(f64::MIN_POSITIVE);
        let world_height = top - f64::from(bottom);
        // Characters are twice as high as wide.
        let rows = whole(libm::round(world_height / (2.0 * width))).clamp(1, MAX_ROWS);
        let height = (world_height / f64::from(rows)).max(f64::MIN_POSITIVE);
        Self { canvas: TextCanvas::default(), rows, left, top, width, height }
    }

    /// Returns the column and row of a place.
    fn character(&self, place: ScenePlace) -> (i32, i32) {
        self.character_at(f64::from(place.x), f64::from(place.y))
    }

    fn character_at(&self, x: f64, y: f64) -> (i32, i32) {
        let column = whole(libm::floor((x - self.left) / self.width));
        let row = whole(libm::floor((self.top - y) / self.height));
        (column.clamp(0, COLUMNS - 1), row.clamp(0, self.rows - 1))
    }

    fn draw(&mut self, base: &SceneBase, pose: ThingPose) {
        let Some(symbol) = base.symbol(pose.symbol) else { return };
        let glyph: String = symbol.glyph.chars().take(1).collect();
        let covered = match &symbol.shape {
            SymbolShape::Glyph | SymbolShape::Cell => Vec::new(),
            SymbolShape::Disk { radius } => {
                let radius = f64::from(*radius);
                self.covered(pose.place, radius, |x, y| x * x + y * y <= radius * radius)
            }
            SymbolShape::Polygon { corners } => {
                let corners = turned(corners, pose);
                let reach = corners.iter().map(|[x, y]| libm::hypot(*x, *y)).fold(0.0, f64::max);
                self.covered(pose.place, reach, |x, y| is_inside(&corners, x, y))
            }
        };
        let at = self.character(pose.place);
        for (column, row) in if covered.is_empty() { vec![at] } else { covered } {
            self.canvas.write(column, row, &glyph);
        }
    }

    /// Returns the characters at most `reach` away from `place` with a middle that `is_covered`,
    /// seen from the place.
    fn covered(
        &self,
        place: ScenePlace,
        reach: f64,
        is_covered: impl Fn(f64, f64) -> bool,
    ) -> Vec<(i32, i32)> {
        let (x, y) = (f64::from(place.x), f64::from(place.y));
        let (first_column, first_row) = self.character_at(x - reach, y + reach);
        let (last_column, last_row) = self.character_at(x + reach, y - reach);
        let characters = (first_row..=last_row)
            .flat_map(|row| (first_column..=last_column).map(move |column| (column, row)));
        let is_seen = |&(column, row): &(i32, i32)| {
            let middle_x = self.left + (f64::from(column) + 0.5) * self.width;
            let middle_y = self.top - (f64::from(row) + 0.5) * self.height;
            is_covered(middle_x - x, middle_y - y)
        };
        characters.filter(is_seen).collect()
    }
}

/// Returns `corners` with the turn of `pose`.
fn turned(corners: &[[i32; 2]], pose: ThingPose) -> Vec<[f64; 2]> {
    let (sin, cos) = libm::sincos(f64::from(pose.turn.tenths()) * PI / 1800.0);
    let turn = |&[x, y]: &[i32; 2]| {
        let (x, y) = (f64::from(x), f64::from(y));
        [x * cos - y * sin, x * sin + y * cos]
    };
    corners.iter().map(turn).collect()
}

/// Returns true if a ray from the point crosses the polygon's border an odd number of times.
fn is_inside(corners: &[[f64; 2]], x: f64, y: f64) -> bool {
    let next = corners.iter().cycle().skip(1);
    let crosses = |&(&[ax, ay], &[bx, by]): &(&[f64; 2], &[f64; 2])| {
        (ay <= y) != (by <= y) && x < ax + (y - ay) / (by - ay) * (bx - ax)
    };
    corners.iter().zip(next).filter(crosses).count() % 2 == 1
}

#[expect(clippy::cast_possible_truncation, reason = "a cast of a whole number stops at the ends")]
fn whole(number: f64) -> i32 {
    number as i32
}
