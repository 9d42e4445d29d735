//! Operations and answers as values, so that a store and the model can be asked the same.

use hatchery_core::Digest;

use crate::store::{
    Enqueue, Fold, JobId, JobResult, Lead, Led, RunId, RunState, Store, StoreError, Verdict,
};

/// An operation that may change a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the trait's methods and their parameters")]
pub enum Call {
    Create { run: RunId, record: Vec<u8>, checkpoint: Vec<u8> },
    Lead { run: RunId },
    Enqueue { lead: Lead, enqueue: Enqueue },
    Lease { run: RunId, consumer: u128, most: usize },
    Release { run: RunId, consumer: u128, jobs: Vec<JobId> },
    Complete { run: RunId, results: Vec<(JobId, JobResult)> },
    Fold { lead: Lead, fold: Fold },
    End { lead: Lead, state: RunState },
    Reopen { lead: Lead },
    AppendEvent { run: RunId, event: Vec<u8> },
    PutBlob { blob: Vec<u8> },
}

/// What a store answers to a [`Call`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To a call that gives nothing: that it is done.
    Done,
    /// To `lead`.
    Led(Led),
    /// To `lease`.
    Leased(Vec<(JobId, Vec<u8>)>),
    /// To `complete`.
    Verdicts(Vec<Verdict>),
    /// To `put_blob`.
    Hash(Digest),
    /// To any: that the contract forbids it.
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
    /// The refusal that `error` is, or the error back if the store itself is in trouble.
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
    /// What `store` answers.
    ///
    /// # Errors
    /// Those of the store that are no [`Refusal`].
    pub async fn ask(&self, store: &dyn Store) -> Result<Answer, StoreError> {
        match self.clone().forward(store).await {
            Err(error) => Refusal::from_error(error).map(Answer::Refused),
            answer => answer,
        }
    }

    async fn forward(self, store: &dyn Store) -> Result<Answer, StoreError> {
        match self {
            Self::Create { run, record, checkpoint } => {
                store.create(run, &record, &checkpoint).await.map(|()| Answer::Done)
            }
            Self::Lead { run } => store.lead(run).await.map(Answer::Led),
            Self::Enqueue { lead, enqueue } => {
                store.enqueue(&lead, enqueue).await.map(|()| Answer::Done)
            }
            Self::Lease { run, consumer, most } => {
                store.lease(run, consumer, most).await.map(Answer::Leased)
            }
            Self::Release { run, consumer, jobs } => {
                store.release(run, consumer, &jobs).await.map(|()| Answer::Done)
            }
            Self::Complete { run, results } => {
                store.complete(run, results).await.map(Answer::Verdicts)
            }
            Self::Fold { lead, fold } => store.fold(&lead, fold).await.map(|()| Answer::Done),
            Self::End { lead, state } => store.end(&lead, state).await.map(|()| Answer::Done),
            Self::Reopen { lead } => store.reopen(&lead).await.map(|()| Answer::Done),
            Self::AppendEvent { run, event } => {
                store.append_event(run, &event).await.map(|()| Answer::Done)
            }
            Self::PutBlob { blob } => store.put_blob(&blob).await.map(Answer::Hash),
        }
    }
}
