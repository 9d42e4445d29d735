//! Computes jobs in the coordinator itself: to arbitrate when two results differ, and for
//! [self-tests](crate::self_tests) of workers.

use std::ops::ControlFlow;
use std::sync::{Arc, Weak};

use hatchery_core::{
    Catalog, DecodeError, Draws, Part, PartMemory, PartSet, RunSeed, TrialContext, TrialHost,
    catch_panic,
};
use hatchery_proto::v1::{self, Job, JobOutput};
use prost::Message;
use prost::bytes::Bytes;

/// The reason why a job cannot be computed here.
#[derive(Debug, thiserror::Error)]
pub enum RecomputeError {
    /// The job's experiment is not in this build.
    #[error("this build has no {experiment} version {version}")]
    Unknown {
        /// The experiment's name.
        experiment: String,
        /// Its version.
        version: u32,
    },
    /// The job or its shared input is malformed.
    #[error("the job is malformed")]
    Malformed(#[from] DecodeError),
    /// A trial panicked.
    #[error("a trial of subject {subject_idx} panicked")]
    Panicked {
        /// The subject.
        subject_idx: u32,
    },
}

/// Computes `job` with its shared input, one trial after the other, and returns the encoded
/// [`JobOutput`] that every worker must return too. The trials may read `inputs`. Parts that the
/// trials write are dropped, because a worker has sent these parts.
///
/// # Errors
/// If the job is malformed or of an experiment that is not in `catalog`, or a trial panics.
pub fn recompute(
    catalog: Catalog,
    job: &Job,
    shared: &[u8],
    inputs: PartSet,
) -> Result<Vec<u8>, RecomputeError> {
    recompute_on(catalog, job, shared, &PartMemory::new(inputs))
}

/// Computes `job` as [`recompute`] does, on a host that has the job's inputs.
///
/// # Errors
/// As [`recompute`].
pub(crate) fn recompute_on(
    catalog: Catalog,
    job: &Job,
    shared: &[u8],
    host: &dyn TrialHost,
) -> Result<Vec<u8>, RecomputeError> {
    let known = catalog.find_version(&job.experiment, job.version);
    let known = known.ok_or_else(|| RecomputeError::Unknown {
        experiment: job.experiment.clone(),
        version: job.version,
    })?;
    let prepared = known.simulation().prepare(shared)?;
    let draws = match job.draws() {
        v1::Draws::PerSubject => Draws::PerSubject,
        v1::Draws::Common => Draws::Common,
        v1::Draws::Unspecified => {
            return Err(DecodeError::field("draws", "unspecified", "how trials draw").into());
        }
    };
    let seed = RunSeed::new(&job.experiment, job.seed).generation(job.generation);
    let mut tallies = Vec::new();
    for segment in &job.segments {
        let (subject_idx, first) = (segment.subject_idx, segment.first_trial);
        let subject = prepared.subject(&segment.subject)?;
        let trials = first..first.saturating_add(segment.n_trials);
        let mut streams = trials.map(|trial| seed.trial(draws, subject_idx, trial));
        let tally = catch_panic(|| subject.trials(&mut streams, &TrialContext::new(host)));
        tallies.push(tally.map_err(|_| RecomputeError::Panicked { subject_idx })?);
    }
    Ok(JobOutput { tallies }.encode_to_vec())
}

/// A host whose trials stop early once no caller waits for them: their result is no tally then.
#[derive(Debug)]
pub(crate) struct AwaitedHost {
    parts: PartMemory,
    waiting: Weak<()>,
}

impl AwaitedHost {
    /// Returns a host whose trials may read `inputs`, and continue while `waiting` is kept.
    pub(crate) fn new(inputs: PartSet, waiting: &Arc<()>) -> Self {
        Self { parts: PartMemory::new(inputs), waiting: Arc::downgrade(waiting) }
    }
}

impl TrialHost for AwaitedHost {
    fn beat(&self, done: u64, of: u64) -> ControlFlow<()> {
        match self.waiting.strong_count() {
            0 => ControlFlow::Break(()),
            _ => self.parts.beat(done, of),
        }
    }

    fn read(&self, part: &Part) -> Option<Bytes> {
        self.parts.read(part)
    }

    fn write(&self, part: Part, bytes: Bytes) {
        self.parts.write(part, bytes);
    }
}
