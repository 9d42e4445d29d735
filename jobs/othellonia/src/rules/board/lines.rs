//! The reversi part of the rules: which cells are legal, and what a placement flips.

use super::cell::{Cell, CellSet};

/// The cells outside the first column, and the cells outside the last column.
const NOT_FIRST: u64 = 0b111110_111110_111110_111110_111110_111110;
const NOT_LAST: u64 = 0b011111_011111_011111_011111_011111_011111;

/// The most pieces that lie between two ends of a line.
const LONGEST_RUN: usize = 4;

/// The lines that a placement completes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutflankedLines {
    /// The pieces that are flipped.
    pub flipped: CellSet,
    /// The pieces of the mover at the other ends of these lines.
    pub anchors: CellSet,
}

/// Returns the cells where a piece of the player with `own` outflanks pieces of `enemy`.
#[must_use]
pub fn legal_cells(own: CellSet, enemy: CellSet) -> CellSet {
    let (own, enemy) = (own.bits(), enemy.bits());
    let empty = CellSet::ALL.bits() & !(own | enemy);
    let mut legal = 0;
    for direction in 0..8 {
        let mut line = step(own, direction) & enemy;
        for _ in 1..LONGEST_RUN {
            line |= step(line, direction) & enemy;
        }
        legal |= step(line, direction) & empty;
    }
    CellSet::from_bits(legal)
}

/// Returns the lines that a piece on the empty `cell` completes for the player with `own`.
#[must_use]
pub fn outflanked_lines(cell: Cell, own: CellSet, enemy: CellSet) -> OutflankedLines {
    let mut lines = OutflankedLines::default();
    for direction in 0..8 {
        let mut at = step(cell.set().bits(), direction);
        let mut line = 0;
        while at & enemy.bits() != 0 {
            line |= at;
            at = step(at, direction);
        }
        if line != 0 && at & own.bits() != 0 {
            lines.flipped.0 |= line;
            lines.anchors.0 |= at;
        }
    }
    lines
}

/// Moves all cells one step in a direction. Cells that leave the board are gone.
#[inline(always)]
const fn step(cells: u64, direction: u8) -> u64 {
    let moved = match direction {
        0 => (cells & NOT_LAST) << 1,
        1 => (cells & NOT_FIRST) >> 1,
        2 => cells << 6,
        3 => cells >> 6,
        4 => (cells & NOT_LAST) << 7,
        5 => (cells & NOT_FIRST) >> 7,
        6 => (cells & NOT_FIRST) << 5,
        _ => (cells & NOT_LAST) >> 5,
    };
    moved & CellSet::ALL.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of move sequences of 6x6 reversi from the start, where a player without a
    /// move passes and a pass counts as a move.
    fn perft(own: CellSet, enemy: CellSet, depth: u32, passed: bool) -> u64 {
        if depth == 0 {
            return 1;
        }
        let legal = legal_cells(own, enemy);
        if legal.is_empty() {
            return if passed { 1 } else { perft(enemy, own, depth - 1, true) };
        }
        let games = legal.iter().map(|cell| {
            let flipped = outflanked_lines(cell, own, enemy).flipped;
            let own = own.or(flipped).or(cell.set());
            perft(enemy.without(flipped), own, depth - 1, false)
        });
        games.sum()
    }

    #[test]
    fn move_sequences_are_counted() {
        let cells = |text: &str| {
            text.split(' ')
                .fold(CellSet::EMPTY, |set, name| set.or(name.parse::<Cell>().unwrap().set()))
        };
        let (black, white) = (cells("d3 c4"), cells("c3 d4"));
        // The board's size is not felt in the first plies: as on the board of 8x8 (OEIS A124004).
        let found = [1, 2, 3, 4].map(|depth| perft(black, white, depth, false));
        assert_eq!(found, [4, 12, 56, 244]);
    }
}
