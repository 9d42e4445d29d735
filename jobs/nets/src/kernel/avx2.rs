//! The vector operations with 256-bit AVX2 instructions, without fused instructions.

#![expect(unsafe_code, reason = "vector instructions; see the safety of the macro below")]

use std::arch::x86_64::{
    __m256, _CMP_LE_OQ, _CMP_LT_OQ, _mm256_add_ps, _mm256_andnot_ps, _mm256_castsi256_ps,
    _mm256_cmp_ps, _mm256_div_ps, _mm256_lddqu_si256, _mm256_mul_ps, _mm256_set1_ps,
    _mm256_setzero_ps, _mm256_sqrt_ps, _mm256_storeu_ps, _mm256_sub_ps,
};

use super::vectors::FloatVector;

/// Eight floats.
#[derive(Clone, Copy)]
pub(super) struct Avx2Floats(__m256);

/// Calls vector instructions.
///
/// SAFETY: these vectors are used only by tasks that `InstructionSet::run` runs after it has
/// detected the instructions. The only other condition of the instructions is that pointers are
/// valid for a vector: they come from slices of that length.
macro_rules! avx2 {
    ($call:expr) => {
        unsafe { $call }
    };
}

impl FloatVector for Avx2Floats {
    const N_LANES: usize = 8;
    const N_TILE_ROWS: usize = 6;
    const N_PANEL_VECTORS: usize = 2;
    const N_ROW_VECTORS: usize = 8;

    #[inline(always)]
    fn splat(float: f32) -> Self {
        Self(avx2!(_mm256_set1_ps(float)))
    }

    #[inline(always)]
    fn load(floats: &[f32]) -> Self {
        let floats = &floats[..Self::N_LANES];
        // Not `_mm256_loadu_ps`, which becomes two loads: it was slow before there was AVX2.
        Self(avx2!(_mm256_castsi256_ps(_mm256_lddqu_si256(floats.as_ptr().cast()))))
    }

    #[inline(always)]
    fn store(self, floats: &mut [f32]) {
        let floats = &mut floats[..Self::N_LANES];
        avx2!(_mm256_storeu_ps(floats.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(avx2!(_mm256_add_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(avx2!(_mm256_sub_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(avx2!(_mm256_mul_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(avx2!(_mm256_div_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(avx2!(_mm256_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn zero_unless_positive(self, sign: Self) -> Self {
        Self(avx2!({
            let at_most_zero = _mm256_cmp_ps::<_CMP_LE_OQ>(sign.0, _mm256_setzero_ps());
            _mm256_andnot_ps(at_most_zero, self.0)
        }))
    }

    #[inline(always)]
    fn zero_below(self, least: Self) -> Self {
        Self(avx2!({
            let magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0);
            let is_below = _mm256_cmp_ps::<_CMP_LT_OQ>(magnitude, least.0);
            _mm256_andnot_ps(is_below, self.0)
        }))
    }
}
