//! Empirical Bayes: estimates for a series that use all series.
//!
//! The most even of many series looks more even than it is. If all series are draws from a common
//! Dirichlet distribution, whose precision is estimated from all series together, each series is
//! shrunk towards the others by as much as chance explains, and the best is no longer flattered. A
//! Dirichlet distribution has about the same variance in all directions: where series differ in one
//! direction far more than in others, it shrinks them too much along that one and too little along
//! the rest.

use crate::chi_square::noncentral;
use crate::count::to_f64;
use crate::error::StatsError;
use crate::multinomial::OutcomeCounts;

/// The search range of the precision: at the upper end, the true shares of four outcomes differ by
/// at most 0.02 points, less than chance hides.
const PRECISIONS: (f64, f64) = (1.0, 1e7);

/// The common Dirichlet distribution of every series' true shares.
#[derive(Clone, Debug, PartialEq)]
pub struct DirichletPrior {
    mean: Vec<f64>,
    precision: f64,
}

impl DirichletPrior {
    /// Fits the distribution to `series`: the mean is the pooled shares (half a trial added to each
    /// count), the precision the most likely one (Minka, "Estimating a Dirichlet distribution",
    /// 2000, §3), by golden section on its logarithm.
    ///
    /// # Errors
    /// If there are fewer than two series, or they have different numbers of outcomes.
    pub fn fit(series: &[OutcomeCounts<'_>]) -> Result<Self, StatsError> {
        let [first, _, ..] = series else {
            return Err(StatsError::TooFewSeries { n: series.len() });
        };
        let k = first.k();
        let mut pooled = vec![0.5; first.iter().len()];
        for (idx, counts) in series.iter().enumerate() {
            if counts.k() != k {
                let [k, expected] = [counts.iter().len(), first.iter().len()];
                return Err(StatsError::OutcomeMismatch { series: idx, k, expected });
            }
            pooled.iter_mut().zip(counts.iter()).for_each(|(sum, count)| *sum += to_f64(count));
        }
        let total: f64 = pooled.iter().sum();
        let mean: Vec<f64> = pooled.iter().map(|sum| sum / total).collect();
        let log_likelihood = |log_precision| {
            let precision = libm::exp(log_precision);
            series.iter().map(|&counts| log_likelihood(&mean, precision, counts)).sum()
        };
        let range = (libm::log(PRECISIONS.0), libm::log(PRECISIONS.1));
        let precision = libm::exp(golden_section(range, log_likelihood));
        Ok(Self { mean, precision })
    }

    /// Returns the mean shares.
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the sum of the Dirichlet parameters: the number of trials of its own at which a
    /// series counts as much as the prior does. From 1 to 10^7; at the upper end, series do not
    /// differ by more than chance.
    #[must_use]
    pub fn precision(&self) -> f64 {
        self.precision
    }

    /// Returns the distribution of a series' true shares, given this prior and the series' own
    /// `counts`.
    ///
    /// # Errors
    /// If `counts` has another number of outcomes.
    pub fn posterior(&self, counts: OutcomeCounts<'_>) -> Result<DirichletPosterior, StatsError> {
        let (k, expected) = (counts.iter().len(), self.mean.len());
        if k != expected {
            return Err(StatsError::OutcomeMismatch { series: 0, k, expected });
        }
        let weight = self.precision + to_f64(counts.n());
        let shares = self.mean.iter().zip(counts.iter());
        let shares =
            shares.map(|(mean, count)| (self.precision * mean + to_f64(count)) / weight).collect();
        Ok(DirichletPosterior { shares, weight })
    }
}

/// The distribution of a series' true shares, given its counts: a Dirichlet distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct DirichletPosterior {
    /// The expected shares.
    pub shares: Vec<f64>,
    weight: f64,
}

impl DirichletPosterior {
    /// Returns the root of the expected sigma^2 (see [`spread`](mod@crate::spread)).
    #[must_use]
    pub fn sigma(&self) -> f64 {
        let uncertainty: f64 =
            self.shares.iter().map(|p| p * (1.0 - p)).sum::<f64>() / (self.weight + 1.0);
        libm::sqrt(self.variance_of_means() + uncertainty / self.k())
    }

