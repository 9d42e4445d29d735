//! The operations on bitboards in plain code, for every processor.

use super::ops::{BoardJob, BoardOps, sealed::Sealed};
use super::square::Square;

/// Plain code, for every processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainOps;

/// All squares but those of the columns a and h: what a line of flipped discs can have if it does
/// not stay in its column.
pub(super) const INNER_COLUMNS: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// The squares from each square on in four directions, to the edge: along the row to h, then
/// towards row 8 to the left, straight and to the right. All have higher numbers than the square.
pub(super) static RAYS: [[u64; 4]; 64] = rays();

const fn rays() -> [[u64; 4]; 64] {
    let mut rays = [[0; 4]; 64];
    // A step to the left of column a wraps, to far beyond column h.
    let steps = [(1, 0), (usize::MAX, 1), (0, 1), (1, 1)];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 4 {
            let (right, up) = steps[direction];
            let (mut column, mut row) = ((square % 8_usize).wrapping_add(right), square / 8 + up);
            while column < 8 && row < 8 {
                rays[square][direction] |= 1 << (8 * row + column);
                (column, row) = (column.wrapping_add(right), row + up);
            }
            direction += 1;
        }
        square += 1;
    }
    rays
}

impl Sealed for PlainOps {}

impl BoardOps for PlainOps {
    #[inline(always)]
    fn legal_moves(mover: u64, opponent: u64) -> u64 {
        let inner = opponent & INNER_COLUMNS;
        let reached = along_rows(mover, inner)
            | both_ways::<7>(mover, inner)
            | both_ways::<8>(mover, opponent)
            | both_ways::<9>(mover, inner);
        reached & !(mover | opponent)
    }

    #[inline(always)]
    fn flips(mover: u64, opponent: u64, square: Square) -> u64 {
        let index = usize::from(square.index() & 63);
        let [right, up_left, up, up_right] = RAYS[index];
        let above = flips_on(mover, opponent, right)
            | flips_on(mover, opponent, up_left)
            | flips_on(mover, opponent, up)
            | flips_on(mover, opponent, up_right);
        // With the rows in reverse order, the three rays to lower rows are rays to higher ones.
        let (mover_below, opponent_below) = (mover.swap_bytes(), opponent.swap_bytes());
        let [_, up_left, up, up_right] = RAYS[index ^ 56];
        let below = flips_on(mover_below, opponent_below, up_left)
            | flips_on(mover_below, opponent_below, up)
            | flips_on(mover_below, opponent_below, up_right);
        above | below.swap_bytes() | flips_to_the_left(mover, opponent, square)
    }

    #[inline(always)]
    fn nth_square(mut squares: u64, n: u32) -> Square {
        for _ in 0..n {
            squares &= squares.wrapping_sub(1);
        }
        Square::lowest(squares)
    }

    #[inline(always)]
    fn enter<J: BoardJob>(job: J) -> J::Output {
        enter_plain(job)
    }
}

#[inline(never)]
fn enter_plain<J: BoardJob>(job: J) -> J::Output {
    job.run::<PlainOps>()
}

/// Returns what lies behind the runs of `inner` that begin beside a disc of `mover`, in rows.
#[inline(always)]
fn along_rows(mover: u64, inner: u64) -> u64 {
    // A carry runs through each run that begins right of a disc, and ends behind it.
    let right = inner.wrapping_add(inner & (mover << 1));
    let mut left = inner & (mover >> 1);
    left |= inner & (left >> 1);
    let pairs = inner & (inner >> 1);
    left |= pairs & (left >> 2);
    left |= pairs & (left >> 2);
    right | left >> 1
}

/// Returns what lies behind the runs of `opponent` that begin beside a disc of `mover`, in the
/// direction in which numbers of squares grow by `STEP`, and in the opposite one.
///
/// A run has at most six discs: one step, then pairs of two steps at once ("Kogge-Stone fill").
#[inline(always)]
fn both_ways<const STEP: u32>(mover: u64, opponent: u64) -> u64 {
    let mut up = opponent & (mover << STEP);
    let mut down = opponent & (mover >> STEP);
    up |= opponent & (up << STEP);
    down |= opponent & (down >> STEP);
    let up_pairs = opponent & (opponent << STEP);
    let down_pairs = opponent & (opponent >> STEP);
    up |= up_pairs & (up << (2 * STEP));
    down |= down_pairs & (down >> (2 * STEP));
    up |= up_pairs & (up << (2 * STEP));
    down |= down_pairs & (down >> (2 * STEP));
    (up << STEP) | (down >> STEP)
}

/// Returns the discs of `opponent` that are outflanked on `ray`, whose squares all have higher
/// numbers than the square of the move.
#[inline(always)]
fn flips_on(mover: u64, opponent: u64, ray: u64) -> u64 {
    let stops = ray & !opponent;
    let outflanking = stops & stops.wrapping_neg() & mover;
    outflanking.saturating_sub(1) & ray
}

/// Returns the discs of `opponent` that are outflanked in the row, to the left of `square`.
#[inline(always)]
pub(super) fn flips_to_the_left(mover: u64, opponent: u64, square: Square) -> u64 {
    let ray = (square.bit() - 1) & (u64::MAX << (square.index() & 56));
    let stops = ray & !opponent;
    // Without a stop this is h8, which is in no ray: nothing is above it.
    let outflanking = (1_u64 << 63).wrapping_shr(stops.leading_zeros()) & mover;
    (outflanking << 1).wrapping_neg() & ray
}
