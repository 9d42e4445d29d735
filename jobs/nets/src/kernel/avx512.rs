//! The vector operations with 512-bit AVX-512 instructions, without fused instructions.

#![expect(unsafe_code, reason = "vector instructions; see the safety of the macro below")]

use std::arch::x86_64::{
    __m512, _CMP_NLE_UQ, _CMP_NLT_UQ, _mm512_abs_ps, _mm512_add_ps, _mm512_cmp_ps_mask,
    _mm512_div_ps, _mm512_loadu_ps, _mm512_maskz_mov_ps, _mm512_mul_ps, _mm512_set1_ps,
    _mm512_setzero_ps, _mm512_sqrt_ps, _mm512_storeu_ps, _mm512_sub_ps,
};

use super::vectors::FloatVector;

/// Sixteen floats.
#[derive(Clone, Copy)]
pub(super) struct Avx512Floats(__m512);

/// Calls vector instructions.
///
/// SAFETY: these vectors are used only by tasks that `InstructionSet::run` runs after it has
/// detected the instructions. The only other condition of the instructions is that pointers are
/// valid for a vector: they come from slices of that length.
macro_rules! avx512 {
    ($call:expr) => {
        unsafe { $call }
    };
}

impl FloatVector for Avx512Floats {
    const N_LANES: usize = 16;
    const N_TILE_ROWS: usize = 4;
    const N_PANEL_VECTORS: usize = 4;
    const N_ROW_VECTORS: usize = 16;

    #[inline(always)]
    fn splat(float: f32) -> Self {
        Self(avx512!(_mm512_set1_ps(float)))
    }

    #[inline(always)]
    fn load(floats: &[f32]) -> Self {
        let floats = &floats[..Self::N_LANES];
        Self(avx512!(_mm512_loadu_ps(floats.as_ptr())))
    }

    #[inline(always)]
    fn store(self, floats: &mut [f32]) {
        let floats = &mut floats[..Self::N_LANES];
        avx512!(_mm512_storeu_ps(floats.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(avx512!(_mm512_add_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(avx512!(_mm512_sub_ps(self.0, other.0)))
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
    fn sqrt(self) -> Self {
        Self(avx512!(_mm512_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn zero_unless_positive(self, sign: Self) -> Self {
        Self(avx512!({
            let keep = _mm512_cmp_ps_mask::<_CMP_NLE_UQ>(sign.0, _mm512_setzero_ps());
            _mm512_maskz_mov_ps(keep, self.0)
        }))
    }

    #[inline(always)]
    fn zero_below(self, least: Self) -> Self {
        Self(avx512!({
            let keep = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(_mm512_abs_ps(self.0), least.0);
            _mm512_maskz_mov_ps(keep, self.0)
        }))
    }
}
