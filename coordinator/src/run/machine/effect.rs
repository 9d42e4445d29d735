//! Effects of the run machine: types only.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use hatchery_core::SeriesClass;
use hatchery_store::{DeadJobRecord, EnqueueBatch, FoldCommit, WorkerId};

use prost::bytes::Bytes;

use super::input::FoldInput;
use crate::base::event::Event;

/// Output of the machine: something for the leader to do.
#[derive(Debug)]
pub enum MachineEffect {
    /// Plan the generation from `state`; answered by `PlannedGeneration`.
    Plan {
        /// The state.
        state: Bytes,
    },
    /// Write jobs and parts, or parts alone, and lease jobs to waiting workers.
    Enqueue(EnqueueBatch),
    /// Read results of a class from index `from` on; answered by `ResultsRead`.
    ReadResults {
        /// The class.
        class: SeriesClass,
        /// The index of the first result.
        from: u64,
        /// The most results.
        most: usize,
    },
    /// Read the dead jobs; answered by `DeadJobRecord`.
    ReadDeadJobs,
    /// Resolve dead jobs as missing; answered by `ResultsAvailable`.
    Skip(Vec<DeadJobRecord>),
    /// Pause the run.
    Pause {
        /// The reason, for a person.
        reason: String,
    },
    /// Fold the generation; answered by `FoldOutput`.
    Compute(FoldInput),
    /// Invalidate the results of workers and restart from the checkpoint: a result does not fit the
    /// cut of the generation.
    Disown {
        /// The workers.
        workers: BTreeSet<WorkerId>,
    },
    /// Begin the generation again with jobs of at most `most_trials`: a job returned too much to be
    /// sent.
    CutSmaller {
        /// The most trials of a job.
        most_trials: NonZeroU64,
        /// The reason, for a person.
        reason: String,
    },
    /// Write a checkpoint.
    Commit(FoldCommit),
    /// End the run without a result.
    Fail {
        /// The reason, for a person.
        reason: String,
    },
    /// Store and publish an event.
    Keep(Event),
    /// Publish an event.
    Publish(Event),
}
