//! The vector operations that batches need: operations on [`N_BOARDS`] boards at once.
//!
//! Operations are board by board and wrap, unless noted otherwise; a mask has all bits of a board's
//! element set, or none. Implementations exist for the instruction sets that [`super::dispatch`]
//! detects.

use crate::rules::MAX_WIDTH;

/// The number of boards.
pub(super) const N_BOARDS: usize = 32;

/// The number of blocks of floats that hold a number for each board.
pub(super) const N_BLOCKS: usize = 2;

/// The number of floats of a block.
pub(super) const BLOCK: usize = N_BOARDS / N_BLOCKS;

/// Every board's columns, in memory. Columns beyond a board's width do not matter.
pub(super) type BoardRows<R> = PerBoard<[<R as RowSets>::Lane; MAX_WIDTH]>;

/// A value for each board, in memory.
pub(super) type PerBoard<T> = [T; N_BOARDS];

/// A table with a byte for each number below 16.
pub(super) type NibbleTable = [u8; 16];

/// A float for each board.
pub(super) type FloatBlocks<B> = [<B as ByteVector>::Block; N_BLOCKS];

/// A byte for each board.
pub(super) trait ByteVector: Copy {
    type Words: WordVector<Block = Self::Block>;
    type Block: FloatBlock;

    fn splat(byte: u8) -> Self;
    fn load(bytes: &PerBoard<u8>) -> Self;
    fn store(self) -> PerBoard<u8>;
    /// Returns a board's byte. If the vector is in memory, only this byte is read.
    fn at(&self, lane: usize) -> u8;
    /// Converts the masks of every block to bytes.
    fn from_masks(masks: [Self::Block; N_BLOCKS]) -> Self;

