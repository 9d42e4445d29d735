//! Plans in bytes: the trials that a generation simulates.

use crate::experiment::{Plan, Series, SeriesClass};
use crate::part::Part;
use crate::seed::Draws;
use crate::simulation::Simulation;
use crate::wire::WireValue;

use super::EncodedBytes;

/// A plan in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnyPlan {
    /// The shared input.
    pub shared: EncodedBytes,
    /// The parts that the shared input names: each trial may read them.
    pub shared_parts: Vec<Part>,
    /// The subjects and their numbers of trials, at least one trial per subject.
    pub series: Vec<AnySeries>,
    /// The choice between own and common random numbers for subjects.
    pub draws: Draws,
    /// The smallest [`Simulation::lanes`] of the subjects.
    pub lanes: u32,
}

impl AnyPlan {
    /// Returns a plan that names no parts, with these subjects and their numbers of trials.
    #[must_use]
    pub fn without_parts(
        shared: EncodedBytes,
        series: impl IntoIterator<Item = (EncodedBytes, u32)>,
        draws: Draws,
    ) -> Self {
        let series = series.into_iter();
        let series = series.map(|(subject, n_trials)| AnySeries {
            subject,
            parts: Vec::new(),
            n_trials,
            class: SeriesClass::Pooled,
        });
        Self { shared, shared_parts: Vec::new(), series: series.collect(), draws, lanes: 1 }
    }

    /// Returns the classes of the series, in order.
    #[must_use]
    pub fn classes(&self) -> Vec<SeriesClass> {
        self.series.iter().map(|series| series.class).collect()
    }

    /// Returns the total number of trials.
    #[must_use]
    pub fn n_trials(&self) -> u64 {
        self.series.iter().map(|series| u64::from(series.n_trials)).sum()
    }

    /// Returns the series in the order in which their trials are cut into jobs. Series with long
    /// trials come first, so that long trials begin first.
    #[must_use]
    pub fn job_order(&self) -> Vec<u32> {
        let of_class = |class| {
            let indices = (0..).zip(&self.series);
            indices.filter(move |(_, series)| series.class == class).map(|(idx, _)| idx)
        };
        of_class(SeriesClass::Alone).chain(of_class(SeriesClass::Pooled)).collect()
    }

    /// Returns the number of trials in a class. For [`SeriesClass::Alone`], that is also the number
    /// of jobs.
    #[must_use]
    pub fn n_trials_of(&self, class: SeriesClass) -> u64 {
        let of_class = self.series.iter().filter(|series| series.class == class);
        of_class.map(|series| u64::from(series.n_trials)).sum()
    }

    /// Checks that all parts that trials may read exist.
    ///
    /// # Errors
    /// [`MissingPart`] for the first series with a part that does not exist.
    pub fn check_inputs(&self, is_there: impl Fn(&Part) -> bool) -> Result<(), MissingPart> {
        for (idx, series) in self.series.iter().enumerate() {
            let inputs = self.shared_parts.iter().chain(&series.parts);
            if let Some(part) = inputs.copied().find(|part| !is_there(part)) {
                return Err(MissingPart { series: idx, part });
            }
        }
        Ok(())
    }

    /// Returns the parts that the trials of `series` may read.
    #[must_use]
    pub fn inputs(&self, series: &AnySeries) -> Vec<Part> {
        [&self.shared_parts[..], &series.parts].concat()
    }
}

/// A series in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnySeries {
    /// The subject.
    pub subject: EncodedBytes,
    /// The parts that the subject names: its trials may read them.
    pub parts: Vec<Part>,
    /// The number of trials.
    pub n_trials: u32,
    /// The class of the trials.
    pub class: SeriesClass,
}

/// A part that a plan names, but that does not exist: the state before did not name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("series {series} needs part {part}, which the state does not name")]
pub struct MissingPart {
    /// The series.
    pub series: usize,
    /// The part.
    pub part: Part,
}

pub(crate) fn encode_plan<S: Simulation>(plan: &Plan<S>) -> AnyPlan {
    let Plan { shared, series, draws } = plan;
    let lanes = series.iter().map(|series| S::lanes(&series.subject)).min().unwrap_or(1);
    let series = series.iter().map(|Series { subject, n_trials, class }| AnySeries {
        subject: subject.encode(),
        parts: subject.parts(),
        n_trials: *n_trials,
        class: *class,
    });
    AnyPlan {
        shared: shared.encode(),
        shared_parts: shared.parts(),
        series: series.collect(),
        draws: *draws,
        lanes,
    }
}
