//! Performs the effects of dispatch: every store operation is a task of its own.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::{Digest, Part, PartSet};
use hatchery_proto::v1::{self, Job, JobOutput};
use hatchery_store::operation::{
    AddAttempt, AdoptJobs, CompleteJobs, EnqueueAndLease, LeaseJobs, ParkJob, QuarantineWorker,
    ReadJobs, ReadResults, ReleaseJobs, RenewLeases,
};
use hatchery_store::parts::read_whole;
use hatchery_store::{
    AttemptId, AttemptedJob, EnqueueBatch, JobId, JobKey, JobResult, RunId, StoreError,
    StoreVerdict,
};
use prost::Message;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::effect::{
    Arbitration, ArbitrationError, DispatchEffect, EffectCompletion, LeaseOwner, LocatedResult,
    NotedJob, UnleasedResult, WorkerSummary,
};
use super::job::{JobAnswer, ranges};
use super::message::EnqueueRequest;
use super::verify::{is_of, stored_output};
use crate::base::context::CoordinatorContext;
use crate::base::event::unix_ms;
use crate::run::large_value::{load_output, store_output};
use crate::run::recompute::{AwaitedHost, recompute_on};
use crate::run::record::FailedAttempt;
use crate::self_tests::SelfTests;

/// The most jobs with a long trial that are arbitrated at the same time; other such jobs wait. Each
/// arbitration keeps a core busy, and holds the parts that it reads, for as long as the trial
/// takes.
const MAX_LONG_ARBITRATIONS: usize = 1;

/// The most jobs with short trials that are arbitrated at the same time. More arbitrations would
/// slow each other down while their deadlines run.
const MAX_ARBITRATIONS: usize = 8;

/// Performs effects.
#[derive(Clone)]
pub(super) struct EffectRunner {
    context: CoordinatorContext,
    self_tests: SelfTests,
    summary: watch::Sender<WorkerSummary>,
    /// Permits to arbitrate a job with a long trial.
    long_arbitrations: Arc<Semaphore>,
    /// Permits to arbitrate another job.
    arbitrations: Arc<Semaphore>,
}

impl EffectRunner {
    pub(super) fn new(
        context: CoordinatorContext,
        self_tests: SelfTests,
        summary: watch::Sender<WorkerSummary>,
    ) -> Self {
        let long_arbitrations = Arc::new(Semaphore::new(MAX_LONG_ARBITRATIONS));
        let arbitrations = Arc::new(Semaphore::new(MAX_ARBITRATIONS));
        Self { context, self_tests, summary, long_arbitrations, arbitrations }
    }

    /// Performs `effect`, now or as one of the tasks `running`.
    pub(super) fn perform(&self, effect: DispatchEffect, running: &mut JoinSet<EffectCompletion>) {
        match effect {
            DispatchEffect::Publish(event) => {
                self.context.events.publish(event);
            }
            DispatchEffect::Announce(summary) => {
                self.summary.send_replace(summary);
            }
            DispatchEffect::Count(summary) => {
                self.summary.send_if_modified(|known| {
                    *known = summary;
                    false
                });
            }
            effect => {
                let runner = self.clone();
                running.spawn(async move { runner.run(effect).await });
            }
        }
    }

