//! Runs jobs on a pool with a thread for each slot.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hatchery_core::Catalog;
use hatchery_proto::v1::{JobFailure, SelfTest};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tokio::sync::mpsc;

use super::handle::RunningJobs;
use super::job::{JobOutcome, TrialThreads, job_failure};
use super::task::{ExecutorEvent, JobTask, run_self_tests, run_task};

/// The niceness of trial threads, so that they yield to the session: it has little to do, but must
/// do it soon.
const NICENESS: i32 = 10;

/// The number of jobs in the pool beyond one per slot, so that no thread waits for the session.
const QUEUED_JOBS: usize = 1;

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct ThreadExecutor {
    pool: ThreadPool,
    running_jobs: RunningJobs,
    /// The number of jobs in the pool.
    n_jobs: usize,
    max_jobs: usize,
    // Unbounded, as a thread must not wait: there is one event for each job and session.
    event_sender: mpsc::UnboundedSender<ExecutorEvent>,
    events: mpsc::UnboundedReceiver<ExecutorEvent>,
}

impl ThreadExecutor {
    pub(super) fn new(slots: u32) -> Result<Self, ThreadPoolBuildError> {
        let n_threads = slots as usize;
        let pool = ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .thread_name(|idx| format!("trials-{idx}"))
            .start_handler(|_| lower_priority())
            .build()?;
        let (event_sender, events) = mpsc::unbounded_channel();
        let max_jobs = n_threads + QUEUED_JOBS;
        let running_jobs = RunningJobs::default();
        Ok(Self { pool, running_jobs, n_jobs: 0, max_jobs, event_sender, events })
    }

    pub(super) fn has_room(&self) -> bool {
        self.n_jobs < self.max_jobs
    }

    pub(super) fn start(&mut self, task: JobTask) {
        self.n_jobs += 1;
        let (event_sender, running_jobs) = (self.event_sender.clone(), self.running_jobs.clone());
        self.pool.spawn(move || {
            let key = task.key;
            let event = if task.handle.start() {
                tracing::debug!(job = %key, "started");
                running_jobs.insert(key, Arc::clone(&task.handle));
                let outcome = catch_worker_panic(|| run_task(&task, TrialThreads::Pool));
                running_jobs.remove(key);
                ExecutorEvent::Job(key, outcome.unwrap_or_else(JobOutcome::Failed))
            } else {
                ExecutorEvent::Withdrawn
            };
            // A worker that has ended needs no event.
            event_sender.send(event).unwrap_or(());
        });
    }

    pub(super) fn start_self_tests(&self, session: u64, tests: Vec<SelfTest>, catalog: Catalog) {
        let event_sender = self.event_sender.clone();
        self.pool.spawn(move || {
            // Without results the coordinator assigns nothing, which is right after a bug.
            let results =
                catch_worker_panic(|| run_self_tests(&tests, catalog, TrialThreads::Pool));
            let results = results.unwrap_or_default();
            event_sender.send(ExecutorEvent::SelfTests { session, results }).unwrap_or(());
        });
    }

    pub(super) async fn next_event(&mut self) -> ExecutorEvent {
        let event = self.events.recv().await.expect("the executor holds a sender");
        if let ExecutorEvent::Job(..) | ExecutorEvent::Withdrawn = event {
            self.n_jobs -= 1;
        }
        event
    }

    pub(super) fn running_jobs(&self) -> &RunningJobs {
        &self.running_jobs
    }
}

/// Runs `act` and turns a panic into a failure. A panic outside of a trial is a bug, but must not
/// end the process, as it would in a pool.
fn catch_worker_panic<T>(act: impl FnOnce() -> T) -> Result<T, JobFailure> {
    let outcome = catch_unwind(AssertUnwindSafe(act));
    outcome.map_err(|_| job_failure("the worker panicked outside of a trial".to_owned()))
}

/// Lowers the priority of this thread. A machine that does not allow it runs the thread as it is.
fn lower_priority() {
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "cannot lower the priority of trial threads");
    }
}
