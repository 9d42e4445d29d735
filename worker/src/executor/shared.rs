//! Simulations with their shared inputs: each input is fetched once, decoded once, and used by all
//! trials of its generation.

use std::sync::Arc;

use hatchery_core::erased::{AnyExperiment, PreparedSimulation};
use hatchery_core::{Catalog, DecodeError, Digest, Part};
use hatchery_proto::MAX_JOB_PARTS;
use hatchery_proto::v1::Job;
use tonic::{Code, Status};

/// The number of prepared simulations that are kept: a worker serves a few runs at a time, each
/// with one current generation.
pub(crate) const PREPARED_CAPACITY: usize = 8;

/// A simulation and its shared input: the experiment, and the input's hash.
#[derive(Clone, Copy)]
pub(crate) struct SimulationKey {
    pub(crate) experiment: &'static dyn AnyExperiment,
    pub(crate) hash: Digest,
}

impl SimulationKey {
    /// Returns the key of the simulation that `job` needs.
    ///
    /// # Errors
    /// If the worker lacks the experiment in this version, or the hash is malformed.
    pub(crate) fn of_job(job: &Job, catalog: Catalog) -> Result<Self, InputError> {
        let n_bytes = job.shared.len();
        let hash = Digest::from_bytes(&job.shared).ok_or(InputError::MalformedHash { n_bytes })?;
        let known = catalog.find_version(&job.experiment, job.version);
        let experiment = known.ok_or_else(|| InputError::UnknownExperiment {
            experiment: job.experiment.clone(),
            version: job.version,
        })?;
        Ok(Self { experiment, hash })
    }

    /// Decodes `shared` and returns the simulation with it as its shared input.
    ///
    /// # Errors
    /// If `shared` has another hash, or is malformed.
    pub(crate) fn prepare(self, shared: &[u8]) -> Result<Arc<dyn PreparedSimulation>, InputError> {
        let Self { experiment, hash } = self;
        if Digest::of(shared) != hash {
            return Err(InputError::WrongBytes { hash });
        }
        let prepared = experiment.simulation().prepare(shared);
        prepared.map(Arc::from).map_err(|source| InputError::Malformed { hash, source })
    }
}

/// Returns the parts that the trials of `job` may read.
///
/// # Errors
/// If a name is malformed, or there are too many.
pub(crate) fn inputs_of(job: &Job) -> Result<Vec<Part>, InputError> {
    if MAX_JOB_PARTS < job.inputs.len() {
        let most = format!("at most {MAX_JOB_PARTS}");
        return Err(DecodeError::field("inputs", &job.inputs.len(), most).into());
    }
    let parts = job.inputs.iter().map(|part| Part::from_wire(&part.hash, part.n_bytes));
    Ok(parts.collect::<Result<_, _>>()?)
}

impl PartialEq for SimulationKey {
    fn eq(&self, other: &Self) -> bool {
        self.experiment.name() == other.experiment.name() && self.hash == other.hash
    }
}

impl std::fmt::Debug for SimulationKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.experiment.name(), self.hash)
    }
}

/// The simulations that were used last, the latest first.
#[derive(Default)]
pub(crate) struct PreparedCache(Vec<(SimulationKey, Arc<dyn PreparedSimulation>)>);

impl PreparedCache {
    /// Returns a simulation, if it is in the cache.
    pub(crate) fn get(&mut self, key: SimulationKey) -> Option<Arc<dyn PreparedSimulation>> {
        let idx = self.0.iter().position(|(kept, _)| *kept == key)?;
        self.0[..=idx].rotate_right(1);
        Some(Arc::clone(&self.0[0].1))
    }

    /// Adds a simulation, and evicts the least recently used one if the cache is full.
    pub(crate) fn insert(&mut self, key: SimulationKey, simulation: Arc<dyn PreparedSimulation>) {
        self.0.insert(0, (key, simulation));
        self.0.truncate(PREPARED_CAPACITY);
    }
}

impl std::fmt::Debug for PreparedCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(key, _)| key)).finish()
    }
}

/// The reason for which an input of jobs cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    /// The worker lacks the experiment in this version.
    #[error("this worker does not know {experiment} version {version}")]
    UnknownExperiment {
        /// The experiment's name.
        experiment: String,
        /// The version asked for.
        version: u32,
    },
    /// A part that the job names is none.
    #[error("the job names a malformed part")]
    MalformedPart(#[from] DecodeError),
    /// The hash in the job has the wrong length.
    #[error("the job's shared input has a hash of {n_bytes} bytes instead of 32")]
    MalformedHash {
        /// The length of the hash.
        n_bytes: usize,
    },
    /// The coordinator did not send the input.
    #[error("input {hash} was not sent")]
    NotSent {
        /// The hash of the input.
        hash: Digest,
        /// The coordinator's answer.
        source: Box<Status>,
    },
    /// The coordinator sent bytes with another hash, or too many.
    #[error("the coordinator sent other bytes as input {hash}")]
    WrongBytes {
        /// The hash that was asked for.
        hash: Digest,
    },
    /// The bytes are not the experiment's shared input.
    #[error("shared input {hash} is malformed")]
    Malformed {
        /// The hash of the shared input.
        hash: Digest,
        /// The decoder's error.
        source: DecodeError,
    },
}

impl InputError {
    /// Returns true if the fetch can succeed later, or at another coordinator.
    pub(crate) fn is_transient(&self) -> bool {
        let Self::NotSent { source, .. } = self else { return false };
        !matches!(
            source.code(),
            Code::NotFound
                | Code::InvalidArgument
                | Code::FailedPrecondition
                | Code::OutOfRange
                | Code::Unimplemented
        )
    }
}
