//! The transposition table: bounds of positions that were searched before.

use std::fmt;

use crate::rules::score::MAX_SCORE;

/// The number of entries is 2 to this power: 3 MiB, which fits in a second-level cache or nearly
/// so, and has room for the positions with enough empty squares below a root of 16.
const LOG2_ENTRIES: u32 = 17;

/// Bounds of the value of a position, for its player to move, and the best move known.
#[derive(Clone, Copy)]
pub(super) struct TableEntry {
    mover: u64,
    opponent: u64,
    /// The search that wrote the entry; entries of other searches do not count.
    search: u32,
    pub(super) lower: i8,
    pub(super) upper: i8,
    /// The number of the best square, or [`TableEntry::NO_SQUARE`].
    pub(super) best: u8,
}

impl TableEntry {
    pub(super) const NO_SQUARE: u8 = 64;

    const EMPTY: Self = Self {
        mover: 0,
        opponent: 0,
        search: 0,
        lower: -MAX_SCORE_I8,
        upper: MAX_SCORE_I8,
        best: Self::NO_SQUARE,
    };
}

const MAX_SCORE_I8: i8 = 64;
const _: () = assert!(MAX_SCORE_I8 as i32 == MAX_SCORE);

/// The table: it has one entry per hash, and the last search of a position overwrites the entry.
pub(super) struct TranspositionTable {
    entries: Vec<TableEntry>,
    search: u32,
}

impl Default for TranspositionTable {
    fn default() -> Self {
        Self { entries: vec![TableEntry::EMPTY; 1 << LOG2_ENTRIES], search: 0 }
    }
}

impl fmt::Debug for TranspositionTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TranspositionTable").field("search", &self.search).finish_non_exhaustive()
    }
}

impl TranspositionTable {
    /// Forgets all entries.
    pub(super) fn forget(&mut self) {
        self.search = match self.search.checked_add(1) {
            Some(search) => search,
            None => {
                self.entries.fill(TableEntry::EMPTY);
                1
            }
        };
    }

    /// Returns what is known about a position.
    #[inline(always)]
    pub(super) fn find(&self, mover: u64, opponent: u64) -> TableEntry {
        let entry = self.entries[place(mover, opponent)];
        let known =
            entry.mover == mover && entry.opponent == opponent && entry.search == self.search;
        if known { entry } else { TableEntry { mover, opponent, ..TableEntry::EMPTY } }
    }

    /// Stores what is known about the position of `entry`, which [`Self::find`] returned.
    #[inline(always)]
    pub(super) fn store(&mut self, entry: TableEntry) {
        let search = self.search;
        self.entries[place(entry.mover, entry.opponent)] = TableEntry { search, ..entry };
    }
}

/// Multiplicative hashing by odd constants with random bits.
#[inline(always)]
fn place(mover: u64, opponent: u64) -> usize {
    let mixed = mover.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ opponent.wrapping_mul(0xC2B2_AE3D_27D4_EB4F).rotate_left(32);
    (mixed.wrapping_mul(0x1656_67B1_9E37_79F9) >> (64 - LOG2_ENTRIES)) as usize
}
