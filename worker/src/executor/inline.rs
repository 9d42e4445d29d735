//! Runs jobs in the worker's own task, each after the time that it is meant to take.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use hatchery_core::Catalog;
use hatchery_proto::v1::{Heartbeat, JobCost, JobProgress};
use tokio::time::{Instant, sleep_until};

use super::execute::TrialThreads;
use super::job::{ComputedOutput, JobOutcome};
use super::task::{ExecutorEvent, JobTask, SelfTestBatch, run_self_tests, run_task};
use crate::ids::JobKey;

/// The longest time that a job can be meant to take: a simulated farm does not run for longer.
const LONGEST_JOB: Duration = Duration::from_secs(3600);

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct InlineExecutor {
    slots: usize,
    per_trial: Duration,
    per_long_trial: Duration,
    running: BTreeMap<JobKey, RunningJob>,
    events: VecDeque<ExecutorEvent>,
}

struct RunningJob {
    started: Instant,
    per_trial: Duration,
    duration: Duration,
    task: JobTask,
}

impl InlineExecutor {
    pub(super) fn new(slots: u32, per_trial: Duration, per_long_trial: Duration) -> Self {
        let (running, events) = (BTreeMap::new(), VecDeque::new());
        Self { slots: slots as usize, per_trial, per_long_trial, running, events }
    }

    pub(super) fn has_room(&self) -> bool {
        self.running.len() < self.slots
    }

    pub(super) fn start(&mut self, task: JobTask) {
        task.handle.start();
        let n_trials = u32::try_from(task.job.n_trials()).unwrap_or(u32::MAX);
        let per_trial = if task.job.alone { self.per_long_trial } else { self.per_trial };
        let duration = per_trial.saturating_mul(n_trials).min(LONGEST_JOB);
        let running = RunningJob { started: Instant::now(), per_trial, duration, task };
        self.running.insert(running.task.key, running);
    }

    pub(super) fn start_self_tests(&mut self, batch: SelfTestBatch, catalog: Catalog) {
        let results = run_self_tests(&batch.tests, catalog, TrialThreads::Current);
        self.events.push_back(batch.ended(results));
    }

    pub(super) async fn next_event(&mut self) -> ExecutorEvent {
        if let Some(event) = self.events.pop_front() {
            return event;
        }
        let ends = self.running.iter().map(|(key, running)| (running.end(), *key));
        let Some((end, key)) = ends.min() else { return std::future::pending().await };
        sleep_until(end).await;
        let RunningJob { duration, task, .. } =
            self.running.remove(&key).expect("the job was there before the wait");
        let outcome = match run_task(&task) {
            // The time that the job is meant to take, for a coordinator in virtual time.
            JobOutcome::Output(computed) => {
                let ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
                let cost = JobCost { cpu_ns: ns, wall_ns: ns };
                JobOutcome::Output(ComputedOutput { cost, ..computed })
            }
            other => other,
        };
        ExecutorEvent::Job(key, outcome)
    }

    pub(super) fn heartbeat(&self) -> Heartbeat {
        let wanted = self.running.iter().filter(|(_, running)| !running.task.handle.is_cancelled());
        let running = wanted.map(|(key, running)| JobProgress {
            r#ref: Some(key.to_wire()),
            trials_done: running.trials_done(),
            // As if its trials beat once a second.
            beats: running.started.elapsed().as_secs(),
            share_ppm: running.share_ppm(),
        });
        Heartbeat { running: running.collect() }
    }
}

impl RunningJob {
    fn end(&self) -> Instant {
        match self.task.handle.is_cancelled() {
            true => self.started,
            false => self.started + self.duration,
        }
    }

    /// Returns the share of the time that has passed, in millionths.
    fn share_ppm(&self) -> u32 {
        let (passed, all) = (self.started.elapsed().as_nanos(), self.duration.as_nanos());
        let ppm = (passed * 1_000_000).checked_div(all).unwrap_or_default();
        u32::try_from(ppm).unwrap_or(u32::MAX).min(1_000_000)
    }

    fn trials_done(&self) -> u64 {
        let done = self.started.elapsed().as_nanos() / self.per_trial.as_nanos().max(1);
        u64::try_from(done).unwrap_or(u64::MAX).min(self.task.job.n_trials())
    }
}

impl std::fmt::Debug for RunningJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunningJob").field("started", &self.started).finish_non_exhaustive()
    }
}
