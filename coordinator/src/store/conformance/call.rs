//! Operations and answers as values, so that a store and the model can be asked the same.

mod ask;
mod respond;

pub use respond::Respond;

use hatchery_core::Digest;

use crate::store::membership::RunClaim;
use crate::store::{
    AttemptId, CoordinatorId, DeadJobRecord, EnqueueBatch, FoldCommit, JobId, JobResult,
    LeaderState, LeaderToken, LeasedJob, ResultPage, Rewind, RunId, RunOverview, RunPosition,
    RunState, SteerAction, StoreError, StoreVerdict, WorkerId,
};

/// An operation of a [`Store`](crate::store::Store).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the trait's methods and their parameters")]
pub enum Call {
    Create {
        run: RunId,
        record: Vec<u8>,
        checkpoint: Vec<u8>,
        summary: Vec<u8>,
    },
    Summarize {
        run: RunId,
        summary: Vec<u8>,
    },
    RunFor {
        key: Digest,
        run: RunId,
    },
    Delete {
        run: RunId,
    },
    Lead {
        run: RunId,
    },
    Enqueue {
        lead: LeaderToken,
        enqueue: EnqueueBatch,
    },
    EnqueueAndLease {
        lead: LeaderToken,
        enqueue: EnqueueBatch,
        consumer: CoordinatorId,
        most: usize,
    },
    Lease {
        run: RunId,
        consumer: CoordinatorId,
        most: usize,
    },
    Release {
        run: RunId,
        consumer: CoordinatorId,
        jobs: Vec<JobId>,
    },
    Renew {
        run: RunId,
        consumer: CoordinatorId,
        jobs: Vec<JobId>,
    },
    Adopt {
        run: RunId,
        consumer: CoordinatorId,
        jobs: Vec<JobId>,
    },
    Attempt {
        run: RunId,
        job: JobId,
        id: AttemptId,
        attempt: Vec<u8>,
    },
    Park {
        run: RunId,
        consumer: CoordinatorId,
        job: JobId,
    },
    Retry {
        run: RunId,
        jobs: Vec<JobId>,
    },
    Complete {
        run: RunId,
        results: Vec<(JobId, JobResult)>,
    },
    Fold {
        lead: LeaderToken,
        fold: FoldCommit,
    },
    Skip {
        lead: LeaderToken,
        results: Vec<(JobId, JobResult)>,
    },
    Disown {
        lead: LeaderToken,
        worker: WorkerId,
    },
    Rewind {
        lead: LeaderToken,
        rewind: Rewind,
    },
    Pause {
        lead: LeaderToken,
    },
    Fail {
        lead: LeaderToken,
        reason: String,
    },
    Steer {
        run: RunId,
        steer: SteerAction,
    },
    AppendEvent {
        run: RunId,
        event: Vec<u8>,
    },
    Read(Read),
    Enroll(Enroll),
}

/// An operation that changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the trait's methods and their parameters")]
pub enum Read {
    Runs,
    Overviews { runs: Vec<RunId> },
    Record { run: RunId },
    Position { run: RunId },
    Standing { lead: LeaderToken },
    Checkpoint { run: RunId },
    Jobs { run: RunId, jobs: Vec<JobId> },
    Parked { run: RunId, from: u64, most: usize },
    Results { run: RunId, from: u64, most: usize },
    Generations { run: RunId, from: u32 },
    Events { run: RunId, from: u64 },
    Blob { run: RunId, hash: Digest },
}

/// An operation of a [`Membership`](crate::store::membership::Membership).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the trait's methods and their parameters")]
pub enum Enroll {
    Claim { run: RunId, coordinator: CoordinatorId, progress: Vec<u8> },
    Unclaim { run: RunId, coordinator: CoordinatorId },
    Claimed { run: RunId },
    Announce { coordinator: CoordinatorId, announcement: Vec<u8> },
    Withdraw { coordinator: CoordinatorId },
    Announced,
    Quarantine { worker: WorkerId, reason: String },
    Quarantined,
    Secret,
}

