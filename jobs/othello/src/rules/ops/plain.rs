//! The operations on bitboards in plain code, for every processor.

use super::rays::{RAYS, Rays, flips_toward_a, flips_upward};
use super::sealed::Sealed;
use super::{BoardJob, BoardOps};
use crate::rules::square::Square;

/// Plain code, for every processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainOps;

/// All squares outside the columns a and h. A line of flipped discs has only such squares if it
/// does not stay within one column.
pub(super) const INNER_COLUMNS: u64 = 0x7E7E_7E7E_7E7E_7E7E;

impl Sealed for PlainOps {}

impl BoardOps for PlainOps {
    type Discs = (u64, u64);

    #[inline(always)]
    fn load(mover: u64, opponent: u64) -> (u64, u64) {
        (mover, opponent)
    }

    #[inline(always)]
    fn store(discs: (u64, u64)) -> (u64, u64) {
        discs
    }

    #[inline(always)]
    fn legal_moves((mover, opponent): (u64, u64)) -> u64 {
        let inner = opponent & INNER_COLUMNS;
        let reached = along_rows(mover, inner)
            | both_ways::<7>(mover, inner)
            | both_ways::<8>(mover, opponent)
            | both_ways::<9>(mover, inner);
        reached & !(mover | opponent)
    }

    #[inline(always)]
    fn flips((mover, opponent): (u64, u64), square: Square) -> u64 {
        let index = usize::from(square.index() & 63);
        let Rays([right, up_left, up, up_right]) = RAYS[index];
        let above = flips_upward(mover, opponent, right)
            | flips_upward(mover, opponent, up_left)
            | flips_upward(mover, opponent, up)
            | flips_upward(mover, opponent, up_right);
        // With the rows in reverse order, the three rays to lower rows are rays to higher ones.
        let (mover_below, opponent_below) = (mover.swap_bytes(), opponent.swap_bytes());
        let Rays([_, up_left, up, up_right]) = RAYS[index ^ 56];
        let below = flips_upward(mover_below, opponent_below, up_left)
            | flips_upward(mover_below, opponent_below, up)
            | flips_upward(mover_below, opponent_below, up_right);
        above | below.swap_bytes() | flips_toward_a(mover, opponent, index)
    }

    #[inline(always)]
    fn play(discs: (u64, u64), square: Square) -> (u64, u64) {
        let flips = Self::flips(discs, square);
        let (mover, opponent) = discs;
        (opponent ^ flips, mover ^ flips ^ square.bit())
    }

    #[inline(always)]
    fn pass((mover, opponent): (u64, u64)) -> (u64, u64) {
        (opponent, mover)
    }

    #[inline(always)]
    fn nth_square(squares: u64, n: u32) -> Square {
        // The numbers of squares up to each row, in bytes (Vigna 2008, "Broadword Implementation of
        // Rank/Select Queries", section 4).
        let pairs = squares - ((squares >> 1) & 0x5555_5555_5555_5555);
        let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
        let rows = (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
        let up_to = rows.wrapping_mul(EACH_ROW);
        let enough = (up_to | EACH_ROW << 7).wrapping_sub((u64::from(n) + 1) * EACH_ROW);
        let shift = (enough & EACH_ROW << 7).trailing_zeros() & 56;
        let [before, ..] = ((up_to << 8) >> shift).to_le_bytes();
        let [row, ..] = (squares >> shift).to_le_bytes();
        let rank = n.wrapping_sub(u32::from(before)) & 7;
        let column = COLUMNS[usize::from(row)] >> (4 * rank) & 7;
        Square::lowest(1 << (shift + column))
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

/// One in each byte.
const EACH_ROW: u64 = 0x0101_0101_0101_0101;

/// The columns of the squares in a row, from the first on, in four bits each.
static COLUMNS: [u32; 256] = columns();

const fn columns() -> [u32; 256] {
    let mut columns = [0; 256];
    let mut row = 0;
    while row < 256 {
        let (mut column, mut rank) = (0, 0);
        while column < 8 {
            if row >> column & 1 == 1 {
                columns[row] |= column << (4 * rank);
                rank += 1;
            }
            column += 1;
        }
        row += 1;
    }
    columns
}

/// Returns the squares behind the runs of `inner` that begin beside a disc of `mover`, in rows.
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

/// Returns the squares behind the runs of `opponent` that begin beside a disc of `mover`. One
/// direction raises the number of the square by `STEP`; the other direction is its opposite.
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
