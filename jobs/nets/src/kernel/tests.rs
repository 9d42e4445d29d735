//! Every instruction set gives the bits of the plain definition.

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, prop_oneof, proptest};

use super::elements::{AdamFactors, MIN_MEAN, MIN_SQUARE};
use super::factors::RowList;
use super::{InstructionSet, Kernels, SparseForm, adam_step};
use crate::batch::SparseRows;
use crate::matrix::Matrix;

/// The sum that defines all products: ascending, each product rounded.
fn plain_product(
    a: impl Fn(usize, usize) -> f32,
    n_inner: usize,
    b: impl Fn(usize, usize) -> f32,
    c: &Matrix,
) -> Matrix {
    let mut sums = c.clone();
    for row in 0..c.n_rows() {
        for (col, sum) in sums.row_mut(row).iter_mut().enumerate() {
            for inner in 0..n_inner {
                *sum += a(row, inner) * b(inner, col);
            }
        }
    }
    sums
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Sizes around the sizes of vectors, tiles and panels.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![0..=9_usize, 14..=18_usize, 30..=35_usize, 60..=70_usize]
}

/// Inner sizes, some beyond a block.
fn inner_size() -> impl Strategy<Value = usize> {
    prop_oneof![8 => size(), 1 => 380..=390_usize, 1 => 770..=775_usize]
}

/// Numbers of any size, and both zeros.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => -2.0..2.0_f32,
        1 => Just(0.0_f32),
        1 => Just(-0.0_f32),
        1 => -1e15..1e15_f32,
        1 => -1e-38..1e-38_f32,
    ]
}

fn matrix(n_rows: usize, n_cols: usize) -> impl Strategy<Value = Matrix> {
    vec(number(), n_rows * n_cols)
        .prop_map(move |values| Matrix::from_values(n_rows, n_cols, values))
}

/// A matrix whose sums have begun at 0 or at some number.
fn sums(n_rows: usize, n_cols: usize) -> impl Strategy<Value = Matrix> {
    prop_oneof![Just(Matrix::zeros(n_rows, n_cols)), matrix(n_rows, n_cols)]
}

/// Three matrices that fit together: rows x inner, inner x columns, rows x columns.
fn operands() -> impl Strategy<Value = [Matrix; 3]> {
    (size(), inner_size(), size()).prop_flat_map(|(n_rows, n_inner, n_cols)| {
        (matrix(n_rows, n_inner), matrix(n_inner, n_cols), sums(n_rows, n_cols))
            .prop_map(|(a, b, c)| [a, b, c])
    })
}

fn transposed(matrix: &Matrix) -> Matrix {
    let mut turned = Matrix::zeros(matrix.n_cols(), matrix.n_rows());
    for row in 0..matrix.n_rows() {
        for (col, &value) in matrix.row(row).iter().enumerate() {
            turned.row_mut(col)[row] = value;
        }
    }
    turned
}

/// Returns the numbers of `matrix` as sparse rows: the numbers that are not 0, from a share of the
/// columns.
fn sparse(matrix: &Matrix, share: usize) -> (SparseRows, Matrix) {
    let mut rows = SparseRows::new(matrix.n_cols());
    let mut kept = Matrix::zeros(matrix.n_rows(), matrix.n_cols());
    for row in 0..matrix.n_rows() {
        let entries = (0_u32..).zip(matrix.row(row).iter().copied());
        let entries: Vec<_> = entries
            .filter(|&(col, value)| {
                value != 0.0 && (row + col as usize * 7).is_multiple_of(share) && row % 5 != 3
            })
            .collect();
        entries.iter().for_each(|&(col, value)| kept.row_mut(row)[col as usize] = value);
        rows.push(&entries);
    }
    (rows, kept)
}

