//! The common parts of row sets for every size.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_packs_epi16, _mm256_set1_epi8,
    _mm256_shuffle_epi8, _mm256_srli_epi16,
};

use super::avx2;
use super::bytes::{Avx2Bytes, table};
use super::words::Avx2Words;
use crate::batch::vectors::{NibbleTable, VectorTask};

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
pub(super) fn run(task: impl VectorTask) {
    task.run();
}

/// Returns for each byte the sum of the `low` table's entry for its low half and the `high` table's
/// entry for its high half.
#[inline(always)]
pub(super) unsafe fn in_nibbles(bytes: __m256i, low: &NibbleTable, high: &NibbleTable) -> __m256i {
    avx2!({
        let nibble = _mm256_set1_epi8(0xF);
        let low_half = _mm256_and_si256(bytes, nibble);
        let high_half = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
        let low = _mm256_shuffle_epi8(table(low), low_half);
        _mm256_add_epi8(low, _mm256_shuffle_epi8(table(high), high_half))
    })
}

/// Applies the same instruction to each part.
macro_rules! each {
    ($parts:expr, |$part:pat_param| $call:expr) => {{
        let mut parts = $parts;
        for part in &mut parts {
            let $part = *part;
            *part = avx2!($call);
        }
        Self(parts)
    }};
    ($parts:expr, $others:expr, |$part:pat_param, $other:pat_param| $call:expr) => {{
        let (mut parts, others) = ($parts, $others);
        for (part, other) in parts.iter_mut().zip(others) {
            let ($part, $other) = (*part, other);
            *part = avx2!($call);
        }
        Self(parts)
    }};
}

/// Implements the operations that do not depend on the size of lanes.
macro_rules! bitwise {
    () => {
        type Bytes = Avx2Bytes;

        #[inline(always)]
        fn run(task: impl VectorTask) {
            // SAFETY: as in `avx2!`: `dispatch` has detected the instructions.
            unsafe { run(task) }
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            each!(self.0, other.0, |a, b| _mm256_and_si256(a, b))
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            each!(self.0, other.0, |a, b| _mm256_andnot_si256(b, a))
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            each!(self.0, other.0, |a, b| _mm256_or_si256(a, b))
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            each!(self.0, other.0, |a, b| _mm256_xor_si256(a, b))
        }

        #[inline(always)]
        fn byte_counts(self) -> Self {
            each!(self.0, |a| in_nibbles(a, &COUNTS, &COUNTS))
        }

        #[inline(always)]
        fn any(self) -> bool {
            let mut all = self.0[0];
            for part in &self.0[1..] {
                all = avx2!(_mm256_or_si256(all, *part));
            }
            avx2!(_mm256_testz_si256(all, all)) == 0
        }
    };
}

/// Narrows words that are small, or -1 everywhere, to bytes.
#[inline(always)]
pub(super) fn bytes(words: Avx2Words) -> Avx2Bytes {
    let Avx2Words([a, b]) = words;
    Avx2Bytes(avx2!(_mm256_packs_epi16(a, b)))
}

pub(super) use {bitwise, each};
