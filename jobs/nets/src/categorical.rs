//! Distributions of values over bins, and their update by rewards (Bellemare, Dabney & Munos 2017,
//! "A Distributional Perspective on Reinforcement Learning", Algorithm 1).

/// Evenly spaced values from 0 to 1, each with a probability: 51 values in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueBins {
    n_bins: u16,
}

impl ValueBins {
    /// Returns `n_bins` bins, the first at 0 and the last at 1; `None` for fewer than two.
    #[must_use]
    pub const fn new(n_bins: u16) -> Option<Self> {
        if n_bins < 2 { None } else { Some(Self { n_bins }) }
    }

    /// Returns the number of bins.
    #[must_use]
    pub const fn n_bins(&self) -> usize {
        self.n_bins as usize
    }

    /// Returns the mean value of a distribution.
    ///
    /// # Panics
    /// If there is not a probability for each bin.
    #[must_use]
    pub fn mean(&self, probabilities: &[f32]) -> f64 {
        assert_eq!(probabilities.len(), self.n_bins(), "a probability for each bin");
        let products = (0_u16..).zip(probabilities);
        let products = products.map(|(bin, &share)| f64::from(bin) * f64::from(share));
        products.sum::<f64>() / self.last()
    }

    /// Writes the distribution of `reward` plus `discount` times a value that is distributed as
    /// `next`, or of the reward alone where nothing comes after it. Values between two bins are
    /// shared by both, the nearer one having more; values outside count as the ends.
    ///
    /// # Panics
    /// If `reward` or `discount` is not finite, or there is not a probability for each bin.
    pub fn project(&self, reward: f64, discount: f64, next: Option<&[f32]>, target: &mut [f32]) {
        assert!(reward.is_finite() && discount.is_finite(), "{reward} and {discount} are finite");
        assert_eq!(target.len(), self.n_bins(), "a target for each bin");
        target.fill(0.0);
        let Some(next) = next else { return self.add_share(reward * self.last(), 1.0, target) };
        assert_eq!(next.len(), self.n_bins(), "a probability for each bin");
        for (bin, &probability) in (0_u16..).zip(next) {
            // In units of bins, so that a discount of 1 moves nothing by rounding.
            let place = reward * self.last() + discount * f64::from(bin);
            self.add_share(place, f64::from(probability), target);
        }
    }

    /// Adds `probability` to the bins next to `place`, which counts bins from 0.
    ///
    /// A place on a bin gives all to that bin. A formula with the distances to the bins below and
    /// above would lose it there, and with it every reward at the end of a game.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "below the number of bins; rounded to the precision of outputs"
    )]
    fn add_share(&self, place: f64, probability: f64, target: &mut [f32]) {
        let place = place.clamp(0.0, self.last());
        let (below, above) = (place.floor() as usize, place - place.floor());
        target[below] += (probability * (1.0 - above)) as f32;
        if 0.0 < above {
            target[below + 1] += (probability * above) as f32;
        }
    }

    /// Returns the number of the last bin.
    fn last(self) -> f64 {
        f64::from(self.n_bins - 1)
    }
}

/// Returns the entropy of a distribution, in nats: a cross entropy with it as target is this number
/// more than the divergence of Kullback and Leibler.
#[must_use]
pub fn entropy(probabilities: &[f32]) -> f64 {
    let of_one = |&share: &f32| match f64::from(share) {
        share if 0.0 < share => -share * libm::log(share),
        _ => 0.0,
    };
    probabilities.iter().map(of_one).sum()
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    fn bins() -> ValueBins {
        ValueBins::new(51).expect("51 bins are enough")
    }

    fn project(reward: f64, discount: f64, next: Option<&[f32]>) -> Vec<f32> {
        let mut target = vec![f32::NAN; 51];
        bins().project(reward, discount, next, &mut target);
        target
    }

    #[test]
    fn a_discount_moves_a_uniform_distribution_a_little_down() {
        // m_i = p_i (1 - 0.001 i) + p_(i+1) 0.001 (i+1): for p = 1/51 the first is 1.001 / 51.
        let uniform = [1.0 / 51.0; 51];
        assert!((bins().mean(&uniform) - 0.5).abs() < 1e-7);
        let target = project(0.0, 0.999, Some(&uniform));
        assert!((target[0] - 0.019_627_451).abs() < 1e-8, "{}", target[0]);
        assert!((bins().mean(&target) - 0.4995).abs() < 1e-7, "{}", bins().mean(&target));
        let sum: f64 = target.iter().map(|&share| f64::from(share)).sum();
        assert!((sum - 1.0).abs() < 1e-6, "nothing is lost: {sum}");
    }

    #[test]
    fn rewards_at_the_end_keep_all_their_probability() {
        for (reward, bin) in [(0.0, 0), (1.0, 50), (0.5, 25), (-3.0, 0), (7.0, 50)] {
            let target = project(reward, 0.999, None);
            let mut expected = [0.0; 51];
            expected[bin] = 1.0;
            assert_eq!(target, expected, "reward {reward}");
        }
        let target = project(0.25, 1.0, None);
        let mut expected = vec![0.0; 51];
        (expected[12], expected[13]) = (0.5, 0.5);
        assert_eq!(target, expected, "between two bins");
    }

    #[test]
    fn a_discount_of_one_changes_nothing() {
        let mut rng = RunSeed::new("bins", 1).generation(0).stream("identity");
        let next: Vec<_> = (0..51).map(|_| rng.unit_f32()).collect();
        assert_eq!(project(0.0, 1.0, Some(&next)), next);
    }

    #[test]
    fn projections_are_those_of_the_triangular_form() {
        // Dopamine, `project_distribution`: m_i is the sum over j of
        // p_j clip(1 - |Tz_j - z_i| / dz, 0, 1).
        let mut rng = RunSeed::new("bins", 1).generation(0).stream("triangular");
        for (reward, discount) in
            [(0.0, 0.999), (1.0, 0.999), (0.5, 0.9), (0.013, 0.37), (-0.2, 1.0), (0.3, 0.0)]
        {
            let weights: Vec<_> = (0..51).map(|_| rng.unit_f32()).collect();
            let sum: f32 = weights.iter().sum();
            let next: Vec<_> = weights.iter().map(|weight| weight / sum).collect();
            let target = project(reward, discount, Some(&next));
            for (i, &share) in (0_u8..).zip(&target) {
                let expected: f64 = (0_u8..)
                    .zip(&next)
                    .map(|(j, &probability)| {
                        let moved = (reward + discount * f64::from(j) / 50.0).clamp(0.0, 1.0);
                        let off = (moved - f64::from(i) / 50.0).abs() * 50.0;
                        f64::from(probability) * (1.0 - off).clamp(0.0, 1.0)
                    })
                    .sum();
                let off = (f64::from(share) - expected).abs();
                assert!(off < 1e-6, "bin {i} of {reward}, {discount}: {share}, not {expected}");
            }
        }
    }

    #[test]
    fn entropies_are_in_nats() {
        // -(0.2 ln 0.2 + 0.3 ln 0.3 + 0.5 ln 0.5).
        assert!((entropy(&[0.2, 0.0, 0.3, 0.5]) - 1.029_653_0).abs() < 1e-6);
        assert!(entropy(&[0.0, 1.0]).abs() < 1e-12);
        assert_eq!(ValueBins::new(1), None);
    }
}
