//! Row sets with 16 bits for each board.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_and_si256, _mm256_andnot_si256, _mm256_cmpeq_epi16,
    _mm256_loadu2_m128i, _mm256_maddubs_epi16, _mm256_mullo_epi16, _mm256_or_si256,
    _mm256_packs_epi16, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_setzero_si256,
    _mm256_srli_epi16, _mm256_storeu2_m128i, _mm256_sub_epi16, _mm256_testz_si256,
    _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi8, _mm256_unpacklo_epi16, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
    _mm256_xor_si256,
};

use super::avx2;
use super::bytes::Avx2Bytes;
use super::rows::{bitwise, bytes, each, in_nibbles, run};
use super::words::Avx2Words;
use crate::batch::vectors::{
    BoardRows, ByteVector, COUNTS, HIGH_ROWS, LOW_ROWS, N_BOARDS, NibbleTable, PerBoard, RowSets,
    VectorTask,
};
use crate::rules::MAX_WIDTH;

/// Boards of up to 16 rows, in the order of [`Avx2Words`].
#[derive(Clone, Copy)]
pub(in crate::batch) struct Avx2Rows16([__m256i; 2]);

impl RowSets for Avx2Rows16 {
    type Lane = u16;
    /// The factor that moves the window to the highest four bits: `1 << (12 - down)`.
    type Shift = Self;

    const N_ROWS: u32 = 16;

    bitwise!();

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "all bits or few")]
    fn splat(rows: u32) -> Self {
        Self([avx2!(_mm256_set1_epi16(rows as i16)); 2])
    }

    #[inline(always)]
    fn load(rows: &PerBoard<u16>) -> Self {
        let mut parts = [avx2!(_mm256_setzero_si256()); 2];
        for (idx, part) in parts.iter_mut().enumerate() {
            let (low, high) = rows.split_at(N_BOARDS / 2);
            *part = avx2!(_mm256_loadu2_m128i(
                high[8 * idx..8 * idx + 8].as_ptr().cast(),
                low[8 * idx..8 * idx + 8].as_ptr().cast(),
            ));
        }
        Self(parts)
    }

    #[inline(always)]
    fn store(self) -> PerBoard<u16> {
        let mut rows = [0; N_BOARDS];
        for (idx, part) in self.0.into_iter().enumerate() {
            let (low, high) = rows.split_at_mut(N_BOARDS / 2);
            avx2!(_mm256_storeu2_m128i(
                high[8 * idx..8 * idx + 8].as_mut_ptr().cast(),
                low[8 * idx..8 * idx + 8].as_mut_ptr().cast(),
                part,
            ));
        }
        rows
    }

    #[inline(always)]
    fn load_columns(boards: &BoardRows<Self>) -> [Self; MAX_WIDTH] {
        let mut columns = [Self([avx2!(_mm256_setzero_si256()); 2]); MAX_WIDTH];
        for part in 0..2 {
            for from in [0, 8] {
                let mut rows = [avx2!(_mm256_setzero_si256()); 8];
                for (idx, row) in rows.iter_mut().enumerate() {
                    let (low, high) = (&boards[8 * part + idx], &boards[8 * part + idx + 16]);
                    *row = avx2!(_mm256_loadu2_m128i(
                        high[from..from + 8].as_ptr().cast(),
                        low[from..from + 8].as_ptr().cast(),
                    ));
                }
                for (column, words) in columns[from..].iter_mut().zip(transposed(rows)) {
                    column.0[part] = words;
                }
            }
        }
        columns
    }

    #[inline(always)]
    fn from_row(row: Avx2Bytes) -> Self {
        const LOW: NibbleTable = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
        const HIGH: NibbleTable = [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128];
        let (low, high) = (row.lookup(&LOW), row.lookup(&HIGH));
        Self(avx2!([_mm256_unpacklo_epi8(low.0, high.0), _mm256_unpackhi_epi8(low.0, high.0)]))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        each!(self.0, other.0, |a, b| _mm256_add_epi16(a, b))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        each!(self.0, other.0, |a, b| _mm256_sub_epi16(a, b))
    }

    #[inline(always)]
    fn times(self, number: u32) -> Self {
        each!(self.0, Self::splat(number).0, |a, b| _mm256_mullo_epi16(a, b))
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        each!(self.0, |a| _mm256_srli_epi16::<N>(a))
    }

    #[inline(always)]
    fn is_empty(self) -> Avx2Bytes {
        let [a, b] = self.0;
        avx2!({
            let zero = _mm256_setzero_si256();
            let (a, b) = (_mm256_cmpeq_epi16(a, zero), _mm256_cmpeq_epi16(b, zero));
            Avx2Bytes(_mm256_packs_epi16(a, b))
        })
    }

    #[inline(always)]
    fn count(self) -> Avx2Bytes {
        bytes(self.byte_counts().sums())
    }

    #[inline(always)]
    fn sums(self) -> Avx2Words {
        let Self(sums) = each!(self.0, |a| _mm256_maddubs_epi16(a, _mm256_set1_epi8(1)));
        Avx2Words(sums)
    }

    #[inline(always)]
    fn depths(self, heights: Avx2Bytes) -> Avx2Words {
        let Self(sums) = each!(self.0, heights.words().0, |a, height| {
            let one = _mm256_set1_epi8(1);
            // Rows of the upper byte are 8 more than the tables say.
            let rows = _mm256_maddubs_epi16(in_nibbles(a, &LOW_ROWS, &HIGH_ROWS), one);
            let counts = in_nibbles(a, &COUNTS, &COUNTS);
            let more = _mm256_maddubs_epi16(counts, _mm256_set1_epi16(0x0800));
            let n = _mm256_maddubs_epi16(counts, one);
            let below = _mm256_mullo_epi16(n, height);
            _mm256_sub_epi16(_mm256_add_epi16(rows, more), below)
        });
        Avx2Words(sums)
    }

    #[inline(always)]
    fn filled(self) -> Self {
        let filled = self.or(self.shr::<1>());
        let filled = filled.or(filled.shr::<2>());
        let filled = filled.or(filled.shr::<4>());
        filled.or(filled.shr::<8>())
    }

    #[inline(always)]
    fn shift(down: Avx2Bytes) -> Self {
        Self::from_row(Avx2Bytes::splat(12).sub(down))
    }

    #[inline(always)]
    fn window(self, shift: Self) -> Avx2Bytes {
        let Self(parts) =
            each!(self.0, shift.0, |a, by| _mm256_srli_epi16::<12>(_mm256_mullo_epi16(a, by)));
        bytes(Avx2Words(parts))
    }
}

