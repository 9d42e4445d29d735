//! From a call to the method of the store that it names.

use super::{Answer, Call, Enroll, Read, Refusal};
use crate::store::{Store, StoreError};

impl Call {
    /// Returns the answer of `store`.
    ///
    /// # Errors
    /// Those of the store that are no [`Refusal`].
    pub async fn ask(&self, store: &dyn Store) -> Result<Answer, StoreError> {
        let answer = match self.clone() {
            Self::Read(read) => read.forward(store).await,
            Self::Enroll(enroll) => enroll.forward(store).await,
            call => call.forward(store).await,
        };
        answer.or_else(|error| Refusal::from_error(error).map(Answer::Refused))
    }

    async fn forward(self, store: &dyn Store) -> Result<Answer, StoreError> {
        let done = |()| Answer::Done;
        match self {
            Self::Create { run, record, checkpoint, summary } => {
                store.create(run, &record, &checkpoint, &summary).await.map(Answer::Created)
            }
            Self::Summarize { run, summary } => store.summarize(run, &summary).await.map(done),
            Self::RunFor { key, run } => store.run_for(key, run).await.map(Answer::Run),
            Self::Delete { run } => store.delete(run).await.map(done),
            Self::Lead { run } => store.lead(run).await.map(Answer::Led),
            Self::Enqueue { lead, enqueue } => store.enqueue(&lead, enqueue).await.map(done),
            Self::EnqueueAndLease { lead, enqueue, consumer, most } => {
                store.enqueue_and_lease(&lead, enqueue, consumer, most).await.map(Answer::Leased)
            }
            Self::Lease { run, consumer, most } => {
                store.lease(run, consumer, most).await.map(Answer::Leased)
            }
            Self::Release { run, consumer, jobs } => {
                store.release(run, consumer, &jobs).await.map(done)
            }
            Self::Renew { run, consumer, jobs } => {
                store.renew(run, consumer, &jobs).await.map(Answer::Lost)
            }
            Self::Adopt { run, consumer, jobs } => {
                store.adopt(run, consumer, &jobs).await.map(Answer::Leased)
            }
            Self::Attempt { run, job, id, attempt } => {
                store.attempt(run, job, id, &attempt).await.map(Answer::Many)
            }
            Self::Park { run, consumer, job } => store.park(run, consumer, job).await.map(done),
            Self::Retry { run, jobs } => store.retry(run, &jobs).await.map(Answer::Count),
            Self::Complete { run, results } => {
                store.complete(run, results).await.map(Answer::Verdicts)
            }
            Self::Fold { lead, fold } => store.fold(&lead, fold).await.map(done),
            Self::Skip { lead, results } => store.skip(&lead, results).await.map(done),
            Self::Disown { lead, worker } => store.disown(&lead, worker).await.map(Answer::Count),
            Self::Rewind { lead, rewind } => store.rewind(&lead, rewind).await.map(done),
            Self::Pause { lead } => store.pause(&lead).await.map(done),
            Self::Fail { lead, reason } => store.fail(&lead, &reason).await.map(done),
            Self::Steer { run, steer } => store.steer(run, steer).await.map(Answer::State),
            Self::AppendEvent { run, event } => store.append_event(run, &event).await.map(done),
            Self::Read(_) | Self::Enroll(_) => unreachable!("`ask` has forwarded them"),
        }
    }
}

impl Read {
    async fn forward(self, store: &dyn Store) -> Result<Answer, StoreError> {
        match self {
            Self::Runs => store.runs().await.map(Answer::Runs),
            Self::Overviews { runs } => store.overviews(&runs).await.map(Answer::Overviews),
            Self::Record { run } => store.record(run).await.map(Answer::Bytes),
            Self::Position { run } => store.position(run).await.map(Answer::Position),
            Self::Standing { lead } => store.standing(&lead).await.map(Answer::Position),
            Self::Checkpoint { run } => store.checkpoint(run).await.map(Answer::Bytes),
            Self::Jobs { run, jobs } => store.jobs(run, &jobs).await.map(Answer::Jobs),
            Self::Parked { run, from, most } => {
                store.parked(run, from, most).await.map(Answer::Parked)
            }
            Self::Results { run, from, most } => {
                store.results(run, from, most).await.map(Answer::Page)
            }
            Self::Generations { run, from } => store.generations(run, from).await.map(Answer::Many),
            Self::Events { run, from } => store.events(run, from).await.map(Answer::Many),
            Self::Blob { run, hash } => store.blob(run, hash).await.map(Answer::Blob),
        }
    }
}

impl Enroll {
    async fn forward(self, store: &dyn Store) -> Result<Answer, StoreError> {
        let done = |()| Answer::Done;
        match self {
            Self::Claim { run, coordinator, progress } => {
                store.claim(run, coordinator, &progress).await.map(Answer::Claims)
            }
            Self::Unclaim { run, coordinator } => store.unclaim(run, coordinator).await.map(done),
            Self::Claimed { run } => store.claimed(run).await.map(Answer::Claimed),
            Self::Announce { coordinator, announcement } => {
                store.announce(coordinator, &announcement).await.map(done)
            }
            Self::Withdraw { coordinator } => store.withdraw(coordinator).await.map(done),
            Self::Announced => store.announced().await.map(Answer::Announced),
            Self::Quarantine { worker, reason } => {
                store.quarantine(worker, &reason).await.map(done)
            }
            Self::Quarantined => store.quarantined().await.map(Answer::Quarantined),
            Self::Secret => store.secret().await.map(Answer::Secret),
        }
    }
}
