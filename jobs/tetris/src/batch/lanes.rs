//! Vectors of small integers, one lane for each board.

/// An unsigned integer that holds a column: bit r is row r.
pub(super) trait Lane: Copy + Default {
    /// The column; rows above the lane are cut off.
    fn from_column(column: u64) -> Self;

    fn count(self) -> i32;

    fn or(self, other: Self) -> Self;

    /// The product with `cells`, of at most four rows.
    fn times(self, cells: u64) -> Self;

    /// How many bits both have.
    fn n_common(self, other: Self) -> u32;

    /// Whether there is a bit that `mask` does not have.
    fn exceeds(self, mask: Self) -> bool;
}

macro_rules! lane {
    ($lane:ty) => {
        impl Lane for $lane {
            #[expect(clippy::cast_possible_truncation, reason = "rows above are cut off")]
            #[inline(always)]
            fn from_column(column: u64) -> Self {
                column as Self
            }

            #[inline(always)]
            fn count(self) -> i32 {
                u32::from(self).cast_signed()
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn times(self, cells: u64) -> Self {
                self.wrapping_mul(Self::from_column(cells))
            }

            #[inline(always)]
            fn n_common(self, other: Self) -> u32 {
                (self & other).count_ones()
            }

            #[inline(always)]
            fn exceeds(self, mask: Self) -> bool {
                self & !mask != 0
            }
        }
    };
}

lane!(u16);
lane!(u32);

/// A vector of [`Lane`]s. Operations are lane by lane and wrap, unless said otherwise; a mask has
/// all bits of a lane set, or none.
///
/// Implementations exist for the instruction sets that [`super::dispatch`] detects.
pub(super) trait Lanes: Copy {
    /// One lane.
    type Lane: Lane;
    /// All lanes in memory.
    type Array: Copy + AsRef<[Self::Lane]> + AsMut<[Self::Lane]>;
    /// Something else for each lane, in memory.
    type Each<T: Copy>: Copy + AsRef<[T]> + AsMut<[T]>;

    /// The number of lanes.
    const N: usize;
    /// The bits of a lane.
    const BITS: u32;
    /// All lanes 0.
    const ZEROS: Self::Array;

    fn each<T: Copy>(value: T) -> Self::Each<T>;

    fn splat(lane: u32) -> Self;
    fn load(array: &Self::Array) -> Self;
    fn store(self) -> Self::Array;

    fn and(self, other: Self) -> Self;
    /// `self & !other`.
    fn and_not(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// The difference, or 0 where it would be negative.
    fn sub_saturating(self, other: Self) -> Self;
    /// The low half of the product.
    fn mul(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// The mask of the lanes that are equal.
    fn equal(self, other: Self) -> Self;
    fn shl_1(self) -> Self;
    /// All lanes shifted right by the same `n`.
    fn shr(self, n: u32) -> Self;
    /// Whether any bit is set.
    fn any(self) -> bool;
    /// Whether all bits are set.
    fn all(self) -> bool;
    /// The bytes whose highest bit is set, as bits.
    fn high_bits(self) -> u32;

    /// In each byte the number of its ones.
    fn byte_counts(self) -> Self;
    /// The sum of the bytes of each lane.
    fn sum_bytes(self) -> Self;
    /// The heights of lanes, prepared for [`depths`](Self::depths).
    fn above(heights: Self) -> Self;
    /// The sum of `row + 1 - height` over the rows whose bits are set, where `above` is
    /// [`above`](Self::above) of the heights.
    fn depths(self, above: Self) -> Self;
    /// `table` at each lane, which must be below 16.
    fn lookup(self, table: &[u8; 16]) -> Self;

    /// The number of ones.
    #[inline(always)]
    fn count_ones(self) -> Self {
        self.byte_counts().sum_bytes()
    }

    /// The numbers of the lanes that a mask has set.
    #[inline(always)]
    fn each_set(self) -> EachSet {
        let n_bytes = Self::BITS / 8;
        EachSet { bytes: self.high_bits() & (u32::MAX / ((1 << n_bytes) - 1)), n_bytes }
    }

    /// All bits up to the highest one.
    #[inline(always)]
    fn filled(self) -> Self {
        let mut filled = self.or(self.shr(1));
        let mut n = 2;
        while n < Self::BITS {
            filled = filled.or(filled.shr(n));
            n *= 2;
        }
        filled
    }
}

/// See [`Lanes::each_set`].
pub(super) struct EachSet {
    /// Bits of the lowest bytes of lanes.
    bytes: u32,
    /// The bytes of a lane.
    n_bytes: u32,
}

impl Iterator for EachSet {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let lane = self.bytes.trailing_zeros() / self.n_bytes;
        let next = (self.bytes != 0).then_some(lane as usize);
        self.bytes &= self.bytes.wrapping_sub(1);
        next
    }
}

/// The number of ones of each number below 16.
pub(super) const COUNTS: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];

/// The sum of bit number + 1 over the ones of each number below 16: of the low half of a byte, and
/// of the high half.
pub(super) const LOW_ROWS: [u8; 16] = rows(0);
pub(super) const HIGH_ROWS: [u8; 16] = rows(4);

const fn rows(from: u8) -> [u8; 16] {
    let mut table = [0; 16];
    let mut nibble = 0;
    while nibble < 16 {
        let mut bit = 0;
        while bit < 4 {
            if nibble >> bit & 1 == 1 {
                table[nibble] += from + bit + 1;
            }
            bit += 1;
        }
        nibble += 1;
    }
    table
}
