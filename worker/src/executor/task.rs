//! The tasks of an executor: jobs, and the self-tests of a session.

use std::sync::Arc;

use hatchery_core::Catalog;
use hatchery_core::erased::PreparedSimulation;
use hatchery_proto::MAX_BATCH_BYTES;
use hatchery_proto::v1::{self, Job, SelfTest, result};
use prost::Message;

use super::handle::JobHandle;
use super::job::{JobOutcome, TrialThreads, execute, failure};
use super::shared::SimulationKey;
use super::trace;
use crate::ids::JobKey;

/// A job, ready to run.
pub(crate) struct JobTask {
    pub(crate) key: JobKey,
    pub(crate) job: Job,
    pub(crate) bench: Arc<dyn PreparedSimulation>,
    pub(crate) handle: Arc<JobHandle>,
}

/// Something that the crew is done with.
#[derive(Debug)]
pub(crate) enum ExecutorEvent {
    /// A job.
    Job(JobKey, JobOutcome),
    /// A job that was taken back before a thread came to it.
    Withdrawn,
    /// The self-tests of a session.
    SelfTests {
        /// The session's number.
        session: u64,
        /// The outcomes, in order.
        results: Vec<v1::Result>,
    },
}

/// Runs `task` in the current thread or pool.
pub(super) fn run(task: &JobTask, spread: TrialThreads) -> JobOutcome {
    let JobTask { key, job, bench, handle } = task;
    let span = trace::begin(*key, job);
    let executed = execute(job, bench.as_ref(), handle, spread);
    trace::end(&span, &executed);
    executed
}

/// The outcomes of `tests`, in order.
pub(super) fn outcomes(
    tests: &[SelfTest],
    catalog: Catalog,
    spread: TrialThreads,
) -> Vec<v1::Result> {
    let mut n_bytes = 0;
    let outcome = |test: &SelfTest| {
        let (outcome, cost) = match outcome(test, catalog, spread) {
            Ok(JobOutcome::Output(output, cost)) => {
                n_bytes += output.len();
                match n_bytes <= MAX_BATCH_BYTES {
                    true => (result::Outcome::Output(output), Some(cost)),
                    false => {
                        let message = "the outputs of all self-tests are too large".to_owned();
                        (result::Outcome::Failure(failure(message)), None)
                    }
                }
            }
            Ok(JobOutcome::Failed(failure)) => (result::Outcome::Failure(failure), None),
            Ok(JobOutcome::Cancelled) => unreachable!("nobody cancels a self-test"),
            Err(message) => (result::Outcome::Failure(failure(message)), None),
        };
        v1::Result { r#ref: None, outcome: Some(outcome), cost, ticket: Vec::new() }
    };
    tests.iter().map(outcome).collect()
}

fn outcome(test: &SelfTest, catalog: Catalog, spread: TrialThreads) -> Result<JobOutcome, String> {
    let job = Job::decode(&*test.job).map_err(|error| format!("malformed job: {error}"))?;
    let id = SimulationKey::of(&job, catalog).map_err(|error| error.to_string())?;
    let bench = id.make(&test.shared).map_err(|error| error.to_string())?;
    Ok(execute(&job, bench.as_ref(), &JobHandle::default(), spread))
}
