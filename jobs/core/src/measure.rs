//! Measures: the named numbers that an experiment shows.

use hatchery_figures::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A named number.
///
/// An experiment lists its measures by importance: displays with little room show the first two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// The name in `snake_case`; parts of a path are separated by `/`.
    pub name: String,
    /// The unit in the plural, such as `lines`; empty for a pure number.
    pub unit: String,
    /// The number.
    pub value: MeasureValue,
    /// The number of candidates among which this value was the best: chance made it the best, so it
    /// is biased upward, and so is its interval. Only present if it was so selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_from: Option<u64>,
}

impl Measure {
    /// Returns the measure `name` in `unit`.
    pub fn new(
        name: impl Into<String>,
        unit: impl Into<String>,
        value: impl Into<MeasureValue>,
    ) -> Self {
        Self { name: name.into(), unit: unit.into(), value: value.into(), selected_from: None }
    }

    /// Returns the same measure as the best of `n` candidates that were selected by this number
    /// itself.
    #[must_use]
    pub fn selected_from(self, n: u64) -> Self {
        Self { selected_from: Some(n), ..self }
    }
}

/// The number of a measure. In JSON: a number, or an object with an estimate and its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MeasureValue {
    /// An exact count.
    Count(u64),
    /// A number without uncertainty, or with an unknown one.
    Number(f64),
    /// A number estimated from samples.
    Estimate(IntervalEstimate),
}

impl MeasureValue {
    /// Returns the number without its uncertainty.
    #[must_use]
    pub fn point(&self) -> f64 {
        match *self {
            #[expect(clippy::cast_precision_loss, reason = "for display; 2^53 is enough")]
            Self::Count(count) => count as f64,
            Self::Number(number) => number,
            Self::Estimate(estimate) => estimate.mean,
        }
    }

    /// Returns true if every part is a finite number.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Count(_) => true,
            Self::Number(number) => number.is_finite(),
            Self::Estimate(IntervalEstimate { mean, low, high, confidence, n: _ }) => {
                [mean, low, high, confidence].into_iter().all(|part| part.is_finite())
            }
        }
    }
}

impl From<IntervalEstimate> for Quantity {
    fn from(estimate: IntervalEstimate) -> Self {
        Self::estimate(estimate.mean, [estimate.low, estimate.high])
    }
}

impl From<MeasureValue> for Quantity {
    fn from(value: MeasureValue) -> Self {
        match value {
            MeasureValue::Count(_) | MeasureValue::Number(_) => Self::Exact(value.point()),
            MeasureValue::Estimate(estimate) => estimate.into(),
        }
    }
}

impl From<u64> for MeasureValue {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for MeasureValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<IntervalEstimate> for MeasureValue {
    fn from(estimate: IntervalEstimate) -> Self {
        Self::Estimate(estimate)
    }
}

/// A number estimated from `n` samples, with an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
// The name in the schemas of documents.
#[schemars(rename = "Estimate")]
pub struct IntervalEstimate {
    /// The estimate itself: a mean, or another statistic where the measure's name says so.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The number of samples.
    pub n: u64,
    /// The probability that such an interval covers the true value, such as 0.95.
    pub confidence: f64,
}
