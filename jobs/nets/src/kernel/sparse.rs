//! Products of sparse rows and dense matrices.

use super::factors::RowList;
use super::vectors::{FloatVector, VectorTask};

/// The columns of a block of factors: the rows of dense numbers that belong to them, of 256
/// numbers, stay in the second cache until the last sparse row has met them.
const BLOCK_LEN: usize = 384;

/// A block is worth its trouble if rows have this many entries.
const MIN_BLOCK_ENTRIES: usize = 16;

/// Adds the product of `factors` and `right` to `to`, rows of `n_cols` columns.
pub(super) struct AddSparseProduct<'m> {
    pub(super) factors: RowList<'m>,
    pub(super) right: &'m [f32],
    pub(super) to: &'m mut [f32],
    pub(super) n_cols: usize,
    /// Memory for the number of entries per row that were read already.
    pub(super) cursors: &'m mut Vec<usize>,
}

impl VectorTask for AddSparseProduct<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let Self { factors, right, to, n_cols, cursors } = self;
        cursors.clear();
        cursors.resize(factors.n_rows(), 0);
        let len = block_len(factors);
        let mut end = 0;
        while end < factors.rows.n_cols() {
            end += len;
            let rows = to.chunks_exact_mut(n_cols.max(1)).zip(cursors.iter_mut());
            for (row, (to, cursor)) in rows.enumerate() {
                add_row::<V>(next_entries(factors.row(row), cursor, end), right, to);
            }
        }
    }
}

/// Adds the product of the transpose of `factors` and `right` to `to`, rows of `n_cols` columns.
pub(super) struct AddTransposedSparseProduct<'m> {
    pub(super) factors: RowList<'m>,
    pub(super) right: &'m [f32],
    pub(super) to: &'m mut [f32],
    pub(super) n_cols: usize,
    /// Memory for the number of entries per row that were read already.
    pub(super) cursors: &'m mut Vec<usize>,
}

impl VectorTask for AddTransposedSparseProduct<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let Self { factors, right, to, n_cols, cursors } = self;
        cursors.clear();
        cursors.resize(factors.n_rows(), 0);
        let len = block_len(factors);
        let mut end = 0;
        while end < factors.rows.n_cols() {
            end += len;
            let rows = right.chunks_exact(n_cols.max(1)).zip(cursors.iter_mut());
            for (inner, (from, cursor)) in rows.enumerate() {
                add_to_rows::<V>(next_entries(factors.row(inner), cursor, end), from, to);
            }
        }
    }
}

/// Returns the columns of a block: all columns, where blocks are not worth their trouble.
#[inline(always)]
fn block_len(factors: RowList<'_>) -> usize {
    let n_cols = factors.rows.n_cols().max(1);
    let mut n_entries = 0;
    for row in 0..factors.n_rows() {
        n_entries += factors.row(row).len();
    }
    let is_worth = MIN_BLOCK_ENTRIES * factors.n_rows() * n_cols <= n_entries * BLOCK_LEN;
    if 1 < factors.n_rows() && is_worth { BLOCK_LEN } else { n_cols }
}

/// Returns the entries from `cursor` on whose columns are below `end`, and moves the cursor behind
/// them.
#[inline(always)]
fn next_entries<'e>(entries: &'e [(u32, f32)], cursor: &mut usize, end: usize) -> &'e [(u32, f32)] {
    let start = *cursor;
    let mut at = start;
    while at < entries.len() && (entries[at].0 as usize) < end {
        at += 1;
    }
    *cursor = at;
    &entries[start..at]
}

