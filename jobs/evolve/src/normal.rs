//! Normal random numbers.

use hatchery_core::StreamRng;

/// Draws a standard normal number, by the polar method (Marsaglia & Bray, SIAM Review 6, 1964): the
/// same on every machine, as all of `libm` is.
pub fn normal(rng: &mut StreamRng) -> f64 {
    loop {
        let (x, y) = (2.0 * rng.unit_f64() - 1.0, 2.0 * rng.unit_f64() - 1.0);
        let square = x * x + y * y;
        if 0.0 < square && square < 1.0 {
            return x * libm::sqrt(-2.0 * libm::log(square) / square);
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    /// Mean, variance and kurtosis of 100,000 numbers, each within 4.5 standard errors: a moment is
    /// outside once in 50,000 seeds.
    #[test]
    fn moments_are_those_of_the_normal_distribution() {
        let mut rng = RunSeed::new("normal", 1).generation(0).stream("");
        let (n, mut sums) = (100_000, [0.0; 3]);
        for _ in 0..n {
            let x = normal(&mut rng);
            for (sum, power) in sums.iter_mut().zip([x, x * x, x * x * x * x]) {
                *sum += power / f64::from(n);
            }
        }
        let [mean, variance, fourth] = sums;
        assert!(mean.abs() < 0.015 && (variance - 1.0).abs() < 0.021, "{mean}, {variance}");
        assert!((fourth - 3.0).abs() < 0.14, "{fourth}");
    }
}
