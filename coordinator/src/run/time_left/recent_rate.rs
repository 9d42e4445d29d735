//! The recent rate of trials.

use std::collections::VecDeque;
use std::time::Duration;

/// The time over which a rate is taken.
const WINDOW: Duration = Duration::from_secs(10);

/// The shortest time between samples that are kept: 50 in a window.
const LEAST_INTERVAL: Duration = Duration::from_millis(200);

/// Trials per second over the last ten seconds, or since the last change where that is longer ago.
///
/// ```
/// use std::time::Duration;
///
/// use hatchery_coordinator::run::time_left::RecentRate;
///
/// let mut rate = RecentRate::default();
/// for second in 0..60 {
///     let trials = if second < 30 { 1000 * second } else { 30_000 + 10 * (second - 30) };
///     rate.observe(Duration::from_secs(second), trials);
/// }
/// assert_eq!(rate.per_second(), Some(10.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct RecentRate {
    /// Times and numbers of trials, ascending. As soon as such a sample exists, the first sample is
    /// at least a window old and has fewer trials than the last.
    samples: VecDeque<(Duration, u64)>,
}

impl RecentRate {
    /// Observes that `trials` trials are done at the time `at`, counted from any fixed time. If
    /// fewer trials are done than before, as in a run that is computed again, the rate starts anew.
    pub fn observe(&mut self, at: Duration, trials: u64) {
        if self.samples.back().is_some_and(|&(last_at, last)| at < last_at || trials < last) {
            self.samples.clear();
        }
        // The last sample is always the latest, and those before it are some time apart.
        if let [.., (before, _), _] = *self.samples.make_contiguous()
            && at < before + LEAST_INTERVAL
        {
            self.samples.pop_back();
        }
        self.samples.push_back((at, trials));
        while let Some(&(next_at, next)) = self.samples.get(1)
            && next_at + WINDOW <= at
            && next < trials
        {
            self.samples.pop_front();
        }
    }

    /// Returns the rate; `None` before two observations some time apart.
    #[must_use]
    pub fn per_second(&self) -> Option<f64> {
        let (&(from, before), &(to, after)) = (self.samples.front()?, self.samples.back()?);
        #[expect(clippy::cast_precision_loss, reason = "for display")]
        let trials = (after - before) as f64;
        let seconds = (to - from).as_secs_f64();
        (LEAST_INTERVAL.as_secs_f64() <= seconds).then(|| trials / seconds)
    }

    /// Returns the rate as whole trials per 1,000 seconds; 0 while it is unknown.
    #[must_use]
    pub fn per_kilosecond(&self) -> u64 {
        let rate = (1000.0 * self.per_second().unwrap_or_default()).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let rate = rate as u64;
        rate
    }
}
