//! A byte for each board.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi8, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_blendv_epi8, _mm256_broadcastsi128_si256, _mm256_castps_si256, _mm256_castsi256_ps,
    _mm256_cmpeq_epi8, _mm256_cvtepi32_ps, _mm256_loadu_si256, _mm256_maddubs_epi16,
    _mm256_max_epu8, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_packs_epi16,
    _mm256_packs_epi32, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_storeu_si256, _mm256_sub_epi8, _mm256_subs_epu8, _mm256_testz_si256,
    _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpacklo_epi8, _mm256_unpacklo_epi16,
};

use super::avx2;
use super::floats::Avx2Floats;
use super::words::Avx2Words;
use crate::batch::vectors::{
    BLOCK, ByteVector, FloatBlock, FloatBlocks, N_BLOCKS, N_BOARDS, NibbleTable, PerBoard,
};

/// Bytes in the order of boards.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Avx2Bytes(pub(super) __m256i);

/// Returns the table in both halves of a vector.
#[inline(always)]
pub(in crate::batch) unsafe fn table(table: &NibbleTable) -> __m256i {
    avx2!(_mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast())))
}

/// Implements the operations that need no other vectors.
macro_rules! byte_operations {
    () => {
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
        fn at(&self, lane: usize) -> u8 {
            let bytes: &PerBoard<u8> = avx2!(&*std::ptr::from_ref(&self.0).cast());
            bytes[lane]
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
    };
}
pub(in crate::batch) use byte_operations;

impl ByteVector for Avx2Bytes {
    type Words = Avx2Words;
    type Block = Avx2Floats;

    byte_operations!();

    #[inline(always)]
    fn from_masks(masks: [Avx2Floats; N_BLOCKS]) -> Self {
        let [Avx2Floats([a, b]), Avx2Floats([c, d])] = masks;
        avx2!({
            let low = _mm256_packs_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
            let high = _mm256_packs_epi32(_mm256_castps_si256(c), _mm256_castps_si256(d));
            Self(_mm256_packs_epi16(low, high))
        })
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
    fn signed_words(self) -> Avx2Words {
        Self::products(Self::splat(1), self, Self::splat(0), Self::splat(0))
    }

    #[inline(always)]
    fn floats(self) -> FloatBlocks<Self> {
        let Avx2Words([low, high]) = self.words();
        avx2!({
            let zero = _mm256_setzero_si256();
            [
                Avx2Floats([
                    _mm256_cvtepi32_ps(_mm256_unpacklo_epi16(low, zero)),
                    _mm256_cvtepi32_ps(_mm256_unpackhi_epi16(low, zero)),
                ]),
                Avx2Floats([
                    _mm256_cvtepi32_ps(_mm256_unpacklo_epi16(high, zero)),
                    _mm256_cvtepi32_ps(_mm256_unpackhi_epi16(high, zero)),
                ]),
            ]
        })
    }

    #[inline(always)]
    fn masks(self) -> [Avx2Floats; N_BLOCKS] {
        avx2!({
            let low = _mm256_unpacklo_epi8(self.0, self.0);
            let high = _mm256_unpackhi_epi8(self.0, self.0);
            [
                Avx2Floats([
                    _mm256_castsi256_ps(_mm256_unpacklo_epi16(low, low)),
                    _mm256_castsi256_ps(_mm256_unpackhi_epi16(low, low)),
                ]),
                Avx2Floats([
                    _mm256_castsi256_ps(_mm256_unpacklo_epi16(high, high)),
                    _mm256_castsi256_ps(_mm256_unpackhi_epi16(high, high)),
                ]),
            ]
        })
    }

    #[inline(always)]
    fn in_order(floats: &FloatBlocks<Self>) -> PerBoard<f32> {
        let (blocks, mut all) = (floats.map(FloatBlock::store), [0.0; N_BOARDS]);
        for (lane, float) in all.iter_mut().enumerate() {
            let place = Self::place(lane);
            *float = blocks[place / BLOCK][place % BLOCK];
        }
        all
    }

    #[inline(always)]
    fn float_at(floats: &FloatBlocks<Self>, lane: usize) -> f32 {
        let place = Self::place(lane);
        floats[place / BLOCK].at(place % BLOCK)
    }

    #[inline(always)]
    fn place(lane: usize) -> usize {
        lane % 16 / 4 * 8 + lane / 16 * 4 + lane % 4
    }
}
