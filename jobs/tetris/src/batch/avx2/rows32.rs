//! Row sets with 32 bits for each board.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_cmpeq_epi32, _mm256_loadu2_m128i, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_mullo_epi32, _mm256_or_si256, _mm256_packs_epi32, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_setzero_si256, _mm256_sllv_epi32, _mm256_srli_epi32,
    _mm256_srlv_epi32, _mm256_storeu2_m128i, _mm256_sub_epi32, _mm256_testz_si256,
    _mm256_unpackhi_epi16, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi16,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::avx2;
use super::bytes::Avx2Bytes;
use super::rows::{bitwise, bytes, each, in_nibbles, run};
use super::words::Avx2Words;
use crate::batch::vectors::{
    BoardRows, ByteVector, COUNTS, HIGH_ROWS, LOW_ROWS, N_BOARDS, PerBoard, RowSets, VectorTask,
};
use crate::rules::MAX_WIDTH;

/// Boards of up to 32 rows, in the order of blocks of floats.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Avx2Rows32([__m256i; 4]);

/// Widens every board's byte to 32 bits.
#[inline(always)]
fn wide(bytes: Avx2Bytes) -> [__m256i; 4] {
    let Avx2Words([low, high]) = bytes.words();
    avx2!({
        let zero = _mm256_setzero_si256();
        [
            _mm256_unpacklo_epi16(low, zero),
            _mm256_unpackhi_epi16(low, zero),
            _mm256_unpacklo_epi16(high, zero),
            _mm256_unpackhi_epi16(high, zero),
        ]
    })
}

/// Narrows signed 32-bit numbers to words.
#[inline(always)]
fn narrow(parts: [__m256i; 4]) -> Avx2Words {
    let [a, b, c, d] = parts;
    Avx2Words(avx2!([_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d)]))
}

impl RowSets for Avx2Rows32 {
    type Lane = u32;
    type Shift = Self;

    const N_ROWS: u32 = 32;

    bitwise!();

    #[inline(always)]
    fn splat(rows: u32) -> Self {
        Self([avx2!(_mm256_set1_epi32(rows.cast_signed())); 4])
    }

    #[inline(always)]
    fn load(rows: &PerBoard<u32>) -> Self {
        let mut parts = [avx2!(_mm256_setzero_si256()); 4];
        for (idx, part) in parts.iter_mut().enumerate() {
            let (low, high) = rows.split_at(N_BOARDS / 2);
            *part = avx2!(_mm256_loadu2_m128i(
                high[4 * idx..4 * idx + 4].as_ptr().cast(),
                low[4 * idx..4 * idx + 4].as_ptr().cast(),
            ));
        }
        Self(parts)
    }

    #[inline(always)]
    fn store(self) -> PerBoard<u32> {
        let mut rows = [0; N_BOARDS];
        for (idx, part) in self.0.into_iter().enumerate() {
            let (low, high) = rows.split_at_mut(N_BOARDS / 2);
            avx2!(_mm256_storeu2_m128i(
                high[4 * idx..4 * idx + 4].as_mut_ptr().cast(),
                low[4 * idx..4 * idx + 4].as_mut_ptr().cast(),
                part,
            ));
        }
        rows
    }

    #[inline(always)]
    fn load_columns(boards: &BoardRows<Self>) -> [Self; MAX_WIDTH] {
        let mut columns = [Self([avx2!(_mm256_setzero_si256()); 4]); MAX_WIDTH];
        for part in 0..4 {
            for from in [0, 4, 8, 12] {
                let mut rows = [avx2!(_mm256_setzero_si256()); 4];
                for (idx, row) in rows.iter_mut().enumerate() {
                    let (low, high) = (&boards[4 * part + idx], &boards[4 * part + idx + 16]);
                    *row = avx2!(_mm256_loadu2_m128i(
                        high[from..from + 4].as_ptr().cast(),
                        low[from..from + 4].as_ptr().cast(),
                    ));
                }
                for (column, rows) in columns[from..].iter_mut().zip(transposed(rows)) {
                    column.0[part] = rows;
                }
            }
        }
        columns
    }

    #[inline(always)]
    fn from_row(row: Avx2Bytes) -> Self {
        each!(wide(row), |row| _mm256_sllv_epi32(_mm256_set1_epi32(1), row))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        each!(self.0, other.0, |a, b| _mm256_add_epi32(a, b))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        each!(self.0, other.0, |a, b| _mm256_sub_epi32(a, b))
    }

    #[inline(always)]
    fn times(self, number: u32) -> Self {
        each!(self.0, Self::splat(number).0, |a, b| _mm256_mullo_epi32(a, b))
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        each!(self.0, |a| _mm256_srli_epi32::<N>(a))
    }

    #[inline(always)]
    fn is_empty(self) -> Avx2Bytes {
        let Self(parts) = each!(self.0, |a| _mm256_cmpeq_epi32(a, _mm256_setzero_si256()));
        bytes(narrow(parts))
    }

    #[inline(always)]
    fn count(self) -> Avx2Bytes {
        bytes(self.byte_counts().sums())
    }

    #[inline(always)]
    fn sums(self) -> Avx2Words {
        let Self(parts) = each!(self.0, |a| {
            let pairs = _mm256_maddubs_epi16(a, _mm256_set1_epi8(1));
            _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))
        });
        narrow(parts)
    }

    #[inline(always)]
    fn depths(self, heights: Avx2Bytes) -> Avx2Words {
        let Self(sums) = each!(self.0, wide(heights), |a, height| {
            let (one, ones) = (_mm256_set1_epi8(1), _mm256_set1_epi16(1));
            let rows = _mm256_maddubs_epi16(in_nibbles(a, &LOW_ROWS, &HIGH_ROWS), one);
            let counts = in_nibbles(a, &COUNTS, &COUNTS);
            // Rows of the upper bytes are 8, 16 and 24 more than the tables say.
            let more = _mm256_maddubs_epi16(counts, _mm256_set1_epi32(0x1810_0800));
            let n = _mm256_madd_epi16(_mm256_maddubs_epi16(counts, one), ones);
            let sum = _mm256_madd_epi16(_mm256_add_epi16(rows, more), ones);
            _mm256_sub_epi32(sum, _mm256_mullo_epi32(n, height))
        });
        narrow(sums)
    }

    #[inline(always)]
    fn filled(self) -> Self {
        let filled = self.or(self.shr::<1>());
        let filled = filled.or(filled.shr::<2>());
        let filled = filled.or(filled.shr::<4>());
        let filled = filled.or(filled.shr::<8>());
        filled.or(filled.shr::<16>())
    }

    #[inline(always)]
    fn shift(down: Avx2Bytes) -> Self {
        Self(wide(down))
    }

    #[inline(always)]
    fn window(self, shift: Self) -> Avx2Bytes {
        let Self(parts) = each!(self.0, shift.0, |a, down| {
            _mm256_and_si256(_mm256_srlv_epi32(a, down), _mm256_set1_epi32(0xF))
        });
        bytes(narrow(parts))
    }
}

/// Transposes the 4x4 numbers in each half.
#[inline(always)]
fn transposed([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    avx2!({
        let (ab, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab, cd),
            _mm256_unpackhi_epi64(ab, cd),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ]
    })
}
