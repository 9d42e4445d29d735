//! Row sets with 16 bits for each board.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm256_movm_epi8, _mm512_add_epi16, _mm512_and_si512,
    _mm512_andnot_si512, _mm512_cvtepi16_epi8, _mm512_loadu_epi16, _mm512_maddubs_epi16,
    _mm512_mullo_epi16, _mm512_or_si512, _mm512_popcnt_epi8, _mm512_popcnt_epi16, _mm512_set1_epi8,
    _mm512_set1_epi16, _mm512_setzero_si512, _mm512_sllv_epi16, _mm512_srl_epi16,
    _mm512_srlv_epi16, _mm512_storeu_epi16, _mm512_sub_epi16, _mm512_test_epi16_mask,
    _mm512_testn_epi16_mask, _mm512_unpackhi_epi16, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi16, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use super::avx512;
use super::bytes::Avx512Bytes;
use super::rows::{in_nibbles, load_quarters, run};
use super::words::Avx512Words;
use crate::batch::vectors::{
    BoardRows, ByteVector, HIGH_ROWS, LOW_ROWS, N_BOARDS, PerBoard, RowSets, VectorTask,
};
use crate::rules::MAX_WIDTH;

/// Boards of up to 16 rows, in their order.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Avx512Rows16(__m512i);

impl RowSets for Avx512Rows16 {
    type Lane = u16;
    type Bytes = Avx512Bytes;
    type Shift = Avx512Words;

    const N_ROWS: u32 = 16;

    #[inline(always)]
    fn run(task: impl VectorTask) {
        avx512!(run(task));
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "all bits or few")]
    fn splat(rows: u32) -> Self {
        Self(avx512!(_mm512_set1_epi16(rows as i16)))
    }

    #[inline(always)]
    fn load(rows: &PerBoard<u16>) -> Self {
        Self(avx512!(_mm512_loadu_epi16(rows.as_ptr().cast())))
    }

    #[inline(always)]
    fn store(self) -> PerBoard<u16> {
        let mut rows = [0; N_BOARDS];
        avx512!(_mm512_storeu_epi16(rows.as_mut_ptr().cast(), self.0));
        rows
    }

    #[inline(always)]
    fn load_columns(boards: &BoardRows<Self>) -> [Self; MAX_WIDTH] {
        let mut columns = [Self::splat(0); MAX_WIDTH];
        for from in [0, 8] {
            let mut rows = [avx512!(_mm512_setzero_si512()); 8];
            for (idx, row) in rows.iter_mut().enumerate() {
                let part = |board: usize| &boards[board + idx][from..];
                *row = load_quarters([part(0), part(8), part(16), part(24)]);
            }
            for (column, words) in columns[from..].iter_mut().zip(transposed(rows)) {
                *column = Self(words);
            }
        }
        columns
    }

    #[inline(always)]
    fn from_row(row: Avx512Bytes) -> Self {
        Self(avx512!(_mm512_sllv_epi16(_mm512_set1_epi16(1), row.words().0)))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(avx512!(_mm512_and_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Self(avx512!(_mm512_andnot_si512(other.0, self.0)))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(avx512!(_mm512_or_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(avx512!(_mm512_xor_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(avx512!(_mm512_add_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(avx512!(_mm512_sub_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn times(self, number: u32) -> Self {
        Self(avx512!(_mm512_mullo_epi16(self.0, Self::splat(number).0)))
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        Self(avx512!(_mm512_srl_epi16(self.0, _mm_cvtsi32_si128(N))))
    }

    #[inline(always)]
    fn any(self) -> bool {
        avx512!(_mm512_test_epi16_mask(self.0, self.0)) != 0
    }

    #[inline(always)]
    fn is_empty(self) -> Avx512Bytes {
        Avx512Bytes(avx512!(_mm256_movm_epi8(_mm512_testn_epi16_mask(self.0, self.0))))
    }

    #[inline(always)]
    fn count(self) -> Avx512Bytes {
        Avx512Bytes(avx512!(_mm512_cvtepi16_epi8(_mm512_popcnt_epi16(self.0))))
    }

    #[inline(always)]
    fn byte_counts(self) -> Self {
        Self(avx512!(_mm512_popcnt_epi8(self.0)))
    }

    #[inline(always)]
    fn sums(self) -> Avx512Words {
        Avx512Words(avx512!(_mm512_maddubs_epi16(self.0, _mm512_set1_epi8(1))))
    }

    #[inline(always)]
    fn depths(self, heights: Avx512Bytes) -> Avx512Words {
        let Self(rows) = self;
        Avx512Words(avx512!({
            // Rows of the upper byte are 8 more than the tables say.
            let sums = in_nibbles(rows, &LOW_ROWS, &HIGH_ROWS);
            let sums = _mm512_maddubs_epi16(sums, _mm512_set1_epi8(1));
            let counts = _mm512_popcnt_epi8(rows);
            let more = _mm512_maddubs_epi16(counts, _mm512_set1_epi16(0x0800));
            let below = _mm512_mullo_epi16(_mm512_popcnt_epi16(rows), heights.words().0);
            _mm512_sub_epi16(_mm512_add_epi16(sums, more), below)
        }))
    }

    #[inline(always)]
    fn filled(self) -> Self {
        let filled = self.or(self.shr::<1>());
        let filled = filled.or(filled.shr::<2>());
        let filled = filled.or(filled.shr::<4>());
        filled.or(filled.shr::<8>())
    }

    #[inline(always)]
    fn shift(down: Avx512Bytes) -> Avx512Words {
        down.words()
    }

    #[inline(always)]
    fn window(self, shift: Avx512Words) -> Avx512Bytes {
        Avx512Bytes(avx512!({
            let down = _mm512_srlv_epi16(self.0, shift.0);
            _mm512_cvtepi16_epi8(_mm512_and_si512(down, _mm512_set1_epi16(0xF)))
        }))
    }
}

/// Transposes the 8x8 words in each quarter.
#[inline(always)]
fn transposed([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> [__m512i; 8] {
    avx512!({
        let (ab, ab_high) = (_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b));
        let (cd, cd_high) = (_mm512_unpacklo_epi16(c, d), _mm512_unpackhi_epi16(c, d));
        let (ef, ef_high) = (_mm512_unpacklo_epi16(e, f), _mm512_unpackhi_epi16(e, f));
        let (gh, gh_high) = (_mm512_unpacklo_epi16(g, h), _mm512_unpackhi_epi16(g, h));
        let (first, second) = (_mm512_unpacklo_epi32(ab, cd), _mm512_unpackhi_epi32(ab, cd));
        let (third, fourth) =
            (_mm512_unpacklo_epi32(ab_high, cd_high), _mm512_unpackhi_epi32(ab_high, cd_high));
        let (fifth, sixth) = (_mm512_unpacklo_epi32(ef, gh), _mm512_unpackhi_epi32(ef, gh));
        let (seventh, eighth) =
            (_mm512_unpacklo_epi32(ef_high, gh_high), _mm512_unpackhi_epi32(ef_high, gh_high));
        [
            _mm512_unpacklo_epi64(first, fifth),
            _mm512_unpackhi_epi64(first, fifth),
            _mm512_unpacklo_epi64(second, sixth),
            _mm512_unpackhi_epi64(second, sixth),
            _mm512_unpacklo_epi64(third, seventh),
            _mm512_unpackhi_epi64(third, seventh),
            _mm512_unpacklo_epi64(fourth, eighth),
            _mm512_unpackhi_epi64(fourth, eighth),
        ]
    })
}
