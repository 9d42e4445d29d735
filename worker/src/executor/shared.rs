//! Shared inputs: each is fetched once, decoded once, and used by all trials of its generation.

use std::sync::Arc;

use hatchery_core::erased::{AnyExperiment, PreparedSimulation};
use hatchery_core::{Catalog, DecodeError, Digest};
use hatchery_proto::v1::Job;
use tonic::{Code, Status};

/// How many benches are kept: a worker serves a few runs at a time, each with one current
/// generation.
pub(crate) const PREPARED_CAPACITY: usize = 8;

/// What a bench is made of: the experiment, and the hash of the shared input.
#[derive(Clone, Copy)]
pub(crate) struct SimulationKey {
    pub(crate) experiment: &'static dyn AnyExperiment,
    pub(crate) hash: Digest,
}

impl SimulationKey {
    /// The bench that `job` needs.
    pub(crate) fn of(job: &Job, catalog: Catalog) -> Result<Self, SharedInputError> {
        let n_bytes = job.shared.len();
        let hash = Digest::from_bytes(&job.shared).ok_or(SharedInputError::Hash { n_bytes })?;
        let known = catalog.find_version(&job.experiment, job.version);
        let experiment = known.ok_or_else(|| SharedInputError::Unknown {
            experiment: job.experiment.clone(),
            version: job.version,
        })?;
        Ok(Self { experiment, hash })
    }

    /// The bench with `blob` as its shared input.
    pub(crate) fn make(self, blob: &[u8]) -> Result<Arc<dyn PreparedSimulation>, SharedInputError> {
        let Self { experiment, hash } = self;
        if Digest::of(blob) != hash {
            return Err(SharedInputError::Wrong { hash });
        }
        let bench = experiment.simulation().prepare(blob);
        bench.map(Arc::from).map_err(|source| SharedInputError::Malformed { hash, source })
    }
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

/// The benches used last, the latest first.
#[derive(Default)]
pub(crate) struct PreparedCache(Vec<(SimulationKey, Arc<dyn PreparedSimulation>)>);

impl PreparedCache {
    /// The bench, if it is here.
    pub(crate) fn get(&mut self, id: SimulationKey) -> Option<Arc<dyn PreparedSimulation>> {
        let idx = self.0.iter().position(|(kept, _)| *kept == id)?;
        self.0[..=idx].rotate_right(1);
        Some(Arc::clone(&self.0[0].1))
    }

    /// Keeps a bench, and forgets the one that was not used for longest.
    pub(crate) fn keep(&mut self, id: SimulationKey, bench: Arc<dyn PreparedSimulation>) {
        self.0.insert(0, (id, bench));
        self.0.truncate(PREPARED_CAPACITY);
    }
}

impl std::fmt::Debug for PreparedCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(id, _)| id)).finish()
    }
}

/// Why a bench is not to be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SharedInputError {
    /// The worker does not know the experiment, or knows another version.
    #[error("this worker does not know {experiment} version {version}")]
    Unknown {
        /// The experiment's name.
        experiment: String,
        /// The version asked for.
        version: u32,
    },
    /// The hash in the job is no hash.
    #[error("the job's shared input has a hash of {n_bytes} bytes instead of 32")]
    Hash {
        /// Its length.
        n_bytes: usize,
    },
    /// The coordinator did not send the blob.
    #[error("shared input {hash} was not sent")]
    Fetch {
        /// Its hash.
        hash: Digest,
        /// What the coordinator says.
        source: Box<Status>,
    },
    /// The coordinator sent something else, or too much.
    #[error("shared input {hash} came with other bytes")]
    Wrong {
        /// The hash asked for.
        hash: Digest,
    },
    /// The blob is not the experiment's shared input.
    #[error("shared input {hash} is malformed")]
    Malformed {
        /// Its hash.
        hash: Digest,
        /// What is wrong.
        source: DecodeError,
    },
}

impl SharedInputError {
    /// Whether it can be another thing with another coordinator, or later.
    pub(crate) fn is_passing(&self) -> bool {
        let Self::Fetch { source, .. } = self else { return false };
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