/// Transposes the 8x8 words in each half.
#[inline(always)]
fn transposed([a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m256i; 8] {
    avx2!({
        let (ab, ab_high) = (_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b));
        let (cd, cd_high) = (_mm256_unpacklo_epi16(c, d), _mm256_unpackhi_epi16(c, d));
        let (ef, ef_high) = (_mm256_unpacklo_epi16(e, f), _mm256_unpackhi_epi16(e, f));
        let (gh, gh_high) = (_mm256_unpacklo_epi16(g, h), _mm256_unpackhi_epi16(g, h));
        let (first, second) = (_mm256_unpacklo_epi32(ab, cd), _mm256_unpackhi_epi32(ab, cd));
        let (third, fourth) =
            (_mm256_unpacklo_epi32(ab_high, cd_high), _mm256_unpackhi_epi32(ab_high, cd_high));
        let (fifth, sixth) = (_mm256_unpacklo_epi32(ef, gh), _mm256_unpackhi_epi32(ef, gh));
        let (seventh, eighth) =
            (_mm256_unpacklo_epi32(ef_high, gh_high), _mm256_unpackhi_epi32(ef_high, gh_high));
        [
            _mm256_unpacklo_epi64(first, fifth),
            _mm256_unpackhi_epi64(first, fifth),
            _mm256_unpacklo_epi64(second, sixth),
            _mm256_unpackhi_epi64(second, sixth),
            _mm256_unpacklo_epi64(third, seventh),
            _mm256_unpackhi_epi64(third, seventh),
            _mm256_unpacklo_epi64(fourth, eighth),
            _mm256_unpackhi_epi64(fourth, eighth),
        ]
    })
}
