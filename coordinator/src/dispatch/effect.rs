//! What dispatch has others do, and what that came to: types only.

use hatchery_proto::v1;
use tokio::sync::oneshot;

use super::job::Answer;
use super::message::{Feed, SessionId};
use crate::event::Event;
use crate::record::{AnnouncedRun, AnnouncedWorker, Attempt};
use crate::store::{JobId, JobResult, RunId, StoreError, Verdict};

/// Something to do outside of dispatch.
#[derive(Debug)]
pub(crate) enum Errand {
    /// Tell whoever watches.
    Publish(Event),
    /// Say whom this coordinator has.
    Announce(Crew),
    /// Have it said with what is said next.
    Count(Crew),
    /// Make jobs ready, and lease up to `most`.
    Enqueue { feed: Feed, most: usize },
    /// Lease up to `most` jobs.
    Lease { run: RunId, most: usize },
    /// Take over a job that a session is at.
    Adopt { run: RunId, session: SessionId, job: JobId, ticket: Vec<u8> },
    /// Renew leases.
    Renew { run: RunId, jobs: Vec<JobId> },
    /// Give jobs back.
    Release { run: RunId, jobs: Vec<JobId> },
    /// Store answers.
    Complete { run: RunId, answers: Vec<(JobId, Answer)> },
    /// Take over jobs that results came for.
    Strays { run: RunId, strays: Vec<Stray> },
    /// Note a failed attempt.
    Note { run: RunId, job: JobId, id: u128, attempt: Attempt },
    /// Give a job up.
    Park { run: RunId, job: JobId },
    /// Find out which answers to the job of these `bytes` are right; if it is resolved, the store
    /// knows the bytes and one answer more.
    Judge { run: RunId, job: JobId, bytes: Option<Vec<u8>>, answers: Vec<Answer> },
    /// Shut a worker out in the whole farm.
    Quarantine { worker: u128, reason: String },
}

/// A result for a job that was not leased here.
#[derive(Debug)]
pub(crate) struct Stray {
    pub(super) session: SessionId,
    pub(super) job: JobId,
    pub(super) result: v1::Result,
}

/// A stray, its job's bytes if it still has a job, and who may have that computed.
pub(super) type Found = (Stray, Option<Vec<u8>>, Adoption);

/// What answers to a job are worth.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(super) run: RunId,
    pub(super) job: JobId,
    pub(super) answers: Vec<Answer>,
    /// What is right; `None` if it can't be found out here.
    pub(super) truth: Option<JobResult>,
    /// Whether the job is resolved already.
    pub(super) stored: bool,
}

/// Who may have a job computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adoption {
    /// This coordinator: it has the lease now.
    Ours,
    /// Nobody, or somebody else.
    Theirs,
}

/// Whom a coordinator has, and what runs have of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crew {
    pub(crate) workers: Vec<AnnouncedWorker>,
    pub(crate) runs: Vec<AnnouncedRun>,
}

/// What an errand came to.
#[derive(Debug)]
pub(super) enum Done {
    Nothing,
    /// Jobs from `first` on were made ready, and up to `most` leased.
    Enqueued {
        run: RunId,
        first: JobId,
        n_jobs: u64,
        most: usize,
        leased: Result<Vec<(JobId, Vec<u8>)>, StoreError>,
        done: oneshot::Sender<Result<(), StoreError>>,
    },
    Leased {
        run: RunId,
        most: usize,
        leased: Result<Vec<(JobId, Vec<u8>)>, StoreError>,
    },
    Adopted {
        run: RunId,
        asked: (SessionId, JobId, Vec<u8>),
        adopted: Result<Option<Vec<u8>>, StoreError>,
    },
    Renewed {
        run: RunId,
        lost: Result<Vec<JobId>, StoreError>,
    },
    Completed {
        run: RunId,
        answers: Vec<(JobId, Answer)>,
        verdicts: Result<Vec<Verdict>, StoreError>,
    },
    Strays {
        run: RunId,
        strays: Result<Vec<Found>, Vec<Stray>>,
    },
    Noted {
        run: RunId,
        job: JobId,
        attempts: Result<Vec<Attempt>, StoreError>,
    },
    Parked {
        run: RunId,
        job: JobId,
        parked: Result<(), StoreError>,
    },
    Judged(Judged),
    Quarantined {
        worker: u128,
        reason: String,
        written: Result<(), StoreError>,
    },
}
