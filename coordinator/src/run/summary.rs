//! The summary of a run: the facts that a list shows, without the spec and the state of the run.
//!
//! The creation of a run writes its summary, and each fold replaces it.

use hatchery_core::{Findings, Measure, MeasureValue};
use prost::Message;

use super::record::{CostTotals, GenerationRecord, RunRecord};

/// The most values of the first measure in a summary.
const MAX_HISTORY: usize = 60;

/// The summary of a run.
#[derive(Clone, PartialEq, Message)]
pub struct RunSummary {
    /// The run's record without its spec and parameters; `None` if this build cannot decode it.
    #[prost(message, optional, tag = "1")]
    pub record: Option<RunRecord>,
    /// The most generations that the run takes; 0 if this build lacks the run's experiment.
    #[prost(uint32, tag = "2")]
    pub generations: u32,
    /// The number of folded generations.
    #[prost(uint32, tag = "3")]
    pub n_folded: u32,
    /// The digest after the folded generations: 32 bytes.
    #[prost(bytes = "vec", tag = "4")]
    pub digest: Vec<u8>,
    /// The cost of the folded generations.
    #[prost(message, required, tag = "5")]
    pub total: CostTotals,
    /// The first measure after the last folded generation.
    #[prost(message, optional, tag = "6")]
    pub measure: Option<MeasureSummary>,
    /// The values of the first measure after each folded generation, at most the last 60 values.
    #[prost(double, repeated, tag = "7")]
    pub history: Vec<f64>,
    /// The finding, once the run is done, if its experiment has findings.
    #[prost(message, optional, tag = "8")]
    pub finding: Option<RunFinding>,
}

/// The finding of a run in words.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct RunFinding {
    /// One line.
    #[prost(string, tag = "1")]
    pub title: String,
    /// A few sentences.
    #[prost(string, tag = "2")]
    pub summary: String,
    /// The first emphasized words of the title, or else of the summary; empty if there are none.
    #[prost(string, tag = "3")]
    pub headline: String,
}

impl From<&Findings> for RunFinding {
    fn from(findings: &Findings) -> Self {
        Self {
            title: findings.title.to_string(),
            summary: findings.summary.to_string(),
            headline: findings.headline().unwrap_or_default().to_owned(),
        }
    }
}

/// A measure with its interval.
#[derive(Clone, PartialEq, Message)]
pub struct MeasureSummary {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its unit.
    #[prost(string, tag = "2")]
    pub unit: String,
    /// Its value.
    #[prost(double, tag = "3")]
    pub value: f64,
    /// The lower end of its interval, if it is an estimate.
    #[prost(double, optional, tag = "4")]
    pub low: Option<f64>,
    /// The upper end of its interval, if it is an estimate.
    #[prost(double, optional, tag = "5")]
    pub high: Option<f64>,
    /// True if its value is an exact count.
    #[prost(bool, tag = "6")]
    pub is_count: bool,
}

impl From<&Measure> for MeasureSummary {
    fn from(Measure { name, unit, value, .. }: &Measure) -> Self {
        let (low, high) = match value {
            MeasureValue::Count(_) | MeasureValue::Number(_) => (None, None),
            MeasureValue::Estimate(estimate) => (Some(estimate.low), Some(estimate.high)),
        };
        let is_count = matches!(value, MeasureValue::Count(_));
        Self { name: name.clone(), unit: unit.clone(), value: value.point(), low, high, is_count }
    }
}

impl RunSummary {
    /// Creates the summary of a run that begins with `digest`.
    #[must_use]
    pub fn new(record: &RunRecord, generations: u32, digest: &[u8]) -> Self {
        Self {
            record: Some(without_spec(record)),
            generations,
            digest: digest.to_owned(),
            ..Self::default()
        }
    }

    /// Adds the next generation, with its measures.
    pub fn fold(&mut self, generation: &GenerationRecord, measures: &[Measure]) {
        self.n_folded = generation.generation.saturating_add(1);
        self.digest.clone_from(&generation.digest);
        self.total = self.total.plus(generation.spent);
        if let Some(first) = measures.first() {
            self.measure = Some(first.into());
            self.history.push(first.value.point());
            let n_old = self.history.len().saturating_sub(MAX_HISTORY);
            self.history.drain(..n_old);
        }
    }
}

/// Returns `record` without its large fields.
pub(crate) fn without_spec(record: &RunRecord) -> RunRecord {
    RunRecord { params: String::new(), spec: String::new(), ..record.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(generation: u32) -> GenerationRecord {
        GenerationRecord {
            generation,
            digest: vec![u8::try_from(generation % 256).unwrap(); 32],
            spent: CostTotals {
                jobs: 1,
                trials: 10,
                cpu_ns: 7,
                elapsed_ns: 9,
                ..CostTotals::default()
            },
            ..GenerationRecord::default()
        }
    }

    #[test]
    fn a_summary_has_the_last_values_of_the_first_measure() {
        let record = RunRecord {
            name: "night".to_owned(),
            spec: "seed = 1".to_owned(),
            ..RunRecord::default()
        };
        let mut summary = RunSummary::new(&record, 100, &[1; 32]);
        for generation in 0..100 {
            let measures =
                [Measure::new("best", "lines", u64::from(generation)), Measure::new("x", "", 0.5)];
            summary.fold(&folded(generation), &measures);
        }
        assert_eq!(
            (summary.n_folded, summary.total.trials, summary.total.cpu_ns),
            (100, 1000, 700)
        );
        assert_eq!(summary.history.len(), MAX_HISTORY);
        assert_eq!((summary.history[0], summary.history[59]), (40.0, 99.0));
        assert_eq!(summary.measure.as_ref().map(|best| best.value), Some(99.0));
        assert_eq!(summary.digest, vec![99; 32]);
        let header = summary.record.unwrap_or_default();
        assert_eq!((header.name.as_str(), header.spec.as_str()), ("night", ""));
    }
}
