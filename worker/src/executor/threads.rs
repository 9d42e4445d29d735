//! A pool with a thread for each slot.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hatchery_core::Catalog;
use hatchery_proto::v1::SelfTest;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tokio::sync::mpsc;

use super::handle::RunningJobs;
use super::job::{JobOutcome, TrialThreads, failure};
use super::task::{ExecutorEvent, JobTask, outcomes, run};

/// How much nicer trials are than the session, which has little to do but must do it soon.
const NICENESS: i32 = 10;

/// How many jobs more than slots are in the pool, so that no thread waits for the session.
const JOBS_BEHIND: usize = 1;

#[derive(Debug)]
pub(crate) struct ThreadExecutor {
    pool: ThreadPool,
    board: RunningJobs,
    /// Jobs in the pool.
    n_jobs: usize,
    most_jobs: usize,
    // Unbounded, as a thread must not wait: there is one message for each job and session.
    finish: mpsc::UnboundedSender<ExecutorEvent>,
    finished: mpsc::UnboundedReceiver<ExecutorEvent>,
}

impl ThreadExecutor {
    pub(super) fn new(slots: u32) -> Result<Self, ThreadPoolBuildError> {
        let n_threads = slots as usize;
        let pool = ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .thread_name(|idx| format!("trials-{idx}"))
            .start_handler(|_| lower_priority())
            .build()?;
        let (finish, finished) = mpsc::unbounded_channel();
        let most_jobs = n_threads + JOBS_BEHIND;
        Ok(Self { pool, board: RunningJobs::default(), n_jobs: 0, most_jobs, finish, finished })
    }

    pub(super) fn has_room(&self) -> bool {
        self.n_jobs < self.most_jobs
    }

    pub(super) fn start(&mut self, task: JobTask) {
        self.n_jobs += 1;
        let (finish, board) = (self.finish.clone(), self.board.clone());
        self.pool.spawn(move || {
            let key = task.key;
            let done = if task.handle.start() {
                tracing::debug!(job = %key, "started");
                board.insert(key, std::sync::Arc::clone(&task.handle));
                let executed = guarded(|| run(&task, TrialThreads::Pool));
                board.remove(key);
                ExecutorEvent::Job(key, executed.unwrap_or_else(JobOutcome::Failed))
            } else {
                ExecutorEvent::Withdrawn
            };
            // A worker that has ended wants nothing.
            finish.send(done).unwrap_or(());
        });
    }

    pub(super) fn self_test(&self, session: u64, tests: Vec<SelfTest>, catalog: Catalog) {
        let finish = self.finish.clone();
        self.pool.spawn(move || {
            // Without an answer the coordinator assigns nothing, which is right after a bug.
            let results =
                guarded(|| outcomes(&tests, catalog, TrialThreads::Pool)).unwrap_or_default();
            finish.send(ExecutorEvent::SelfTests { session, results }).unwrap_or(());
        });
    }

    pub(super) async fn finished(&mut self) -> ExecutorEvent {
        let finished = self.finished.recv().await.expect("its sender is here");
        if let ExecutorEvent::Job(..) | ExecutorEvent::Withdrawn = finished {
            self.n_jobs -= 1;
        }
        finished
    }

    pub(super) fn board(&self) -> &RunningJobs {
        &self.board
    }
}

/// What `work` returns. A panic outside of a trial is a bug, but must not end the process, as it
/// would in a pool.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, hatchery_proto::v1::JobFailure> {
    let outcome = catch_unwind(AssertUnwindSafe(work));
    outcome.map_err(|_| failure("the worker panicked outside of a trial".to_owned()))
}

/// Best effort: a machine that does not let threads be nice runs them as they are.
fn lower_priority() {
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "trial threads keep their priority");
    }
}
