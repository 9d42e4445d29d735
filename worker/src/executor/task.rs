//! The tasks of an executor: jobs, and the self-tests of a session.

use std::sync::Arc;

use hatchery_core::erased::PreparedSimulation;
use hatchery_core::{Catalog, PartSet};
use hatchery_proto::MAX_BATCH_BYTES;
use hatchery_proto::v1::{self, Job, SelfTest, SelfTested, result};
use prost::Message;

use super::execute::{TrialThreads, execute_job};
use super::handle::JobHandle;
use super::job::{ComputedOutput, JobOutcome, job_failure};
use super::shared::SimulationKey;
use super::trace;
use crate::ids::JobKey;

/// A job that is ready to run.
pub(crate) struct JobTask {
    pub(crate) key: JobKey,
    pub(crate) job: Job,
    pub(crate) simulation: Arc<dyn PreparedSimulation>,
    /// The parts that its trials may read.
    pub(crate) inputs: PartSet,
    pub(crate) handle: Arc<JobHandle>,
    /// The most threads that run it.
    pub(crate) n_threads: usize,
}

/// The end of a task.
#[derive(Debug)]
pub(crate) enum ExecutorEvent {
    /// A job ended.
    Job(JobKey, JobOutcome),
    /// A job was withdrawn before a thread started it.
    Withdrawn,
    /// Self-tests of the session with this number ended.
    SelfTested(u64, SelfTested),
}

/// Self-tests that are answered together.
#[derive(Debug)]
pub(crate) struct SelfTestBatch {
    /// The number of the session that they belong to.
    pub(crate) session: u64,
    /// The experiment of a single self-test; empty for self-tests in Welcome.
    pub(crate) experiment: String,
    pub(crate) tests: Vec<SelfTest>,
}

impl SelfTestBatch {
    /// Returns the event that they ended with these outcomes, in order.
    pub(super) fn ended(self, results: Vec<v1::Result>) -> ExecutorEvent {
        let Self { session, experiment, tests: _ } = self;
        ExecutorEvent::SelfTested(session, SelfTested { results, experiment })
    }
}

/// Runs a job on the current thread.
pub(super) fn run_task(task: &JobTask) -> JobOutcome {
    let JobTask { key, job, simulation, inputs, handle, n_threads: _ } = task;
    let span = trace::job_span(*key, job);
    let threads = TrialThreads::Current;
    let outcome = execute_job(job, simulation.as_ref(), inputs.clone(), handle, threads);
    trace::record_outcome(&span, &outcome);
    outcome
}

/// Runs `tests` on `threads` and returns their outcomes in order.
pub(super) fn run_self_tests(
    tests: &[SelfTest],
    catalog: Catalog,
    threads: TrialThreads,
) -> Vec<v1::Result> {
    let mut n_bytes = 0;
    let run = |test: &SelfTest| {
        let (outcome, cost) = match run_self_test(test, catalog, threads) {
            Ok(JobOutcome::Output(ComputedOutput { output, cost, parts: _ })) => {
                n_bytes += output.len();
                match n_bytes <= MAX_BATCH_BYTES {
                    true => (result::Outcome::Output(output), Some(cost)),
                    false => {
                        let message = "the outputs of all self-tests are too large".to_owned();
                        (result::Outcome::Failure(job_failure(message)), None)
                    }
                }
            }
            Ok(JobOutcome::Failed(failure)) => (result::Outcome::Failure(failure), None),
            Ok(JobOutcome::Cancelled) => unreachable!("nobody cancels a self-test"),
            Err(message) => (result::Outcome::Failure(job_failure(message)), None),
        };
        v1::Result { r#ref: None, outcome: Some(outcome), cost, ticket: Vec::new() }
    };
    tests.iter().map(run).collect()
}

fn run_self_test(
    test: &SelfTest,
    catalog: Catalog,
    threads: TrialThreads,
) -> Result<JobOutcome, String> {
    let job = Job::decode(&*test.job).map_err(|error| format!("malformed job: {error}"))?;
    tracing::debug!(experiment = job.experiment, "self-test run");
    let key = SimulationKey::of_job(&job, catalog).map_err(|error| error.to_string())?;
    let simulation = key.prepare(&test.shared).map_err(|error| error.to_string())?;
    let handle = JobHandle::default();
    Ok(execute_job(&job, simulation.as_ref(), PartSet::default(), &handle, threads))
}
