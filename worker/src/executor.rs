//! Runs jobs: on a pool of threads, or in the worker's own task.

mod blocks;
pub(crate) mod execute;
pub(crate) mod handle;
mod host;
mod inline;
pub(crate) mod job;
mod pooled_job;
pub(crate) mod shared;
pub(crate) mod task;
mod threads;
mod trace;

use hatchery_core::Catalog;
use hatchery_proto::v1::Heartbeat;
use rayon::ThreadPoolBuildError;

use crate::config::ExecutionMode;
use handle::RunningJobs;
use inline::InlineExecutor;
use task::{ExecutorEvent, JobTask, SelfTestBatch};
use threads::ThreadExecutor;

/// See the [module](self).
#[derive(Debug)]
pub(crate) enum Executor {
    Threads(ThreadExecutor),
    Inline(InlineExecutor),
}

impl Executor {
    /// An executor that runs `slots` trials at the same time.
    pub(crate) fn new(mode: ExecutionMode, slots: u32) -> Result<Self, ThreadPoolBuildError> {
        Ok(match mode {
            ExecutionMode::Threads => Self::Threads(ThreadExecutor::new(slots)?),
            ExecutionMode::Inline { per_trial, per_long_trial } => {
                Self::Inline(InlineExecutor::new(slots, per_trial, per_long_trial))
            }
        })
    }

    /// Returns true if another job can be started.
    pub(crate) fn has_room(&self) -> bool {
        match self {
            Self::Threads(threads) => threads.has_room(),
            Self::Inline(inline) => inline.has_room(),
        }
    }

    /// Starts a job.
    pub(crate) fn start(&mut self, task: JobTask) {
        match self {
            Self::Threads(threads) => threads.start(task),
            Self::Inline(inline) => inline.start(task),
        }
    }

    /// Starts self-tests.
    pub(crate) fn start_self_tests(&mut self, batch: SelfTestBatch, catalog: Catalog) {
        match self {
            Self::Threads(threads) => threads.start_self_tests(batch, catalog),
            Self::Inline(inline) => inline.start_self_tests(batch, catalog),
        }
    }

    /// Waits for the next job or batch of self-tests to end. Nothing is lost if the future is
    /// dropped.
    pub(crate) async fn next_event(&mut self) -> ExecutorEvent {
        match self {
            Self::Threads(threads) => threads.next_event().await,
            Self::Inline(inline) => inline.next_event().await,
        }
    }

    /// Returns the running jobs, for heartbeats from a thread of their own. `None` without threads:
    /// [`Self::heartbeat`] serves then.
    pub(crate) fn running_jobs(&self) -> Option<&RunningJobs> {
        match self {
            Self::Threads(threads) => Some(threads.running_jobs()),
            Self::Inline(_) => None,
        }
    }

    /// Returns a heartbeat with the progress of the running jobs.
    pub(crate) fn heartbeat(&self) -> Heartbeat {
        match self {
            Self::Threads(threads) => threads.running_jobs().heartbeat(),
            Self::Inline(inline) => inline.heartbeat(),
        }
    }
}
