//! The number of CPU seconds that a run gets per second.

use std::time::Duration;

/// Parallelism is averaged with a weight that falls to 1/e in this time. That is long enough to
/// smooth jobs and generations of seconds, and short enough to follow workers that come and go.
const PARALLELISM_WINDOW: Duration = Duration::from_secs(30);

/// The shortest time of a report: clocks of milliseconds give none to a short generation.
const LEAST_ELAPSED_S: f64 = 1e-3;

/// The length of a stretch, whose parallelism is compared with other stretches: several reports.
const STRETCH: Duration = Duration::from_secs(5);

/// The weight that a stretch loses with each later one: about the latest ten count.
const FORGOTTEN: f64 = 0.1;

/// The share of the variation between stretches that remains in the mean of future stretches: fast
/// and slow stretches come in groups.
const REMAINING_VARIATION: f64 = 0.5;

/// The largest logarithmic uncertainty of the parallelism.
const MOST_UNCERTAINTY: f64 = 0.5;

/// The least logarithmic difference between a stretch and the stretches before it that counts as a
/// change of the run's share of the farm: by half.
const LEAST_CHANGE: f64 = 0.405;

/// The number of standard deviations of the stretches so far that a change exceeds.
const UNUSUAL: f64 = 3.0;

/// The number of stretches, from the first changed stretch on, after which the new share is known.
const SETTLING: u32 = 2;

/// The recent number of CPU seconds per second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecentParallelism {
    /// CPU seconds and seconds with weights that fall with age.
    recent_cpu_s: f64,
    recent_s: f64,
    /// Sums over the whole run.
    cpu_s: f64,
    elapsed_s: f64,
    /// The time since trials last reported CPU time: trials report it when they end.
    pending_s: f64,
    /// The current stretch.
    stretch_cpu_s: f64,
    stretch_s: f64,
    /// The number of stretches and the sums of their logarithmic parallelism and its square, with
    /// weights that fall with age.
    n_stretches: f64,
    sum: f64,
    squares: f64,
    /// The stretches to come until the share of the farm is known again.
    unsettled: u32,
}

impl RecentParallelism {
    /// Adds the CPU time that trials reported in the time `elapsed`.
    pub(super) fn add(&mut self, cpu: Duration, elapsed: Duration) {
        self.pending_s += elapsed.as_secs_f64();
        if cpu.is_zero() {
            return;
        }
        let elapsed_s = std::mem::take(&mut self.pending_s);
        let window_s = PARALLELISM_WINDOW.as_secs_f64();
        let kept = (-elapsed_s / window_s).exp();
        // As much as a rate that holds for `elapsed_s` adds.
        let added_s = window_s * (1.0 - kept);
        let rate = cpu.as_secs_f64() / elapsed_s.max(LEAST_ELAPSED_S);
        self.recent_s = self.recent_s * kept + added_s;
        self.recent_cpu_s = self.recent_cpu_s * kept + added_s * rate;
        self.cpu_s += cpu.as_secs_f64();
        self.elapsed_s += elapsed_s;
        self.stretch_cpu_s += cpu.as_secs_f64();
        self.stretch_s += elapsed_s;
        if STRETCH.as_secs_f64() <= self.stretch_s {
            let (cpu_s, elapsed_s) = (self.stretch_cpu_s, self.stretch_s);
            (self.stretch_cpu_s, self.stretch_s) = (0.0, 0.0);
            let log = (cpu_s / elapsed_s).ln();
            self.unsettled = self.unsettled.saturating_sub(1);
            if self.is_change(log) {
                (self.recent_cpu_s, self.recent_s) = (cpu_s, elapsed_s);
                self.unsettled = SETTLING;
            }
            let kept = 1.0 - FORGOTTEN;
            self.n_stretches = self.n_stretches * kept + 1.0;
            self.sum = self.sum * kept + log;
            self.squares = self.squares * kept + log * log;
        }
    }

    /// Returns whether a stretch of this logarithmic parallelism shows another share of the farm.
    fn is_change(&self, log: f64) -> bool {
        let usual = (self.recent_cpu_s / self.recent_s).ln();
        LEAST_CHANGE.max(UNUSUAL * self.variation()) < (log - usual).abs()
    }

    /// Returns the standard deviation of the logarithmic parallelism of stretches.
    fn variation(&self) -> f64 {
        let mean = self.sum / self.n_stretches.max(1.0);
        let squares = self.squares - self.n_stretches * mean * mean;
        (squares / (self.n_stretches - 1.0).max(1.0)).max(0.0).sqrt()
    }

    /// Returns the seconds since CPU time was last reported.
    pub(super) fn unreported_s(&self) -> f64 {
        self.pending_s
    }

    /// Returns the parallelism and its logarithmic uncertainty, which follows from its changes so
    /// far; `None` while the run's share of the farm changes.
    pub(super) fn estimate(&self) -> Option<(f64, f64)> {
        if 0 < self.unsettled {
            return None;
        }
        let recent = self.recent_cpu_s / self.recent_s;
        let change = (recent / (self.cpu_s / self.elapsed_s)).ln().abs();
        let is_known = recent.is_finite() && 0.0 < recent && change.is_finite();
        let uncertainty = (change / 2.0).max(REMAINING_VARIATION * self.variation());
        is_known.then_some((recent, uncertainty.min(MOST_UNCERTAINTY)))
    }
}
