//! Effects of dispatch and their completions: types only.

use std::time::Duration;

use hatchery_proto::v1;
use hatchery_store::{
    AttemptId, JobId, JobKey, JobResult, LeasedJob, RunId, SessionId, StoreError, StoreVerdict,
    WorkerId,
};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::job::JobAnswer;
use super::message::EnqueueRequest;
use crate::base::event::Event;
use crate::run::record::{AnnouncedRun, AnnouncedWorker, FailedAttempt};
use crate::self_tests::ComputedSelfTest;

/// The context of a step of dispatch: its time, and the effects that it decides on.
#[derive(Debug)]
pub(crate) struct StepContext {
    pub(crate) now: Instant,
    pub(crate) effects: Vec<DispatchEffect>,
}

impl StepContext {
    /// Creates the context of a step at `now`, without effects.
    pub(crate) fn new(now: Instant) -> Self {
        Self { now, effects: Vec::new() }
    }

    /// Adds an effect.
    pub(crate) fn push(&mut self, effect: DispatchEffect) {
        self.effects.push(effect);
    }
}

/// An effect: something to do outside of dispatch.
#[derive(Debug)]
pub(crate) enum DispatchEffect {
    /// Publish an event.
    Publish(Event),
    /// Publish this coordinator's workers.
    Announce(WorkerSummary),
    /// Update the summary of workers without waking the supervisor.
    Count(WorkerSummary),
    /// Compute the self-test of an experiment.
    ComputeSelfTest { experiment: String },
    /// Enqueue jobs and lease up to `most`.
    Enqueue { request: EnqueueRequest, most: usize },
    /// Lease up to `most` jobs.
    Lease { run: RunId, most: usize },
    /// Take over the lease of a job that a session already computes.
    Adopt { key: JobKey, session: SessionId, ticket: Vec<u8> },
    /// Renew leases.
    Renew { run: RunId, jobs: Vec<JobId> },
    /// Release leases.
    Release { run: RunId, jobs: Vec<JobId> },
    /// Store answers.
    Complete { run: RunId, answers: Vec<(JobId, JobAnswer)> },
    /// Find the jobs of results that were not leased here.
    LocateUnleased { run: RunId, unleased: Vec<UnleasedResult> },
    /// Record a failed attempt.
    Note { key: JobKey, id: AttemptId, attempt: FailedAttempt },
    /// Declare a job dead.
    DeclareDead { key: JobKey },
    /// Arbitrate between differing answers to the job of these `bytes`, within `deadline`. If the
    /// job is resolved, the store has the bytes and one more answer.
    Arbitrate { key: JobKey, bytes: Option<Vec<u8>>, answers: Vec<JobAnswer>, deadline: Duration },
    /// Quarantine a worker in the whole farm.
    Quarantine { worker: WorkerId, reason: String },
}

/// A result for a job that was not leased here.
#[derive(Debug)]
pub(crate) struct UnleasedResult {
    pub(super) session: SessionId,
    pub(super) job: JobId,
    pub(super) result: v1::Result,
}

/// An unleased result with its job's bytes, if the job still exists, and the owner of its lease.
pub(super) type LocatedResult = (UnleasedResult, Option<Vec<u8>>, LeaseOwner);

/// The outcome of an arbitration.
#[derive(Debug)]
pub(crate) struct Arbitration {
    pub(super) key: JobKey,
    pub(super) answers: Vec<JobAnswer>,
    /// The right answer, if this coordinator can determine it.
    pub(super) truth: Result<JobResult, ArbitrationError>,
    /// Whether the job is resolved already.
    pub(super) stored: bool,
}

/// The reason why a coordinator cannot determine the right answer to a job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArbitrationError {
    /// The store does not have the job, or cannot be read now.
    #[error("the store has no such job now")]
    Unavailable,
    /// The job fails in the coordinator.
    #[error("{0}")]
    Failed(String),
    /// The coordinator did not compute the job in time.
    #[error("it took longer than {} s", .0.as_secs())]
    Overdue(Duration),
}

/// The owner of the lease of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeaseOwner {
    /// This coordinator.
    Ours,
    /// Another coordinator, or none.
    Theirs,
}

/// A coordinator's workers, and how many of their slots and jobs each run uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkerSummary {
    pub(crate) workers: Vec<AnnouncedWorker>,
    pub(crate) runs: Vec<AnnouncedRun>,
    /// The latest lost workers, the latest last, with the times of their loss.
    pub(crate) lost: Vec<(Instant, AnnouncedWorker)>,
}

/// A job that somebody has failed, once its failed attempt is recorded.
#[derive(Debug)]
pub(super) enum NotedJob {
    /// The job has no result: its attempts.
    Unresolved(Vec<FailedAttempt>),
    /// A worker of any coordinator has completed the job, or a coordinator has.
    Completed(WorkerId),
    /// Nobody is known to have completed the job: the leader skipped it, or the run was rewound.
    Dropped,
}

/// The completion of an effect.
#[derive(Debug)]
pub(super) enum EffectCompletion {
    Nothing,
    /// The self-test of an experiment is computed.
    SelfTestComputed {
        experiment: String,
        test: ComputedSelfTest,
    },
    /// Jobs from `first` on were enqueued, and up to `most` leased.
    Enqueued {
        first: JobKey,
        n_jobs: u64,
        most: usize,
        leased: Result<Vec<LeasedJob>, StoreError>,
        done: oneshot::Sender<Result<(), StoreError>>,
    },
    Leased {
        run: RunId,
        most: usize,
        leased: Result<Vec<LeasedJob>, StoreError>,
    },
    Adopted {
        key: JobKey,
        session: SessionId,
        ticket: Vec<u8>,
        adopted: Result<Option<Vec<u8>>, StoreError>,
    },
    Renewed {
        run: RunId,
        lost: Result<Vec<JobId>, StoreError>,
    },
    Completed {
        run: RunId,
        answers: Vec<(JobId, JobAnswer)>,
        verdicts: Result<Vec<StoreVerdict>, StoreError>,
    },
    LocateUnleased {
        run: RunId,
        unleased: Result<Vec<LocatedResult>, Vec<UnleasedResult>>,
    },
    Noted {
        key: JobKey,
        noted: Result<NotedJob, StoreError>,
    },
    DeclaredDead {
        key: JobKey,
        declared_dead: Result<(), StoreError>,
    },
    Arbitrated(Arbitration),
    Quarantined {
        worker: WorkerId,
        reason: String,
        written: Result<(), StoreError>,
    },
}
