//! Boards drawn as text, as in Figs. 2 and 3 of Miyazaki & Arakawa: gray cells were on the board,
//! black cells are the piece.

use crate::rules::PieceMove;

const EMPTY: &str = " ·";
const STANDING: &str = "▒▒";
const PLACED: &str = "██";

/// Draws the board of a move with the piece at its placement, before rows are removed, between
/// walls and on a floor. Rows that are about to be removed are marked by `<`.
#[must_use]
pub fn picture(made: &PieceMove) -> String {
    let PieceMove { board, piece, placement, outcome } = made;
    let shape = &piece.orientations()[placement.orientation];
    let placed = |row: u32, column: usize| {
        let inside = (placement.column..placement.column + shape.width).contains(&column);
        inside
            && row.checked_sub(outcome.landing_row).is_some_and(|row| {
                row < shape.height && shape.cells[column - placement.column] >> row & 1 == 1
            })
    };
    let width = board.columns().len();
    let height = board.size().height();
    let top = height.max(outcome.landing_row + shape.height);
    let mut lines = Vec::new();
    for row in (0..top).rev() {
        let mut n_full = 0;
        let mut line = String::from(if row < height { "|" } else { " " });
        for column in 0..width {
            let cell = match (placed(row, column), board.is_full(row, column)) {
                (true, _) => PLACED,
                (_, true) => STANDING,
                _ => EMPTY,
            };
            n_full += usize::from(cell != EMPTY);
            line.push_str(cell);
        }
        line.push_str(if row < height { "|" } else { " " });
        line.push_str(if n_full == width { " <" } else { "" });
        lines.push(line.trim_end().to_owned());
    }
    lines.push(format!("+{}+", "--".repeat(width)));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Board, OverflowRule, Piece, Placement};

    #[test]
    fn a_move_is_drawn() {
        let board = Board::from_drawing(&["X...", "XX.X"], 4).unwrap();
        let (piece, placement) = (Piece::I, Placement { orientation: 0, column: 2 });
        let outcome = board.drop(piece, placement, OverflowRule::EndsGame);
        let drawn = picture(&PieceMove { board, piece, placement, outcome });
        let expected = "\
| · ·██ ·|
| · ·██ ·|
|▒▒ ·██ ·|
|▒▒▒▒██▒▒| <
+--------+";
        assert_eq!(drawn, expected);
    }
}