    async fn run(self, effect: DispatchEffect) -> EffectCompletion {
        let (store, consumer) = (self.context.store.dispatch(), self.context.incarnation);
        match effect {
            DispatchEffect::Publish(_) | DispatchEffect::Announce(_) | DispatchEffect::Count(_) => {
                EffectCompletion::Nothing
            }
            DispatchEffect::ComputeSelfTest { experiment } => self.compute_test(experiment).await,
            DispatchEffect::Enqueue { request: EnqueueRequest { lead, enqueue, done }, most } => {
                let EnqueueBatch { generation, first_index: index, .. } = enqueue;
                let first = JobKey { run: lead.run, job: JobId { generation, index } };
                let n_jobs = enqueue.jobs.len() as u64;
                let enqueue = EnqueueAndLease { lead, enqueue, consumer, most };
                let leased = store.execute(enqueue).await;
                EffectCompletion::Enqueued { first, n_jobs, most, leased, done }
            }
            DispatchEffect::Lease { run, most } => EffectCompletion::Leased {
                run,
                most,
                leased: store.execute(LeaseJobs { run, consumer, most }).await,
            },
            DispatchEffect::Adopt { key, session, ticket } => {
                let JobKey { run, job } = key;
                let adopted = store.execute(AdoptJobs { run, consumer, jobs: vec![job] }).await;
                let adopted = adopted.map(|jobs| jobs.into_iter().next().map(|job| job.bytes));
                EffectCompletion::Adopted { key, session, ticket, adopted }
            }
            DispatchEffect::Renew { run, jobs } => EffectCompletion::Renewed {
                run,
                lost: store.execute(RenewLeases { run, consumer, jobs }).await,
            },
            DispatchEffect::Release { run, jobs } => {
                match store.execute(ReleaseJobs { run, consumer, jobs }).await {
                    Ok(()) | Err(StoreError::NoRun { .. }) => {}
                    // They become ready anyway when their lease expires.
                    Err(error) => tracing::warn!(%run, %error, "jobs not given back"),
                }
                EffectCompletion::Nothing
            }
            DispatchEffect::Complete { run, answers } => {
                let verdicts = self.complete(run, &answers).await;
                EffectCompletion::Completed { run, answers, verdicts }
            }
            DispatchEffect::LocateUnleased { run, unleased } => {
                EffectCompletion::LocateUnleased { run, unleased: self.find(run, unleased).await }
            }
            DispatchEffect::Note { key, id, attempt } => {
                EffectCompletion::Noted { key, noted: self.note(key, id, attempt).await }
            }
            DispatchEffect::DeclareDead { key } => {
                let JobKey { run, job } = key;
                let declared_dead = store.execute(ParkJob { run, consumer, job }).await;
                EffectCompletion::DeclaredDead { key, declared_dead }
            }
            DispatchEffect::Arbitrate { key, mut bytes, mut answers, deadline } => {
                let stored = bytes.is_none();
                if stored {
                    bytes = self.resolved(key, &mut answers).await;
                }
                let truth = match bytes {
                    Some(bytes) => self.truth(key.run, &bytes, deadline).await,
                    None => Err(ArbitrationError::Unavailable),
                };
                EffectCompletion::Arbitrated(Arbitration { key, answers, truth, stored })
            }
            DispatchEffect::Quarantine { worker, reason } => {
                let quarantine = QuarantineWorker { worker, reason: reason.clone() };
                let written = store.execute(quarantine).await;
                EffectCompletion::Quarantined { worker, reason, written }
            }
        }
    }

    async fn compute_test(&self, experiment: String) -> EffectCompletion {
        let test = self.self_tests.get(&experiment).await;
        EffectCompletion::SelfTestComputed { experiment, test }
    }

    /// Offers answers to the store.
    async fn complete(
        &self,
        run: RunId,
        answers: &[(JobId, JobAnswer)],
    ) -> Result<Vec<StoreVerdict>, StoreError> {
        let store = self.context.store.dispatch();
        let mut results = Vec::with_capacity(answers.len());
        for (job, answer) in answers {
            results.push((*job, store_output(store, run, answer.result.clone()).await?));
        }
        store.execute(CompleteJobs { run, results }).await
    }

    /// Records a failed attempt at a job; returns all attempts at the job, or who completed it.
    async fn note(
        &self,
        JobKey { run, job }: JobKey,
        id: AttemptId,
        attempt: FailedAttempt,
    ) -> Result<NotedJob, StoreError> {
        let attempt = FailedAttempt { unix_ms: unix_ms(), ..attempt }.encode_to_vec();
        let store = self.context.store.dispatch();
        Ok(match store.execute(AddAttempt { run, job, id, attempt }).await? {
            AttemptedJob::Unresolved(attempts) => {
                let decoded = attempts.iter().map(|a| FailedAttempt::decode(a.as_slice()));
                NotedJob::Unresolved(decoded.filter_map(Result::ok).collect())
            }
            AttemptedJob::Completed(worker) => NotedJob::Completed(worker),
            AttemptedJob::Skipped | AttemptedJob::Gone => NotedJob::Dropped,
        })
    }

