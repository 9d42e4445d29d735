//! A linear axis.

use crate::axis_tick::{AxisTick, unit_of};
use crate::number::with_separators;

/// The largest magnitude of values that are drawn: their differences and multiples stay finite.
const MAX_VALUE: f64 = 1e100;
/// A range is widened if it is narrower than this, or than this share of its largest magnitude:
/// labels of its ticks would have too many digits to read, or all be equal.
const MIN_RANGE: f64 = 1e-100;
const MIN_SHARE: f64 = 1e-6;
/// Rounding alone puts ticks just outside the axis, within this share.
const TOLERANCE: f64 = 1e-9;
/// The most ticks of an axis; there are only so many if rounding hides its ends.
const MAX_TICKS: usize = 40;
/// Labels below this are written in full, such as 20,000 and not 20 k.
const MAX_FULL: f64 = 1e5;
/// Labels are written as powers of ten from this on, and for steps below the other.
const MIN_POWER: f64 = 1e16;
const MIN_STEP: f64 = 0.999e-6;

/// An axis that maps the values from `low` to `high` evenly to the positions from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearScale {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
    step: f64,
}

/// Returns true for a value that an axis can hold: a number of magnitude 1e100 at most.
pub(crate) fn is_drawn(value: f64) -> bool {
    value.abs() <= MAX_VALUE
}

impl LinearScale {
    /// Returns the axis that just holds `values`, all drawn, from the lowest at `start` to the
    /// highest at `end`, with about `n_steps` steps between its ticks. Without values, it spans 0
    /// to 1, as for zeros alone. A range too narrow for ticks reaches from half its center to the
    /// center and a half.
    pub(crate) fn around(
        values: impl Iterator<Item = f64>,
        [start, end]: [f64; 2],
        n_steps: f64,
    ) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            low = low.min(value);
            high = high.max(value);
        }
        let magnitude = low.abs().max(high.abs());
        if high < low || magnitude < MIN_RANGE {
            (low, high) = (0.0, 1.0);
        } else if high - low < MIN_RANGE.max(MIN_SHARE * magnitude) {
            let center = f64::midpoint(low, high);
            let half = center.abs() / 2.0;
            (low, high) = (center - half, center + half);
        }
        Self { low, high, start, end, step: round_step((high - low) / n_steps) }
    }

    /// Returns the axis of `values`, without ticks between whole numbers if all values are whole.
    pub(crate) fn with_ticks_for(self, values: impl Iterator<Item = f64>) -> Self {
        let mut values = values.peekable();
        let is_whole = values.peek().is_some() && values.all(|it| it <= libm::floor(it));
        Self { step: if is_whole { self.step.max(1.0) } else { self.step }, ..self }
    }

    /// Returns the axis with both ends moved outward to ticks.
    pub(crate) fn to_ticks(self) -> Self {
        let Self { low, high, step, .. } = self;
        let low = libm::floor(low / step + TOLERANCE) * step;
        let high = libm::ceil(high / step - TOLERANCE) * step;
        Self { low, high, ..self }
    }

    /// Returns the axis with `share` of its range more at each end.
    pub(crate) fn with_margins(self, share: f64) -> Self {
        let margin = share * (self.high - self.low);
        Self { low: self.low - margin, high: self.high + margin, ..self }
    }

    /// Returns the lowest and the highest value.
    pub(crate) const fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Returns the position of `value`.
    pub(crate) fn position(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.start + (self.end - self.start) * share
    }

    /// Returns ticks at multiples of 1, 2 or 5 times a power of ten.
    pub(crate) fn ticks(&self) -> Vec<AxisTick> {
        let Self { low, high, step, .. } = *self;
        let first = libm::ceil(low / step - TOLERANCE);
        let multiples = std::iter::successors(Some(first), |multiple| Some(multiple + 1.0));
        let last = high / step + TOLERANCE;
        let multiples = multiples.take_while(|multiple| *multiple <= last).take(MAX_TICKS);
        let format = LabelFormat::of(step, low.abs().max(high.abs()));
        let tick = |multiple: f64| AxisTick {
            at: self.position(multiple * step),
            label: Some(format.label(multiple * step)),
        };
        multiples.map(tick).collect()
    }
}

/// Returns the least of 1, 2 and 5 times a power of ten that is at least `least`, a positive
/// number.
pub(crate) fn round_step(least: f64) -> f64 {
    let decade = libm::exp10(libm::floor(libm::log10(least)));
    let steps = [1.0, 2.0, 5.0].map(|digit| digit * decade);
    steps.into_iter().find(|step| least <= step * (1.0 + TOLERANCE)).unwrap_or(10.0 * decade)
}

/// The common format of an axis's labels.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LabelFormat {
    /// This number of digits after the point, and thousands that are set apart.
    Full { digits: usize },
    /// This number of digits after the point, in a unit such as thousands.
    InUnits { digits: usize, unit: f64, name: &'static str },
    /// This number of digits after the point, and a power of ten.
    Power { digits: usize },
}

