//! The vector operations with 256-bit AVX2 instructions.

#![expect(unsafe_code, reason = "vector instructions; see the safety of the macro below")]

mod rows;
mod rows16;
mod rows32;

pub(super) use rows16::Avx2Rows16;
pub(super) use rows32::Avx2Rows32;

use std::arch::x86_64::{
    __m256, __m256i, _CMP_LT_OQ, _mm_loadu_si128, _mm256_add_epi8, _mm256_add_epi16, _mm256_add_ps,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_blendv_epi8, _mm256_blendv_ps,
    _mm256_broadcastsi128_si256, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmp_ps,
    _mm256_cmpeq_epi8, _mm256_cvtepi32_ps, _mm256_div_ps, _mm256_fmadd_ps, _mm256_loadu_ps,
    _mm256_loadu_si256, _mm256_maddubs_epi16, _mm256_max_epu8, _mm256_max_ps, _mm256_min_epu8,
    _mm256_min_ps, _mm256_movemask_epi8, _mm256_mul_ps, _mm256_or_si256, _mm256_packs_epi16,
    _mm256_packs_epi32, _mm256_permute2x128_si256, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_ps, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srai_epi16, _mm256_storeu_ps,
    _mm256_storeu_si256, _mm256_sub_epi8, _mm256_sub_epi16, _mm256_subs_epu8, _mm256_testz_si256,
    _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpacklo_epi8, _mm256_unpacklo_epi16,
};

use super::vectors::{
    ByteVector, FloatBlock, FloatBlocks, N_BLOCKS, N_BOARDS, NibbleTable, PerBoard, WordVector,
};

/// Bytes in the order of boards.
#[derive(Clone, Copy)]
pub(super) struct Avx2Bytes(__m256i);

/// Boards 0 to 7 and 16 to 23, then the others: the order in which bytes are unpacked.
#[derive(Clone, Copy)]
pub(super) struct Avx2Words([__m256i; 2]);

/// Boards 4 b to 4 b + 3 and 4 b + 16 to 4 b + 19 in block b: the order in which words are
/// unpacked.
#[derive(Clone, Copy)]
pub(super) struct Avx2Floats(__m256);

/// Calls vector instructions.
///
/// SAFETY: these types are used only by functions that `dispatch` calls after it has detected all
/// instructions of `InstructionSet::available`, AVX2 and FMA among them, and by tests that check it
/// too. The only other condition of the instructions is that pointers are valid for a vector, or
/// half of one: they come from references to arrays of that size, or to parts of arrays that are
/// sliced to it.
macro_rules! avx2 {
    ($call:expr) => {
        unsafe { $call }
    };
}
use avx2;

#[inline(always)]
unsafe fn table(table: &NibbleTable) -> __m256i {
    avx2!(_mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast())))
}

impl ByteVector for Avx2Bytes {
    type Words = Avx2Words;
    type Block = Avx2Floats;

    #[inline(always)]
    fn splat(byte: u8) -> Self {
        Self(avx2!(_mm256_set1_epi8(byte.cast_signed())))
    }

    #[inline(always)]
    fn load(bytes: &PerBoard<u8>) -> Self {
        Self(avx2!(_mm256_loadu_si256(bytes.as_ptr().cast())))
    }

    #[inline(always)]
    fn store(self) -> PerBoard<u8> {
        let mut bytes = [0; N_BOARDS];
        avx2!(_mm256_storeu_si256(bytes.as_mut_ptr().cast(), self.0));
        bytes
    }

