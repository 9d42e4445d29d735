//! Products of matrices and the other loops over many numbers, with vectors where the processor has
//! them.
//!
//! **Invariant**: every number equals the plain definition to the bit: a sum over the inner
//! dimension in ascending order, each product rounded before it is added. Vectors run across
//! columns, so that each lane is a sum of its own.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod dense;
mod elements;
mod factors;
mod instructions;
mod sparse;
#[cfg(test)]
mod tests;
mod vectors;

use dense::{AddProduct, Packing, Right};
pub(crate) use elements::AdamFactors;
use elements::{AdamStep, Add, Mask, Relu};
use factors::Factors;
pub(crate) use factors::RowList;
pub use instructions::InstructionSet;
use sparse::{AddSparseProduct, AddTransposedSparseProduct};

use crate::matrix::Matrix;

/// An instruction set, with the memory that its products need.
#[derive(Clone, Debug)]
pub(crate) struct Kernels {
    instructions: InstructionSet,
    packing: Packing,
}

/// The way to compute a product with sparse rows; both give the same bits.
///
/// Zeros may be skipped, as long as weights and gradients are finite: a factor of 0 times a finite
/// number is 0 or -0, and adding either to a sum changes at most -0 to 0. A sum that starts at 0 is
/// never -0: in rounding to nearest, a sum is -0 only if both operands are. A sum that starts at a
/// bias of -0 may be -0 or 0; ReLU, which follows, makes both 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SparseForm {
    /// Only the rows' entries.
    Gathered,
    /// Zeros are multiplied too, in tiles.
    Dense,
}

impl Default for Kernels {
    fn default() -> Self {
        Self::new(InstructionSet::fastest())
    }
}

impl Kernels {
    pub(crate) fn new(instructions: InstructionSet) -> Self {
        Self { instructions, packing: Packing::default() }
    }

    /// Adds the product of `a` and `b` to `c`.
    pub(crate) fn add_product(&mut self, a: &Matrix, b: &Matrix, c: &mut Matrix) {
        self.add(Factors::Rows(a), Right::Rows(b.values()), c.n_cols(), c.values_mut());
    }

    /// Adds the product of the transpose of `a` and `b` to `c`.
    pub(crate) fn add_transposed_product(&mut self, a: &Matrix, b: &Matrix, c: &mut Matrix) {
        self.add(Factors::Transposed(a), Right::Rows(b.values()), c.n_cols(), c.values_mut());
    }

    /// Adds the product of `a` and the transpose of `b` to `c`.
    pub(crate) fn add_product_with_transposed(&mut self, a: &Matrix, b: &Matrix, c: &mut Matrix) {
        self.add(Factors::Rows(a), Right::Transposed(b), c.n_cols(), c.values_mut());
    }

    /// Adds the product of `a` and the rows of `b` from `first_row` on to `c`.
    pub(crate) fn add_sparse_product(
        &mut self,
        form: SparseForm,
        a: RowList<'_>,
        b: &Matrix,
        first_row: usize,
        c: &mut Matrix,
    ) {
        let n_cols = c.n_cols();
        let right = &b.values()[first_row * n_cols..][..a.rows.n_cols() * n_cols];
        let to = c.values_mut();
        assert_eq!(to.len(), a.n_rows() * n_cols, "a row for each sparse row");
        match form {
            SparseForm::Dense => self.add(Factors::SparseRows(a), Right::Rows(right), n_cols, to),
            SparseForm::Gathered => {
                let cursors = &mut self.packing.cursors;
                self.instructions.run(AddSparseProduct { factors: a, right, to, n_cols, cursors });
            }
        }
    }

    /// Adds the product of the transpose of `a` and `b` to the rows of `c` from `first_row` on.
    pub(crate) fn add_transposed_sparse_product(
        &mut self,
        form: SparseForm,
        a: RowList<'_>,
        b: &Matrix,
        first_row: usize,
        c: &mut Matrix,
    ) {
        let n_cols = b.n_cols();
        let right = b.values();
        assert_eq!(right.len(), a.n_rows() * n_cols, "a row for each sparse row");
        let to = &mut c.values_mut()[first_row * n_cols..][..a.rows.n_cols() * n_cols];
        match form {
            SparseForm::Dense => {
                self.add(Factors::SparseTransposed(a), Right::Rows(right), n_cols, to);
            }
            SparseForm::Gathered => {
                let cursors = &mut self.packing.cursors;
                let factors = a;
                self.instructions.run(AddTransposedSparseProduct {
                    factors,
                    right,
                    to,
                    n_cols,
                    cursors,
                });
            }
        }
    }

    /// Adds each row of `rows` to `sums`.
    pub(crate) fn add_rows(&self, rows: &Matrix, sums: &mut [f32]) {
        for row in 0..rows.n_rows() {
            self.add_values(rows.row(row), sums);
        }
    }

    /// Adds `values` to `to`.
    pub(crate) fn add_values(&self, values: &[f32], to: &mut [f32]) {
        assert_eq!(values.len(), to.len(), "a value for each sum");
        self.instructions.run(Add { to, values });
    }

    /// Makes values that are not positive 0.
    pub(crate) fn relu(&self, values: &mut Matrix) {
        self.instructions.run(Relu { values: values.values_mut() });
    }

    /// Makes values 0 where `signs` are not positive.
    pub(crate) fn mask(&self, signs: &Matrix, values: &mut Matrix) {
        assert_eq!(signs.values().len(), values.values().len(), "a sign for each value");
        self.instructions.run(Mask { values: values.values_mut(), signs: signs.values() });
    }

    fn add(&mut self, factors: Factors<'_>, right: Right<'_>, n_cols: usize, to: &mut [f32]) {
        let packing = &mut self.packing;
        self.instructions.run(AddProduct { factors, right, to, n_cols, packing });
    }
}

/// Changes parameters, and the means of their gradients and of the squares, by a step of Adam;
/// without gradients they are 0.
pub(crate) fn adam_step(
    instructions: InstructionSet,
    factors: AdamFactors,
    parameters: &mut [f32],
    gradients: Option<&[f32]>,
    [means, squares]: [&mut [f32]; 2],
) {
    instructions.run(AdamStep { factors, parameters, gradients, means, squares });
}
