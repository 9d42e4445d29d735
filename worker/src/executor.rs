//! Runs jobs: in a pool of threads, or in the worker's own task.

pub mod handle;
mod inline;
pub mod job;
pub(crate) mod shared;
pub(crate) mod task;
mod threads;
mod trace;

use hatchery_core::Catalog;
use hatchery_proto::v1::{Heartbeat, SelfTest};
use rayon::ThreadPoolBuildError;

use crate::config::ExecutionMode;
use handle::RunningJobs;
use inline::InlineExecutor;
use task::JobTask;
use threads::ThreadExecutor;

pub(crate) use task::ExecutorEvent;

/// See the [module](self).
#[derive(Debug)]
pub(crate) enum Executor {
    Threads(ThreadExecutor),
    Inline(InlineExecutor),
}

impl Executor {
    pub(crate) fn new(execution: ExecutionMode, slots: u32) -> Result<Self, ThreadPoolBuildError> {
        Ok(match execution {
            ExecutionMode::Threads => Self::Threads(ThreadExecutor::new(slots)?),
            ExecutionMode::Inline { per_trial } => {
                Self::Inline(InlineExecutor::new(slots, per_trial))
            }
        })
    }

    /// Whether another job can be started.
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

    /// Runs the self-tests of session number `session`.
    pub(crate) fn self_test(&mut self, session: u64, tests: Vec<SelfTest>, catalog: Catalog) {
        match self {
            Self::Threads(threads) => threads.self_test(session, tests, catalog),
            Self::Inline(inline) => inline.self_test(session, &tests, catalog),
        }
    }

    /// The next thing that is done. Nothing is lost if the future is dropped.
    pub(crate) async fn finished(&mut self) -> ExecutorEvent {
        match self {
            Self::Threads(threads) => threads.finished().await,
            Self::Inline(inline) => inline.finished().await,
        }
    }

    /// Where started jobs stand, for a heartbeat from a thread of its own; without threads there is
    /// none, but see [`Self::heartbeat`].
    pub(crate) fn board(&self) -> Option<&RunningJobs> {
        match self {
            Self::Threads(threads) => Some(threads.board()),
            Self::Inline(_) => None,
        }
    }

    /// The heartbeat of a crew without threads.
    pub(crate) fn heartbeat(&self) -> Heartbeat {
        match self {
            Self::Threads(threads) => threads.board().heartbeat(),
            Self::Inline(inline) => inline.heartbeat(),
        }
    }
}
