//! Games as scenes, with boards as in Figs. 2 and 3 of Miyazaki & Arakawa: gray cells were on the
//! board, the others are the piece, in a color of its kind where they have black.

use hatchery_core::SceneBase;
use hatchery_core::scene::{
    SceneColor, ScenePlace, SceneSpace, SceneSymbol, SceneThings, SymbolId, SymbolShape, ThingId,
    ThingPose,
};

use crate::rules::{BoardSize, Piece, PieceMove, PieceSupply};

const STANDING: SymbolId = SymbolId(0);
const FULL_ROW: SymbolId = SymbolId(1);

/// The colors of pieces, whose symbols follow the others in this order. The colors differ in
/// lightness too, so that people who do not see red and green can tell S and Z apart.
const PIECES: [(Piece, &str, SceneColor); 7] = [
    (Piece::I, "I", SceneColor::Brown),
    (Piece::O, "O", SceneColor::Yellow),
    (Piece::T, "T", SceneColor::Purple),
    (Piece::Z, "Z", SceneColor::Red),
    (Piece::S, "S", SceneColor::LightGreen),
    (Piece::J, "J", SceneColor::Blue),
    (Piece::L, "L", SceneColor::Orange),
];

/// The number of cells beside the board: a piece is at most four rows high, and so can reach above.
const MARGIN: u16 = 4;

/// Returns the picture that is the same in all moves.
pub(crate) fn base(size: BoardSize) -> SceneBase {
    let [columns, rows] = [size.width(), size.height()]
        .map(|n| u16::try_from(n).expect("boards have at most 32 columns and rows"));
    let mut symbols = vec![
        SceneSymbol::new("standing cell", "▒▒", SceneColor::Gray, SymbolShape::Cell),
        SceneSymbol::new("row to be removed", "<", SceneColor::Black, SymbolShape::Glyph),
    ];
    symbols.extend(PIECES.map(|(_, name, color)| {
        SceneSymbol::new(format!("piece {name}"), "██", color, SymbolShape::Cell)
    }));
    SceneBase::new(SceneSpace::Grid { columns, rows, margin: MARGIN }, symbols)
}

/// Returns the symbol of the cells of a piece.
fn symbol_of(piece: Piece) -> SymbolId {
    let place = PIECES.iter().zip(FULL_ROW.0 + 1..).find(|((known, ..), _)| *known == piece);
    SymbolId(place.map(|(_, id)| id).expect("all pieces have a color"))
}

/// Returns the end of a move's caption: the known next pieces and the held one, such as
/// `, next SZ, hold I`; nothing if nothing is known.
pub(crate) fn to_come(supply: &PieceSupply) -> String {
    let next: String = supply.known().iter().map(|piece| piece.letter()).collect();
    let next = if next.is_empty() { next } else { format!(", next {next}") };
    let hold = supply.held().map(|piece| format!(", hold {}", piece.letter()));
    next + &hold.unwrap_or_default()
}

/// Returns the full cells of a move with the piece at its placement, before rows are removed. Rows
/// that are about to be removed are marked beside the board.
pub(crate) fn things(made: &PieceMove) -> SceneThings {
    let PieceMove { board, piece, placement, outcome, supply: _ } = made;
    let shape = &piece.orientations()[placement.orientation];
    let covered = placement.column..placement.column + shape.width;
    let is_placed = |row: u32, column: usize| {
        row.checked_sub(outcome.landing_row).is_some_and(|row| {
            row < shape.height
                && covered.contains(&column)
                && shape.cells[column - placement.column] >> row & 1 == 1
        })
    };
    let width = board.columns().len();
    let height = board.size().height();
    let mut things = SceneThings::new();
    // Things are numbered by row and place in the row, the mark's place being the last.
    let mut next = 0;
    for row in 0..height + u32::from(MARGIN) {
        let y = i64::from(height) - 1 - i64::from(row);
        let y = i32::try_from(y).expect("boards have at most 32 rows");
        let mut n_full = 0;
        for (column, x) in (0..width).zip(0..) {
            let symbol = match (is_placed(row, column), board.is_full(row, column)) {
                (true, _) => Some(symbol_of(*piece)),
                (_, true) => Some(STANDING),
                _ => None,
            };
            if let Some(symbol) = symbol {
                n_full += 1;
                things.insert(ThingId(next), ThingPose::at(symbol, ScenePlace::new(x, y)));
            }
            next += 1;
        }
        if n_full == width && row < height {
            let x = i32::try_from(width).expect("boards have at most 16 columns");
            things.insert(ThingId(next), ThingPose::at(FULL_ROW, ScenePlace::new(x, y)));
        }
        next += 1;
    }
    things
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use hatchery_core::SceneWriter;
    use hatchery_core::scene::SceneText;

    use super::*;
    use crate::rules::{Board, OverflowRule, Placement, QueueRules};

    /// Checks the text of a move on the board `rows` with 4 rows.
    #[track_caller]
    fn check(rows: &[&str], piece: Piece, placement: Placement, expected: &str) {
        let board = Board::from_drawing(rows, 4).unwrap();
        let outcome = board.drop(piece, placement, OverflowRule::EndsGame);
        let supply = PieceSupply::new(QueueRules::default());
        let made = PieceMove { board, piece, placement, outcome, supply };
        let mut drawn = String::new();
        let mut text = SceneText::new(|frame: &str| {
            frame.clone_into(&mut drawn);
            ControlFlow::Continue(())
        });
        let ControlFlow::Continue(mut scene) = SceneWriter::begin(&mut text, &base(board.size()))
        else {
            panic!("the text takes everything");
        };
        assert!(scene.show("move", things(&made)).is_continue());
        assert_eq!(drawn, expected);
    }

    #[test]
    fn a_move_is_drawn() {
        let expected = "\
move
| · ·██ ·|
| · ·██ ·|
|▒▒ ·██ ·|
|▒▒▒▒██▒▒| <
+--------+
";
        check(&["X...", "XX.X"], Piece::I, Placement { orientation: 0, column: 2 }, expected);
    }

    #[test]
    fn a_piece_can_reach_above_the_board() {
        let expected = "\
move
   ████
   ████
|▒▒▒▒▒▒ ·|
|▒▒▒▒▒▒ ·|
|▒▒▒▒▒▒ ·|
|▒▒▒▒▒▒ ·|
+--------+
";
        check(&["XXX."; 4], Piece::O, Placement { orientation: 0, column: 1 }, expected);
    }
}
