//! 256-bit vectors.

#![expect(unsafe_code, reason = "vector instructions; see the safety of the macro below")]

use std::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm256_add_epi8, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256, _mm256_broadcastsi128_si256,
    _mm256_cmpeq_epi16, _mm256_cmpeq_epi32, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_max_epu16, _mm256_max_epu32, _mm256_movemask_epi8,
    _mm256_mullo_epi16, _mm256_mullo_epi32, _mm256_or_si256, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_shuffle_epi8, _mm256_srl_epi16, _mm256_srl_epi32, _mm256_srli_epi16,
    _mm256_storeu_si256, _mm256_sub_epi8, _mm256_sub_epi16, _mm256_sub_epi32, _mm256_subs_epu16,
    _mm256_testc_si256, _mm256_testz_si256, _mm256_xor_si256,
};

use super::lanes::{COUNTS, HIGH_ROWS, LOW_ROWS, Lanes};

/// 16 boards of up to 16 rows.
#[derive(Clone, Copy)]
pub(super) struct U16x16(__m256i);

/// 8 boards of up to 32 rows.
#[derive(Clone, Copy)]
pub(super) struct U32x8(__m256i);

/// Calls vector instructions.
///
/// SAFETY: these types are used only by functions that `dispatch` calls after it has detected AVX2;
/// the instructions have no other condition but that pointers are valid, and those come from
/// references to arrays of the vector's size.
macro_rules! avx2 {
    ($call:expr) => {
        unsafe { $call }
    };
}

/// What does not depend on the size of lanes.
macro_rules! bitwise {
    () => {
        #[inline(always)]
        fn load(array: &Self::Array) -> Self {
            Self(avx2!(_mm256_loadu_si256(array.as_ptr().cast())))
        }

        #[inline(always)]
        fn store(self) -> Self::Array {
            let mut array = Self::ZEROS;
            avx2!(_mm256_storeu_si256(array.as_mut_ptr().cast(), self.0));
            array
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Self(avx2!(_mm256_and_si256(self.0, other.0)))
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            Self(avx2!(_mm256_andnot_si256(other.0, self.0)))
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Self(avx2!(_mm256_or_si256(self.0, other.0)))
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Self(avx2!(_mm256_xor_si256(self.0, other.0)))
        }

        #[inline(always)]
        fn any(self) -> bool {
            avx2!(_mm256_testz_si256(self.0, self.0)) == 0
        }

        #[inline(always)]
        fn all(self) -> bool {
            avx2!(_mm256_testc_si256(self.0, _mm256_set1_epi8(-1))) == 1
        }

        #[inline(always)]
        fn high_bits(self) -> u32 {
            avx2!(_mm256_movemask_epi8(self.0)).cast_unsigned()
        }

        #[inline(always)]
        fn byte_counts(self) -> Self {
            Self(avx2!(in_nibbles(self.0, &COUNTS, &COUNTS)))
        }
    };
}

/// The sum of what the tables say of the low and of the high half of each byte.
#[inline(always)]
unsafe fn in_nibbles(bytes: __m256i, low: &[u8; 16], high: &[u8; 16]) -> __m256i {
    avx2!({
        let nibble = _mm256_set1_epi8(0xF);
        let low_half = _mm256_and_si256(bytes, nibble);
        let high_half = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
        let low = _mm256_shuffle_epi8(table(low), low_half);
        _mm256_add_epi8(low, _mm256_shuffle_epi8(table(high), high_half))
    })
}

#[inline(always)]
unsafe fn table(table: &[u8; 16]) -> __m256i {
    avx2!(_mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast())))
}

impl Lanes for U16x16 {
    type Lane = u16;
    type Array = [u16; 16];
    type Each<T: Copy> = [T; 16];

    const N: usize = 16;
    const BITS: u32 = 16;
    const ZEROS: [u16; 16] = [0; 16];

    bitwise!();

