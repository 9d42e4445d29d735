//! Matrices of 32-bit floats.

use std::ops::Range;

/// A matrix, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    n_rows: usize,
    n_cols: usize,
    values: Vec<f32>,
}

impl Matrix {
    /// Returns a matrix of zeros.
    #[must_use]
    pub fn zeros(n_rows: usize, n_cols: usize) -> Self {
        Self { n_rows, n_cols, values: vec![0.0; n_rows * n_cols] }
    }

    /// Returns the matrix of `values`, row by row.
    ///
    /// # Panics
    /// If there are not `n_rows` times `n_cols` values.
    #[must_use]
    pub fn from_values(n_rows: usize, n_cols: usize, values: Vec<f32>) -> Self {
        assert_eq!(values.len(), n_rows * n_cols, "a matrix has a value for each row and column");
        Self { n_rows, n_cols, values }
    }

    /// Makes this a matrix of zeros of another size; keeps its memory.
    pub fn reset(&mut self, n_rows: usize, n_cols: usize) {
        self.values.clear();
        self.values.resize(n_rows * n_cols, 0.0);
        (self.n_rows, self.n_cols) = (n_rows, n_cols);
    }

    /// Makes this a copy of another matrix; keeps its memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.values.clone_from(&other.values);
        (self.n_rows, self.n_cols) = (other.n_rows, other.n_cols);
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Returns the number of columns.
    #[must_use]
    pub const fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Returns row number `row`.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.n_cols..][..self.n_cols]
    }

    /// Returns row number `row`.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.values[row * self.n_cols..][..self.n_cols]
    }

    /// Returns the values of some rows.
    pub(crate) fn rows_mut(&mut self, rows: Range<usize>) -> &mut [f32] {
        &mut self.values[rows.start * self.n_cols..rows.end * self.n_cols]
    }

    /// Returns all values, row by row.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns all values, row by row.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }
}

/// A flag for each row of a matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowFlags(Vec<bool>);

impl RowFlags {
    /// Returns flags that are not set, for `n_rows` rows.
    pub(crate) fn new(n_rows: usize) -> Self {
        Self(vec![false; n_rows])
    }

    /// Sets the flag of a row.
    pub(crate) fn mark(&mut self, row: usize) {
        self.0[row] = true;
    }

    /// Sets the flags of some rows.
    pub(crate) fn mark_range(&mut self, rows: Range<usize>) {
        self.0[rows].fill(true);
    }

    /// Removes all flags.
    pub(crate) fn clear(&mut self) {
        self.0.fill(false);
    }

    /// Returns the number of rows.
    pub(crate) const fn n_rows(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the flag of a row is set.
    pub(crate) fn is_marked(&self, row: usize) -> bool {
        self.0[row]
    }

    /// Returns the rows from `start` on that have the same flag as that one.
    pub(crate) fn run_from(&self, start: usize) -> Range<usize> {
        let rest = &self.0[start..];
        let len = rest.iter().position(|flag| *flag != rest[0]).unwrap_or(rest.len());
        start..start + len
    }
}
