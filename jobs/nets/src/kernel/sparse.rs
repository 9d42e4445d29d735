//! Products of sparse rows and dense matrices.

use super::factors::RowList;
use super::vectors::{FloatVector, VectorTask};

/// Adds the product of `factors` and `right` to `to`, rows of `n_cols` columns.
pub(super) struct AddSparseProduct<'m> {
    pub(super) factors: RowList<'m>,
    pub(super) right: &'m [f32],
    pub(super) to: &'m mut [f32],
    pub(super) n_cols: usize,
}

impl VectorTask for AddSparseProduct<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let Self { factors, right, to, n_cols } = self;
        for (row, to) in to.chunks_exact_mut(n_cols.max(1)).enumerate() {
            let entries = factors.row(row);
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
    }
}

/// Adds the product of the transpose of `factors` and `right` to `to`, rows of `n_cols` columns.
pub(super) struct AddTransposedSparseProduct<'m> {
    pub(super) factors: RowList<'m>,
    pub(super) right: &'m [f32],
    pub(super) to: &'m mut [f32],
    pub(super) n_cols: usize,
}

impl VectorTask for AddTransposedSparseProduct<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let Self { factors, right, to, n_cols } = self;
        for (inner, from) in right.chunks_exact(n_cols.max(1)).enumerate() {
            let entries = factors.row(inner);
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
    }
}

/// Adds the entries' rows of `from`, `stride` apart, to `to`: the first `W` vectors of each.
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
