//! Matrices of 32-bit floats.

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