/// Adds the product of a row's entries and `right` to a row.
#[inline(always)]
fn add_row<V: FloatVector>(entries: &[(u32, f32)], right: &[f32], to: &mut [f32]) {
    let n_cols = to.len();
    let mut col = 0;
    while col < n_cols {
        let from = &right[col.min(right.len())..];
        let to = &mut to[col..];
        col += match to.len() / V::N_LANES {
            16.. if V::N_ROW_VECTORS == 16 => gather::<V, 16>(entries, from, n_cols, to),
            8.. => gather::<V, 8>(entries, from, n_cols, to),
            4.. => gather::<V, 4>(entries, from, n_cols, to),
            2.. => gather::<V, 2>(entries, from, n_cols, to),
            1 => gather::<V, 1>(entries, from, n_cols, to),
            _ => gather_rest(entries, from, n_cols, to),
        };
    }
}

/// Adds, for every entry of a row, the product of the entry and `from` to the entry's row of `to`.
#[inline(always)]
fn add_to_rows<V: FloatVector>(entries: &[(u32, f32)], from: &[f32], to: &mut [f32]) {
    let n_cols = from.len();
    let mut col = 0;
    while col < n_cols {
        let start = col.min(to.len());
        let to = &mut to[start..];
        let from = &from[col..];
        col += match from.len() / V::N_LANES {
            16.. if V::N_ROW_VECTORS == 16 => scatter::<V, 16>(entries, from, to, n_cols),
            8.. => scatter::<V, 8>(entries, from, to, n_cols),
            4.. => scatter::<V, 4>(entries, from, to, n_cols),
            2.. => scatter::<V, 2>(entries, from, to, n_cols),
            1 => scatter::<V, 1>(entries, from, to, n_cols),
            _ => scatter_rest(entries, from, to, n_cols),
        };
    }
}

/// Adds the entries' rows of `from`, `stride` apart, to `to`: the first `W` vectors per row.
/// Returns the number of columns.
#[inline(always)]
fn gather<V: FloatVector, const W: usize>(
    entries: &[(u32, f32)],
    from: &[f32],
    stride: usize,
    to: &mut [f32],
) -> usize {
    let mut sums = [V::splat(0.0); W];
    for (at, sum) in sums.iter_mut().enumerate() {
        *sum = V::load(&to[at * V::N_LANES..]);
    }
    for &(inner, factor) in entries {
        let row = &from[inner as usize * stride..][..W * V::N_LANES];
        let factor = V::splat(factor);
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum = sum.add(factor.mul(V::load(&row[at * V::N_LANES..])));
        }
    }
    for (at, sum) in sums.iter().enumerate() {
        sum.store(&mut to[at * V::N_LANES..]);
    }
    W * V::N_LANES
}

#[inline(always)]
fn gather_rest(entries: &[(u32, f32)], from: &[f32], stride: usize, to: &mut [f32]) -> usize {
    for &(inner, factor) in entries {
        let row = &from[inner as usize * stride..][..to.len()];
        for (sum, &value) in to.iter_mut().zip(row) {
            *sum += factor * value;
        }
    }
    to.len()
}

/// Adds the first `W` vectors of `from` to the entries' rows of `to`, `stride` apart. Returns the
/// number of columns.
#[inline(always)]
fn scatter<V: FloatVector, const W: usize>(
    entries: &[(u32, f32)],
    from: &[f32],
    to: &mut [f32],
    stride: usize,
) -> usize {
    let mut values = [V::splat(0.0); W];
    for (at, value) in values.iter_mut().enumerate() {
        *value = V::load(&from[at * V::N_LANES..]);
    }
    for &(row, factor) in entries {
        let row = &mut to[row as usize * stride..][..W * V::N_LANES];
        let factor = V::splat(factor);
        for (at, &value) in values.iter().enumerate() {
            let sum = &mut row[at * V::N_LANES..];
            V::load(sum).add(factor.mul(value)).store(sum);
        }
    }
    W * V::N_LANES
}

#[inline(always)]
fn scatter_rest(entries: &[(u32, f32)], from: &[f32], to: &mut [f32], stride: usize) -> usize {
    for &(row, factor) in entries {
        let row = &mut to[row as usize * stride..][..from.len()];
        for (sum, &value) in row.iter_mut().zip(from) {
            *sum += factor * value;
        }
    }
    from.len()
}
