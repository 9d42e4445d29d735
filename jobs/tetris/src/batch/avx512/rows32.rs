//! Row sets with 32 bits for each board.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm256_movm_epi8, _mm256_set_m128i, _mm512_add_epi16,
    _mm512_add_epi32, _mm512_and_si512, _mm512_andnot_si512, _mm512_castsi256_si512,
    _mm512_cvtepi32_epi8, _mm512_cvtepi32_epi16, _mm512_inserti64x4, _mm512_loadu_epi32,
    _mm512_lzcnt_epi32, _mm512_madd_epi16, _mm512_maddubs_epi16, _mm512_mullo_epi32,
    _mm512_or_si512, _mm512_popcnt_epi8, _mm512_popcnt_epi32, _mm512_set1_epi8, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_sllv_epi32, _mm512_srl_epi32,
    _mm512_srlv_epi32, _mm512_storeu_epi32, _mm512_sub_epi32, _mm512_test_epi32_mask,
    _mm512_testn_epi32_mask, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32,
    _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use super::avx512;
use super::bytes::{Avx512Bytes, wide};
use super::rows::{in_nibbles, load_quarters, run};
use super::words::Avx512Words;
use crate::batch::vectors::{
    BLOCK, BoardRows, HIGH_ROWS, LOW_ROWS, N_BOARDS, PerBoard, RowSets, VectorTask,
};
use crate::rules::MAX_WIDTH;

/// Boards of up to 32 rows, in their order.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Avx512Rows32([__m512i; 2]);

/// Applies the same instruction to both halves.
macro_rules! both {
    ($a:expr, |$x:ident| $call:expr) => {{
        let mut parts = $a;
        for part in &mut parts {
            let $x = *part;
            *part = avx512!($call);
        }
        Self(parts)
    }};
    ($a:expr, $b:expr, |$x:ident, $y:ident| $call:expr) => {{
        let (mut parts, others) = ($a, $b);
        for (part, other) in parts.iter_mut().zip(others) {
            let ($x, $y) = (*part, other);
            *part = avx512!($call);
        }
        Self(parts)
    }};
}

/// Narrows signed 32-bit numbers to words.
#[inline(always)]
fn narrow([low, high]: [__m512i; 2]) -> Avx512Words {
    Avx512Words(avx512!({
        let low = _mm512_castsi256_si512(_mm512_cvtepi32_epi16(low));
        _mm512_inserti64x4::<1>(low, _mm512_cvtepi32_epi16(high))
    }))
}

/// Narrows 32-bit numbers to bytes.
#[inline(always)]
fn bytes([low, high]: [__m512i; 2]) -> Avx512Bytes {
    let (low, high) = avx512!((_mm512_cvtepi32_epi8(low), _mm512_cvtepi32_epi8(high)));
    Avx512Bytes(avx512!(_mm256_set_m128i(high, low)))
}

impl RowSets for Avx512Rows32 {
    type Lane = u32;
    type Bytes = Avx512Bytes;
    type Shift = Self;

    const N_ROWS: u32 = 32;

    #[inline(always)]
    fn run(task: impl VectorTask) {
        avx512!(run(task));
    }

    #[inline(always)]
    fn splat(rows: u32) -> Self {
        Self([avx512!(_mm512_set1_epi32(rows.cast_signed())); 2])
    }

    #[inline(always)]
    fn load(rows: &PerBoard<u32>) -> Self {
        let (low, high) = rows.split_at(BLOCK);
        Self(avx512!([
            _mm512_loadu_epi32(low.as_ptr().cast()),
            _mm512_loadu_epi32(high.as_ptr().cast()),
        ]))
    }

    #[inline(always)]
    fn store(self) -> PerBoard<u32> {
        let mut rows = [0; N_BOARDS];
        let (low, high) = rows.split_at_mut(BLOCK);
        avx512!({
            _mm512_storeu_epi32(low.as_mut_ptr().cast(), self.0[0]);
            _mm512_storeu_epi32(high.as_mut_ptr().cast(), self.0[1]);
        });
        rows
    }

    #[inline(always)]
    fn load_columns(boards: &BoardRows<Self>) -> [Self; MAX_WIDTH] {
        let mut columns = [Self::splat(0); MAX_WIDTH];
        for half in 0..2 {
            for from in [0, 4, 8, 12] {
                let mut rows = [avx512!(_mm512_setzero_si512()); 4];
                for (idx, row) in rows.iter_mut().enumerate() {
                    let part = |board: usize| &boards[16 * half + board + idx][from..];
                    *row = load_quarters([part(0), part(4), part(8), part(12)]);
                }
                for (column, rows) in columns[from..].iter_mut().zip(transposed(rows)) {
                    column.0[half] = rows;
                }
            }
        }
        columns
    }

