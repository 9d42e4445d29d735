//! Measures and exhibits: the named numbers and named files that an experiment shows.

use hatchery_figures::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::part::Part;

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

    /// Returns the same measure as the best of `n` candidates, selected by this number itself.
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

/// The media type of a table as CSV whose columns have types: it is written as Parquet as well.
pub const TABLE_MEDIA_TYPE: &str = "text/csv; header=present";

/// A named file that an experiment shows: weights, a picture, a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhibit {
    /// The file's name: letters, digits, `.`, `-` and `_`.
    pub name: String,
    /// The media type, such as `text/csv`.
    pub media_type: String,
    /// The content.
    pub content: ExhibitContent,
}

/// The content of an exhibit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExhibitContent {
    /// The bytes themselves.
    Bytes(Vec<u8>),
    /// A part, which the state [names](crate::Experiment::parts): another run can take it in.
    Part(Part),
}

impl ExhibitContent {
    /// Returns the bytes, unless the content is a part.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Part(_) => None,
        }
    }

    /// Returns the hash of the bytes.
    #[must_use]
    pub fn hash(&self) -> Digest {
        match self {
            Self::Bytes(bytes) => Digest::of(bytes),
            Self::Part(part) => part.hash(),
        }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Part(part) => part.n_bytes(),
        }
    }
}

impl From<Vec<u8>> for ExhibitContent {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<String> for ExhibitContent {
    fn from(text: String) -> Self {
        Self::Bytes(text.into_bytes())
    }
}

impl From<Part> for ExhibitContent {
    fn from(part: Part) -> Self {
        Self::Part(part)
    }
}

impl Exhibit {
    /// Returns the file `name` of type `media_type`.
    pub fn new(
        name: impl Into<String>,
        media_type: impl Into<String>,
        content: impl Into<ExhibitContent>,
    ) -> Self {
        Self { name: name.into(), media_type: media_type.into(), content: content.into() }
    }

    /// Returns the table `name`, which ends in `.csv`. Its first row names the columns. The cells
    /// of a column have the same type: whole numbers, numbers or texts; cells may be empty. A
    /// folder of the run has it as Parquet as well, under the same name with the ending `.parquet`.
    pub fn table(name: impl Into<String>, csv: String) -> Self {
        Self::new(name, TABLE_MEDIA_TYPE, csv)
    }
}
