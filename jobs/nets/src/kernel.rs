//! Products of matrices, whose sums run over the inner dimension in ascending order.

use crate::batch::SparseRows;
use crate::matrix::Matrix;

/// Adds the product of `a` and `b` to `c`.
pub(crate) fn add_product(a: &Matrix, b: &Matrix, c: &mut Matrix) {
    for row in 0..a.n_rows() {
        for (inner, &factor) in a.row(row).iter().enumerate() {
            add_scaled(factor, b.row(inner), c.row_mut(row));
        }
    }
}

/// Adds the product of the transpose of `a` and `b` to `c`.
pub(crate) fn add_transposed_product(a: &Matrix, b: &Matrix, c: &mut Matrix) {
    for inner in 0..a.n_rows() {
        for (row, &factor) in a.row(inner).iter().enumerate() {
            add_scaled(factor, b.row(inner), c.row_mut(row));
        }
    }
}

/// Adds the product of `a` and rows `first_row..` of `b` to `c`.
pub(crate) fn add_sparse_product(a: &SparseRows, b: &Matrix, first_row: usize, c: &mut Matrix) {
    for row in 0..a.n_rows() {
        for &(inner, factor) in a.row(row) {
            add_scaled(factor, b.row(first_row + inner as usize), c.row_mut(row));
        }
    }
}

/// Adds the product of the transpose of `a` and `b` to rows `first_row..` of `c`.
pub(crate) fn add_transposed_sparse_product(
    a: &SparseRows,
    b: &Matrix,
    first_row: usize,
    c: &mut Matrix,
) {
    for inner in 0..a.n_rows() {
        for &(row, factor) in a.row(inner) {
            add_scaled(factor, b.row(inner), c.row_mut(first_row + row as usize));
        }
    }
}

/// Adds `factor` times `row` to `to`.
fn add_scaled(factor: f32, row: &[f32], to: &mut [f32]) {
    for (to, &value) in to.iter_mut().zip(row) {
        *to += factor * value;
    }
}