    fn and(self, other: Self) -> Self;
    /// `self & !other`.
    fn and_not(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// Returns the difference, or 0 where it would be negative.
    fn sub_saturating(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    /// Returns the mask of the boards with equal bytes.
    fn equal(self, other: Self) -> Self;
    /// Returns `other` where `mask` is set, `self` elsewhere.
    fn or_if(self, other: Self, mask: Self) -> Self;
    /// Returns the entry of `table` at each byte, which must be below 16.
    fn lookup(self, table: &NibbleTable) -> Self;
    /// Returns true if any bit is set.
    fn any(self) -> bool;
    /// Returns the highest bit in every board's byte, as one bit per board.
    fn high_bits(self) -> u32;

    /// Returns `a b + c d`, where `b` and `d` are signed.
    fn products(a: Self, b: Self, c: Self, d: Self) -> Self::Words;
    fn words(self) -> Self::Words;
    /// Converts signed bytes.
    fn signed_words(self) -> Self::Words;
    fn floats(self) -> FloatBlocks<Self>;
    /// Converts a mask to the masks of every block.
    fn masks(self) -> [Self::Block; N_BLOCKS];
    /// Returns the floats in the order of boards.
    fn in_order(floats: &FloatBlocks<Self>) -> PerBoard<f32>;
    /// Returns a board's float.
    fn float_at(floats: &FloatBlocks<Self>, lane: usize) -> f32;
    /// Returns the place of a board's float among the floats in all blocks.
    fn place(lane: usize) -> usize;
}

/// A signed 16-bit number for each board.
pub(super) trait WordVector: Copy {
    type Block: FloatBlock;

    fn splat(word: i16) -> Self;
    fn load(words: &PerBoard<i16>) -> Self;
    fn store(self) -> PerBoard<i16>;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn floats(self) -> [Self::Block; N_BLOCKS];
}

/// 32-bit floats for half of the boards.
pub(super) trait FloatBlock: Copy {
    fn splat(float: f32) -> Self;
    fn load(floats: &[f32; BLOCK]) -> Self;
    fn store(self) -> [f32; BLOCK];
    /// Returns the float at `idx`; only this float is read if the vector is in memory.
    fn at(&self, idx: usize) -> f32;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// Returns `self factor + summand`, rounded once.
    fn mul_add(self, factor: Self, summand: Self) -> Self;
    /// Returns the larger operand; neither may be NaN.
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    /// Returns a mask. It marks the elements that are less than the same elements of `other`.
    fn less(self, other: Self) -> Self;
    /// Returns `self` where `mask` is set, `other` elsewhere.
    fn or_unless(self, other: Self, mask: Self) -> Self;
}

/// An unsigned integer that holds a set of rows: bit r is row r.
pub(super) trait RowBits: Copy + Default {
    /// Creates the rows of a column; rows above the lane are cut off.
    fn from_column(column: u64) -> Self;
    fn column(self) -> u64;
    /// Adds `cells`, whose lowest row comes to `row`.
    fn with(self, cells: u8, row: u8) -> Self;
}

macro_rules! row_bits {
    ($lane:ty) => {
        impl RowBits for $lane {
            #[expect(clippy::cast_possible_truncation, reason = "rows above are cut off")]
            #[inline(always)]
            fn from_column(column: u64) -> Self {
                column as Self
            }

            #[inline(always)]
            fn column(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn with(self, cells: u8, row: u8) -> Self {
                self | Self::from(cells) << row
            }
        }
    };
}

row_bits!(u16);
row_bits!(u32);

/// A task that is compiled for the vector instructions. Everything it calls must be inlined, which
/// is not certain for closures and much of the standard library.
pub(super) trait VectorTask {
    fn run(self);
}

/// A set of rows for each board, for instance those where a column is full.
pub(super) trait RowSets: Copy {
    type Lane: RowBits;
    type Bytes: ByteVector;
    /// The shift for every board's rows.
    type Shift: Copy;

    /// The number of bits that a board has for rows: enough for its own rows with a piece on top.
    const N_ROWS: u32;

    /// Runs `task`, compiled for these vectors as a separate function.
    fn run(task: impl VectorTask);

    /// Returns the same rows for all boards.
    fn splat(rows: u32) -> Self;
    fn load(rows: &PerBoard<Self::Lane>) -> Self;
    fn store(self) -> PerBoard<Self::Lane>;
    /// Loads the columns from all boards.
    fn load_columns(boards: &BoardRows<Self>) -> [Self; MAX_WIDTH];
    /// Returns one row for each board.
    fn from_row(row: Self::Bytes) -> Self;

    fn and(self, other: Self) -> Self;
    /// `self & !other`.
    fn and_not(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// Returns the low half of the product with the same number for all boards.
    fn times(self, number: u32) -> Self;
    fn shr<const N: i32>(self) -> Self;
    /// Returns true if any board has any row.
    fn any(self) -> bool;
    /// Returns the mask of the boards that have no row.
    fn is_empty(self) -> Self::Bytes;
    /// Returns the number of rows.
    fn count(self) -> Self::Bytes;
    /// Returns the number of ones in each byte: these counts can be added up to 31 times before
    /// their bytes must be summed.
    fn byte_counts(self) -> Self;
    /// Returns the sums of the bytes.
    fn sums(self) -> <Self::Bytes as ByteVector>::Words;
    /// Returns the sum of `row + 1 - height` over the rows.
    fn depths(self, heights: Self::Bytes) -> <Self::Bytes as ByteVector>::Words;
    /// Returns all rows up to the highest one.
    fn filled(self) -> Self;

    fn shift(down: Self::Bytes) -> Self::Shift;
    /// Returns the first four rows after all moved down by `shift`.
    fn window(self, shift: Self::Shift) -> Self::Bytes;
}

/// The number of ones in every number below 16.
pub(super) const COUNTS: NibbleTable = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];

/// The sum of bit number + 1 over the ones in every number below 16: for the low half of a byte,
/// and for the high half.
pub(super) const LOW_ROWS: NibbleTable = row_sums(0xF, 0);
pub(super) const HIGH_ROWS: NibbleTable = row_sums(0xF, -4);

/// Returns for each number below 16 the sum of bit number + 1 - `below` over its ones within
/// `mask`.
#[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "small sums")]
pub(super) const fn row_sums(mask: u8, below: i32) -> NibbleTable {
    let mut table = [0; 16];
    let mut number = 0;
    while number < 16 {
        let (mut bit, mut sum) = (0, 0);
        while bit < 4 {
            if (number & mask as usize) >> bit & 1 == 1 {
                sum += bit + 1 - below;
            }
            bit += 1;
        }
        table[number] = sum as u8;
        number += 1;
    }
    table
}

/// Returns for each number below 16 the number of its ones within `mask`.
pub(super) const fn counts(mask: u8) -> NibbleTable {
    let mut table = [0; 16];
    let mut number = 0;
    while number < 16 {
        table[number] = COUNTS[number & mask as usize];
        number += 1;
    }
    table
}
