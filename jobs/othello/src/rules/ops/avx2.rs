//! The operations on bitboards with AVX2 and BMI2.
#![cfg(target_arch = "x86_64")]
#![expect(unsafe_code, reason = "vector instructions; see the safety of the macro below")]

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64,
    _mm256_extracti128_si256, _mm256_load_si256, _mm256_or_si256, _mm256_permute4x64_epi64,
    _mm256_set_epi8, _mm256_set_epi64x, _mm256_set1_epi64x, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_shuffle_epi32, _mm256_sllv_epi64, _mm256_srlv_epi64,
    _mm256_sub_epi64, _mm256_xor_si256, _pdep_u64,
};

use super::plain::INNER_COLUMNS;
use super::rays::{RAYS, Rays, flips_toward_a};
use super::sealed::Sealed;
use super::{BoardJob, BoardOps};
use crate::rules::square::Square;

/// AVX2 and BMI2: four directions at once.
///
/// Only `dispatch` names this type, and it detects the instructions first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2Ops;

/// The discs of both players, each four times: a random game never leaves the vector registers,
/// except to choose a move.
#[derive(Clone, Copy)]
pub(crate) struct Avx2Discs {
    movers: __m256i,
    opponents: __m256i,
}

/// Calls vector instructions.
///
/// SAFETY: [`Avx2Ops`] reaches code only by `dispatch`, after it has detected the instructions. The
/// only other condition is that pointers are valid for a vector: there is one, to [`Rays`], which
/// have its size and alignment.
macro_rules! avx2 {
    ($call:expr) => {
        unsafe { $call }
    };
}

impl Sealed for Avx2Ops {}

impl BoardOps for Avx2Ops {
    type Discs = Avx2Discs;

    #[inline(always)]
    fn load(mover: u64, opponent: u64) -> Avx2Discs {
        Avx2Discs { movers: broadcast(mover), opponents: broadcast(opponent) }
    }

    #[inline(always)]
    fn store(Avx2Discs { movers, opponents }: Avx2Discs) -> (u64, u64) {
        (first_lane(movers), first_lane(opponents))
    }

    /// As in plain code, with the directions 1, 7, 8 and 9 side by side, and three steps at once.
    #[inline(always)]
    fn legal_moves(Avx2Discs { movers, opponents }: Avx2Discs) -> u64 {
        let inner = INNER_COLUMNS.cast_signed();
        let step = avx2!(_mm256_set_epi64x(9, 8, 7, 1));
        let two_steps = avx2!(_mm256_set_epi64x(18, 16, 14, 2));
        let three_steps = avx2!(_mm256_set_epi64x(27, 24, 21, 3));
        let passable = and(opponents, avx2!(_mm256_set_epi64x(inner, -1, inner, inner)));
        let up_pairs = and(passable, left(passable, step));
        let down_pairs = and(passable, right(passable, step));
        let up_triples = and(up_pairs, left(passable, two_steps));
        let down_triples = and(down_pairs, right(passable, two_steps));
        let mut up = and(passable, left(movers, step));
        let mut down = and(passable, right(movers, step));
        let up_second = or(and(passable, left(up, step)), and(up_pairs, left(up, two_steps)));
        let down_second =
            or(and(passable, right(down, step)), and(down_pairs, right(down, two_steps)));
        up = or(up, up_second);
        down = or(down, down_second);
        up = or(up, and(up_triples, left(up, three_steps)));
        down = or(down, and(down_triples, right(down, three_steps)));
        let reached = or(left(up, step), right(down, step));
        let free = avx2!(_mm256_andnot_si256(or(movers, opponents), reached));
        or_of_lanes(free)
    }

    #[inline(always)]
    fn flips(discs: Avx2Discs, square: Square) -> u64 {
        let (mover, opponent) = Self::store(discs);
        let index = usize::from(square.index() & 63);
        or_of_lanes(seven_flips(discs, index)) | flips_toward_a(mover, opponent, index)
    }

    #[inline(always)]
    fn play(discs: Avx2Discs, square: Square) -> Avx2Discs {
        let (mover, opponent) = Self::store(discs);
        let index = usize::from(square.index() & 63);
        // The row toward a is ready before the rest.
        let changes = flips_toward_a(mover, opponent, index);
        let flips = or(in_each_lane(seven_flips(discs, index)), broadcast(changes));
        let Avx2Discs { movers, opponents } = discs;
        let placed = xor(movers, broadcast(square.bit()));
        Avx2Discs { movers: xor(opponents, flips), opponents: xor(placed, flips) }
    }

    #[inline(always)]
    fn pass(Avx2Discs { movers, opponents }: Avx2Discs) -> Avx2Discs {
        Avx2Discs { movers: opponents, opponents: movers }
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

/// Returns what a disc on square `index` flips in all directions but one: the parts of the result
/// lie in different lanes.
#[inline(always)]
fn seven_flips(Avx2Discs { movers, opponents }: Avx2Discs, index: usize) -> __m256i {
    let above = flips_upward(movers, opponents, &RAYS[index]);
    // With the rows in reverse order, the three rays to lower rows are rays to higher ones. The ray
    // along the row is done twice.
    let below = flips_upward(swap_rows(movers), swap_rows(opponents), &RAYS[index ^ 56]);
    or(above, swap_rows(below))
}

/// As in plain code, with the four rays of a square side by side.
#[inline(always)]
fn flips_upward(movers: __m256i, opponents: __m256i, rays: &Rays) -> __m256i {
    let zero = avx2!(_mm256_setzero_si256());
    let rays = avx2!(_mm256_load_si256(rays.0.as_ptr().cast()));
    let stops = avx2!(_mm256_andnot_si256(opponents, rays));
    // The discs before the first stop, if that is a disc of the mover: stops less 1 has all squares
    // before the first stop, and then only stops.
    let run = and(avx2!(_mm256_add_epi64(stops, _mm256_set1_epi64x(-1))), and(opponents, rays));
    let negative = avx2!(_mm256_sub_epi64(zero, stops));
    let outflanking = and(and(stops, movers), negative);
    avx2!(_mm256_andnot_si256(_mm256_cmpeq_epi64(outflanking, zero), run))
}

#[inline(always)]
fn xor(a: __m256i, b: __m256i) -> __m256i {
    avx2!(_mm256_xor_si256(a, b))
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

/// Reverses the order of the rows in every board.
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

/// Returns the union over all lanes, in each lane.
#[inline(always)]
fn in_each_lane(boards: __m256i) -> __m256i {
    let pairs = or(boards, avx2!(_mm256_permute4x64_epi64::<0b0100_1110>(boards)));
    or(pairs, avx2!(_mm256_shuffle_epi32::<0b0100_1110>(pairs)))
}

#[inline(always)]
fn first_lane(boards: __m256i) -> u64 {
    avx2!(_mm_cvtsi128_si64(_mm256_castsi256_si128(boards))).cast_unsigned()
}
