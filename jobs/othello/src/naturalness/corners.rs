//! Corners and the squares beside them.

use super::event::MoveEvent;
use crate::rules::{DiscBoard, PlainOps, Position, Square, SquareSet};

/// Each corner with its diagonal neighbor and its neighbors on the edges, as bits.
const SURROUNDINGS: [(u64, u64, u64); 4] = [
    (1, 1 << 9, 1 << 1 | 1 << 8),
    (1 << 7, 1 << 14, 1 << 6 | 1 << 15),
    (1 << 56, 1 << 49, 1 << 48 | 1 << 57),
    (1 << 63, 1 << 54, 1 << 55 | 1 << 62),
];

/// Returns the corners among `squares`.
pub(super) fn corners(squares: SquareSet) -> SquareSet {
    SquareSet::from_bits(squares.bits() & SquareSet::CORNERS.bits())
}

/// A position as moves on it open corners.
pub(super) struct CornerView {
    board: DiscBoard<PlainOps>,
    /// The corners where the opponent could play if it were its turn.
    open: SquareSet,
}

impl CornerView {
    pub(super) fn new(position: &Position) -> Self {
        let board = position.board::<PlainOps>();
        Self { board, open: corners(board.passed().legal_moves()) }
    }

    /// Returns true if the opponent can play on a corner after the move that it could not have
    /// played before. An illegal move opens nothing.
    pub(super) fn opens(&self, square: Square) -> bool {
        self.board.apply(square).is_some_and(|next| {
            let after = corners(next.legal_moves());
            after.bits() & !self.open.bits() != 0
        })
    }

    /// Returns the event of a move beside an empty corner.
    pub(super) fn neighbor(&self, square: Square) -> Option<MoveEvent> {
        let empties = self.board.empties().bits();
        let near = SURROUNDINGS.iter().filter(|(corner, _, _)| empties & corner != 0);
        let event = |&(_, diagonal, edges): &(u64, u64, u64)| match () {
            () if square.bit() & diagonal != 0 => Some(MoveEvent::XSquare),
            () if square.bit() & edges != 0 => Some(MoveEvent::CSquare),
            () => None,
        };
        near.filter_map(event).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_corner_has_three_neighbors() {
        let corners_empty = CornerView::new(&Position::START);
        let squares_of = |event| {
            let all = SquareSet::from_bits(u64::MAX);
            let bits = all.iter().filter(|it| corners_empty.neighbor(*it) == Some(event));
            SquareSet::from_bits(bits.map(Square::bit).sum()).to_string()
        };
        assert_eq!(squares_of(MoveEvent::XSquare), "b2 g2 b7 g7");
        assert_eq!(squares_of(MoveEvent::CSquare), "b1 g1 a2 h2 a7 h7 b8 g8");
        let taken: Position = format!("X{:-<63} X", "").parse().unwrap();
        let corner_taken = CornerView::new(&taken);
        for (square, event) in [("b2", None), ("a2", None), ("g2", Some(MoveEvent::XSquare))] {
            assert_eq!(corner_taken.neighbor(square.parse().unwrap()), event, "{square}");
        }
    }
}