fn each_kernels() -> impl Iterator<Item = Kernels> {
    InstructionSet::available().into_iter().map(Kernels::new)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn dense_products(operands in operands()) {
        let [a, b, c] = operands;
        let expected =
            plain_product(|r, i| a.row(r)[i], a.n_cols(), |i, col| b.row(i)[col], &c);
        let expected = bits(expected.values());
        let [a_turned, b_turned] = [&a, &b].map(transposed);
        for mut kernels in each_kernels() {
            let [mut plain, mut left, mut right] = [c.clone(), c.clone(), c.clone()];
            kernels.add_product(&a, &b, &mut plain);
            kernels.add_transposed_product(&a_turned, &b, &mut left);
            kernels.add_product_with_transposed(&a, &b_turned, &mut right);
            for (name, sums) in [("plain", plain), ("left", left), ("right", right)] {
                assert_eq!(expected, bits(sums.values()), "{name}, {:?}", kernels.instructions);
            }
        }
    }

    /// Skipped and multiplied zeros give the same sums, which begin at 0, with rows in any order.
    #[test]
    fn sparse_products(operands in operands(), share in 1..20_usize, first_row in 0..3_usize) {
        let [a, b, c] = operands;
        let (rows, kept) = sparse(&a, share);
        let order: Option<Vec<u32>> = (share % 3 == 0 && 0 < a.n_rows()).then(|| {
            let n_rows = u32::try_from(a.n_rows()).expect("few rows");
            (0..n_rows + 5).map(|at| at * 3 % n_rows).collect()
        });
        let list = RowList { rows: &rows, order: order.as_deref() };
        let listed = |at: usize| order.as_ref().map_or(at, |order| order[at] as usize);

        let above = Matrix::zeros(first_row, b.n_cols());
        let shifted = [above.values(), b.values()].concat();
        let shifted = Matrix::from_values(first_row + b.n_rows(), b.n_cols(), shifted);
        let zeros = Matrix::zeros(list.n_rows(), c.n_cols());
        let forward =
            plain_product(|r, i| kept.row(listed(r))[i], a.n_cols(), |i, j| b.row(i)[j], &zeros);

        let from = Matrix::from_values(
            list.n_rows(),
            c.n_cols(),
            (0..list.n_rows()).flat_map(|at| c.row(listed(at)).to_vec()).collect(),
        );
        let to = Matrix::zeros(first_row + a.n_cols(), c.n_cols());
        let backward = plain_product(
            |r, i| r.checked_sub(first_row).map_or(0.0, |r| kept.row(listed(i))[r]),
            list.n_rows(),
            |i, j| from.row(i)[j],
            &to,
        );
        for mut kernels in each_kernels() {
            for form in [SparseForm::Gathered, SparseForm::Dense] {
                let mut sums = zeros.clone();
                kernels.add_sparse_product(form, list, &shifted, first_row, &mut sums);
                let name = format!("{form:?}, {:?}", kernels.instructions);
                assert_eq!(bits(forward.values()), bits(sums.values()), "{name}");
                let mut sums = to.clone();
                kernels.add_transposed_sparse_product(form, list, &from, first_row, &mut sums);
                assert_eq!(bits(backward.values()), bits(sums.values()), "transposed {name}");
            }
        }
    }

    #[test]
    fn elements(values in size().prop_flat_map(|n| vec((number(), number(), number()), n))) {
        let column = |of: fn(&(f32, f32, f32)) -> f32| values.iter().map(of).collect::<Vec<_>>();
        let [a, b, c] = [column(|it| it.0), column(|it| it.1), column(|it| it.2)];
        let [row, signs] = [&a, &b].map(|row| Matrix::from_values(1, row.len(), row.clone()));
        let mask = |(value, sign): (&f32, &f32)| if *sign <= 0.0 { 0.0 } else { *value };
        let relu: Vec<f32> = a.iter().zip(&a).map(mask).collect();
        let masked: Vec<f32> = a.iter().zip(&b).map(mask).collect();
        let sums: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        let factors = AdamFactors {
            rate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.125,
            mean_scale: 10.0, square_scale: 1000.0,
        };
        let squares: Vec<f32> = c.iter().map(|value| value.abs()).collect();
        for gradients in [Some(b.as_slice()), None] {
            let expected = plain_adam(factors, &a, gradients, [&c, &squares]);
            for kernels in each_kernels() {
                let [mut to, mut means, mut squares] = [a.clone(), c.clone(), squares.clone()];
                let memory = [means.as_mut_slice(), &mut squares];
                adam_step(kernels.instructions, factors, &mut to, gradients, memory);
                assert_eq!(expected, [to, means, squares].map(|it| bits(&it)));
            }
        }
        for kernels in each_kernels() {
            let mut to = row.clone();
            kernels.relu(&mut to);
            assert_eq!(bits(&relu), bits(to.values()));
            let mut to = row.clone();
            kernels.mask(&signs, &mut to);
            assert_eq!(bits(&masked), bits(to.values()));
            let mut to = b.clone();
            kernels.add_rows(&row, &mut to);
            assert_eq!(bits(&sums), bits(&to));
        }
    }
}

/// A step of Adam, number by number.
fn plain_adam(
    factors: AdamFactors,
    parameters: &[f32],
    gradients: Option<&[f32]>,
    [means, squares]: [&[f32]; 2],
) -> [Vec<u32>; 3] {
    let AdamFactors { rate, beta1, beta2, epsilon, weight_decay, mean_scale, square_scale } =
        factors;
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for at in 0..parameters.len() {
        let parameter = parameters[at];
        let gradient = gradients.map_or(0.0, |gradients| gradients[at]) + weight_decay * parameter;
        let mean = beta1 * means[at] + (1.0 - beta1) * gradient;
        let square = beta2 * squares[at] + (1.0 - beta2) * (gradient * gradient);
        let [mean, square] = [(mean, MIN_MEAN), (square, MIN_SQUARE)]
            .map(|(value, least)| if value.abs() < least { 0.0 } else { value });
        let divisor = (square * square_scale).sqrt() + epsilon;
        let parameter = parameter - rate * (mean * mean_scale) / divisor;
        for (all, value) in all.iter_mut().zip([parameter, mean, square]) {
            all.push(value.to_bits());
        }
    }
    all
}

/// NaN stays NaN: ReLU does not hide it.
#[test]
fn nan_passes_relu() {
    for kernels in each_kernels() {
        let mut values = Matrix::from_values(1, 17, vec![f32::NAN; 17]);
        kernels.relu(&mut values);
        assert!(values.values().iter().all(|value| value.is_nan()));
    }
}
