//! Means of numbers with their intervals, as measures and as text.

use hatchery_core::{IntervalEstimate, MeasureValue};
use hatchery_stats::student::student_estimate;
use hatchery_stats::{ErrorRate, ScoreMean};

/// The mean of one number or more, with an interval of 95 %.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeanEstimate(IntervalEstimate);

impl MeanEstimate {
    /// Returns the mean of `values` with Student's interval of 95 %; `None` without values.
    pub(super) fn new(values: &[f64]) -> Option<Self> {
        (!values.is_empty()).then(|| Self(student_estimate(values)))
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

    /// Returns the mean and its interval with this number of decimal places.
    pub(super) fn text(self, digits: usize) -> String {
        let mean = self.0.mean;
        match self.interval() {
            Some(it) => format!("{mean:.digits$} ({:.digits$} to {:.digits$})", it.low, it.high),
            None => format!("{mean:.digits$}"),
        }
    }
}
