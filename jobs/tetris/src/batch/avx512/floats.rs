//! 32-bit floats.

use std::arch::x86_64::{
    __m512, _CMP_LT_OQ, _mm512_add_ps, _mm512_castps_si512, _mm512_castsi512_ps,
    _mm512_cmp_ps_mask, _mm512_div_ps, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_mask_blend_ps,
    _mm512_max_ps, _mm512_min_ps, _mm512_movepi32_mask, _mm512_movm_epi32, _mm512_mul_ps,
    _mm512_set1_ps, _mm512_storeu_ps,
};

use super::avx512;
use crate::batch::vectors::{BLOCK, FloatBlock};

/// The floats of 16 boards, in their order.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Avx512Floats(pub(super) __m512);

impl Avx512Floats {
    /// Converts a mask to a bit for each board.
    #[inline(always)]
    pub(super) fn mask(self) -> u16 {
        avx512!(_mm512_movepi32_mask(_mm512_castps_si512(self.0)))
    }

    /// Creates a mask from a bit for each board.
    #[inline(always)]
    pub(super) fn from_mask(mask: u16) -> Self {
        Self(avx512!(_mm512_castsi512_ps(_mm512_movm_epi32(mask))))
    }
}

impl FloatBlock for Avx512Floats {
    #[inline(always)]
    fn splat(float: f32) -> Self {
        Self(avx512!(_mm512_set1_ps(float)))
    }

    #[inline(always)]
    fn load(floats: &[f32; BLOCK]) -> Self {
        Self(avx512!(_mm512_loadu_ps(floats.as_ptr())))
    }

    #[inline(always)]
    fn store(self) -> [f32; BLOCK] {
        let mut floats = [0.0; BLOCK];
        avx512!(_mm512_storeu_ps(floats.as_mut_ptr(), self.0));
        floats
    }

    #[inline(always)]
    fn at(&self, idx: usize) -> f32 {
        let floats: &[f32; BLOCK] = avx512!(&*std::ptr::from_ref(&self.0).cast());
        floats[idx]
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(avx512!(_mm512_add_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(avx512!(_mm512_mul_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(avx512!(_mm512_div_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, summand: Self) -> Self {
        Self(avx512!(_mm512_fmadd_ps(self.0, factor.0, summand.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx512!(_mm512_max_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(avx512!(_mm512_min_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn less(self, other: Self) -> Self {
        Self::from_mask(avx512!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn or_unless(self, other: Self, mask: Self) -> Self {
        Self(avx512!(_mm512_mask_blend_ps(mask.mask(), other.0, self.0)))
    }
}
