//! Numbers as experiments know them: exactly, or within an interval.

use crate::description;
use crate::linear_scale::is_drawn;
use crate::number;

/// A number that a figure shows. An estimate cannot be given without its interval, and every
/// figure that takes quantities draws the intervals.
///
/// A quantity with a number that is not finite (more exactly, of a magnitude above 1e100) is not
/// drawn: an estimate whose interval is missing does not pass for an exact number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// A number that is known exactly, such as a count.
    Exact(f64),
    /// An estimate.
    Estimate {
        /// The estimate itself.
        value: f64,
        /// The lower and the upper end of its interval.
        interval: [f64; 2],
    },
}

impl Quantity {
    /// Returns the estimate `value` with the lower and the upper end of its interval.
    #[must_use]
    pub const fn estimate(value: f64, interval: [f64; 2]) -> Self {
        Self::Estimate { value, interval }
    }

    /// Returns the quantity in another unit: this unit is `factor` times the other.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(factor * value),
            Self::Estimate { value, interval } => {
                Self::Estimate { value: factor * value, interval: interval.map(|end| factor * end) }
            }
        }
    }

    /// Returns the value, and the lowest and the highest number to draw, if all can be drawn.
    pub(crate) fn drawn(&self) -> Option<(f64, [f64; 2])> {
        let (value, [low, high]) = match *self {
            Self::Exact(value) => (value, [value; 2]),
            Self::Estimate { value, interval } => (value, interval),
        };
        let is_drawn = [value, low, high].into_iter().all(is_drawn);
        is_drawn.then(|| (value, [low.min(high), low.max(high)]))
    }

    /// Returns the number in words, with the interval of an estimate; `no value` if it cannot be
    /// drawn.
    pub(crate) fn words(&self) -> String {
        let Some((value, [low, high])) = self.drawn() else {
            return "no value".to_owned();
        };
        match self {
            Self::Exact(_) => description::number(value),
            Self::Estimate { .. } => {
                let ends = number::interval_ends(value, [low, high]);
                format!("{} ({} to {})", number::short(value), ends[0], ends[1])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_without_an_interval_is_not_drawn() {
        let check = |quantity: Quantity, words: &str| assert_eq!(quantity.words(), words);
        check(Quantity::Exact(12.0), "12");
        check(Quantity::Exact(f64::NAN), "no value");
        check(Quantity::Estimate { value: 6.5, interval: [5.5, 7.75] }, "6.50 (5.50 to 7.75)");
        check(Quantity::Estimate { value: 6.5, interval: [5.5, f64::INFINITY] }, "no value");
        check(Quantity::Estimate { value: 6.5, interval: [f64::NAN; 2] }, "no value");
    }
}