    /// Finds the jobs of unleased results, and takes over their leases.
    ///
    /// # Errors
    /// Returns the results if the store cannot be read.
    async fn find(
        &self,
        run: RunId,
        unleased: Vec<UnleasedResult>,
    ) -> Result<Vec<LocatedResult>, Vec<UnleasedResult>> {
        let jobs: Vec<_> = unleased.iter().map(|result| result.job).collect();
        let (store, consumer) = (self.context.store.dispatch(), self.context.incarnation);
        let asked = async {
            let adopted = match store.execute(AdoptJobs { run, consumer, jobs: jobs.clone() }).await
            {
                Err(StoreError::NoRun { .. }) => return Ok((Vec::new(), vec![None; jobs.len()])),
                adopted => adopted?,
            };
            Ok::<_, StoreError>((adopted, store.execute(ReadJobs { run, jobs }).await?))
        };
        let Ok((adopted, known)) = asked.await else { return Err(unleased) };
        let found = unleased.into_iter().zip(known);
        let found = found.map(|(result, bytes)| {
            let ours = adopted.iter().any(|job| job.id == result.job);
            (result, bytes, if ours { LeaseOwner::Ours } else { LeaseOwner::Theirs })
        });
        Ok(found.collect())
    }

    /// Returns the bytes of a resolved job and adds its result to `answers`. Returns `None` if the
    /// answers cannot be judged: the job is folded, its trials are missing, or an answer belongs to
    /// another cut.
    async fn resolved(
        &self,
        JobKey { run, job }: JobKey,
        answers: &mut Vec<JobAnswer>,
    ) -> Option<Vec<u8>> {
        let store = self.context.store.dispatch();
        let page = store.execute(ReadResults { run, from: job.index, most: 1 }).await.ok()?;
        let mut result = page.results.into_iter().next()?;
        load_output(store, run, &mut result).await.ok()?;
        // Read after the result: if the job still exists, the result was of its generation.
        let bytes = store.execute(ReadJobs { run, jobs: vec![job] }).await.ok()?;
        let bytes = bytes.into_iter().next()??;
        answers.push(JobAnswer::own(result.worker.to_string(), result));
        let ranges = ranges(&bytes)?;
        answers.iter().all(|answer| is_of(&answer.result.output, &ranges)).then_some(bytes)
    }

    /// Computes a job in the coordinator itself, within `deadline` from its turn on.
    async fn truth(
        &self,
        run: RunId,
        bytes: &[u8],
        deadline: Duration,
    ) -> Result<JobResult, ArbitrationError> {
        let failed = |what: &dyn Display| ArbitrationError::Failed(what.to_string());
        let job = Job::decode(bytes).map_err(|error| failed(&error))?;
        let arbitrations = if job.alone { &self.long_arbitrations } else { &self.arbitrations };
        // Each of the others ends by its deadline.
        let _permit = arbitrations.acquire().await.expect("nobody closes the semaphore");
        within(deadline, self.compute(run, bytes, job)).await
    }

    /// Computes a job from its inputs in the store.
    async fn compute(
        &self,
        run: RunId,
        bytes: &[u8],
        job: Job,
    ) -> Result<JobResult, ArbitrationError> {
        let failed = |what: &dyn Display| ArbitrationError::Failed(what.to_string());
        let (store, malformed) =
            (self.context.store.dispatch(), || failed(&"the job is malformed"));
        let ranges = ranges(bytes).ok_or_else(malformed)?;
        let read = async |hash: Digest| match read_whole(store, run, hash).await {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(failed(&format!("the store has no part {hash}"))),
            Err(_) => Err(ArbitrationError::Unavailable),
        };
        let shared = read(Digest::from_bytes(&job.shared).ok_or_else(malformed)?).await?;
        let mut inputs = PartSet::default();
        for part in &job.inputs {
            let part = Part::from_wire(&part.hash, part.n_bytes).map_err(|_| malformed())?;
            inputs.insert(part, read(part.hash()).await?);
        }
        let (catalog, experiment) = (self.context.catalog, job.experiment.clone());
        // Dropped with this future, if dispatch ends: then the trials end at their next beat.
        let waiting = Arc::new(());
        let host = AwaitedHost::new(inputs, &waiting);
        let output = self
            .context
            .compute_pool
            .run(move || recompute_on(catalog, &job, &shared, &host))
            .await
            .map_err(ArbitrationError::Failed)?
            .map_err(|error| failed(&error))?;
        let output = JobOutput::decode(output.as_slice()).map_err(|error| failed(&error))?;
        let known = catalog.find(&experiment).ok_or_else(malformed)?.simulation();
        let parts = output.tallies.iter().map(|tally| known.parts(tally));
        let parts = parts.collect::<Result<Vec<_>, _>>().map_err(|error| failed(&error))?.concat();
        let output = stored_output(&ranges, output.tallies);
        let cost = v1::JobCost::default().encode_to_vec();
        let worker = self.context.incarnation.into();
        Ok(JobResult { worker, output, cost, parts })
    }
}

