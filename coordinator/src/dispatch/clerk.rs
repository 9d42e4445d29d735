//! What dispatch has others do: every store operation is an errand of its own.

use std::sync::Arc;

use hatchery_core::Catalog;
use hatchery_core::Digest;
use hatchery_proto::v1::{self, Job, JobOutput};
use prost::Message;
use tokio::sync::{broadcast, oneshot, watch};
use tokio::task::JoinSet;

use super::job::{Answer, ranges};
use super::results::Adoption;
use super::verify::{is_of, stored_output};
use super::{By, Crew, Fed, Feed, SessionId};
use crate::coordinator::publish;
use crate::driver::Hands;
use crate::event::{Event, Stamped};
use crate::recompute::recompute;
use crate::record::Attempt;
use crate::store::{Begun, Enqueue, JobId, JobResult, RunId, Store, StoreError, Verdict};

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
        begun: Result<Option<Begun>, StoreError>,
        done: oneshot::Sender<Fed>,
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

/// Who does it.
#[derive(Clone)]
pub(super) struct Clerk {
    pub(super) store: Arc<dyn Store>,
    pub(super) catalog: Catalog,
    pub(super) hands: Hands,
    pub(super) consumer: u128,
    pub(super) events: broadcast::Sender<Stamped>,
    pub(super) crew: watch::Sender<Crew>,
}

impl Clerk {
    /// Does `errand`, now or as one of `errands`.
    pub(super) fn perform(&self, errand: Errand, errands: &mut JoinSet<Done>) {
        match errand {
            Errand::Publish(event) => {
                publish(&self.events, event);
            }
            Errand::Announce(crew) => {
                self.crew.send_replace(crew);
            }
            Errand::Count(crew) => {
                self.crew.send_if_modified(|known| {
                    *known = crew;
                    false
                });
            }
            errand => {
                let clerk = self.clone();
                errands.spawn(async move { clerk.run(errand).await });
            }
        }
    }

    async fn run(self, errand: Errand) -> Done {
        let (store, consumer) = (self.store.as_ref(), self.consumer);
        match errand {
            Errand::Publish(_) | Errand::Announce(_) | Errand::Count(_) => Done::Nothing,
            Errand::Enqueue { feed: Feed { run, by, enqueue, done }, most } => {
                let Enqueue { generation, first_index: index, .. } = enqueue;
                let (first, n_jobs) = (JobId { generation, index }, enqueue.jobs.len() as u64);
                let begun = match by {
                    By::Lead(lead) => store
                        .enqueue_and_lease(&lead, enqueue, consumer, most)
                        .await
                        .map(|leased| Some(Begun { lead, leased })),
                    By::Making { record, checkpoint } => {
                        store.begin(run, &record, &checkpoint, consumer, enqueue, most).await
                    }
                };
                Done::Enqueued { run, first, n_jobs, most, begun, done }
            }
            Errand::Lease { run, most } => {
                Done::Leased { run, most, leased: store.lease(run, consumer, most).await }
            }
            Errand::Adopt { run, session, job, ticket } => {
                let adopted = store.adopt(run, consumer, &[job]).await;
                let adopted = adopted.map(|jobs| jobs.into_iter().next().map(|(_, bytes)| bytes));
                Done::Adopted { run, asked: (session, job, ticket), adopted }
            }
            Errand::Renew { run, jobs } => {
                Done::Renewed { run, lost: store.renew(run, consumer, &jobs).await }
            }
            Errand::Release { run, jobs } => {
                if let Err(error) = store.release(run, consumer, &jobs).await {
                    // They become ready all the same when their lease ends.
                    tracing::warn!(%run, %error, "jobs not given back");
                }
                Done::Nothing
            }
            Errand::Complete { run, answers } => {
                let results = answers.iter().map(|(job, answer)| (*job, answer.result.clone()));
                let verdicts = store.complete(run, results.collect()).await;
                Done::Completed { run, answers, verdicts }
            }
            Errand::Strays { run, strays } => {
                Done::Strays { run, strays: self.find(run, strays).await }
            }
            Errand::Note { run, job, id, attempt } => {
                let attempts = store.attempt(run, job, id, &attempt.encode_to_vec()).await;
                let attempts = attempts.map(|attempts| {
                    attempts.iter().filter_map(|a| Attempt::decode(a.as_slice()).ok()).collect()
                });
                Done::Noted { run, job, attempts }
            }
            Errand::Park { run, job } => {
                Done::Parked { run, job, parked: store.park(run, consumer, job).await }
            }
            Errand::Judge { run, job, mut bytes, mut answers } => {
                let stored = bytes.is_none();
                if stored {
                    bytes = self.resolved(run, job, &mut answers).await;
                }
                let truth = match bytes {
                    Some(bytes) => self.truth(run, &bytes).await,
                    None => None,
                };
                Done::Judged(Judged { run, job, answers, truth, stored })
            }
            Errand::Quarantine { worker, reason } => {
                let written = store.quarantine(worker, &reason).await;
                Done::Quarantined { worker, reason, written }
            }
        }
    }

    /// The jobs that results came for, and whether they are ours now.
    ///
    /// # Errors
    /// Gives them back if the store can't be asked.
    async fn find(&self, run: RunId, strays: Vec<Stray>) -> Result<Vec<Found>, Vec<Stray>> {
        let jobs: Vec<_> = strays.iter().map(|stray| stray.job).collect();
        let asked = async {
            let adopted = match self.store.adopt(run, self.consumer, &jobs).await {
                Err(StoreError::NoRun { .. }) => return Ok((Vec::new(), vec![None; jobs.len()])),
                adopted => adopted?,
            };
            Ok::<_, StoreError>((adopted, self.store.jobs(run, &jobs).await?))
        };
        let Ok((adopted, known)) = asked.await else { return Err(strays) };
        let found = strays.into_iter().zip(known);
        let found = found.map(|(stray, bytes)| {
            let ours = adopted.iter().any(|(job, _)| *job == stray.job);
            (stray, bytes, if ours { Adoption::Ours } else { Adoption::Theirs })
        });
        Ok(found.collect())
    }

    /// The bytes of a resolved job, whose result joins `answers`; `None` if they can't be judged:
    /// the job is folded, its trials are missing, or an answer is for another cut.
    async fn resolved(&self, run: RunId, job: JobId, answers: &mut Vec<Answer>) -> Option<Vec<u8>> {
        let harvest = self.store.results(run, job.index, 1).await.ok()?;
        let result = harvest.results.into_iter().next()?;
        // Asked for afterwards: if the job is still there, the result was of its generation.
        let bytes = self.store.jobs(run, &[job]).await.ok()?.into_iter().next()??;
        answers.push(Answer::own(format!("{:032x}", result.worker), result));
        let ranges = ranges(&bytes)?;
        answers.iter().all(|answer| is_of(&answer.result.output, &ranges)).then_some(bytes)
    }

    /// What the coordinator itself computes for a job.
    async fn truth(&self, run: RunId, bytes: &[u8]) -> Option<JobResult> {
        let job = Job::decode(bytes).ok()?;
        let ranges = ranges(bytes)?;
        let shared = self.store.blob(run, Digest::from_bytes(&job.shared)?).await.ok()??;
        let catalog = self.catalog;
        let output = self.hands.lend(move || recompute(catalog, &job, &shared)).await.ok()?.ok()?;
        let tallies = JobOutput::decode(output.as_slice()).ok()?.tallies;
        let output = stored_output(&ranges, tallies);
        let cost = v1::JobCost::default().encode_to_vec();
        Some(JobResult { worker: self.consumer, output, cost })
    }
}
