//! Runs of an experiment side by side: the differences of their specs, and in their measures.
//!
//! ```text
//! runs -> parameters that differ
//!      -> measures of all runs, each minus that of the first run -> finding
//! ```
//! The first run is the baseline. All other runs are compared with it.

mod finding;
mod labels;
mod measures;
mod params;
mod run;

use std::collections::BTreeSet;

use hatchery_core::IntervalEstimate;

use super::result::ResultDocument;
use crate::error::ComparisonError;

pub(super) use labels::{label, labels};
pub(super) use measures::{MeasureComparison, MeasureDifference, MissingInterval};
pub(super) use params::ParamDifference;
pub(crate) use run::ComparedRun;

/// The most runs that are compared: there are six colors of series, and with their dashes, lines
/// of eight runs can be told apart on one chart.
pub(crate) const MAX_COMPARED_RUNS: usize = 8;

/// Runs of an experiment, the baseline first, and the differences between them.
#[derive(Clone, Debug)]
pub(crate) struct RunComparison {
    pub(super) runs: Vec<ComparedRun>,
    /// The parameters that differ.
    pub(super) params: Vec<ParamDifference>,
    /// The measures that all runs have, the most important first.
    pub(super) measures: Vec<MeasureComparison>,
    /// The names of measures that only some of the runs have.
    pub(super) partial_measures: Vec<String>,
}

impl RunComparison {
    /// Compares `others` with the run `baseline`.
    ///
    /// # Errors
    /// If a run is given twice, or runs are of different experiments.
    pub(crate) fn new(
        baseline: ComparedRun,
        others: Vec<ComparedRun>,
    ) -> Result<Self, ComparisonError> {
        let mut ids = BTreeSet::from([&baseline.result.run]);
        for ComparedRun { result, .. } in &others {
            if !ids.insert(&result.run) {
                return Err(ComparisonError::SameRun { run: result.run.clone() });
            }
            if result.experiment != baseline.result.experiment {
                return Err(ComparisonError::OtherExperiment {
                    first: baseline.result.run.clone(),
                    first_experiment: baseline.result.experiment.clone(),
                    other: result.run.clone(),
                    other_experiment: result.experiment.clone(),
                });
            }
        }
        let runs = Vec::from_iter(std::iter::once(baseline).chain(others));
        let params: Vec<_> = runs.iter().map(|run| &run.params).collect();
        let (measures, partial_measures) = measures::compare(&runs);
        Ok(Self { params: params::differences(&params), measures, partial_measures, runs })
    }

    /// Returns the result of the baseline.
    pub(super) fn baseline(&self) -> &ResultDocument {
        &self.runs[0].result
    }

    /// Returns the indices of the runs except the baseline.
    pub(super) fn others(&self) -> std::ops::Range<usize> {
        1..self.runs.len()
    }

    /// Returns all differences with an interval, each with the index of its run.
    pub(super) fn estimates(&self) -> impl Iterator<Item = (usize, IntervalEstimate)> {
        self.measures.iter().flat_map(MeasureComparison::estimates)
    }

    /// Returns the indices of runs with the digest of an earlier one, each with that one's.
    pub(super) fn same_digests(&self) -> Vec<(usize, usize)> {
        let digest = |idx: usize| &self.runs[idx].result.digest;
        let same = |idx: usize| (0..idx).find(|&earlier| digest(earlier) == digest(idx));
        (0..self.runs.len()).filter_map(|idx| Some((idx, same(idx)?))).collect()
    }

    /// Returns whether no run differs from the baseline in its seed.
    pub(super) fn has_one_seed(&self) -> bool {
        self.others().all(|idx| self.shares_seed(idx))
    }

    /// Returns whether a run has the seed of the baseline: trials of the same generation, subject
    /// and number meet the same random numbers in both.
    pub(super) fn shares_seed(&self, idx: usize) -> bool {
        self.runs[idx].result.seed == self.baseline().seed
    }

    /// Returns whether spec and seed are the same, all runs have all of their trials, and yet their
    /// digests differ: at least one digest is wrong.
    pub(super) fn contradicts_itself(&self) -> bool {
        let is_same = self.params.is_empty() && self.has_one_seed();
        let is_complete = self.runs.iter().all(ComparedRun::is_complete);
        is_same && is_complete && self.same_digests().len() + 1 < self.runs.len()
    }
}

/// Runs for tests.
#[cfg(test)]
pub(super) mod samples {
    use hatchery_core::{GenerationMeasures, IntervalEstimate, Measure};
    use serde_json::json;

    use super::*;
    use crate::report::result::SCHEMA;

    /// Returns an estimate whose interval reaches 1 to both sides.
    pub(in crate::report) fn estimate(mean: f64) -> IntervalEstimate {
        IntervalEstimate { mean, low: mean - 1.0, high: mean + 1.0, n: 9, confidence: 0.95 }
    }

    /// Returns a run that is done, of this id, seed, parameters and measures. Its digest is its id.
    pub(in crate::report) fn run(
        id: &str,
        seed: u64,
        params: serde_json::Value,
        measures: &[Measure],
    ) -> ComparedRun {
        let document = json!({
            "schema": SCHEMA, "run": id, "name": format!("name of {id}"), "experiment": "pig",
            "version": 1, "seed": seed, "status": "done", "generations": 2,
            "planned_generations": 2, "jobs": 1, "trials": 1_000, "elapsed_s": 1.0, "cpu_s": 1.0,
            "digest": id, "work": [], "measures": measures, "exhibits": []
        });
        let generation =
            |generation| GenerationMeasures { generation, measures: measures.to_vec() };
        ComparedRun {
            result: ResultDocument::parse(document.to_string().as_bytes()).unwrap(),
            spec: format!("experiment = \"pig\"\nseed = {seed}\n"),
            params,
            inputs: BTreeSet::new(),
            history: (0..2).map(generation).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::result::ResultStatus;
    use super::samples::run;
    use super::*;

    #[test]
    fn runs_that_are_no_pair_are_refused() {
        let a = run("R1", 1, json!({}), &[]);
        let twice = RunComparison::new(a.clone(), vec![a.clone()]).unwrap_err();
        assert_eq!(twice.to_string(), "run R1 is given twice: name each run once");
        let mut other = run("R2", 1, json!({}), &[]);
        "tetris-evolve".clone_into(&mut other.result.experiment);
        let error = RunComparison::new(a, vec![other]).unwrap_err();
        let expected =
            "run R1 is of pig, but run R2 is of tetris-evolve: give runs of the same experiment";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn equal_digests_are_found() {
        let [a, mut b, mut c] = ["R1", "R2", "R3"].map(|id| run(id, 1, json!({}), &[]));
        "R1".clone_into(&mut c.result.digest);
        let comparison = RunComparison::new(a.clone(), vec![b.clone(), c.clone()]).unwrap();
        assert_eq!(comparison.same_digests(), [(2, 0)]);
        // Nothing differs, and yet the bytes do.
        assert!(comparison.contradicts_itself() && comparison.has_one_seed());
        b.result.status = ResultStatus::Unfinished;
        assert!(!RunComparison::new(a, vec![b, c]).unwrap().contradicts_itself());
    }
}
