//! The cost and the work of a generation or a run.

use std::collections::BTreeMap;

use hatchery_core::{SeriesClass, Work};
use prost::Message;

/// The cost of a generation or a run.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct CostTotals {
    /// Jobs folded.
    #[prost(uint64, tag = "1")]
    pub jobs: u64,
    /// Trials folded.
    #[prost(uint64, tag = "2")]
    pub trials: u64,
    /// CPU time of the trials, over all workers.
    #[prost(uint64, tag = "3")]
    pub cpu_ns: u64,
    /// Time during which a leader worked on the generation or run.
    #[prost(uint64, tag = "4")]
    pub elapsed_ns: u64,
    /// Long trials among `trials`.
    #[prost(uint64, tag = "5")]
    pub alone_trials: u64,
    /// Their CPU time, which `cpu_ns` includes.
    #[prost(uint64, tag = "6")]
    pub alone_cpu_ns: u64,
}

impl CostTotals {
    /// Returns the sum of both costs. Saturates, because a worker may claim any CPU time.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self {
            jobs: self.jobs.saturating_add(more.jobs),
            trials: self.trials.saturating_add(more.trials),
            cpu_ns: self.cpu_ns.saturating_add(more.cpu_ns),
            elapsed_ns: self.elapsed_ns.saturating_add(more.elapsed_ns),
            alone_trials: self.alone_trials.saturating_add(more.alone_trials),
            alone_cpu_ns: self.alone_cpu_ns.saturating_add(more.alone_cpu_ns),
        }
    }
}

/// A [`Work`] as stored.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct WorkCount {
    /// The unit, in the plural.
    #[prost(string, tag = "1")]
    pub unit: String,
    /// The count.
    #[prost(uint64, tag = "2")]
    pub count: u64,
    /// The CPU time of the trials in the classes that count this unit; 0 in records of earlier
    /// versions.
    #[prost(uint64, tag = "3")]
    pub cpu_ns: u64,
}

impl WorkCount {
    /// Returns the work of a generation with the cost `spent`, summed over the classes in `work`.
    #[must_use]
    pub fn of(work: &BTreeMap<SeriesClass, Vec<Work>>, spent: &CostTotals) -> Vec<Self> {
        let mut counts = Vec::new();
        for (class, work) in work {
            let cpu_ns = match class {
                SeriesClass::Alone => spent.alone_cpu_ns,
                SeriesClass::Pooled => spent.cpu_ns.saturating_sub(spent.alone_cpu_ns),
            };
            let count = |Work { unit, count }| Self { unit, count, cpu_ns };
            Self::add(&mut counts, &work.iter().cloned().map(count).collect::<Vec<_>>());
        }
        counts
    }

    /// Adds `more` to `sum`, unit by unit. Counts saturate.
    pub fn add(sum: &mut Vec<Self>, more: &[Self]) {
        for work in more {
            match sum.iter_mut().find(|known| known.unit == work.unit) {
                Some(known) => {
                    known.count = known.count.saturating_add(work.count);
                    known.cpu_ns = known.cpu_ns.saturating_add(work.cpu_ns);
                }
                None => sum.push(work.clone()),
            }
        }
    }

    /// Returns the same work, with this CPU time if it has no CPU time yet.
    #[must_use]
    pub fn or_cpu(self, cpu_ns: u64) -> Self {
        Self { cpu_ns: if self.cpu_ns == 0 { cpu_ns } else { self.cpu_ns }, ..self }
    }
}

impl From<WorkCount> for Work {
    fn from(WorkCount { unit, count, cpu_ns: _ }: WorkCount) -> Self {
        Self { unit, count }
    }
}
