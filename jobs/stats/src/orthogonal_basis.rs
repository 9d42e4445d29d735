//! Orthonormal bases of a growing and shrinking list of vectors.

/// The factors of a matrix whose columns are linearly independent vectors: Q, whose columns are
/// orthogonal and of length 1, and R, which is upper triangular.
///
/// Columns are added by the Gram-Schmidt process with reorthogonalization, which is as accurate as
/// Householder's reflections (Giraud, Langou, Rozložník & van den Eshof, "Rounding error analysis
/// of the classical Gram-Schmidt orthogonalization process", Numerische Mathematik 101, 2005), and
/// removed by Givens rotations (Golub & Van Loan, *Matrix Computations*, 2013, §6.5.2).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OrthogonalBasis {
    /// The columns of Q.
    directions: Vec<Vec<f64>>,
    /// The columns of R down to the diagonal: the first has one number, the second two, and so on.
    factors: Vec<Vec<f64>>,
}

/// A vector as a sum of two parts: in the span of a basis, and orthogonal to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SplitVector {
    /// The lengths of the part in the span along each direction of the basis.
    pub(crate) along: Vec<f64>,
    /// The part that is orthogonal to the span.
    pub(crate) rest: Vec<f64>,
}

impl OrthogonalBasis {
    /// Splits a vector with the same length as the others.
    pub(crate) fn split(&self, vector: &[f64]) -> SplitVector {
        let (mut along, mut rest) = (vec![0.0; self.directions.len()], vector.to_vec());
        // Where little is left, the first pass leaves rounding errors along the directions.
        for _ in 0..2 {
            let lengths: Vec<f64> = self.directions.iter().map(|it| dot(it, &rest)).collect();
            for ((sum, length), direction) in along.iter_mut().zip(lengths).zip(&self.directions) {
                *sum += length;
                add_multiple(&mut rest, -length, direction);
            }
        }
        SplitVector { along, rest }
    }

    /// Adds a vector as the last column. Its part outside of the span so far must not be zero.
    pub(crate) fn push(&mut self, vector: SplitVector) {
        let SplitVector { along: mut column, mut rest } = vector;
        let length = libm::sqrt(dot(&rest, &rest));
        rest.iter_mut().for_each(|value| *value /= length);
        column.push(length);
        self.directions.push(rest);
        self.factors.push(column);
    }

    /// Removes the `idx`-th column.
    pub(crate) fn remove(&mut self, idx: usize) {
        self.factors.remove(idx);
        for row in idx..self.factors.len() {
            // Columns to the right of the removed one reach one row below the diagonal.
            let (a, b) = (self.factors[row][row], self.factors[row][row + 1]);
            let length = libm::sqrt(a * a + b * b);
            let (cosine, sine) = (a / length, b / length);
            let rotated = |a: f64, b: f64| (cosine * a + sine * b, cosine * b - sine * a);
            for column in &mut self.factors[row..] {
                (column[row], column[row + 1]) = rotated(column[row], column[row + 1]);
            }
            self.factors[row].truncate(row + 1);
            let (upper, lower) = self.directions.split_at_mut(row + 1);
            for (a, b) in upper[row].iter_mut().zip(&mut lower[0]) {
                (*a, *b) = rotated(*a, *b);
            }
        }
        self.directions.pop();
    }

    /// Returns the factors of the columns whose sum is the vector in the span with the lengths
    /// `along`: the solution of R x = `along`.
    pub(crate) fn solve(&self, along: &[f64]) -> Vec<f64> {
        let mut solution = along.to_vec();
        for (idx, column) in self.factors.iter().enumerate().rev() {
            let (above, from_idx) = solution.split_at_mut(idx);
            from_idx[0] /= column[idx];
            add_multiple(above, -from_idx[0], column);
        }
        solution
    }
}

/// Returns the scalar product of two vectors.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds `factor` times `direction` to `vector`, which may be shorter.
pub(crate) fn add_multiple(vector: &mut [f64], factor: f64, direction: &[f64]) {
    vector.iter_mut().zip(direction).for_each(|(value, part)| *value += factor * part);
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [[f64; 4]; 3] =
        [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 5.0], [0.0, -1.0, 4.0, 1e-3]];

    fn basis(columns: &[[f64; 4]]) -> OrthogonalBasis {
        let mut basis = OrthogonalBasis::default();
        for column in columns {
            basis.push(basis.split(column));
        }
        basis
    }

    /// Checks that Q has orthogonal columns of length 1, and that Q R is the matrix.
    fn check(basis: &OrthogonalBasis, columns: &[[f64; 4]]) {
        for (i, a) in basis.directions.iter().enumerate() {
            for (j, b) in basis.directions.iter().enumerate() {
                assert!((dot(a, b) - f64::from(u8::from(i == j))).abs() < 1e-15);
            }
        }
        assert_eq!(basis.factors.len(), columns.len());
        for (factors, column) in basis.factors.iter().zip(columns) {
            let mut sum = [0.0; 4];
            for (factor, direction) in factors.iter().zip(&basis.directions) {
                add_multiple(&mut sum, *factor, direction);
            }
            assert!(sum.iter().zip(column).all(|(a, b)| (a - b).abs() < 1e-14), "{sum:?}");
        }
    }

    #[test]
    fn factors_multiply_to_the_columns() {
        check(&basis(&COLUMNS), &COLUMNS);
        for removed in 0..COLUMNS.len() {
            let mut shorter = basis(&COLUMNS);
            shorter.remove(removed);
            let mut columns = COLUMNS.to_vec();
            columns.remove(removed);
            check(&shorter, &columns);
        }
    }

    #[test]
    fn a_sum_of_columns_has_its_factors() {
        let basis = basis(&COLUMNS);
        // 2 a - b + 3 c.
        let split = basis.split(&[1.0, -3.0, 11.0, -2.997]);
        assert!(dot(&split.rest, &split.rest) < 1e-28, "{split:?}");
        let factors = basis.solve(&split.along);
        assert!(factors.iter().zip([2.0, -1.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-14));
    }
}
