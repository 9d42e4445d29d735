//! The CPU time of trials, generation by generation, and a forecast of it.

use hatchery_core::CostTrend;

/// The most generations that are kept apart. Of longer runs, neighboring generations are merged.
const MOST_POINTS: usize = 128;

/// The logarithmic change of cost from generation to generation that cannot be ruled out before
/// several generations are known.
const UNKNOWN_SLOPE: f64 = 0.5;

/// The share of the generations, counted from the latest, that a trend is taken from. At least
/// [`LEAST_POINTS`] generations are taken.
const TREND_SHARE: f64 = 0.3;
const LEAST_POINTS: usize = 6;

/// Points count as one line while they scatter at most this many times as much as the latest
/// points.
const STRAIGHT: f64 = 1.5;

/// A trend is expected to fade. After n generations, the logarithm of the cost changes over the
/// next h generations by this share of n ln(1 + h / n) times its present slope. With a share of 1,
/// the cost grows as a power of the number of generations. Learning slows down sooner, until
/// nothing is left to learn.
const FADING_SHARE: f64 = 0.75;

/// The number of standard errors by which a range extends beyond an estimate.
const STANDARD_ERRORS: f64 = 1.5;

/// The costs of generations.
#[derive(Clone, Debug, Default)]
pub(super) struct CostModel {
    /// Ascending by generation.
    points: Vec<CostPoint>,
    /// The cost of a trial in the first generation.
    first: f64,
}

/// The cost of some neighboring generations.
#[derive(Clone, Copy, Debug)]
struct CostPoint {
    /// The mean number of the generations.
    generation: f64,
    /// The number of generations; below 1 for a part of a generation.
    weight: f64,
    n_trials: f64,
    cpu_s: f64,
}

/// The numbers of trials of some generations.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrialCounts {
    pub(super) mean: f64,
    pub(super) largest: f64,
}

/// The costs that a trial may have some generations ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostOutlook {
    /// The logarithm of the present cost, at least and at most.
    level: [f64; 2],
    /// The change of the logarithm with each generation, at least and at most.
    slope: [f64; 2],
    /// The number of generations so far.
    n_generations: f64,
    /// The logarithm of the most that a trial can cost.
    cap: f64,
}

impl CostModel {
    /// Adds a generation with `n_trials` trials. It replaces the point of the same generation and
    /// all later points.
    pub(super) fn add(&mut self, generation: u32, n_trials: f64, cpu_s: f64) {
        self.points.retain(|point| point.generation < f64::from(generation));
        if self.points.is_empty() {
            self.first = cpu_s / n_trials.max(1.0);
        }
        self.push(generation, 1.0, n_trials, cpu_s);
        if MOST_POINTS < self.points.len() {
            let merged = self.points.chunks(2).map(|pair| match *pair {
                [a, b] => a.merged(b),
                _ => pair[0],
            });
            self.points = merged.collect();
        }
    }

    /// Adds the first `share` of a generation.
    pub(super) fn push(&mut self, generation: u32, share: f64, n_trials: f64, cpu_s: f64) {
        // Without a cost, there is no logarithm.
        if 0.0 < n_trials && 0.0 < cpu_s {
            let generation = f64::from(generation);
            self.points.push(CostPoint { generation, weight: share, n_trials, cpu_s });
        }
    }

    /// Returns true if the cost of no generation is known.
    pub(super) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns how many trials the latest generations had, counting from generation `begin`, or
    /// `None` if there are too few such generations.
    pub(super) fn trials_since(&self, begin: u32) -> Option<TrialCounts> {
        let latest = self.latest(TREND_SHARE).iter();
        let latest = latest.filter(|point| f64::from(begin) <= point.generation);
        let (mut weights, mut sum, mut largest, mut n) = (0.0, 0.0, 0.0_f64, 0);
        for point in latest {
            (weights, sum, n) = (weights + point.weight, sum + point.n_trials, n + 1);
            largest = largest.max(point.n_trials / point.weight);
        }
        (3 <= n).then(|| TrialCounts { mean: sum / weights, largest })
    }

    /// Returns the costs that are expected if they change by `trend`.
    pub(super) fn outlook(&self, trend: CostTrend) -> Option<CostOutlook> {
        let last = self.points.last()?;
        let n_generations = last.generation + last.weight.max(1.0) / 2.0 + 0.5;
        let cap = match trend {
            CostTrend::Rising { at_most } if 0.0 < self.first => (self.first * at_most).ln(),
            _ => f64::INFINITY,
        };
        let flat = Line::through(self.latest(0.5), 0.0);
        if trend == CostTrend::Steady {
            let level = flat.range(STANDARD_ERRORS);
            return Some(CostOutlook { level, slope: [0.0; 2], n_generations, cap });
        }
        let line = self.trend_line();
        let error = STANDARD_ERRORS * line.slope_error;
        let [mut down, up] = [line.slope - error, (line.slope + error).max(0.0)];
        down = match trend {
            CostTrend::Rising { .. } => 0.0,
            _ => down.min(0.0),
        };
        let level = line.range(STANDARD_ERRORS);
        Some(CostOutlook { level, slope: [down, up], n_generations, cap })
    }

