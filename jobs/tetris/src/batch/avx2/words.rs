//! A 16-bit number for each board.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_cvtepi32_ps, _mm256_loadu_si256, _mm256_permute2x128_si256,
    _mm256_set1_epi16, _mm256_srai_epi16, _mm256_storeu_si256, _mm256_sub_epi16,
    _mm256_unpackhi_epi16, _mm256_unpacklo_epi16,
};

use super::avx2;
use super::floats::Avx2Floats;
use crate::batch::vectors::{N_BLOCKS, N_BOARDS, PerBoard, WordVector};

/// Boards 0 to 7 and 16 to 23, then the others. This is the order that unpacking bytes gives.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Avx2Words(pub(super) [__m256i; 2]);

impl WordVector for Avx2Words {
    type Block = Avx2Floats;

    #[inline(always)]
    fn splat(word: i16) -> Self {
        Self([avx2!(_mm256_set1_epi16(word)); 2])
    }

    #[inline(always)]
    fn load(words: &PerBoard<i16>) -> Self {
        let (low, high) = words.split_at(N_BOARDS / 2);
        avx2!({
            let a = _mm256_loadu_si256(low.as_ptr().cast());
            let b = _mm256_loadu_si256(high.as_ptr().cast());
            Self([_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)])
        })
    }

    #[inline(always)]
    fn store(self) -> PerBoard<i16> {
        let Self([a, b]) = self;
        let mut words = [0; N_BOARDS];
        let (low, high) = words.split_at_mut(N_BOARDS / 2);
        avx2!({
            _mm256_storeu_si256(low.as_mut_ptr().cast(), _mm256_permute2x128_si256::<0x20>(a, b));
            _mm256_storeu_si256(high.as_mut_ptr().cast(), _mm256_permute2x128_si256::<0x31>(a, b));
        });
        words
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (Self([a, b]), Self([c, d])) = (self, other);
        Self(avx2!([_mm256_add_epi16(a, c), _mm256_add_epi16(b, d)]))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (Self([a, b]), Self([c, d])) = (self, other);
        Self(avx2!([_mm256_sub_epi16(a, c), _mm256_sub_epi16(b, d)]))
    }

    #[inline(always)]
    fn floats(self) -> [Avx2Floats; N_BLOCKS] {
        let Self([a, b]) = self;
        avx2!({
            let (sign_a, sign_b) = (_mm256_srai_epi16::<15>(a), _mm256_srai_epi16::<15>(b));
            [
                Avx2Floats([
                    _mm256_cvtepi32_ps(_mm256_unpacklo_epi16(a, sign_a)),
                    _mm256_cvtepi32_ps(_mm256_unpackhi_epi16(a, sign_a)),
                ]),
                Avx2Floats([
                    _mm256_cvtepi32_ps(_mm256_unpacklo_epi16(b, sign_b)),
                    _mm256_cvtepi32_ps(_mm256_unpackhi_epi16(b, sign_b)),
                ]),
            ]
        })
    }
}
