//! The order for trying moves.

use crate::rules::disc_board::DiscBoard;
use crate::rules::ops::BoardOps;
use crate::rules::square::{Square, SquareSet};

/// The squares in every quarter of the board.
const QUARTERS: [u64; 4] =
    [0x0000_0000_0F0F_0F0F, 0x0000_0000_F0F0_F0F0, 0x0F0F_0F0F_0000_0000, 0xF0F0_F0F0_0000_0000];

/// The moves of a position, the most promising last.
pub(super) struct OrderedMoves {
    /// A key above the number of the square: the higher, the better.
    keys: [u32; 64],
    len: usize,
}

/// Returns the squares of quarters with an odd number of empty squares: who moves there first is
/// likely to have the last move there too.
#[inline(always)]
pub(super) fn odd_quarters(empties: u64) -> u64 {
    let mut odd = 0;
    for quarter in QUARTERS {
        if (empties & quarter).count_ones() % 2 == 1 {
            odd |= quarter;
        }
    }
    odd
}

impl OrderedMoves {
    /// Orders the moves `legal` of `board`: `first`, a square's number, goes first.
    ///
    /// A move is the better, the fewer moves it leaves to the opponent, where corners count twice
    /// ("fastest first"); then corners, then quarters with an odd number of empty squares.
    #[inline(always)]
    pub(super) fn new<B: BoardOps>(board: DiscBoard<B>, legal: SquareSet, first: u8) -> Self {
        let odd = odd_quarters(board.empties().bits());
        let mut moves = Self { keys: [0; 64], len: 0 };
        for square in legal {
            let key = if square.index() == first { u32::MAX >> 8 } else { key(board, square, odd) };
            moves.insert(key << 8 | u32::from(square.index()));
        }
        moves
    }

    /// Inserts by increasing keys.
    #[inline(always)]
    fn insert(&mut self, key: u32) {
        let mut at = self.len;
        while 0 < at && key < self.keys[at - 1] {
            self.keys[at] = self.keys[at - 1];
            at -= 1;
        }
        self.keys[at] = key;
        self.len += 1;
    }
}

impl Iterator for OrderedMoves {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        self.len = self.len.checked_sub(1)?;
        Square::new((self.keys[self.len] & 63).to_le_bytes()[0])
    }
}

#[inline(always)]
fn key<B: BoardOps>(board: DiscBoard<B>, square: Square, odd: u64) -> u32 {
    let replies = board.play(square).legal_moves();
    let corners = SquareSet::CORNERS.bits();
    let mobility = replies.len() + (replies.bits() & corners).count_ones();
    let corner = u32::from(square.bit() & corners != 0);
    let parity = u32::from(square.bit() & odd != 0);
    (128 - mobility) * 4 + corner * 2 + parity
}