    #[inline(always)]
    fn from_masks(masks: [Avx2Floats; N_BLOCKS]) -> Self {
        let [a, b, c, d] = masks;
        avx2!({
            let low = _mm256_packs_epi32(_mm256_castps_si256(a.0), _mm256_castps_si256(b.0));
            let high = _mm256_packs_epi32(_mm256_castps_si256(c.0), _mm256_castps_si256(d.0));
            Self(_mm256_packs_epi16(low, high))
        })
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
    fn add(self, other: Self) -> Self {
        Self(avx2!(_mm256_add_epi8(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(avx2!(_mm256_sub_epi8(self.0, other.0)))
    }

    #[inline(always)]
    fn sub_saturating(self, other: Self) -> Self {
        Self(avx2!(_mm256_subs_epu8(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx2!(_mm256_max_epu8(self.0, other.0)))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(avx2!(_mm256_min_epu8(self.0, other.0)))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        Self(avx2!(_mm256_cmpeq_epi8(self.0, other.0)))
    }

    #[inline(always)]
    fn or_if(self, other: Self, mask: Self) -> Self {
        Self(avx2!(_mm256_blendv_epi8(self.0, other.0, mask.0)))
    }

    #[inline(always)]
    fn lookup(self, entries: &NibbleTable) -> Self {
        Self(avx2!(_mm256_shuffle_epi8(table(entries), self.0)))
    }

    #[inline(always)]
    fn any(self) -> bool {
        avx2!(_mm256_testz_si256(self.0, self.0)) == 0
    }

    #[inline(always)]
    fn high_bits(self) -> u32 {
        avx2!(_mm256_movemask_epi8(self.0)).cast_unsigned()
    }

    #[inline(always)]
    fn products(a: Self, b: Self, c: Self, d: Self) -> Avx2Words {
        avx2!({
            let (ac_low, bd_low) = (_mm256_unpacklo_epi8(a.0, c.0), _mm256_unpacklo_epi8(b.0, d.0));
            let (ac_high, bd_high) =
                (_mm256_unpackhi_epi8(a.0, c.0), _mm256_unpackhi_epi8(b.0, d.0));
            Avx2Words([
                _mm256_maddubs_epi16(ac_low, bd_low),
                _mm256_maddubs_epi16(ac_high, bd_high),
            ])
        })
    }

    #[inline(always)]
    fn words(self) -> Avx2Words {
        avx2!({
            let zero = _mm256_setzero_si256();
            Avx2Words([_mm256_unpacklo_epi8(self.0, zero), _mm256_unpackhi_epi8(self.0, zero)])
        })
    }

    #[inline(always)]
    fn floats(self) -> FloatBlocks<Self> {
        let Avx2Words([low, high]) = self.words();
        avx2!({
            let zero = _mm256_setzero_si256();
            [
                Avx2Floats(_mm256_cvtepi32_ps(_mm256_unpacklo_epi16(low, zero))),
                Avx2Floats(_mm256_cvtepi32_ps(_mm256_unpackhi_epi16(low, zero))),
                Avx2Floats(_mm256_cvtepi32_ps(_mm256_unpacklo_epi16(high, zero))),
                Avx2Floats(_mm256_cvtepi32_ps(_mm256_unpackhi_epi16(high, zero))),
            ]
        })
    }

    #[inline(always)]
    fn masks(self) -> [Avx2Floats; N_BLOCKS] {
        avx2!({
            let low = _mm256_unpacklo_epi8(self.0, self.0);
            let high = _mm256_unpackhi_epi8(self.0, self.0);
            [
                Avx2Floats(_mm256_castsi256_ps(_mm256_unpacklo_epi16(low, low))),
                Avx2Floats(_mm256_castsi256_ps(_mm256_unpackhi_epi16(low, low))),
                Avx2Floats(_mm256_castsi256_ps(_mm256_unpacklo_epi16(high, high))),
                Avx2Floats(_mm256_castsi256_ps(_mm256_unpackhi_epi16(high, high))),
            ]
        })
    }

    #[inline(always)]
    fn in_order(floats: &FloatBlocks<Self>) -> PerBoard<f32> {
        let mut all = [0.0; N_BOARDS];
        let (low, high) = all.split_at_mut(N_BOARDS / 2);
        for (idx, block) in floats.iter().enumerate() {
            let block = block.store();
            low[4 * idx..4 * idx + 4].copy_from_slice(&block[..4]);
            high[4 * idx..4 * idx + 4].copy_from_slice(&block[4..]);
        }
        all
    }

    #[inline(always)]
    fn float_at(floats: &FloatBlocks<Self>, lane: usize) -> f32 {
        let place = Self::place(lane);
        floats[place / 8].store()[place % 8]
    }

    #[inline(always)]
    fn place(lane: usize) -> usize {
        lane % 16 / 4 * 8 + lane / 16 * 4 + lane % 4
    }
}

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
                Avx2Floats(_mm256_cvtepi32_ps(_mm256_unpacklo_epi16(a, sign_a))),
                Avx2Floats(_mm256_cvtepi32_ps(_mm256_unpackhi_epi16(a, sign_a))),
                Avx2Floats(_mm256_cvtepi32_ps(_mm256_unpacklo_epi16(b, sign_b))),
                Avx2Floats(_mm256_cvtepi32_ps(_mm256_unpackhi_epi16(b, sign_b))),
            ]
        })
    }
}

impl FloatBlock for Avx2Floats {
    #[inline(always)]
    fn splat(float: f32) -> Self {
        Self(avx2!(_mm256_set1_ps(float)))
    }

    #[inline(always)]
    fn load(floats: &[f32; N_BOARDS / N_BLOCKS]) -> Self {
        Self(avx2!(_mm256_loadu_ps(floats.as_ptr())))
    }

    #[inline(always)]
    fn store(self) -> [f32; N_BOARDS / N_BLOCKS] {
        let mut floats = [0.0; N_BOARDS / N_BLOCKS];
        avx2!(_mm256_storeu_ps(floats.as_mut_ptr(), self.0));
        floats
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(avx2!(_mm256_add_ps(self.0, other.0)))
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
    fn mul_add(self, factor: Self, summand: Self) -> Self {
        Self(avx2!(_mm256_fmadd_ps(self.0, factor.0, summand.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx2!(_mm256_max_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(avx2!(_mm256_min_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn less(self, other: Self) -> Self {
        Self(avx2!(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn or_unless(self, other: Self, mask: Self) -> Self {
        Self(avx2!(_mm256_blendv_ps(other.0, self.0, mask.0)))
    }
}
