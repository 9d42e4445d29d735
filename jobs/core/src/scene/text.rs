//! Scenes as text.

mod canvas;
mod grid;
mod hexes;
mod world;

use std::ops::ControlFlow;

use super::base::{SceneBase, SceneSpace};
use super::frame::SceneFrame;
use super::sink::SceneSink;
use super::things::SceneThings;

/// A sink that turns a scene into text: a caption for each frame, followed by the picture if the
/// picture has changed.
///
/// A picture is followed by an empty line. All characters of symbols and labels are expected to be
/// a column wide.
#[derive(Debug)]
pub struct SceneText<W> {
    write: W,
    base: SceneBase,
    things: SceneThings,
    is_drawn: bool,
}

impl<W: FnMut(&str) -> ControlFlow<()>> SceneText<W> {
    /// Returns a sink that passes every frame's text to `write`, without the last line break, until
    /// it breaks.
    pub fn new(write: W) -> Self {
        let (base, things) = (SceneBase::captions(), SceneThings::new());
        Self { write, base, things, is_drawn: false }
    }

    /// Returns the present things as lines; none if there is no space.
    fn picture(&self) -> Option<String> {
        let (base, things) = (&self.base, &self.things);
        match base.space {
            SceneSpace::Captions => None,
            SceneSpace::Grid { columns, rows, margin: _ } => {
                Some(grid::picture(base, things, columns, rows))
            }
            SceneSpace::Hexes => Some(hexes::picture(base, things)),
            SceneSpace::World { left, right, bottom, top } => {
                Some(world::picture(base, things, [left, right], [bottom, top]))
            }
        }
    }
}

impl<W: FnMut(&str) -> ControlFlow<()>> SceneSink for SceneText<W> {
    fn begin(&mut self, base: &SceneBase) -> ControlFlow<()> {
        (self.base, self.things, self.is_drawn) = (base.clone(), SceneThings::new(), false);
        ControlFlow::Continue(())
    }

