//! Addresses of jobs.

use std::fmt;

use hatchery_proto::v1::JobRef;

/// A job's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    run: [u8; 16],
    generation: u32,
    index: u64,
}

impl Key {
    /// The address that `job_ref` says, if it says one.
    pub(crate) fn of(job_ref: Option<&JobRef>) -> Option<Self> {
        let JobRef { run, generation, index } = job_ref?;
        let run = run.as_slice().try_into().ok()?;
        Some(Self { run, generation: *generation, index: *index })
    }

    /// Its form on the wire.
    pub(crate) fn to_ref(self) -> JobRef {
        JobRef { run: self.run.to_vec(), generation: self.generation, index: self.index }
    }

    /// The run's id, as people see it.
    pub(crate) fn run_id(self) -> ulid::Ulid {
        ulid::Ulid(u128::from_be_bytes(self.run))
    }

    /// The generation.
    pub(crate) fn generation(self) -> u32 {
        self.generation
    }

    /// The index in the generation.
    pub(crate) fn index(self) -> u64 {
        self.index
    }

    /// The run.
    pub(crate) fn run(&self) -> &[u8; 16] {
        &self.run
    }
}

/// RUN/GENERATION/INDEX, as people see it.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.run_id(), self.generation, self.index)
    }
}