impl LabelFormat {
    /// Returns the format for multiples of `step` up to the magnitude `most`.
    pub(crate) fn of(step: f64, most: f64) -> Self {
        if MIN_POWER <= most || step < MIN_STEP {
            return Self::Power { digits: digits_between(step, most) };
        }
        if most < MAX_FULL {
            return Self::Full { digits: digits_between(step, 1.0) };
        }
        let (unit, name) = unit_of(most);
        Self::InUnits { digits: digits_between(step, unit), unit, name }
    }

    /// Returns the label of a value.
    pub(crate) fn label(self, value: f64) -> String {
        let magnitude = value.abs();
        if magnitude <= 0.0 {
            return "0".to_owned();
        }
        let digits = match self {
            Self::Full { digits } => with_separators(&format!("{magnitude:.digits$}")),
            Self::InUnits { digits, unit, name } => format!("{:.digits$}{name}", magnitude / unit),
            Self::Power { digits } => format!("{magnitude:.digits$e}"),
        };
        format!("{}{digits}", if value < 0.0 { "\u{2212}" } else { "" })
    }
}

/// Returns the number of digits that multiples of `step` have below the leading digit of `most`.
fn digits_between(step: f64, most: f64) -> usize {
    let power = |value: f64| libm::floor(libm::log10(value) + TOLERANCE);
    let digits = power(most) - power(step);
    (0..12).find(|&count: &u32| digits <= f64::from(count)).map_or(12, |count| count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(values: &[f64]) -> LinearScale {
        LinearScale::around(values.iter().copied(), [0.0, 1.0], 6.0)
    }

    fn labels(scale: LinearScale) -> Vec<String> {
        scale.ticks().into_iter().filter_map(|tick| tick.label).collect()
    }

    fn check(values: &[f64], expected: &[&str]) {
        assert_eq!(labels(scale(values).to_ticks()), expected, "{values:?}");
    }

    #[test]
    fn labels_are_round_and_as_short_as_they_differ() {
        check(&[5.0, 30.0], &["5", "10", "15", "20", "25", "30"]);
        check(&[41.0, 63.0], &["40", "45", "50", "55", "60", "65"]);
        check(
            &[-180.5, 103.0],
            &["\u{2212}200", "\u{2212}150", "\u{2212}100", "\u{2212}50", "0", "50", "100", "150"],
        );
        check(&[0.0, 1.0], &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        check(&[0.3, 0.31], &["0.300", "0.302", "0.304", "0.306", "0.308", "0.310"]);
        check(&[0.0, 12_000.0], &["0", "2,000", "4,000", "6,000", "8,000", "10,000", "12,000"]);
        check(&[0.0, 1.2e6], &["0", "0.2 M", "0.4 M", "0.6 M", "0.8 M", "1.0 M", "1.2 M"]);
        check(&[0.0, 6e-7], &["0", "1e-7", "2e-7", "3e-7", "4e-7", "5e-7", "6e-7"]);
        check(&[9e99, 1e100], &["9.00e99", "9.20e99", "9.40e99", "9.60e99", "9.80e99", "1.00e100"]);
    }

    #[test]
    fn ranges_without_a_width_are_widened() {
        check(&[], &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        check(&[50.0, 50.0], &["20", "30", "40", "50", "60", "70", "80"]);
        check(&[0.0], &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        check(&[0.0, f64::MIN_POSITIVE], &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        check(&[-4.0, -4.0], &["\u{2212}6", "\u{2212}5", "\u{2212}4", "\u{2212}3", "\u{2212}2"]);
    }

    #[test]
    fn whole_numbers_have_no_ticks_between_them() {
        let whole = |values: &[f64]| labels(scale(values).with_ticks_for(values.iter().copied()));
        assert_eq!(whole(&[0.0, 3.0]), ["0", "1", "2", "3"]);
        assert_eq!(whole(&[0.0, 1.5]), ["0", "0.5", "1.0", "1.5"]);
        assert_eq!(whole(&[]), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn positions_are_even_and_margins_equal() {
        let axis = scale(&[10.0, 20.0]).with_margins(0.125);
        let at = [8.75, 10.0, 15.0, 21.25].map(|value| axis.position(value));
        assert!(at.iter().zip([0.0, 0.1, 0.5, 1.0]).all(|(at, share)| (at - share).abs() < 1e-12));
        assert_eq!(labels(axis), ["10", "12", "14", "16", "18", "20"]);
    }

    #[test]
    fn values_are_drawn_up_to_a_limit() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1.1e100] {
            assert!(!is_drawn(value));
        }
        assert!(is_drawn(-1e100) && is_drawn(0.0) && is_drawn(f64::MIN_POSITIVE));
        let axis = scale(&[-1e100, 1e100]).to_ticks();
        assert!(axis.ticks().iter().all(|tick| tick.at.is_finite()));
    }
}
