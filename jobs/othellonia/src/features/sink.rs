//! Receivers of features: dense and sparse rows.

use super::field::Field;

/// Receives the columns of a row that are not 0, in their order. Dense and sparse rows are two
/// receivers of the same columns, so that they cannot differ.
pub(super) trait FeatureSink {
    /// Receives a column.
    fn set(&mut self, column: usize, value: f32);
}

/// A row with a number for each column.
pub(super) struct DenseRow<'a>(&'a mut [f32]);

impl<'a> DenseRow<'a> {
    /// Returns a row of zeros.
    pub(super) fn zeros(row: &'a mut [f32]) -> Self {
        row.fill(0.0);
        Self(row)
    }
}

impl FeatureSink for DenseRow<'_> {
    #[inline]
    fn set(&mut self, column: usize, value: f32) {
        self.0[column] = value;
    }
}

/// A row as its columns that are not 0, in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRow {
    entries: Vec<(u32, f32)>,
}

impl SparseRow {
    /// Returns the columns that are not 0, with their values, in ascending order.
    #[must_use]
    pub fn entries(&self) -> &[(u32, f32)] {
        &self.entries
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }
}

impl FeatureSink for SparseRow {
    #[inline]
    fn set(&mut self, column: usize, value: f32) {
        let column = u32::try_from(column).expect("a pool has at most MAX_KINDS kinds");
        debug_assert!(self.entries.last().is_none_or(|last| last.0 < column), "out of order");
        self.entries.push((column, value));
    }
}

/// A block of columns of a row, written field by field in their order.
pub(super) struct Block<'a, S> {
    sink: &'a mut S,
    start: usize,
}

impl<'a, S: FeatureSink> Block<'a, S> {
    /// Returns the block that starts at a column of the row.
    pub(super) const fn new(sink: &'a mut S, start: usize) -> Self {
        Self { sink, start }
    }

    /// Sets a column, counted from the start of the block.
    #[inline]
    pub(super) fn set(&mut self, column: usize, value: f32) {
        if value != 0.0 {
            self.sink.set(self.start + column, value);
        }
    }

    /// Sets the only column of a field.
    #[inline]
    pub(super) fn put(&mut self, field: Field, value: f32) {
        self.set(field.start(), value);
    }

    /// Sets the columns of a field.
    #[inline]
    pub(super) fn put_all<const N: usize>(&mut self, field: Field, values: [f32; N]) {
        debug_assert!(N == field.len());
        for (at, value) in values.into_iter().enumerate() {
            self.set(field.start() + at, value);
        }
    }

    /// Sets one column of a field to 1.
    #[inline]
    pub(super) fn mark(&mut self, field: Field, at: usize) {
        debug_assert!(at < field.len());
        self.set(field.start() + at, 1.0);
    }

    /// Sets the columns of a field to 1 whose bits are set.
    #[inline]
    pub(super) fn mark_all(&mut self, field: Field, mut bits: u64) {
        while bits != 0 {
            self.mark(field, bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}
