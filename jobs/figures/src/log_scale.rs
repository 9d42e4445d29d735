//! A logarithmic axis.

use crate::axis_tick::{AxisTick, unit_of};

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
    /// `start` to the highest at `end`. Without values it spans a decade, and with a single one
    /// the range from its half to its double.
    pub(crate) fn around(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values {
            low = low.min(value);
            high = high.max(value);
        }
        if high <= 0.0 {
            (low, high) = (1.0, 10.0);
        } else if high <= low {
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
    /// others if fewer than three powers of ten are on the axis.
    pub(crate) fn ticks(&self) -> Vec<AxisTick> {
        let within = |value: f64| self.low * 0.999_999 <= value && value <= self.high * 1.000_001;
        let decades = || (-12..=18).map(|power| libm::exp10(f64::from(power)));
        let few = decades().filter(|value| within(*value)).count() < 3;
        let ticks =
            decades().flat_map(|decade| [(decade, true), (2.0 * decade, few), (5.0 * decade, few)]);
        let tick = |(value, is_labeled): (f64, bool)| AxisTick {
            at: self.position(value),
            label: is_labeled.then(|| tick_label(value)),
        };
        ticks.filter(|(value, _)| within(*value)).map(tick).collect()
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
        assert_eq!(labels(7.0, 7.0), ["5", "10"]);
    }
}