    #[inline(always)]
    fn each<T: Copy>(value: T) -> [T; 16] {
        [value; 16]
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "all bits or few")]
    fn splat(lane: u32) -> Self {
        Self(avx2!(_mm256_set1_epi16(lane as i16)))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(avx2!(_mm256_add_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(avx2!(_mm256_sub_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn sub_saturating(self, other: Self) -> Self {
        Self(avx2!(_mm256_subs_epu16(self.0, other.0)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(avx2!(_mm256_mullo_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx2!(_mm256_max_epu16(self.0, other.0)))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        Self(avx2!(_mm256_cmpeq_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn shl_1(self) -> Self {
        Self(avx2!(_mm256_add_epi16(self.0, self.0)))
    }

    #[inline(always)]
    fn shr(self, n: u32) -> Self {
        Self(avx2!(_mm256_srl_epi16(self.0, _mm_cvtsi32_si128(n.cast_signed()))))
    }

    #[inline(always)]
    fn sum_bytes(self) -> Self {
        Self(avx2!(_mm256_maddubs_epi16(self.0, _mm256_set1_epi8(1))))
    }

    #[inline(always)]
    fn above(heights: Self) -> Self {
        // -height for the low byte, 8 - height for the high one.
        let heights = heights.mul(Self::splat(0x0101)).0;
        Self(avx2!(_mm256_sub_epi8(_mm256_set1_epi16(0x0800), heights)))
    }

    #[inline(always)]
    fn depths(self, above: Self) -> Self {
        let rows = Self(avx2!(in_nibbles(self.0, &LOW_ROWS, &HIGH_ROWS))).sum_bytes();
        rows.add(Self(avx2!(_mm256_maddubs_epi16(self.byte_counts().0, above.0))))
    }

    #[inline(always)]
    fn lookup(self, entries: &[u8; 16]) -> Self {
        let found = Self(avx2!(_mm256_shuffle_epi8(table(entries), self.0)));
        found.and(Self::splat(0xFF))
    }
}

impl Lanes for U32x8 {
    type Lane = u32;
    type Array = [u32; 8];
    type Each<T: Copy> = [T; 8];

    const N: usize = 8;
    const BITS: u32 = 32;
    const ZEROS: [u32; 8] = [0; 8];

    bitwise!();

    #[inline(always)]
    fn each<T: Copy>(value: T) -> [T; 8] {
        [value; 8]
    }

    #[inline(always)]
    fn splat(lane: u32) -> Self {
        Self(avx2!(_mm256_set1_epi32(lane.cast_signed())))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(avx2!(_mm256_add_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(avx2!(_mm256_sub_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn sub_saturating(self, other: Self) -> Self {
        self.max(other).sub(other)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(avx2!(_mm256_mullo_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx2!(_mm256_max_epu32(self.0, other.0)))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        Self(avx2!(_mm256_cmpeq_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn shl_1(self) -> Self {
        Self(avx2!(_mm256_add_epi32(self.0, self.0)))
    }

    #[inline(always)]
    fn shr(self, n: u32) -> Self {
        Self(avx2!(_mm256_srl_epi32(self.0, _mm_cvtsi32_si128(n.cast_signed()))))
    }

    #[inline(always)]
    fn sum_bytes(self) -> Self {
        let pairs = avx2!(_mm256_maddubs_epi16(self.0, _mm256_set1_epi8(1)));
        Self(avx2!(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))))
    }

    #[inline(always)]
    fn above(heights: Self) -> Self {
        // 8 x the byte's number - height for each byte.
        let heights = heights.mul(Self::splat(0x0101_0101)).0;
        Self(avx2!(_mm256_sub_epi8(_mm256_set1_epi32(0x1810_0800), heights)))
    }

    #[inline(always)]
    fn depths(self, above: Self) -> Self {
        let rows = avx2!(in_nibbles(self.0, &LOW_ROWS, &HIGH_ROWS));
        let rows = avx2!(_mm256_maddubs_epi16(rows, _mm256_set1_epi8(1)));
        let above = avx2!(_mm256_maddubs_epi16(self.byte_counts().0, above.0));
        let pairs = avx2!(_mm256_add_epi16(rows, above));
        Self(avx2!(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))))
    }

    #[inline(always)]
    fn lookup(self, entries: &[u8; 16]) -> Self {
        let found = Self(avx2!(_mm256_shuffle_epi8(table(entries), self.0)));
        found.and(Self::splat(0xFF))
    }
}
