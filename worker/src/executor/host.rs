//! The context of a job's trials: their parts, and whether the job is still wanted.

use std::ops::ControlFlow;

use hatchery_core::{Part, PartMemory, TrialHost};
use prost::bytes::Bytes;

use super::handle::JobHandle;

/// The host of a job's trials, on all threads that run them.
pub(super) struct JobHost<'a> {
    handle: &'a JobHandle,
    parts: &'a PartMemory,
}

impl<'a> JobHost<'a> {
    /// Returns the host of the job of `handle`, whose trials read and write `parts`.
    pub(super) fn new(handle: &'a JobHandle, parts: &'a PartMemory) -> Self {
        Self { handle, parts }
    }

    /// Returns the handle of the job.
    pub(super) fn handle(&self) -> &'a JobHandle {
        self.handle
    }
}

impl TrialHost for JobHost<'_> {
    fn beat(&self, done: u64, of: u64) -> ControlFlow<()> {
        self.handle.beat(done, of);
        match self.handle.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn read(&self, part: &Part) -> Option<Bytes> {
        self.parts.read(part)
    }

    fn write(&self, part: Part, bytes: Bytes) {
        self.parts.write(part, bytes);
    }
}