/// Returns the right answer if it is found in time. The trials of a late one end at their next
/// beat.
async fn within<T>(
    deadline: Duration,
    answer: impl Future<Output = Result<T, ArbitrationError>>,
) -> Result<T, ArbitrationError> {
    let late = |_| ArbitrationError::Overdue(deadline);
    tokio::time::timeout(deadline, answer).await.map_err(late)?
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use hatchery_core::Catalog;
    use hatchery_meters::CoordinatorMeters;
    use hatchery_store::membership::StoreChange;
    use hatchery_store::{CoordinatorId, Store, StoreAnswer, StoreBackend, StoreCall};
    use tokio::sync::broadcast;
    use tokio::time::{Instant, timeout};
    use ulid::Ulid;

    use super::*;
    use crate::base::compute_pool::ComputePool;
    use crate::base::context::StoreViews;
    use crate::base::event::EventBus;

    /// A store that never answers.
    #[derive(Debug)]
    struct SilentStore;

    #[tonic::async_trait]
    impl StoreBackend for SilentStore {
        async fn execute(&self, _: StoreCall) -> Result<StoreAnswer, StoreError> {
            pending().await
        }

        fn changes(&self) -> broadcast::Receiver<StoreChange> {
            broadcast::channel(1).1
        }
    }

    fn runner() -> EffectRunner {
        let (catalog, compute_pool) = (Catalog(&[]), ComputePool::Inline);
        let context = CoordinatorContext {
            store: StoreViews::new(Store::new(SilentStore)),
            catalog,
            compute_pool,
            incarnation: CoordinatorId(1),
            meters: Arc::new(CoordinatorMeters::new([], "", 0)),
            events: EventBus::new(),
            slots: watch::channel(0).1,
            job_trials: None,
            stall: None,
            clock: || 0,
        };
        let summary = watch::channel(WorkerSummary::default()).0;
        EffectRunner::new(context, SelfTests::new(catalog, compute_pool), summary)
    }

    /// As many jobs as are judged at the same time, and one more, which waits for its turn.
    #[tokio::test(start_paused = true)]
    async fn an_arbitration_that_hangs_ends_at_its_deadline() {
        let (deadline, begun, runner) = (Duration::from_secs(600), Instant::now(), runner());
        let mut running = JoinSet::new();
        for index in (0..).take(MAX_ARBITRATIONS + 1) {
            let job = JobId { generation: 0, index };
            let key = JobKey { run: RunId(Ulid(7)), job };
            let bytes = Some(Job { shared: vec![7; 32], ..Job::default() }.encode_to_vec());
            let arbitrate = DispatchEffect::Arbitrate { key, bytes, answers: Vec::new(), deadline };
            runner.perform(arbitrate, &mut running);
        }
        let all = timeout(deadline * 3, running.join_all()).await.expect("each has a deadline");
        assert_eq!(begun.elapsed(), deadline * 2);
        for ended in all {
            let EffectCompletion::Arbitrated(Arbitration { truth, .. }) = ended else {
                panic!("{ended:?}")
            };
            assert_eq!(truth.err(), Some(ArbitrationError::Overdue(deadline)));
        }
    }
}
