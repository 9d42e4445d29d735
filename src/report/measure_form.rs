//! Measures in documents: all have the same keys.

use hatchery_core::{IntervalEstimate, Measure, MeasureValue};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A measure of a run in a document.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct MeasureForm {
    /// The name in `snake_case`; parts of a path are separated by `/`.
    name: String,
    /// The unit in the plural, such as `lines`; empty for a pure number.
    unit: String,
    /// The value: of an estimate, its mean.
    value: FormValue,
    /// The lower end of the interval of an estimate; null for others.
    #[serde(default)]
    low: Option<f64>,
    /// The upper end of the interval of an estimate; null for others.
    #[serde(default)]
    high: Option<f64>,
    /// The number of samples of an estimate; null for others.
    #[serde(default)]
    n: Option<u64>,
    /// The probability that such an interval covers the true value; null for others.
    #[serde(default)]
    confidence: Option<f64>,
    /// The number of candidates among which this value was the best, so that the value is biased
    /// upward; null if it was not so selected.
    #[serde(default)]
    selected_from: Option<u64>,
}

/// The value of a measure. Documents of earlier versions have the interval of an estimate in it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum FormValue {
    /// An exact count.
    Count(u64),
    /// A number.
    Number(f64),
    #[schemars(skip)]
    #[serde(skip_serializing)]
    Estimate(IntervalEstimate),
}

impl From<&Measure> for MeasureForm {
    fn from(Measure { name, unit, value, selected_from }: &Measure) -> Self {
        let (value, estimate) = match *value {
            MeasureValue::Count(count) => (FormValue::Count(count), None),
            MeasureValue::Number(number) => (FormValue::Number(number), None),
            MeasureValue::Estimate(estimate) => (FormValue::Number(estimate.mean), Some(estimate)),
        };
        Self {
            name: name.clone(),
            unit: unit.clone(),
            value,
            low: estimate.map(|it| it.low),
            high: estimate.map(|it| it.high),
            n: estimate.map(|it| it.n),
            confidence: estimate.map(|it| it.confidence),
            selected_from: *selected_from,
        }
    }
}

impl From<MeasureForm> for Measure {
    fn from(form: MeasureForm) -> Self {
        let MeasureForm { name, unit, value, low, high, n, confidence, selected_from } = form;
        let point = match value {
            FormValue::Count(count) => MeasureValue::Count(count),
            FormValue::Number(number) => MeasureValue::Number(number),
            FormValue::Estimate(estimate) => MeasureValue::Estimate(estimate),
        };
        let value = match (low, high, n, confidence) {
            (Some(low), Some(high), Some(n), Some(confidence)) => {
                let mean = point.point();
                MeasureValue::Estimate(IntervalEstimate { mean, low, high, n, confidence })
            }
            _ => point,
        };
        Self { name, unit, value, selected_from }
    }
}

/// Writes measures in their document form.
pub(super) fn serialize<S: Serializer>(measures: &[Measure], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(measures.iter().map(MeasureForm::from))
}

/// Reads measures in their document form, also as earlier versions wrote them.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Measure>, D::Error> {
    let forms = Vec::<MeasureForm>::deserialize(from)?;
    Ok(forms.into_iter().map(Measure::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct MeasureDocument {
        #[serde(with = "super")]
        measures: Vec<Measure>,
    }

    #[test]
    fn all_measures_have_the_same_keys() {
        let estimate = IntervalEstimate { mean: 2.0, low: 1.0, high: 3.5, n: 9, confidence: 0.95 };
        let measures = vec![
            Measure::new("games", "games", 40_u64),
            Measure::new("best", "lines", 2.5).selected_from(50),
            Measure::new("mean", "lines", estimate),
        ];
        let document = MeasureDocument { measures };
        let json = serde_json::to_value(&document).unwrap();
        let expected = serde_json::json!({"measures": [
            {"name": "games", "unit": "games", "value": 40, "low": null, "high": null, "n": null,
             "confidence": null, "selected_from": null},
            {"name": "best", "unit": "lines", "value": 2.5, "low": null, "high": null, "n": null,
             "confidence": null, "selected_from": 50},
            {"name": "mean", "unit": "lines", "value": 2.0, "low": 1.0, "high": 3.5, "n": 9,
             "confidence": 0.95, "selected_from": null},
        ]});
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<MeasureDocument>(json).unwrap(), document);
        // As versions before wrote it.
        let earlier = serde_json::json!({ "measures": document.measures });
        assert_eq!(serde_json::from_value::<MeasureDocument>(earlier).unwrap(), document);
    }
}
