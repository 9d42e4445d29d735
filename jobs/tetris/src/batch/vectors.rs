//! What vector instructions must offer: operations on [`N_BOARDS`] boards at once.
//!
//! Operations are board by board and wrap, unless said otherwise; a mask has all bits of a board's
//! element set, or none. Implementations exist for the instruction sets that [`super::dispatch`]
//! detects.

/// The number of boards.
pub(super) const N_BOARDS: usize = 32;

/// The blocks of floats that hold a number for each board.
pub(super) const N_BLOCKS: usize = 4;

/// Something for each board, in memory.
pub(super) type Each<T> = [T; N_BOARDS];

/// A byte for each number below 16.
pub(super) type Table = [u8; 16];

/// A float for each board.
pub(super) type Floats<B> = [<B as Bytes>::Block; N_BLOCKS];

/// A byte for each board.
pub(super) trait Bytes: Copy {
    type Words: Words<Block = Self::Block>;
    type Block: Block;

    fn splat(byte: u8) -> Self;
    fn load(bytes: &Each<u8>) -> Self;
    fn store(self) -> Each<u8>;
    /// The bytes in which each block has a mask.
    fn of_masks(masks: [Self::Block; N_BLOCKS]) -> Self;

    fn and(self, other: Self) -> Self;
    /// `self & !other`.
    fn and_not(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// The difference, or 0 where it would be negative.
    fn sub_saturating(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    /// The mask of the boards whose bytes are equal.
    fn equal(self, other: Self) -> Self;
    /// `other` where `mask` is set.
    fn or_if(self, other: Self, mask: Self) -> Self;
    /// `table` at each byte, which must be below 16.
    fn lookup(self, table: &Table) -> Self;
    /// Whether any bit is set.
    fn any(self) -> bool;
    /// The boards whose highest bit is set, as bits.
    fn high_bits(self) -> u32;

    /// `a b + c d`, where `b` and `d` are signed.
    fn products(a: Self, b: Self, c: Self, d: Self) -> Self::Words;
    fn words(self) -> Self::Words;
    fn floats(self) -> Floats<Self>;
    /// The masks of each block.
    fn masks(self) -> [Self::Block; N_BLOCKS];
    /// The floats of each board.
    fn in_order(floats: &Floats<Self>) -> Each<f32>;
    /// The float of one board.
    fn float_at(floats: &Floats<Self>, lane: usize) -> f32;
}

/// A signed 16-bit number for each board.
pub(super) trait Words: Copy {
    type Block: Block;

    fn splat(word: i16) -> Self;
    fn load(words: &Each<i16>) -> Self;
    fn store(self) -> Each<i16>;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn floats(self) -> [Self::Block; N_BLOCKS];
}

/// 32-bit floats for some boards.
pub(super) trait Block: Copy {
    fn splat(float: f32) -> Self;
    fn store(self) -> [f32; N_BOARDS / N_BLOCKS];
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// `self factor + summand`, rounded once.
    fn mul_add(self, factor: Self, summand: Self) -> Self;
    /// The larger; no operand is no number.
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    /// The mask of what is less than `other`.
    fn less(self, other: Self) -> Self;
    /// `other` where `mask` is not set.
    fn or_unless(self, other: Self, mask: Self) -> Self;
}

/// An unsigned integer that holds a set of rows: bit r is row r.
pub(super) trait Lane: Copy + Default {
    /// The rows of a column; those above the lane are cut off.
    fn of_column(column: u64) -> Self;
    fn column(self) -> u64;
}

/// What is compiled for the instructions of vectors. All that it calls must be inlined, which for
/// closures and much of the standard library is not certain.
pub(super) trait Task {
    fn run(self);
}

/// A set of rows for each board: where a column is full, for instance.
pub(super) trait Rows: Copy {
    type Lane: Lane;
    type Bytes: Bytes;
    /// How far to shift each board's rows.
    type Shift: Copy;

    /// The bits that a board has for rows: as many as it may have together with a piece on top.
    const N_ROWS: u32;

    /// Runs `task`, compiled for these vectors as a function of its own.
    fn run(task: impl Task);

    /// The same rows for all boards.
    fn splat(rows: u32) -> Self;
    fn load(rows: &Each<Self::Lane>) -> Self;
    fn store(self) -> Each<Self::Lane>;
    /// One row for each board.
    fn of_row(row: Self::Bytes) -> Self;

    fn and(self, other: Self) -> Self;
    /// `self & !other`.
    fn and_not(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// The low half of the product with the same number for all boards.
    fn times(self, number: u32) -> Self;
    fn shr<const N: i32>(self) -> Self;
    /// Whether any board has any row.
    fn any(self) -> bool;
    /// The mask of the boards that have none.
    fn is_empty(self) -> Self::Bytes;
    /// The number of rows.
    fn count(self) -> Self::Bytes;
    /// In each byte the number of its ones: counts that can be added up to 31 times before their
    /// bytes are.
    fn byte_counts(self) -> Self;
    /// The sums of the bytes.
    fn sums(self) -> <Self::Bytes as Bytes>::Words;
    /// The sum of `row + 1 - height` over the rows.
    fn depths(self, heights: Self::Bytes) -> <Self::Bytes as Bytes>::Words;
    /// All rows up to the highest one.
    fn filled(self) -> Self;

    fn shift(down: Self::Bytes) -> Self::Shift;
    /// The first four rows after all moved down.
    fn window(self, shift: Self::Shift) -> Self::Bytes;
}

/// The number of ones of each number below 16.
pub(super) const COUNTS: Table = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];

/// The sum of bit number + 1 over the ones of each number below 16: of the low half of a byte, and
/// of the high half.
pub(super) const LOW_ROWS: Table = row_sums(0xF, 0);
pub(super) const HIGH_ROWS: Table = row_sums(0xF, -4);

/// For each number below 16 the sum of bit number + 1 - `below` over its ones within `mask`.
#[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "small sums")]
pub(super) const fn row_sums(mask: u8, below: i32) -> Table {
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

/// For each number below 16 the number of its ones within `mask`.
pub(super) const fn counts(mask: u8) -> Table {
    let mut table = [0; 16];
    let mut number = 0;
    while number < 16 {
        table[number] = COUNTS[number & mask as usize];
        number += 1;
    }
    table
}
