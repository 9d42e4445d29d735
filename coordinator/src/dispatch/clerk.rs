//! What dispatch has others do: every store operation is an errand of its own.

use hatchery_core::Digest;
use hatchery_proto::v1::{self, Job, JobOutput};
use prost::Message;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::effect::{Adoption, Crew, Done, Errand, Found, Judged, Stray};
use super::job::{Answer, ranges};
use super::message::Feed;
use super::verify::{is_of, stored_output};
use crate::context::Context;
use crate::recompute::recompute;
use crate::record::Attempt;
use crate::store::{Enqueue, JobId, JobResult, RunId, StoreError};

/// Who does it.
#[derive(Clone)]
pub(super) struct Clerk {
    pub(super) context: Context,
    pub(super) crew: watch::Sender<Crew>,
}

impl Clerk {
    /// Does `errand`, now or as one of `errands`.
    pub(super) fn perform(&self, errand: Errand, errands: &mut JoinSet<Done>) {
        match errand {
            Errand::Publish(event) => {
                self.context.events.publish(event);
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
        let (store, consumer) = (self.context.store.as_ref(), self.context.incarnation);
        match errand {
            Errand::Publish(_) | Errand::Announce(_) | Errand::Count(_) => Done::Nothing,
            Errand::Enqueue { feed: Feed { lead, enqueue, done }, most } => {
                let Enqueue { generation, first_index: index, .. } = enqueue;
                let (first, n_jobs) = (JobId { generation, index }, enqueue.jobs.len() as u64);
                let leased = store.enqueue_and_lease(&lead, enqueue, consumer, most).await;
                Done::Enqueued { run: lead.run, first, n_jobs, most, leased, done }
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
            let adopted = match self.context.store.adopt(run, self.context.incarnation, &jobs).await
            {
                Err(StoreError::NoRun { .. }) => return Ok((Vec::new(), vec![None; jobs.len()])),
                adopted => adopted?,
            };
            Ok::<_, StoreError>((adopted, self.context.store.jobs(run, &jobs).await?))
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
        let harvest = self.context.store.results(run, job.index, 1).await.ok()?;
        let result = harvest.results.into_iter().next()?;
        // Asked for afterwards: if the job is still there, the result was of its generation.
        let bytes = self.context.store.jobs(run, &[job]).await.ok()?.into_iter().next()??;
        answers.push(Answer::own(format!("{:032x}", result.worker), result));
        let ranges = ranges(&bytes)?;
        answers.iter().all(|answer| is_of(&answer.result.output, &ranges)).then_some(bytes)
    }

    /// What the coordinator itself computes for a job.
    async fn truth(&self, run: RunId, bytes: &[u8]) -> Option<JobResult> {
        let job = Job::decode(bytes).ok()?;
        let ranges = ranges(bytes)?;
        let shared =
            self.context.store.blob(run, Digest::from_bytes(&job.shared)?).await.ok()??;
        let catalog = self.context.catalog;
        let output =
            self.context.hands.lend(move || recompute(catalog, &job, &shared)).await.ok()?.ok()?;
        let tallies = JobOutput::decode(output.as_slice()).ok()?.tallies;
        let output = stored_output(&ranges, tallies);
        let cost = v1::JobCost::default().encode_to_vec();
        Some(JobResult { worker: self.context.incarnation, output, cost })
    }
}
