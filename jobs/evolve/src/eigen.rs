//! The eigenvalues and eigenvectors of a symmetric matrix.

/// A square matrix, row by row.
pub(crate) type DenseMatrix = Vec<Vec<f64>>;

/// The largest number of sweeps of rotations; five are usual.
const MAX_SWEEPS: usize = 30;

/// Returns the eigenvalues of symmetric `a`, and the matrix whose columns are their eigenvectors,
/// by cyclic Jacobi rotations (Golub & Van Loan, *Matrix Computations*, §8.5).
///
/// Additions, products, quotients and square roots in a fixed order give the same bits on every
/// machine. `nalgebra` without its `std` feature does so too, but by another algorithm, whose
/// rounding would change the digest of every run that uses CMA-ES.
pub(crate) fn eigen(mut a: DenseMatrix) -> (Vec<f64>, DenseMatrix) {
    let n = a.len();
    let mut vectors: DenseMatrix =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..MAX_SWEEPS {
        let off = |i: usize| (0..i).map(move |j| (i, j));
        let sum: f64 = (0..n).flat_map(off).map(|(i, j)| a[i][j] * a[i][j]).sum();
        let trace: f64 = (0..n).map(|i| a[i][i] * a[i][i]).sum();
        if sum <= trace * 1e-30 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    ((0..n).map(|i| a[i][i]).collect(), vectors)
}

/// Makes `a[p][q]` zero.
fn rotate(a: &mut DenseMatrix, vectors: &mut DenseMatrix, p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let root = libm::sqrt(theta * theta + 1.0);
    let t = if theta < 0.0 { -1.0 / (root - theta) } else { 1.0 / (root + theta) };
    let cos = 1.0 / libm::sqrt(t * t + 1.0);
    let sin = t * cos;
    let turn = |x: &mut f64, y: &mut f64| (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
    for row in a.iter_mut().chain(vectors.iter_mut()) {
        let (left, right) = row.split_at_mut(q);
        turn(&mut left[p], &mut right[0]);
    }
    let (above, below) = a.split_at_mut(q);
    for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
        turn(x, y);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn vectors_times_values_give_the_matrix(
            (n, entries) in (1_usize..12).prop_flat_map(|n| {
                (Just(n), prop::collection::vec(-10.0..10.0_f64, n * n))
            }),
        ) {
            let at = |i: usize, j: usize| entries[i.min(j) * n + i.max(j)];
            let matrix: DenseMatrix = (0..n).map(|i| (0..n).map(|j| at(i, j)).collect()).collect();
            let (values, vectors) = eigen(matrix);
            for i in 0..n {
                for j in 0..n {
                    let term = |k: usize| vectors[i][k] * values[k] * vectors[j][k];
                    let entry: f64 = (0..n).map(term).sum();
                    prop_assert!((entry - at(i, j)).abs() < 1e-9, "{entry} at {i}, {j}");
                    let product: f64 = (0..n).map(|k| vectors[k][i] * vectors[k][j]).sum();
                    let expected = f64::from(u8::from(i == j));
                    prop_assert!((product - expected).abs() < 1e-12);
                }
            }
        }
    }
}
