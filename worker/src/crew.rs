//! Who runs jobs: a pool of threads, or nobody but the worker's own task.

mod inline;
mod threads;

use std::sync::Arc;

use hatchery_core::Catalog;
use hatchery_core::erased::{AnyExperiment, Bench};
use hatchery_proto::MAX_BATCH_BYTES;
use hatchery_proto::v1::{self, Heartbeat, Job, SelfTest, result};
use prost::Message;

use crate::config::{Config, Execution};
use crate::execute::{Executed, Spread, execute, failure};
use crate::key::Key;
use crate::progress::{Board, Progress};
use crate::shared::BenchId;
use crate::span;
use crate::work::WorkError;
use inline::Inline;
use threads::Threads;

/// A job, ready to run.
pub(crate) struct Task {
    pub(crate) key: Key,
    pub(crate) job: Job,
    pub(crate) bench: Arc<dyn Bench>,
    pub(crate) experiment: &'static dyn AnyExperiment,
    pub(crate) progress: Arc<Progress>,
}

/// Something that the crew is done with.
#[derive(Debug)]
pub(crate) enum Finished {
    /// A job.
    Job(Key, Executed),
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

/// See the [module](self).
#[derive(Debug)]
pub(crate) enum Crew {
    Threads(Threads),
    Inline(Inline),
}

impl Crew {
    pub(crate) fn new(config: &Config) -> Result<Self, WorkError> {
        Ok(match config.execution {
            Execution::Threads => Self::Threads(Threads::new(config.slots)?),
            Execution::Inline { per_trial } => Self::Inline(Inline::new(config.slots, per_trial)),
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

/// Runs `task` in the current thread or pool.
fn run(task: &Task, spread: Spread) -> Executed {
    let Task { key, job, bench, experiment, progress } = task;
    let gather = |n_series| experiment.gather(n_series);
    let span = span::begin(*key, job);
    let executed = execute(job, bench.as_ref(), &gather, progress, spread);
    span::end(&span, &executed);
    executed
}

/// The outcomes of `tests`, in order.
fn outcomes(tests: &[SelfTest], catalog: Catalog, spread: Spread) -> Vec<v1::Result> {
    let mut n_bytes = 0;
    let outcome = |test: &SelfTest| {
        let (outcome, cost) = match outcome(test, catalog, spread) {
            Ok(Executed::Output(output, cost)) => {
                n_bytes += output.len();
                match n_bytes <= MAX_BATCH_BYTES {
                    true => (result::Outcome::Output(output), Some(cost)),
                    false => {
                        let message = "the outputs of all self-tests are too large".to_owned();
                        (result::Outcome::Failure(failure(message)), None)
                    }
                }
            }
            Ok(Executed::Failed(failure)) => (result::Outcome::Failure(failure), None),
            Ok(Executed::Cancelled) => unreachable!("nobody cancels a self-test"),
            Err(message) => (result::Outcome::Failure(failure(message)), None),
        };
        v1::Result { r#ref: None, outcome: Some(outcome), cost, ticket: Vec::new() }
    };
    tests.iter().map(outcome).collect()
}

fn outcome(test: &SelfTest, catalog: Catalog, spread: Spread) -> Result<Executed, String> {
    let job = Job::decode(&*test.job).map_err(|error| format!("malformed job: {error}"))?;
    let id = BenchId::of(&job, catalog).map_err(|error| error.to_string())?;
    let bench = id.make(&test.shared).map_err(|error| error.to_string())?;
    let gather = |n_series| id.experiment.gather(n_series);
    Ok(execute(&job, bench.as_ref(), &gather, &Progress::default(), spread))
}
