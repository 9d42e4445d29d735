//! Runs jobs: in a pool of threads, or in the worker's own task.

mod inline;
pub mod job;
pub mod progress;
pub(crate) mod shared;
pub(crate) mod task;
mod threads;
mod trace;

use hatchery_core::Catalog;
use hatchery_proto::v1::{Heartbeat, SelfTest};
use rayon::ThreadPoolBuildError;

use crate::config::Execution;
use inline::Inline;
use progress::Board;
use task::Task;
use threads::Threads;

pub(crate) use task::Finished;

/// See the [module](self).
#[derive(Debug)]
pub(crate) enum Crew {
    Threads(Threads),
    Inline(Inline),
}

impl Crew {
    pub(crate) fn new(execution: Execution, slots: u32) -> Result<Self, ThreadPoolBuildError> {
        Ok(match execution {
            Execution::Threads => Self::Threads(Threads::new(slots)?),
            Execution::Inline { per_trial } => Self::Inline(Inline::new(slots, per_trial)),
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
    pub(crate) fn start(&mut self, task: Task) {
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
    pub(crate) async fn finished(&mut self) -> Finished {
        match self {
            Self::Threads(threads) => threads.finished().await,
            Self::Inline(inline) => inline.finished().await,
        }
    }

    /// Where started jobs stand, for a heartbeat from a thread of its own; without threads there is
    /// none, but see [`Self::heartbeat`].
    pub(crate) fn board(&self) -> Option<&Board> {
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
