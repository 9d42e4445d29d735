//! The other way round: a store that is made of answers to calls.

use std::fmt;

use async_trait::async_trait;
use hatchery_core::Digest;
use tokio::sync::broadcast;

use super::{Answer, Call, Enroll, Read};
use crate::store::membership::{Membership, RunClaim, StoreChange};
use crate::store::{
    AttemptId, CoordinatorId, DeadJobRecord, EnqueueBatch, FoldCommit, JobId, JobResult,
    LeaderState, LeaderToken, LeasedJob, ResultPage, Rewind, RunId, RunOverview, RunPosition,
    RunState, SteerAction, Store, StoreError, StoreVerdict, WorkerId,
};

/// Something that answers calls without waiting, such as a model; that makes it a [`Store`].
pub trait Respond: Send + Sync + fmt::Debug + 'static {
    /// Returns the answer to the call: of the kind that [`Answer`] says, and never
    /// [`Answer::Refused`].
    ///
    /// # Errors
    /// As the operation's.
    fn respond(&self, call: Call) -> Result<Answer, StoreError>;

    /// Subscribes as [`Membership::changes`] does.
    fn listen(&self) -> broadcast::Receiver<StoreChange>;
}

/// Asks, and extracts the content of an answer of the right kind.
macro_rules! ask {
    ($store:expr, $call:expr) => {
        match $store.respond($call)? {
            Answer::Done => Ok(()),
            answer => unreachable!("a call that gives nothing gave {answer:?}"),
        }
    };
    ($store:expr, $call:expr, $kind:path) => {
        match $store.respond($call)? {
            $kind(answer) => Ok(answer),
            answer => unreachable!("a call gave {answer:?}, which is not its kind of answer"),
        }
    };
}

#[async_trait]
impl<T: Respond> Store for T {
    async fn create(
        &self,
        run: RunId,
        record: &[u8],
        checkpoint: &[u8],
        summary: &[u8],
    ) -> Result<bool, StoreError> {
        let [record, checkpoint, summary] = [record, checkpoint, summary].map(<[u8]>::to_owned);
        ask!(self, Call::Create { run, record, checkpoint, summary }, Answer::Created)
    }

    async fn run_for(&self, key: Digest, run: RunId) -> Result<RunId, StoreError> {
        ask!(self, Call::RunFor { key, run }, Answer::Run)
    }

    async fn delete(&self, run: RunId) -> Result<(), StoreError> {
        ask!(self, Call::Delete { run })
    }

    async fn runs(&self) -> Result<Vec<RunId>, StoreError> {
        ask!(self, Call::Read(Read::Runs), Answer::Runs)
    }

    async fn overviews(&self, runs: &[RunId]) -> Result<Vec<Option<RunOverview>>, StoreError> {
        ask!(self, Call::Read(Read::Overviews { runs: runs.to_owned() }), Answer::Overviews)
    }

    async fn summarize(&self, run: RunId, summary: &[u8]) -> Result<(), StoreError> {
        ask!(self, Call::Summarize { run, summary: summary.to_owned() })
    }

    async fn record(&self, run: RunId) -> Result<Vec<u8>, StoreError> {
        ask!(self, Call::Read(Read::Record { run }), Answer::Bytes)
    }

    async fn position(&self, run: RunId) -> Result<RunPosition, StoreError> {
        ask!(self, Call::Read(Read::Position { run }), Answer::Position)
    }

    async fn standing(&self, lead: &LeaderToken) -> Result<RunPosition, StoreError> {
        ask!(self, Call::Read(Read::Standing { lead: lead.clone() }), Answer::Position)
    }

    async fn checkpoint(&self, run: RunId) -> Result<Vec<u8>, StoreError> {
        ask!(self, Call::Read(Read::Checkpoint { run }), Answer::Bytes)
    }

    async fn lead(&self, run: RunId) -> Result<LeaderState, StoreError> {
        ask!(self, Call::Lead { run }, Answer::Led)
    }

    async fn enqueue(&self, lead: &LeaderToken, enqueue: EnqueueBatch) -> Result<(), StoreError> {
        ask!(self, Call::Enqueue { lead: lead.clone(), enqueue })
    }

    async fn enqueue_and_lease(
        &self,
        lead: &LeaderToken,
        enqueue: EnqueueBatch,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        let lead = lead.clone();
        ask!(self, Call::EnqueueAndLease { lead, enqueue, consumer, most }, Answer::Leased)
    }

    async fn lease(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        ask!(self, Call::Lease { run, consumer, most }, Answer::Leased)
    }