    #[inline(always)]
    fn from_row(row: Avx512Bytes) -> Self {
        both!(wide(row), |row| _mm512_sllv_epi32(_mm512_set1_epi32(1), row))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        both!(self.0, other.0, |a, b| _mm512_and_si512(a, b))
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        both!(self.0, other.0, |a, b| _mm512_andnot_si512(b, a))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        both!(self.0, other.0, |a, b| _mm512_or_si512(a, b))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        both!(self.0, other.0, |a, b| _mm512_xor_si512(a, b))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        both!(self.0, other.0, |a, b| _mm512_add_epi32(a, b))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        both!(self.0, other.0, |a, b| _mm512_sub_epi32(a, b))
    }

    #[inline(always)]
    fn times(self, number: u32) -> Self {
        both!(self.0, Self::splat(number).0, |a, b| _mm512_mullo_epi32(a, b))
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        both!(self.0, |a| _mm512_srl_epi32(a, _mm_cvtsi32_si128(N)))
    }

    #[inline(always)]
    fn any(self) -> bool {
        let [a, b] = self.0;
        avx512!({
            let any = _mm512_or_si512(a, b);
            _mm512_test_epi32_mask(any, any) != 0
        })
    }

    #[inline(always)]
    fn is_empty(self) -> Avx512Bytes {
        let [a, b] = self.0;
        let low = u32::from(avx512!(_mm512_testn_epi32_mask(a, a)));
        let high = u32::from(avx512!(_mm512_testn_epi32_mask(b, b)));
        Avx512Bytes(avx512!(_mm256_movm_epi8(low | high << BLOCK)))
    }

    #[inline(always)]
    fn count(self) -> Avx512Bytes {
        let Self(counts) = both!(self.0, |a| _mm512_popcnt_epi32(a));
        bytes(counts)
    }

    #[inline(always)]
    fn byte_counts(self) -> Self {
        both!(self.0, |a| _mm512_popcnt_epi8(a))
    }

    #[inline(always)]
    fn sums(self) -> Avx512Words {
        let Self(sums) = both!(self.0, |a| {
            let pairs = _mm512_maddubs_epi16(a, _mm512_set1_epi8(1));
            _mm512_madd_epi16(pairs, _mm512_set1_epi16(1))
        });
        narrow(sums)
    }

    #[inline(always)]
    fn depths(self, heights: Avx512Bytes) -> Avx512Words {
        let Self(sums) = both!(self.0, wide(heights), |rows, height| {
            let ones = _mm512_set1_epi16(1);
            let sums = in_nibbles(rows, &LOW_ROWS, &HIGH_ROWS);
            let sums = _mm512_maddubs_epi16(sums, _mm512_set1_epi8(1));
            // Rows of the upper bytes are 8, 16 and 24 more than the tables say.
            let counts = _mm512_popcnt_epi8(rows);
            let more = _mm512_maddubs_epi16(counts, _mm512_set1_epi32(0x1810_0800));
            let sum = _mm512_madd_epi16(_mm512_add_epi16(sums, more), ones);
            _mm512_sub_epi32(sum, _mm512_mullo_epi32(_mm512_popcnt_epi32(rows), height))
        });
        narrow(sums)
    }

    #[inline(always)]
    fn filled(self) -> Self {
        // All rows below as many bits as the highest one has above it.
        both!(self.0, |a| _mm512_srlv_epi32(_mm512_set1_epi32(-1), _mm512_lzcnt_epi32(a)))
    }

    #[inline(always)]
    fn shift(down: Avx512Bytes) -> Self {
        Self(wide(down))
    }

    #[inline(always)]
    fn window(self, shift: Self) -> Avx512Bytes {
        let Self(rows) = both!(self.0, shift.0, |a, down| {
            _mm512_and_si512(_mm512_srlv_epi32(a, down), _mm512_set1_epi32(0xF))
        });
        bytes(rows)
    }
}

/// Transposes the 4x4 numbers in each quarter.
#[inline(always)]
fn transposed([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    avx512!({
        let (ab, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (cd, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        [
            _mm512_unpacklo_epi64(ab, cd),
            _mm512_unpackhi_epi64(ab, cd),
            _mm512_unpacklo_epi64(ab_high, cd_high),
            _mm512_unpackhi_epi64(ab_high, cd_high),
        ]
    })
}
