//! A byte for each board.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_add_epi8, _mm256_and_si256, _mm256_andnot_si256, _mm256_blendv_epi8,
    _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_max_epu8, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_movm_epi8, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_sub_epi8, _mm256_subs_epu8,
    _mm256_testz_si256, _mm512_cvtepi8_epi16, _mm512_cvtepi32_ps, _mm512_cvtepu8_epi16,
    _mm512_cvtepu8_epi32, _mm512_maddubs_epi16, _mm512_or_si512, _mm512_slli_epi16,
};

use super::avx512;
use super::floats::Avx512Floats;
use super::words::Avx512Words;
use crate::batch::avx2::{avx2, byte_operations, table};
use crate::batch::vectors::{
    BLOCK, ByteVector, FloatBlock, FloatBlocks, N_BLOCKS, N_BOARDS, NibbleTable, PerBoard,
};

/// Bytes in the order of boards.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Avx512Bytes(pub(super) __m256i);

impl ByteVector for Avx512Bytes {
    type Words = Avx512Words;
    type Block = Avx512Floats;

    byte_operations!();

    #[inline(always)]
    fn from_masks(masks: [Avx512Floats; N_BLOCKS]) -> Self {
        let (low, high) = (u32::from(masks[0].mask()), u32::from(masks[1].mask()));
        Self(avx512!(_mm256_movm_epi8(low | high << BLOCK)))
    }

    #[inline(always)]
    fn products(a: Self, b: Self, c: Self, d: Self) -> Avx512Words {
        let (ac, bd) = (interleaved(a, c), interleaved(b, d));
        Avx512Words(avx512!(_mm512_maddubs_epi16(ac, bd)))
    }

    #[inline(always)]
    fn words(self) -> Avx512Words {
        Avx512Words(avx512!(_mm512_cvtepu8_epi16(self.0)))
    }

    #[inline(always)]
    fn signed_words(self) -> Avx512Words {
        Avx512Words(avx512!(_mm512_cvtepi8_epi16(self.0)))
    }

    #[inline(always)]
    fn floats(self) -> FloatBlocks<Self> {
        let [low, high] = wide(self);
        avx512!([Avx512Floats(_mm512_cvtepi32_ps(low)), Avx512Floats(_mm512_cvtepi32_ps(high))])
    }

    #[inline(always)]
    fn masks(self) -> [Avx512Floats; N_BLOCKS] {
        let all = self.high_bits();
        #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
        let low = all as u16;
        let high = (all >> BLOCK) as u16;
        [Avx512Floats::from_mask(low), Avx512Floats::from_mask(high)]
    }

    #[inline(always)]
    fn in_order(floats: &FloatBlocks<Self>) -> PerBoard<f32> {
        let mut all = [0.0; N_BOARDS];
        let (low, high) = all.split_at_mut(BLOCK);
        low.copy_from_slice(&floats[0].store());
        high.copy_from_slice(&floats[1].store());
        all
    }

    #[inline(always)]
    fn float_at(floats: &FloatBlocks<Self>, lane: usize) -> f32 {
        floats[lane / BLOCK].at(lane % BLOCK)
    }

    #[inline(always)]
    fn place(lane: usize) -> usize {
        lane
    }
}

/// Returns the bytes of `low` and `high` in turn.
#[inline(always)]
fn interleaved(low: Avx512Bytes, high: Avx512Bytes) -> __m512i {
    let (Avx512Words(low), Avx512Words(high)) = (low.words(), high.words());
    avx512!(_mm512_or_si512(low, _mm512_slli_epi16::<8>(high)))
}

/// Widens every board's byte to 32 bits.
#[inline(always)]
pub(super) fn wide(bytes: Avx512Bytes) -> [__m512i; N_BLOCKS] {
    avx512!([
        _mm512_cvtepu8_epi32(_mm256_castsi256_si128(bytes.0)),
        _mm512_cvtepu8_epi32(_mm256_extracti128_si256::<1>(bytes.0)),
    ])
}