/// The answer of a store to a [`Call`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To a call that only confirms that it is done.
    Done,
    /// To `run_for`.
    Run(RunId),
    /// To `runs`.
    Runs(Vec<RunId>),
    /// To `overviews`.
    Overviews(Vec<Option<RunOverview>>),
    /// To `lead`.
    Led(LeaderState),
    /// To `position` and `standing`.
    Position(RunPosition),
    /// To `enqueue_and_lease`, `lease` and `adopt`.
    Leased(Vec<LeasedJob>),
    /// To `renew`.
    Lost(Vec<JobId>),
    /// To `complete`.
    Verdicts(Vec<StoreVerdict>),
    /// To `results`.
    Page(ResultPage),
    /// To `parked`.
    Parked(Vec<DeadJobRecord>),
    /// To `retry` and `disown`.
    Count(u64),
    /// To `steer`.
    State(RunState),
    /// To `record` and `checkpoint`.
    Bytes(Vec<u8>),
    /// To `attempt`, `generations` and `events`.
    Many(Vec<Vec<u8>>),
    /// To `jobs`.
    Jobs(Vec<Option<Vec<u8>>>),
    /// To `blob`.
    Blob(Option<Vec<u8>>),
    /// To `claim`.
    Claims(bool),
    /// To `create`.
    Created(bool),
    /// To `claimed`.
    Claimed(Option<RunClaim>),
    /// To `announced`.
    Announced(Vec<(CoordinatorId, Vec<u8>)>),
    /// To `quarantined`.
    Quarantined(Vec<(WorkerId, String)>),
    /// To `secret`.
    Secret([u8; 32]),
    /// To any call that the contract forbids.
    Refused(Refusal),
}

/// The errors that the contract asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// [`StoreError::NoRun`].
    NoRun,
    /// [`StoreError::Fenced`].
    Fenced,
    /// [`StoreError::OutOfStep`].
    OutOfStep,
}

impl Refusal {
    /// Returns the refusal that `error` is, or the error itself if the store is in trouble.
    ///
    /// # Errors
    /// The error given, if it is no refusal.
    pub fn from_error(error: StoreError) -> Result<Self, StoreError> {
        match error {
            StoreError::NoRun { .. } => Ok(Self::NoRun),
            StoreError::Fenced { .. } => Ok(Self::Fenced),
            StoreError::OutOfStep { .. } => Ok(Self::OutOfStep),
            trouble => Err(trouble),
        }
    }
}

impl Call {
    /// Returns the run that the call is about, if it is about one.
    #[must_use]
    pub fn run(&self) -> Option<RunId> {
        match self {
            Self::Create { run, .. }
            | Self::Summarize { run, .. }
            | Self::RunFor { run, .. }
            | Self::Delete { run }
            | Self::Lead { run }
            | Self::Lease { run, .. }
            | Self::Release { run, .. }
            | Self::Renew { run, .. }
            | Self::Adopt { run, .. }
            | Self::Attempt { run, .. }
            | Self::Park { run, .. }
            | Self::Retry { run, .. }
            | Self::Complete { run, .. }
            | Self::Steer { run, .. }
            | Self::AppendEvent { run, .. } => Some(*run),
            Self::Enqueue { lead, .. }
            | Self::EnqueueAndLease { lead, .. }
            | Self::Fold { lead, .. }
            | Self::Skip { lead, .. }
            | Self::Disown { lead, .. }
            | Self::Rewind { lead, .. }
            | Self::Pause { lead }
            | Self::Fail { lead, .. } => Some(lead.run),
            Self::Read(read) => read.run(),
            Self::Enroll(enroll) => enroll.run(),
        }
    }

    /// Returns the leader's token that the call writes under, if it needs one.
    pub fn lead_mut(&mut self) -> Option<&mut LeaderToken> {
        match self {
            Self::Enqueue { lead, .. }
            | Self::EnqueueAndLease { lead, .. }
            | Self::Fold { lead, .. }
            | Self::Skip { lead, .. }
            | Self::Disown { lead, .. }
            | Self::Rewind { lead, .. }
            | Self::Pause { lead }
            | Self::Fail { lead, .. }
            | Self::Read(Read::Standing { lead }) => Some(lead),
            _ => None,
        }
    }
}

impl Read {
    fn run(&self) -> Option<RunId> {
        match self {
            Self::Runs | Self::Overviews { .. } => None,
            Self::Record { run }
            | Self::Position { run }
            | Self::Checkpoint { run }
            | Self::Jobs { run, .. }
            | Self::Parked { run, .. }
            | Self::Results { run, .. }
            | Self::Generations { run, .. }
            | Self::Events { run, .. }
            | Self::Blob { run, .. } => Some(*run),
            Self::Standing { lead } => Some(lead.run),
        }
    }
}

impl Enroll {
    fn run(&self) -> Option<RunId> {
        match self {
            Self::Claim { run, .. } | Self::Unclaim { run, .. } | Self::Claimed { run } => {
                Some(*run)
            }
            _ => None,
        }
    }
}
