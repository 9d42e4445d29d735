//! Quantiles of noise.

use std::sync::LazyLock;

use hatchery_core::FastRng;

/// The number of values, a power of two.
const N_VALUES: usize = 4_096;

/// The bits that choose a value.
const BITS: u32 = N_VALUES.ilog2();

/// The values that a 64-bit number chooses.
const VALUES_PER_NUMBER: usize = (u64::BITS / BITS) as usize;

/// Equally likely values of `f(x) = sign(x) sqrt(|x|)` for normal `x`: the quantiles at
/// `(k + 1/2) / 4096`. To draw one takes some bits and no logarithm.
#[derive(Debug)]
pub(super) struct NoiseTable {
    values: Box<[f32; N_VALUES]>,
}

impl NoiseTable {
    /// Returns the table, which is computed once in a process and the same in each.
    pub(super) fn shared() -> &'static Self {
        static TABLE: LazyLock<NoiseTable> = LazyLock::new(NoiseTable::compute);
        &TABLE
    }

    fn compute() -> Self {
        let mut values = Box::new([0.0; N_VALUES]);
        for above in 0..N_VALUES / 2 {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let tail = (above as f64 + 0.5) / N_VALUES as f64;
            #[expect(clippy::cast_possible_truncation, reason = "rounded to that of weights")]
            let value = upper_quantile(tail).sqrt() as f32;
            // Symmetric, so that the mean is exactly 0.
            values[above] = value;
            values[N_VALUES - 1 - above] = -value;
        }
        Self { values }
    }

    /// Fills a row with values that are drawn independently.
    pub(super) fn fill(&self, row: &mut [f32], rng: &mut FastRng) {
        for values in row.chunks_mut(VALUES_PER_NUMBER) {
            let mut bits = rng.next_u64();
            for value in values {
                let index = usize::try_from(bits % N_VALUES as u64).expect("below 4,096");
                *value = self.values[index];
                bits >>= BITS;
            }
        }
    }
}

/// Returns the number that a normal number exceeds with the probability `tail`, below a half: by
/// bisection of the complementary error function, to the last bits.
fn upper_quantile(tail: f64) -> f64 {
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match tail < 0.5 * libm::erfc(middle * std::f64::consts::FRAC_1_SQRT_2) {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    #[test]
    fn values_are_quantiles() {
        let table = NoiseTable::shared();
        // Of a normal number, the quantile at 0.975 is 1.959964 and that at 0.75 is 0.674490:
        // between two neighbors each.
        for (share, quantile) in [(0.975, 1.959_964_f64), (0.75, 0.674_490)] {
            let at = libm::floor((1.0 - share) * 4_096.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            let at = at as usize;
            let [above, below] = [table.values[at - 1], table.values[at + 1]].map(f64::from);
            let expected = quantile.sqrt();
            assert!(below < expected && expected < above, "{below} to {above}, not {expected}");
        }
    }

    #[test]
    fn moments_are_those_of_rooted_normal_numbers() {
        // E f = 0, E f^2 = E|x| = sqrt(2 / pi), E f^4 = E x^2 = 1; the largest values lack the
        // tails beyond them.
        let values = || NoiseTable::shared().values.iter().map(|&value| f64::from(value));
        assert_eq!(values().sum::<f64>().abs().to_bits(), 0.0_f64.to_bits());
        let mean_of = |power: i32| {
            values().map(|value| (0..power).fold(1.0, |product, _| product * value)).sum::<f64>()
                / 4_096.0
        };
        assert!((mean_of(2) - 0.797_884_6).abs() < 1e-3, "{}", mean_of(2));
        assert!((mean_of(4) - 1.0).abs() < 5e-3, "{}", mean_of(4));
    }

    #[test]
    fn all_values_are_drawn_alike() {
        // 409,600 draws over 64 groups of 64 values: chi-square with 63 degrees of freedom, and
        // 103.4 is passed by chance once in 1,000 seeds.
        let mut rng = FastRng::seeded_by(&mut RunSeed::new("noise", 1).generation(0).stream("t"));
        let mut row = vec![0.0; 409_600];
        let table = NoiseTable::shared();
        table.fill(&mut row, &mut rng);
        let mut counts = [0_u32; 64];
        for value in row {
            let at = table.values.iter().position(|it| it.to_bits() == value.to_bits());
            counts[at.unwrap() / 64] += 1;
        }
        let off = counts.iter().map(|&count| (f64::from(count) - 6_400.0) / 80.0);
        let chi_square: f64 = off.map(|off| off * off).sum();
        assert!(chi_square < 103.4, "{chi_square}");
    }
}