    /// Returns a line through as many of the latest points as fit on a line: more points make the
    /// line more certain, but a trend that has faded must not affect it.
    fn trend_line(&self) -> Line {
        let shortest = Line::fitted(self.latest(TREND_SHARE));
        let longer = [1.0, 0.5].map(|share| Line::fitted(self.latest(share)));
        let is_straight = |line: &Line| line.scatter <= STRAIGHT * shortest.scatter;
        longer.into_iter().find(is_straight).unwrap_or(shortest)
    }

    /// Returns the latest points: `share` of all generations, but at least [`LEAST_POINTS`].
    fn latest(&self, share: f64) -> &[CostPoint] {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few points")]
        #[expect(clippy::cast_precision_loss, reason = "a few points")]
        let n = (self.points.len() as f64 * share).ceil() as usize;
        &self.points[self.points.len().saturating_sub(n.max(LEAST_POINTS))..]
    }
}

impl CostPoint {
    fn log_cost(self) -> f64 {
        (self.cpu_s / self.n_trials).ln()
    }

    fn merged(self, other: Self) -> Self {
        let weight = self.weight + other.weight;
        Self {
            generation: (self.generation * self.weight + other.generation * other.weight) / weight,
            weight,
            n_trials: self.n_trials + other.n_trials,
            cpu_s: self.cpu_s + other.cpu_s,
        }
    }
}

/// A line through the logarithms of costs.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// The value at the last point.
    level: f64,
    level_error: f64,
    slope: f64,
    slope_error: f64,
    /// The standard deviation of points from the line.
    scatter: f64,
}

impl Line {
    /// Fits a line to `points` by weighted least squares. There must be at least one point.
    fn fitted(points: &[CostPoint]) -> Self {
        let (mean_x, mean_y) = weighted_means(points);
        let (mut xx, mut xy) = (0.0, 0.0);
        for point in points {
            let x = point.generation - mean_x;
            xx += point.weight * x * x;
            xy += point.weight * x * (point.log_cost() - mean_y);
        }
        let slope = if 0.0 < xx { xy / xx } else { 0.0 };
        let scatter = Self::through(points, slope).scatter;
        // Two points make a line without any error: how much they scatter is unknown.
        let slope_error = match points.len() {
            0..=2 => UNKNOWN_SLOPE / STANDARD_ERRORS,
            _ => scatter / xx.sqrt().max(f64::MIN_POSITIVE),
        };
        // A slope that may well be luck is taken as a smaller one.
        let slope = slope.powi(3) / (slope.powi(2) + slope_error.powi(2)).max(f64::MIN_POSITIVE);
        Self { slope_error, ..Self::through(points, slope) }
    }

    /// Returns the line of a known `slope` that fits `points` best.
    fn through(points: &[CostPoint], slope: f64) -> Self {
        let (mean_x, mean_y) = weighted_means(points);
        let last = points.last().map_or(0.0, |point| point.generation);
        let (mut squares, mut weights) = (0.0, 0.0);
        for point in points {
            let fit = mean_y + slope * (point.generation - mean_x);
            squares += point.weight * (point.log_cost() - fit).powi(2);
            weights += point.weight;
        }
        let scatter = (squares / (weights - 2.0).max(1.0)).sqrt();
        let level = mean_y + slope * (last - mean_x);
        // The end of a line is less certain than its middle: twice, by least squares.
        let level_error = 2.0 * scatter / weights.max(1.0).sqrt();
        Self { level, level_error, slope, slope_error: 0.0, scatter }
    }

    fn range(self, errors: f64) -> [f64; 2] {
        [self.level - errors * self.level_error, self.level + errors * self.level_error]
    }
}

/// Returns the mean generation and logarithmic cost.
fn weighted_means(points: &[CostPoint]) -> (f64, f64) {
    let weights: f64 = points.iter().map(|point| point.weight).sum();
    let mean = |value: fn(&CostPoint) -> f64| {
        points.iter().map(|point| point.weight * value(point)).sum::<f64>() / weights
    };
    (mean(|point| point.generation), mean(|point| point.log_cost()))
}

impl CostOutlook {
    /// Returns the least and the most CPU seconds of a trial `steps` generations ahead.
    pub(super) fn ahead(&self, steps: f64) -> [f64; 2] {
        let n = self.n_generations;
        let faded = FADING_SHARE * n * (steps / n).max(0.0).ln_1p();
        let [low, high] = [0, 1].map(|end| self.level[end] + self.slope[end] * faded);
        let high = high.min(self.cap);
        [low.min(high).exp(), high.exp()]
    }
}

/// Converts a count.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(crate) fn as_f64(count: u64) -> f64 {
    count as f64
}
