//! Dropout of hidden values (Srivastava et al. 2014), while a network learns.

use hatchery_core::FastRng;

use crate::matrix::Matrix;

/// Inverted dropout: makes hidden values 0 with a probability and scales the others up, so that
/// their means stay; an evaluation then takes the network as it is.
///
/// One 32-bit number is drawn for each value: layer by layer, row by row, column by column, so that
/// the masks do not depend on the form of the first layer.
#[derive(Clone, Debug)]
pub struct Dropout {
    /// A value is dropped if its number is below this one.
    threshold: u32,
    scale: f32,
    rng: FastRng,
}

impl Dropout {
    /// Returns the dropout of a value with probability `rate`, whose masks come from `rng`.
    ///
    /// # Panics
    /// If `rate` is not at least 0 and below 1.
    #[must_use]
    pub fn new(rate: f32, rng: FastRng) -> Self {
        assert!((0.0..1.0).contains(&rate), "a value is dropped with a probability below 1");
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the largest rate below 1 is 1 - 2^-24"
        )]
        let threshold = (f64::from(rate) * 4_294_967_296.0) as u32;
        Self { threshold, scale: 1.0 / (1.0 - rate), rng }
    }

    /// Returns the factor of values that stay.
    pub(crate) const fn scale(&self) -> f32 {
        self.scale
    }

    /// Drops some of `values` and scales the others up.
    pub(crate) fn drop_some(&mut self, values: &mut Matrix) {
        for pair in values.values_mut().chunks_mut(2) {
            let bits = self.rng.next_u64();
            #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
            let numbers = [(bits >> 32) as u32, bits as u32];
            for (value, number) in pair.iter_mut().zip(numbers) {
                *value = if number < self.threshold { 0.0 } else { *value * self.scale };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    #[test]
    fn the_share_of_dropped_values_is_the_rate() {
        // 40,000 values: 5 standard deviations, passed by chance once in a million seeds.
        let mut stream = RunSeed::new("dropout", 1).generation(0).stream("masks");
        for rate in [0.0_f32, 0.1, 0.5, 0.9] {
            let mut dropout = Dropout::new(rate, FastRng::seeded_by(&mut stream));
            let mut values = Matrix::from_values(1, 40_000, vec![3.0; 40_000]);
            dropout.drop_some(&mut values);
            let kept = 3.0 / (1.0 - rate);
            let n_dropped = values.values().iter().filter(|value| **value == 0.0).count();
            let n_kept = values.values().iter().filter(|value| (**value - kept).abs() < 1e-5);
            assert_eq!(n_kept.count() + n_dropped, 40_000, "a value is dropped or scaled");
            let expected = 40_000.0 * f64::from(rate);
            let deviation = (expected * f64::from(1.0 - rate)).sqrt();
            let off = (f64::from(u32::try_from(n_dropped).unwrap()) - expected).abs();
            assert!(off <= 5.0 * deviation, "{n_dropped} of 40,000 dropped at {rate}");
        }
    }
}