    fn frame(&mut self, frame: SceneFrame) -> ControlFlow<()> {
        self.things.apply(&frame.changes);
        let mut text = frame.caption;
        let picture = match self.is_drawn && frame.changes.is_empty() {
            true => None,
            false => self.picture(),
        };
        if let Some(picture) = picture {
            self.is_drawn = true;
            text = format!("{text}\n{picture}\n");
        }
        (self.write)(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{
        SceneColor, SceneLabel, ScenePlace, SceneSymbol, SceneTile, SceneTurn, SceneWriter,
        SymbolId, SymbolShape, ThingId, ThingPose,
    };

    /// A symbol for each glyph and shape.
    fn symbols<const N: usize>(symbols: [(&str, SymbolShape); N]) -> Vec<SceneSymbol> {
        let symbol = |(glyph, shape)| SceneSymbol::new(glyph, glyph, SceneColor::Gray, shape);
        symbols.map(symbol).into()
    }

    fn pose(symbol: u16, place: ScenePlace) -> ThingPose {
        ThingPose::at(SymbolId(symbol), place)
    }

    /// Checks the text of moments, each of these things.
    #[track_caller]
    fn check(base: &SceneBase, moments: &[&[ThingPose]], expected: &str) {
        let mut shown = String::new();
        let mut text = SceneText::new(|frame: &str| {
            shown = format!("{shown}{frame}\n");
            ControlFlow::Continue(())
        });
        let ControlFlow::Continue(mut scene) = SceneWriter::begin(&mut text, base) else {
            panic!("the text takes everything");
        };
        for (number, poses) in (1..).zip(moments) {
            let things = (0..).map(ThingId).zip(poses.iter().copied()).collect();
            assert!(scene.show(format!("frame {number}"), things).is_continue());
        }
        assert_eq!(shown, expected, "\n{shown}");
    }

    #[test]
    fn captions_are_lines() {
        check(&SceneBase::captions(), &[&[], &[]], "frame 1\nframe 2\n");
    }

    #[test]
    fn grids_have_a_floor_walls_and_a_margin() {
        let space = SceneSpace::Grid { columns: 3, rows: 2, margin: 1 };
        let shapes = [("██", SymbolShape::Cell), ("<", SymbolShape::Glyph)];
        let mut base = SceneBase::new(space, symbols(shapes));
        let cell = |symbol, x, y| pose(symbol, ScenePlace::new(x, y));
        let (full, beside, above) = (cell(0, 0, 1), cell(1, 3, 1), cell(0, 2, -1));
        let expected = "\
frame 1
| · · ·|
|██ · ·| <
+------+

frame 2
frame 3
     ██
| · · ·|
| · · ·|
+------+

";
        check(&base, &[&[full, beside], &[full, beside], &[above]], expected);
        for (x, text) in [(0, "a"), (1, "b"), (2, "c")] {
            let place = ScenePlace::new(x, 2);
            base.labels.push(SceneLabel { text: text.to_owned(), place });
        }
        base.labels.push(SceneLabel { text: "2".to_owned(), place: ScenePlace::new(-1, 0) });
        base.labels.push(SceneLabel { text: "1".to_owned(), place: ScenePlace::new(-1, 1) });
        base.tiles.push(SceneTile { symbol: SymbolId(0), place: ScenePlace::new(1, 1) });
        let expected = "\
frame 1
2| · · ·|
1|████ ·|
 +------+
   a b c

";
        check(&base, &[&[full]], expected);
    }

    #[test]
    fn hex_boards_have_tiles_with_corners_and_sides() {
        let shapes = [
            ("wheat", SymbolShape::Cell),
            ("any", SymbolShape::Glyph),
            ("s1", SymbolShape::Glyph),
            ("1", SymbolShape::Glyph),
        ];
        let mut base = SceneBase::new(SceneSpace::Hexes, symbols(shapes));
        let tile =
            |symbol, q, r| SceneTile { symbol: SymbolId(symbol), place: ScenePlace::hex(q, r) };
        base.tiles = vec![tile(0, 0, 0), tile(0, 1, 0), tile(0, 0, 1), tile(1, -1, 1)];
        let label = |text: &str, place| SceneLabel { text: text.to_owned(), place };
        base.labels = vec![
            label("8", ScenePlace::hex(0, 0)),
            label("11", ScenePlace::hex(0, 1)),
            label("3:1", ScenePlace::hex(-1, 1)),
        ];
        let things = [
            pose(2, ScenePlace::hex_corner(0, 0, 2)),
            pose(3, ScenePlace::hex_side(0, 0, 1)),
            pose(3, ScenePlace::hex_side(0, 0, 2)),
            pose(1, ScenePlace::hex(1, 0)),
        ];
        let expected = "\
frame 1
       +           +
    /     \\     /     \\
 +   wheat   +   wheat   +
 |     8     1           |
 +          s1    any    +
    \\     1     \\     /
any    +   wheat   +
3:1    |    11     |
       +           +
          \\     /
             +

";
        check(&base, &[&things], expected);
    }

    #[test]
    fn bodies_have_their_size_place_and_turn() {
        let space = SceneSpace::World { left: 0, right: 18_000, bottom: 0, top: 6_000 };
        let beam = [[-2_000, -500], [2_000, -500], [2_000, 500], [-2_000, 500]].to_vec();
        let shapes = [
            ("#", SymbolShape::Polygon { corners: beam }),
            ("o", SymbolShape::Disk { radius: 1_000 }),
            ("@", SymbolShape::Disk { radius: 10 }),
        ];
        let base = SceneBase::new(space, symbols(shapes));
        let body = |symbol, x, y, degrees| {
            pose(symbol, ScenePlace::new(x, y)).turned(SceneTurn::from_degrees(degrees))
        };
        let lying = [body(0, 3_000, 500, 0), body(1, 9_000, 3_000, 0), body(2, 17_000, 5_900, 0)];
        let standing = [body(0, 3_000, 2_000, 90), body(0, 9_000, 3_000, 45)];
        let expected = "\
frame 1
|                                                                    @   |
|                                                                        |
|                                                                        |
|                                                                        |
|                                 oooooo                                 |
|                                oooooooo                                |
|                                oooooooo                                |
|                                 oooooo                                 |
|                                                                        |
|                                                                        |
|    ################                                                    |
|    ################                                                    |
+------------------------------------------------------------------------+

frame 2
|                                                                        |
|                                                                        |
|                                                                        |
|                                      ####                              |
|          ####                      ######                              |
|          ####                    ######                                |
|          ####                  ######                                  |
|          ####                ######                                    |
|          ####                ####                                      |
|          ####                                                          |
|          ####                                                          |
|          ####                                                          |
+------------------------------------------------------------------------+

";
        check(&base, &[&lying, &standing], expected);
    }
}
