//! Distributions from rows of logarithms of odds.

use super::vectors::{FloatVector, MAX_LANES, VectorTask};

/// Writes the probabilities that are proportional to the exponentials of the numbers of each row.
///
/// A sum over a row is that of 16 sums, of every sixteenth number each, in ascending order: so many
/// lanes has the widest vector, and narrower ones give the same bits.
pub(super) struct SoftmaxRows<'m> {
    pub(super) rows: &'m [f32],
    pub(super) n_cols: usize,
    pub(super) to: &'m mut [f32],
}

/// Writes the mean column of the distribution of each row, from 0 for the first column to 1 for
/// the last; sums are those of [`SoftmaxRows`].
pub(super) struct SoftmaxMeans<'m> {
    pub(super) rows: &'m [f32],
    pub(super) n_cols: usize,
    pub(super) means: &'m mut [f32],
}

impl VectorTask for SoftmaxRows<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let rows = self.rows.chunks_exact(self.n_cols);
        for (row, to) in rows.zip(self.to.chunks_exact_mut(self.n_cols)) {
            let largest = V::splat(largest_of(row));
            let mut sums = LaneSums::<V>::new();
            let mut at = 0;
            while at < row.len() {
                let power = exponential(load_lanes::<V>(row, at).sub(largest));
                sums.add(at, power);
                store_lanes(power, to, at);
                at += V::N_LANES;
            }
            let sum = V::splat(sums.total());
            let mut at = 0;
            while at < row.len() {
                let probability = load_lanes::<V>(to, at).div(sum);
                store_lanes(probability, to, at);
                at += V::N_LANES;
            }
        }
    }
}

impl VectorTask for SoftmaxMeans<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let columns = V::load(&COLUMNS);
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^24 columns")]
        let last = (self.n_cols - 1).max(1) as f32;
        for (row, mean) in self.rows.chunks_exact(self.n_cols).zip(self.means) {
            let largest = V::splat(largest_of(row));
            let [mut sums, mut products] = [LaneSums::<V>::new(), LaneSums::new()];
            let (mut at, mut first) = (0, 0.0);
            while at < row.len() {
                let power = exponential(load_lanes::<V>(row, at).sub(largest));
                sums.add(at, power);
                products.add(at, power.mul(columns.add(V::splat(first))));
                at += V::N_LANES;
                first += COLUMNS[V::N_LANES - 1] + 1.0;
            }
            *mean = products.total() / sums.total() / last;
        }
    }
}

/// The numbers of columns.
const COLUMNS: [f32; MAX_LANES] =
    [0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15.];

/// Sums of every sixteenth number.
struct LaneSums<V>([V; MAX_LANES / 4]);

impl<V: FloatVector> LaneSums<V> {
    #[inline(always)]
    fn new() -> Self {
        Self([V::splat(0.0); MAX_LANES / 4])
    }

    /// Adds the numbers of a row from column `at` on.
    #[inline(always)]
    fn add(&mut self, at: usize, numbers: V) {
        let sum = &mut self.0[at % MAX_LANES / V::N_LANES];
        *sum = sum.add(numbers);
    }

    /// Returns the sum of all.
    #[inline(always)]
    fn total(self) -> f32 {
        let mut lanes = [0.0; MAX_LANES];
        let mut at = 0;
        while at < MAX_LANES {
            self.0[at / V::N_LANES].store(&mut lanes[at..]);
            at += V::N_LANES;
        }
        let mut n = MAX_LANES;
        while 1 < n {
            n /= 2;
            let (low, high) = lanes.split_at_mut(n);
            let mut lane = 0;
            while lane < n {
                low[lane] += high[lane];
                lane += 1;
            }
        }
        lanes[0]
    }
}

/// Loads a vector of a row from column `at` on; columns behind the last are minus infinity, whose
/// exponential is 0.
#[inline(always)]
fn load_lanes<V: FloatVector>(row: &[f32], at: usize) -> V {
    if at + V::N_LANES <= row.len() {
        return V::load(&row[at..]);
    }
    let mut lanes = [f32::NEG_INFINITY; MAX_LANES];
    lanes[..row.len() - at].copy_from_slice(&row[at..]);
    V::load(&lanes)
}

/// Stores to the columns of a row from `at` on, up to the last.
#[inline(always)]
fn store_lanes<V: FloatVector>(vector: V, row: &mut [f32], at: usize) {
    match at + V::N_LANES <= row.len() {
        true => vector.store(&mut row[at..]),
        false => vector.store_part(&mut row[at..]),
    }
}

/// Returns the largest number; if one is not a number, the result may be that or another.
///
/// It is taken in 16 lanes with all instructions, so that it is the same one.
#[inline(always)]
fn largest_of(row: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; MAX_LANES];
    let (blocks, rest) = row.as_chunks::<MAX_LANES>();
    for block in blocks {
        let mut lane = 0;
        while lane < MAX_LANES {
            lanes[lane] = larger(lanes[lane], block[lane]);
            lane += 1;
        }
    }
    let mut lane = 0;
    while lane < rest.len() {
        lanes[lane] = larger(lanes[lane], rest[lane]);
        lane += 1;
    }
    let mut n = MAX_LANES;
    while 1 < n {
        n /= 2;
        let mut lane = 0;
        while lane < n {
            lanes[lane] = larger(lanes[lane], lanes[n + lane]);
            lane += 1;
        }
    }
    lanes[0]
}

#[inline(always)]
const fn larger(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

/// Numbers at most this have the exponential 0: theirs would be close to the least normal number.
const LEAST: f32 = -87.0;

/// Added to a number below 2^22, it leaves the nearest integer in the lowest bits.
const ROUNDING: f32 = 12_582_912.0;

/// The two parts of the logarithm of 2, the first one exact in products with integers below 2^9.
const LN_2: [f32; 2] = [355.0 / 512.0, -2.121_944_4e-4];

/// The polynomial `(e^r - 1 - r) / r^2` for magnitudes up to half of the logarithm of 2, the
/// highest power first (Moshier, Cephes Mathematical Library 2.2, `expf.c`).
const POLYNOMIAL: [f32; 6] =
    [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];

/// Returns the exponentials of numbers up to 0, off by at most 2e-7 of them.
#[inline(always)]
fn exponential<V: FloatVector>(numbers: V) -> V {
    let rounded = numbers.mul(V::splat(std::f32::consts::LOG2_E)).add(V::splat(ROUNDING));
    let exponent = rounded.sub(V::splat(ROUNDING));
    let rest = numbers.sub(exponent.mul(V::splat(LN_2[0]))).sub(exponent.mul(V::splat(LN_2[1])));
    let mut sum = V::splat(POLYNOMIAL[0]);
    let mut at = 1;
    while at < POLYNOMIAL.len() {
        sum = sum.mul(rest).add(V::splat(POLYNOMIAL[at]));
        at += 1;
    }
    let power = sum.mul(rest.mul(rest)).add(rest).add(V::splat(1.0)).mul(rounded.power_of_two());
    power.zero_unless_positive(numbers.sub(V::splat(LEAST)))
}
