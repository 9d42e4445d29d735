//! The operations on bitboards with AVX2 and BMI2.
#![cfg(target_arch = "x86_64")]
#![expect(unsafe_code, reason = "vector instructions; see the safety of the macro below")]

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_or_si256, _mm256_set_epi8,
    _mm256_set_epi64x, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_sllv_epi64, _mm256_srlv_epi64, _mm256_sub_epi64, _pdep_u64,
};

use super::ops::{BoardJob, BoardOps, sealed::Sealed};
use super::plain::{INNER_COLUMNS, RAYS, flips_to_the_left};
use super::square::Square;

/// AVX2 and BMI2: four directions at once.
///
/// Nobody outside of `dispatch` and its tests can name this type, and they detect the instructions
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Avx2Ops;

/// Calls vector instructions.
///
/// SAFETY: [`Avx2Ops`] reaches code only by `dispatch`, after it has detected the instructions.
/// The only other condition is that pointers are valid for a vector: there is one, to a row of
/// [`RAYS`], which has 32 bytes.
macro_rules! avx2 {
    ($call:expr) => {
        unsafe { $call }
    };
}

impl Sealed for Avx2Ops {}

impl BoardOps for Avx2Ops {
    /// As in plain code, with the directions 1, 7, 8 and 9 side by side.
    #[inline(always)]
    fn legal_moves(mover: u64, opponent: u64) -> u64 {
        let inner = INNER_COLUMNS.cast_signed();
        let step = avx2!(_mm256_set_epi64x(9, 8, 7, 1));
        let two_steps = avx2!(_mm256_set_epi64x(18, 16, 14, 2));
        let movers = broadcast(mover);
        let passable = and(broadcast(opponent), avx2!(_mm256_set_epi64x(inner, -1, inner, inner)));
        let mut up = and(passable, left(movers, step));
        let mut down = and(passable, right(movers, step));
        up = or(up, and(passable, left(up, step)));
        down = or(down, and(passable, right(down, step)));
        let up_pairs = and(passable, left(passable, step));
        let down_pairs = and(passable, right(passable, step));
        up = or(up, and(up_pairs, left(up, two_steps)));
        down = or(down, and(down_pairs, right(down, two_steps)));
        up = or(up, and(up_pairs, left(up, two_steps)));
        down = or(down, and(down_pairs, right(down, two_steps)));
        let reached = or(left(up, step), right(down, step));
        or_of_lanes(reached) & !(mover | opponent)
    }

    /// As in plain code, with the four rays of a square side by side.
    #[inline(always)]
    fn flips(mover: u64, opponent: u64, square: Square) -> u64 {
        let index = usize::from(square.index() & 63);
        let (movers, opponents) = (broadcast(mover), broadcast(opponent));
        let above = flips_on(movers, opponents, &RAYS[index]);
        // The ray along the row is done twice.
        let below = flips_on(swap_rows(movers), swap_rows(opponents), &RAYS[index ^ 56]);
        or_of_lanes(or(above, swap_rows(below))) | flips_to_the_left(mover, opponent, square)
    }

    #[inline(always)]
    fn nth_square(squares: u64, n: u32) -> Square {
        Square::lowest(avx2!(_pdep_u64(1 << (n & 63), squares)))
    }

    #[inline(always)]
    fn enter<J: BoardJob>(job: J) -> J::Output {
        avx2!(enter_avx2(job))
    }
}

/// Runs `job` where the compiler may use the instructions that `dispatch` detects.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn enter_avx2<J: BoardJob>(job: J) -> J::Output {
    job.run::<Avx2Ops>()
}

#[inline(always)]
fn flips_on(movers: __m256i, opponents: __m256i, rays: &[u64; 4]) -> __m256i {
    let zero = avx2!(_mm256_setzero_si256());
    let rays = avx2!(_mm256_loadu_si256(rays.as_ptr().cast()));
    let stops = avx2!(_mm256_andnot_si256(opponents, rays));
    let lowest = and(stops, avx2!(_mm256_sub_epi64(zero, stops)));
    let outflanking = and(lowest, movers);
    // -1 where nothing outflanks, so that 1 less than 0 becomes 0 again.
    let none = avx2!(_mm256_cmpeq_epi64(outflanking, zero));
    let minus_one = avx2!(_mm256_add_epi64(outflanking, _mm256_set1_epi64x(-1)));
    and(avx2!(_mm256_sub_epi64(minus_one, none)), rays)
}

#[inline(always)]
fn broadcast(bits: u64) -> __m256i {
    avx2!(_mm256_set1_epi64x(bits.cast_signed()))
}

#[inline(always)]
fn and(a: __m256i, b: __m256i) -> __m256i {
    avx2!(_mm256_and_si256(a, b))
}

#[inline(always)]
fn or(a: __m256i, b: __m256i) -> __m256i {
    avx2!(_mm256_or_si256(a, b))
}

#[inline(always)]
fn left(bits: __m256i, steps: __m256i) -> __m256i {
    avx2!(_mm256_sllv_epi64(bits, steps))
}

#[inline(always)]
fn right(bits: __m256i, steps: __m256i) -> __m256i {
    avx2!(_mm256_srlv_epi64(bits, steps))
}

/// Reverses the order of the rows of each board.
#[inline(always)]
fn swap_rows(boards: __m256i) -> __m256i {
    let order = avx2!(_mm256_set_epi8(
        8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1,
        2, 3, 4, 5, 6, 7,
    ));
    avx2!(_mm256_shuffle_epi8(boards, order))
}

#[inline(always)]
fn or_of_lanes(boards: __m256i) -> u64 {
    let high = avx2!(_mm256_extracti128_si256::<1>(boards));
    let pair = avx2!(_mm_or_si128(_mm256_castsi256_si128(boards), high));
    let one = avx2!(_mm_or_si128(pair, _mm_unpackhi_epi64(pair, pair)));
    avx2!(_mm_cvtsi128_si64(one)).cast_unsigned()
}
