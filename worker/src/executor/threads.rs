//! Runs jobs on a pool with a thread for each slot.

use std::sync::Arc;

use hatchery_core::Catalog;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tokio::sync::mpsc;

use super::execute::TrialThreads;
use super::handle::RunningJobs;
use super::job::catch_worker_panic;
use super::pooled_job::PooledJob;
use super::task::{ExecutorEvent, JobTask, SelfTestBatch, run_self_tests};

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
    // Unbounded, as a thread must not wait: there is one event for each job and batch of tests.
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
        let n_threads = task.n_threads.min(self.pool.current_num_threads());
        self.pool.spawn(move || {
            let key = task.key;
            if !task.handle.start() {
                // A worker that has ended needs no event.
                return event_sender.send(ExecutorEvent::Withdrawn).unwrap_or(());
            }
            tracing::debug!(job = %key, "started");
            running_jobs.insert(key, Arc::clone(&task.handle));
            let end = move |key, outcome| {
                running_jobs.remove(key);
                event_sender.send(ExecutorEvent::Job(key, outcome)).unwrap_or(());
            };
            match PooledJob::begin(task, n_threads) {
                Ok(job) => job.spread(end),
                Err(outcome) => end(key, outcome),
            }
        });
    }

    pub(super) fn start_self_tests(&self, batch: SelfTestBatch, catalog: Catalog) {
        let event_sender = self.event_sender.clone();
        self.pool.spawn(move || {
            // Without results the coordinator assigns nothing, which is right after a bug.
            let results =
                catch_worker_panic(|| run_self_tests(&batch.tests, catalog, TrialThreads::Pool));
            event_sender.send(batch.ended(results.unwrap_or_default())).unwrap_or(());
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

/// Lowers the priority of this thread. A machine that does not allow it runs the thread as it is.
fn lower_priority() {
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "cannot lower the priority of trial threads");
    }
}