    async fn release(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<(), StoreError> {
        ask!(self, Call::Release { run, consumer, jobs: jobs.to_owned() })
    }

    async fn renew(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<Vec<JobId>, StoreError> {
        ask!(self, Call::Renew { run, consumer, jobs: jobs.to_owned() }, Answer::Lost)
    }

    async fn adopt(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<Vec<LeasedJob>, StoreError> {
        ask!(self, Call::Adopt { run, consumer, jobs: jobs.to_owned() }, Answer::Leased)
    }

    async fn jobs(&self, run: RunId, jobs: &[JobId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        ask!(self, Call::Read(Read::Jobs { run, jobs: jobs.to_owned() }), Answer::Jobs)
    }

    async fn attempt(
        &self,
        run: RunId,
        job: JobId,
        id: AttemptId,
        attempt: &[u8],
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        ask!(self, Call::Attempt { run, job, id, attempt: attempt.to_owned() }, Answer::Many)
    }

    async fn park(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        job: JobId,
    ) -> Result<(), StoreError> {
        ask!(self, Call::Park { run, consumer, job })
    }

    async fn parked(
        &self,
        run: RunId,
        from: u64,
        most: usize,
    ) -> Result<Vec<DeadJobRecord>, StoreError> {
        ask!(self, Call::Read(Read::Parked { run, from, most }), Answer::Parked)
    }

    async fn retry(&self, run: RunId, jobs: &[JobId]) -> Result<u64, StoreError> {
        ask!(self, Call::Retry { run, jobs: jobs.to_owned() }, Answer::Count)
    }

    async fn complete(
        &self,
        run: RunId,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<Vec<StoreVerdict>, StoreError> {
        ask!(self, Call::Complete { run, results }, Answer::Verdicts)
    }

    async fn results(&self, run: RunId, from: u64, most: usize) -> Result<ResultPage, StoreError> {
        ask!(self, Call::Read(Read::Results { run, from, most }), Answer::Page)
    }

    async fn fold(&self, lead: &LeaderToken, fold: FoldCommit) -> Result<(), StoreError> {
        ask!(self, Call::Fold { lead: lead.clone(), fold })
    }

    async fn skip(
        &self,
        lead: &LeaderToken,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<(), StoreError> {
        ask!(self, Call::Skip { lead: lead.clone(), results })
    }

    async fn disown(&self, lead: &LeaderToken, worker: WorkerId) -> Result<u64, StoreError> {
        ask!(self, Call::Disown { lead: lead.clone(), worker }, Answer::Count)
    }

    async fn rewind(&self, lead: &LeaderToken, rewind: Rewind) -> Result<(), StoreError> {
        ask!(self, Call::Rewind { lead: lead.clone(), rewind })
    }

    async fn pause(&self, lead: &LeaderToken) -> Result<(), StoreError> {
        ask!(self, Call::Pause { lead: lead.clone() })
    }

    async fn fail(&self, lead: &LeaderToken, reason: &str) -> Result<(), StoreError> {
        ask!(self, Call::Fail { lead: lead.clone(), reason: reason.to_owned() })
    }

    async fn steer(&self, run: RunId, steer: SteerAction) -> Result<RunState, StoreError> {
        ask!(self, Call::Steer { run, steer }, Answer::State)
    }

    async fn generations(&self, run: RunId, from: u32) -> Result<Vec<Vec<u8>>, StoreError> {
        ask!(self, Call::Read(Read::Generations { run, from }), Answer::Many)
    }

    async fn append_event(&self, run: RunId, event: &[u8]) -> Result<(), StoreError> {
        ask!(self, Call::AppendEvent { run, event: event.to_owned() })
    }

    async fn events(&self, run: RunId, from: u64) -> Result<Vec<Vec<u8>>, StoreError> {
        ask!(self, Call::Read(Read::Events { run, from }), Answer::Many)
    }

    async fn blob(&self, run: RunId, hash: Digest) -> Result<Option<Vec<u8>>, StoreError> {
        ask!(self, Call::Read(Read::Blob { run, hash }), Answer::Blob)
    }
}

#[async_trait]
impl<T: Respond> Membership for T {
    async fn claim(
        &self,
        run: RunId,
        coordinator: CoordinatorId,
        progress: &[u8],
    ) -> Result<bool, StoreError> {
        let progress = progress.to_owned();
        ask!(self, Call::Enroll(Enroll::Claim { run, coordinator, progress }), Answer::Claims)
    }

    async fn unclaim(&self, run: RunId, coordinator: CoordinatorId) -> Result<(), StoreError> {
        ask!(self, Call::Enroll(Enroll::Unclaim { run, coordinator }))
    }

    async fn claimed(&self, run: RunId) -> Result<Option<RunClaim>, StoreError> {
        ask!(self, Call::Enroll(Enroll::Claimed { run }), Answer::Claimed)
    }

    async fn announce(
        &self,
        coordinator: CoordinatorId,
        announcement: &[u8],
    ) -> Result<(), StoreError> {
        let announcement = announcement.to_owned();
        ask!(self, Call::Enroll(Enroll::Announce { coordinator, announcement }))
    }

    async fn withdraw(&self, coordinator: CoordinatorId) -> Result<(), StoreError> {
        ask!(self, Call::Enroll(Enroll::Withdraw { coordinator }))
    }

    async fn announced(&self) -> Result<Vec<(CoordinatorId, Vec<u8>)>, StoreError> {
        ask!(self, Call::Enroll(Enroll::Announced), Answer::Announced)
    }

    async fn quarantine(&self, worker: WorkerId, reason: &str) -> Result<(), StoreError> {
        ask!(self, Call::Enroll(Enroll::Quarantine { worker, reason: reason.to_owned() }))
    }

    async fn quarantined(&self) -> Result<Vec<(WorkerId, String)>, StoreError> {
        ask!(self, Call::Enroll(Enroll::Quarantined), Answer::Quarantined)
    }

    async fn secret(&self) -> Result<[u8; 32], StoreError> {
        ask!(self, Call::Enroll(Enroll::Secret), Answer::Secret)
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.listen()
    }
}
