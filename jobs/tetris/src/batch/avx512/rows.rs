//! The common parts of row sets for every size.

use std::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_add_epi8, _mm512_and_si512, _mm512_broadcast_i32x4,
    _mm512_castsi128_si512, _mm512_inserti32x4, _mm512_set1_epi8, _mm512_shuffle_epi8,
    _mm512_srli_epi16,
};

use super::avx512;
use crate::batch::vectors::{NibbleTable, VectorTask};

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq")]
#[target_feature(enable = "avx512vl,avx512cd,avx512bitalg,avx512vpopcntdq")]
#[inline(never)]
pub(super) fn run(task: impl VectorTask) {
    task.run();
}

/// Returns for each byte the sum of the `low` table's entry for its low half and the `high` table's
/// entry for its high half.
#[inline(always)]
pub(super) unsafe fn in_nibbles(bytes: __m512i, low: &NibbleTable, high: &NibbleTable) -> __m512i {
    avx512!({
        let nibble = _mm512_set1_epi8(0xF);
        let low_half = _mm512_and_si512(bytes, nibble);
        let high_half = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), nibble);
        let low = _mm512_shuffle_epi8(table(low), low_half);
        _mm512_add_epi8(low, _mm512_shuffle_epi8(table(high), high_half))
    })
}

/// Returns the table in all quarters of a vector.
#[inline(always)]
unsafe fn table(table: &NibbleTable) -> __m512i {
    avx512!(_mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast())))
}

/// Loads a part of a board into each quarter of a vector.
#[inline(always)]
pub(super) fn load_quarters<T>([a, b, c, d]: [&[T]; 4]) -> __m512i {
    const { assert!(size_of::<T>() == 2 || size_of::<T>() == 4) };
    let n = 16 / size_of::<T>();
    let parts = [&a[..n], &b[..n], &c[..n], &d[..n]];
    avx512!({
        let rows = _mm512_castsi128_si512(_mm_loadu_si128(parts[0].as_ptr().cast()));
        let rows = _mm512_inserti32x4::<1>(rows, _mm_loadu_si128(parts[1].as_ptr().cast()));
        let rows = _mm512_inserti32x4::<2>(rows, _mm_loadu_si128(parts[2].as_ptr().cast()));
        _mm512_inserti32x4::<3>(rows, _mm_loadu_si128(parts[3].as_ptr().cast()))
    })
}
