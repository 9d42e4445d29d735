//! 32-bit floats.

use std::arch::x86_64::{
    __m256, _CMP_LT_OQ, _mm256_add_ps, _mm256_blendv_ps, _mm256_cmp_ps, _mm256_div_ps,
    _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps, _mm256_set1_ps,
    _mm256_storeu_ps,
};

use super::avx2;
use crate::batch::vectors::{BLOCK, FloatBlock};

/// Boards 8 b to 8 b + 7 and 8 b + 16 to 8 b + 23 in block b, four from each range in either half.
/// This is the order that unpacking words gives.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Avx2Floats(pub(super) [__m256; 2]);

/// Applies the same instruction to both halves.
macro_rules! both {
    ($operation:ident, $a:expr, $b:expr) => {{
        let (Self([a, b]), Self([c, d])) = ($a, $b);
        Self(avx2!([$operation(a, c), $operation(b, d)]))
    }};
}

impl FloatBlock for Avx2Floats {
    #[inline(always)]
    fn splat(float: f32) -> Self {
        Self([avx2!(_mm256_set1_ps(float)); 2])
    }

    #[inline(always)]
    fn load(floats: &[f32; BLOCK]) -> Self {
        let (low, high) = floats.split_at(BLOCK / 2);
        Self(avx2!([_mm256_loadu_ps(low.as_ptr()), _mm256_loadu_ps(high.as_ptr())]))
    }

    #[inline(always)]
    fn store(self) -> [f32; BLOCK] {
        let mut floats = [0.0; BLOCK];
        let (low, high) = floats.split_at_mut(BLOCK / 2);
        avx2!({
            _mm256_storeu_ps(low.as_mut_ptr(), self.0[0]);
            _mm256_storeu_ps(high.as_mut_ptr(), self.0[1]);
        });
        floats
    }

    #[inline(always)]
    fn at(&self, idx: usize) -> f32 {
        let floats: &[f32; BLOCK] = avx2!(&*std::ptr::from_ref(&self.0).cast());
        floats[idx]
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        both!(_mm256_add_ps, self, other)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        both!(_mm256_mul_ps, self, other)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        both!(_mm256_div_ps, self, other)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, summand: Self) -> Self {
        let (Self([a, b]), Self([c, d]), Self([e, f])) = (self, factor, summand);
        Self(avx2!([_mm256_fmadd_ps(a, c, e), _mm256_fmadd_ps(b, d, f)]))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        both!(_mm256_max_ps, self, other)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        both!(_mm256_min_ps, self, other)
    }

    #[inline(always)]
    fn less(self, other: Self) -> Self {
        let (Self([a, b]), Self([c, d])) = (self, other);
        Self(avx2!([_mm256_cmp_ps::<_CMP_LT_OQ>(a, c), _mm256_cmp_ps::<_CMP_LT_OQ>(b, d)]))
    }

    #[inline(always)]
    fn or_unless(self, other: Self, mask: Self) -> Self {
        let (Self([a, b]), Self([c, d]), Self([e, f])) = (self, other, mask);
        Self(avx2!([_mm256_blendv_ps(c, a, e), _mm256_blendv_ps(d, b, f)]))
    }
}
