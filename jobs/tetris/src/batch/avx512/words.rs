//! A 16-bit number for each board.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_castsi512_si256, _mm512_cvtepi16_epi32, _mm512_cvtepi32_ps,
    _mm512_extracti64x4_epi64, _mm512_loadu_epi16, _mm512_set1_epi16, _mm512_storeu_epi16,
    _mm512_sub_epi16,
};

use super::avx512;
use super::floats::Avx512Floats;
use crate::batch::vectors::{N_BLOCKS, N_BOARDS, PerBoard, WordVector};

/// Words in the order of boards.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Avx512Words(pub(super) __m512i);

impl WordVector for Avx512Words {
    type Block = Avx512Floats;

    #[inline(always)]
    fn splat(word: i16) -> Self {
        Self(avx512!(_mm512_set1_epi16(word)))
    }

    #[inline(always)]
    fn load(words: &PerBoard<i16>) -> Self {
        Self(avx512!(_mm512_loadu_epi16(words.as_ptr())))
    }

    #[inline(always)]
    fn store(self) -> PerBoard<i16> {
        let mut words = [0; N_BOARDS];
        avx512!(_mm512_storeu_epi16(words.as_mut_ptr(), self.0));
        words
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
    fn floats(self) -> [Avx512Floats; N_BLOCKS] {
        avx512!({
            let low = _mm512_castsi512_si256(self.0);
            let high = _mm512_extracti64x4_epi64::<1>(self.0);
            [
                Avx512Floats(_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(low))),
                Avx512Floats(_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(high))),
            ]
        })
    }
}