    /// Returns the probability that sigma is at most `margin`: shares are approximated by normal
    /// variables with the covariances of equal shares, so that sigma^2 has a noncentral chi-square
    /// distribution.
    #[must_use]
    pub fn probability_within(&self, margin: f64) -> f64 {
        let scale = self.k() * self.k() * (self.weight + 1.0);
        noncentral::cdf(self.k() - 1.0, scale * self.variance_of_means(), scale * margin * margin)
    }

    fn variance_of_means(&self) -> f64 {
        let deviation = |p: &f64| (p - 1.0 / self.k()) * (p - 1.0 / self.k());
        self.shares.iter().map(deviation).sum::<f64>() / self.k()
    }

    #[expect(clippy::cast_precision_loss, reason = "a few outcomes")]
    fn k(&self) -> f64 {
        self.shares.len() as f64
    }
}

/// Returns the log-likelihood of counts in one order, with Dirichlet parameters `precision` x
/// `mean`.
fn log_likelihood(mean: &[f64], precision: f64, counts: OutcomeCounts<'_>) -> f64 {
    let of_outcome = |(mean, count): (&f64, u64)| {
        libm::lgamma(precision * mean + to_f64(count)) - libm::lgamma(precision * mean)
    };
    let outcomes: f64 = mean.iter().zip(counts.iter()).map(of_outcome).sum();
    outcomes + libm::lgamma(precision) - libm::lgamma(precision + to_f64(counts.n()))
}

/// Returns the point between `low` and `high` where a function with one maximum has it (Kiefer
/// 1953).
fn golden_section((mut low, mut high): (f64, f64), value: impl Fn(f64) -> f64) -> f64 {
    /// The golden ratio minus one.
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let (mut left, mut right) = (high - RATIO * (high - low), low + RATIO * (high - low));
    let (mut at_left, mut at_right) = (value(left), value(right));
    for _ in 0..60 {
        if at_left < at_right {
            (low, left, at_left) = (left, right, at_right);
            right = low + RATIO * (high - low);
            at_right = value(right);
        } else {
            (high, right, at_right) = (right, left, at_left);
            left = high - RATIO * (high - low);
            at_left = value(left);
        }
    }
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_series_are_pooled_and_unlike_ones_are_not() {
        let alike = [[500, 500, 500, 500], [498, 502, 501, 499]];
        let alike = alike.each_ref().map(|counts| OutcomeCounts::new(counts).unwrap());
        assert!(1e6 < DirichletPrior::fit(&alike).unwrap().precision());
        let unlike = [[900, 100], [100, 900], [500, 500]];
        let unlike = unlike.each_ref().map(|counts| OutcomeCounts::new(counts).unwrap());
        let population = DirichletPrior::fit(&unlike).unwrap();
        assert!(population.precision() < 10.0, "{population:?}");
        let posterior = population.posterior(unlike[0]).unwrap();
        assert!((posterior.shares[0] - 0.9).abs() < 0.005 && posterior.sigma() < 0.4);
        assert!(posterior.probability_within(0.3) < 1e-6);
        assert!(posterior.probability_within(0.5) > 0.999);
    }

    #[test]
    fn invalid_series_are_refused() {
        let two = OutcomeCounts::new(&[1, 2]).unwrap();
        let three = OutcomeCounts::new(&[1, 2, 3]).unwrap();
        assert_eq!(DirichletPrior::fit(&[two]).unwrap_err(), StatsError::TooFewSeries { n: 1 });
        let unlike = StatsError::OutcomeMismatch { series: 1, k: 3, expected: 2 };
        assert_eq!(DirichletPrior::fit(&[two, three]).unwrap_err(), unlike);
        assert!(DirichletPrior::fit(&[two, two]).unwrap().posterior(three).is_err());
    }
}
