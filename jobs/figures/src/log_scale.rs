//! A logarithmic axis.

use crate::axis_tick::{AxisTick, unit_of};
use crate::linear_scale::{LabelFormat, round_step};

/// The labels that an axis has at least.
const MIN_LABELS: usize = 3;
/// The least quotient of the ends of an axis: labels of closer values have too many digits.
const MIN_QUOTIENT: f64 = 1.000_001;
/// Rounding alone puts ticks just outside the axis, within this share.
const TOLERANCE: f64 = 1e-9;
/// The most ticks at even steps.
const MAX_TICKS: usize = 40;

/// An axis that maps the logarithms of the values from `low` to `high` evenly to the positions
/// from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogScale {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl LogScale {
    /// Returns the axis that just holds `values`, all positive and finite, from the lowest at
    /// `start` to the highest at `end`. Without values it spans a decade, and with values that are
    /// nearly equal the range from their half to their double.
    pub(crate) fn around(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values {
            low = low.min(value);
            high = high.max(value);
        }
        if high <= 0.0 {
            (low, high) = (1.0, 10.0);
        } else if high <= MIN_QUOTIENT * low {
            (low, high) = (low / 2.0, high * 2.0);
        }
        Self { low, high, start, end }
    }

    /// Returns the position of `value`.
    pub(crate) fn position(&self, value: f64) -> f64 {
        let share = libm::log(value / self.low) / libm::log(self.high / self.low);
        self.start + (self.end - self.start) * share
    }

    /// Returns ticks at 1, 2 and 5 times a power of ten. Powers of ten always have a label, the
    /// others if fewer than three powers of ten are on the axis. If these are fewer than three
    /// labels, as on most axes of less than a decade, there are ticks at even steps, and three have
    /// a label.
    pub(crate) fn ticks(&self) -> Vec<AxisTick> {
        let decades = || (-12..=18).map(|power| libm::exp10(f64::from(power)));
        let few = decades().filter(|value| self.holds(*value)).count() < 3;
        let ticks =
            decades().flat_map(|decade| [(decade, true), (2.0 * decade, few), (5.0 * decade, few)]);
        let tick = |(value, is_labeled): (f64, bool)| AxisTick {
            at: self.position(value),
            label: is_labeled.then(|| tick_label(value)),
        };
        let ticks: Vec<_> = ticks.filter(|(value, _)| self.holds(*value)).map(tick).collect();
        let n_labels = ticks.iter().filter(|tick| tick.label.is_some()).count();
        if n_labels < MIN_LABELS { self.even_ticks() } else { ticks }
    }

    /// Returns ticks at multiples of a round number, with labels at the first, at the last, and at
    /// that nearest to half-way between.
    fn even_ticks(&self) -> Vec<AxisTick> {
        let Self { low, high, .. } = *self;
        let multiples = |step: f64| {
            let first = libm::ceil(low / step * (1.0 - TOLERANCE)).max(1.0);
            let multiples = std::iter::successors(Some(first), |multiple| Some(multiple + 1.0));
            let values = multiples.take(MAX_TICKS).map(move |multiple| multiple * step);
            values.take_while(|value| self.holds(*value)).collect::<Vec<_>>()
        };
        let steps = [2.0, 3.0, 4.0, 6.0, 8.0, 16.0].map(|n| round_step((high - low) / n));
        let enough = steps.into_iter().find(|step| MIN_LABELS <= multiples(*step).len());
        let step = enough.unwrap_or(steps[0]);
        let values = multiples(step);
        let [Some(first), Some(last)] = [values.first(), values.last()] else {
            return Vec::new();
        };
        let center = f64::midpoint(self.position(*first), self.position(*last));
        let off = |value: f64| (self.position(value) - center).abs();
        let inner = values.get(1..values.len() - 1).unwrap_or_default();
        let middle = inner.iter().min_by(|a, b| off(**a).total_cmp(&off(**b)));
        let labeled: Vec<_> = [Some(first), middle, Some(last)].into_iter().flatten().collect();
        let format = LabelFormat::of(step, high);
        let tick = |value: &f64| AxisTick {
            at: self.position(*value),
            label: labeled.contains(&value).then(|| format.label(*value)),
        };
        values.iter().map(tick).collect()
    }

    fn holds(&self, value: f64) -> bool {
        self.low * (1.0 - TOLERANCE) <= value && value <= self.high * (1.0 + TOLERANCE)
    }
}

/// Returns `value` in thousands, millions and so on, such as `20 k`.
fn tick_label(value: f64) -> String {
    let (unit, name) = unit_of(value);
    let digits = format!("{:.6}", value / unit);
    format!("{}{name}", digits.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let labels = |low: f64, high: f64| -> Vec<_> {
            let scale = LogScale::around([low, high].into_iter(), 0.0, 1.0);
            scale.ticks().into_iter().filter_map(|tick| tick.label).collect()
        };
        assert_eq!(labels(3.0, 2e6), ["10", "100", "1 k", "10 k", "100 k", "1 M"]);
        assert_eq!(labels(0.3, 20.0), ["0.5", "1", "2", "5", "10", "20"]);
        assert_eq!(labels(1.0, 9.0), ["1", "2", "5"]);
    }

    #[test]
    fn less_than_a_decade_has_three_labels() {
        let check = |low: f64, high: f64, expected: [&str; 3]| {
            let ticks = LogScale::around([low, high].into_iter(), 0.0, 1.0).ticks();
            let labels: Vec<_> = ticks.into_iter().filter_map(|tick| tick.label).collect();
            assert_eq!(labels, expected, "{low} to {high}");
        };
        check(7.0, 7.0, ["4", "8", "14"]);
        check(41.0, 63.0, ["45", "50", "60"]);
        check(300.0, 450.0, ["300", "350", "450"]);
        check(1.1e6, 1.3e6, ["1.1 M", "1.2 M", "1.3 M"]);
        check(0.000_31, 0.000_33, ["0.00031", "0.00032", "0.00033"]);
        check(1e100, 1.5e100, ["1.0e100", "1.2e100", "1.4e100"]);
        check(1e-100, 1.2e-100, ["1.0e-100", "1.1e-100", "1.2e-100"]);
    }
}
