//! The height differences of neighboring columns: the number of different ones is pattern
//! diversity.

use crate::rules::{MAX_WIDTH, Orientation};

/// The differences of a board, prepared for the change of a few columns. A set of differences is a
/// mask: bit 1 for -2 to bit 5 for 2.
pub(super) struct HeightSteps<'a> {
    heights: &'a [u8],
    /// The differences among the columns before c, and among those from c on.
    before: [u32; MAX_WIDTH + 1],
    from: [u32; MAX_WIDTH + 1],
}

impl<'a> HeightSteps<'a> {
    pub(super) fn of(heights: &'a [u8]) -> Self {
        let mut steps = Self { heights, before: [0; MAX_WIDTH + 1], from: [0; MAX_WIDTH + 1] };
        for c in 1..heights.len() {
            steps.before[c + 1] = steps.before[c] | step(heights[c - 1], heights[c]);
        }
        for c in (1..heights.len()).rev() {
            steps.from[c - 1] = steps.from[c] | step(heights[c - 1], heights[c]);
        }
        steps
    }

    /// Returns the number of values among -2, -1, 0, 1, 2 that occur after `shape`, which covers
    /// `N` columns, has landed in `row` above the columns from `from` on.
    pub(super) fn diversity<const N: usize>(
        &self,
        shape: &Orientation,
        from: usize,
        row: u8,
    ) -> i32 {
        let to = from + N;
        let top = |c: usize| row + shape.bottoms[c] + shape.n_cells[c];
        let mut steps = self.before[from] | self.from[to];
        if 0 < from {
            steps |= step(self.heights[from - 1], top(0));
        }
        for c in 1..N {
            steps |= step(top(c - 1), top(c));
        }
        if to < self.heights.len() {
            steps |= step(top(N - 1), self.heights[to]);
        }
        steps.count_ones().cast_signed()
    }
}

/// Returns the difference from `left` to `right` as a set with a single value, or as an empty set.
fn step(left: u8, right: u8) -> u32 {
    let difference = i32::from(right) - i32::from(left);
    // No branch: the processor cannot predict whether neighbors differ by little.
    (1 << (difference.clamp(-3, 3) + 3)) & 0b011_1110
}
