//! Means of numbers with their intervals, as measures and as text.

use hatchery_core::findings::{RichText, words};
use hatchery_core::table::EstimateCell;
use hatchery_core::text::rounded;
use hatchery_core::{IntervalEstimate, MeasureValue};
use hatchery_figures::Quantity;
use hatchery_stats::student::student_estimate;
use hatchery_stats::{ErrorRate, ScoreMean};

/// The mean of at least one number, with an interval of 95 %.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeanEstimate(IntervalEstimate);

impl MeanEstimate {
    /// Returns the mean of `sizes`, such as widths, speeds and counts, which cannot be below 0,
    /// with Student's interval of 95 % from 0 up; `None` without sizes.
    pub(super) fn of_sizes(sizes: &[f64]) -> Option<Self> {
        let Self(mean) = Self::of_differences(sizes)?;
        Some(Self(IntervalEstimate { low: mean.low.max(0.0), ..mean }))
    }

    /// Returns the mean of `differences`, which can be below 0, with Student's interval of 95 %;
    /// `None` without differences.
    pub(super) fn of_differences(differences: &[f64]) -> Option<Self> {
        (!differences.is_empty()).then(|| Self(student_estimate(differences)))
    }

    /// Returns the mean of `shares`, from 0 to 1, with an interval of 95 % that stays there (see
    /// [`ScoreMean::of_scores`]); `None` without shares.
    pub(super) fn of_shares(shares: &[f64]) -> Option<Self> {
        ScoreMean::of_scores(shares, ErrorRate::FIVE_PERCENT).map(|mean| Self(mean.interval))
    }

    /// Returns the mean.
    pub(super) const fn mean(self) -> f64 {
        self.0.mean
    }

    /// Returns the interval; `None` of too few values for one, or of equal ones, whose spread says
    /// nothing.
    pub(super) fn interval(self) -> Option<IntervalEstimate> {
        let width = self.0.high - self.0.low;
        (width.is_finite() && 0.0 < width).then_some(self.0)
    }

    /// Returns the mean as a measure: without an interval if the values give none.
    pub(super) fn measured(self) -> MeasureValue {
        self.interval().map_or(MeasureValue::Number(self.0.mean), MeasureValue::Estimate)
    }

    /// Returns the mean with its interval, for a figure.
    pub(super) fn quantity(self) -> Quantity {
        self.interval().map_or(Quantity::Exact(self.0.mean), Quantity::from)
    }

    /// Returns the mean and its interval with this number of decimal places.
    pub(super) fn text(self, digits: usize) -> RichText {
        words::quantity(self.quantity(), |part| rounded(part, digits), "")
    }

    /// Returns the mean of shares and its interval in percent.
    pub(super) fn percent(self) -> RichText {
        words::percent_quantity(self.quantity())
    }

    /// Returns the mean of differences of shares and its interval in points, with signs.
    pub(super) fn points(self) -> RichText {
        words::points(self.quantity())
    }
}

impl EstimateCell for MeanEstimate {
    fn estimate(self) -> Option<Quantity> {
        Some(self.quantity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Student's interval of 0, 0, 0, 4 goes from -2.2 to 4.2.
    #[test]
    fn sizes_have_no_interval_below_zero() {
        let values = [0.0, 0.0, 0.0, 4.0];
        let low = |mean: Option<MeanEstimate>| mean.unwrap().interval().unwrap().low;
        assert_eq!(
            MeanEstimate::of_sizes(&values).unwrap().text(1).to_string(),
            "1.0 (0.0 to 4.2)"
        );
        assert!((low(MeanEstimate::of_differences(&values)) + 2.182).abs() < 1e-3);
        assert!(0.0 < low(MeanEstimate::of_sizes(&[3.0, 4.0, 5.0])));
    }
}
