//! The session of a worker: its identity, credits and jobs, and the messages to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::SeriesClass;
use hatchery_proto::v1::{self, Assignment, JobVerdict, ToWorker, to_worker};
use hatchery_proto::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS};
use hatchery_store::{JobKey, SessionId, WorkerId};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tonic::Status;

use super::held_jobs::{HeldJobs, SlotUse};
use super::slot_limit::WorkerSlots;
use super::unconfirmed_parts::UnconfirmedParts;
use crate::base::job_ref;
use crate::base::opinions::{OpinionSource, OpinionsBy};
use crate::dispatch::message::JoinRequest;
use crate::run::record::{AnnouncedWorker, experiment_label};
use crate::run::time_left::RecentRate;
use crate::self_tests::SelfTestJob;

/// The most credits per slot: enough short jobs to last until more arrive.
pub(crate) const CREDITS_PER_SLOT: u32 = 32;

/// The most jobs per slot if jobs are not known to be short: one running, one waiting, and room for
/// jobs that turn out to be short.
const PLACES_PER_SLOT: u32 = 4;

/// The longest rest between two jobs that still counts as work for the rate of trials: such rests
/// occur between generations.
const SHORT_REST: Duration = Duration::from_secs(5);

/// The time without a job and without a credit after which a worker counts as taking no jobs. A
/// working worker sends credits with its results. With 30 s, jobs died beside a good worker.
const IDLE_WITHOUT_CREDITS: Duration = Duration::from_secs(300);

/// A worker's session.
#[derive(Debug)]
pub(crate) struct WorkerSession {
    id: SessionId,
    /// The worker's name.
    name: String,
    /// The worker's id.
    worker: WorkerId,
    /// The source of its answers, for audits.
    source: OpinionSource,
    joined_at: Instant,
    slots: u32,
    /// The jobs that it holds.
    held: HeldJobs,
    /// The address that it connects from; empty if that is not known.
    host: String,
    /// The worker's version.
    build: String,
    /// The number of trials whose results the worker has sent, and their rate.
    n_trials: u64,
    rate: RecentRate,
    /// The time of its last result, if there is one.
    last_result_at: Option<Instant>,
    /// The time of its last message.
    last_message_at: Instant,
    /// The time of the latest sign of progress, over all jobs of the worker.
    last_progress_at: Instant,
    /// The time at which the worker last had a job, or a credit for one.
    last_available_at: Instant,
    /// The time at which the worker last gave jobs back, for example because it cannot fetch their
    /// inputs.
    released_at: Option<Instant>,
    /// The experiments that it announced, with versions.
    experiments: BTreeMap<String, u32>,
    /// The self-tests in its Welcome, until it answers them.
    welcome_tests: Vec<Arc<SelfTestJob>>,
    /// The clearance for each announced experiment.
    clearances: BTreeMap<String, Clearance>,
    /// The experiments that the worker computes or may be tested for, as announced.
    announced: Vec<String>,
    credits: u32,
    /// The parts that the worker may have sent for jobs without a verdict.
    unconfirmed: UnconfirmedParts,
    /// Whether the worker was told to drain.
    draining: bool,
    outbound: mpsc::Sender<Result<ToWorker, Status>>,
    /// Ends the session.
    end_session: Option<oneshot::Sender<Status>>,
}

/// The right of a worker to get jobs of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clearance {
    /// Not yet: it gets the self-test when a run has jobs.
    Untested,
    /// Not yet: it computes the self-test.
    Asked,
    /// Not yet: the worker has been computing the self-test for so long that nothing waits for it.
    Overdue,
    /// Yes.
    Cleared,
    /// No: the worker failed the self-test or has another version, or the coordinator failed the
    /// self-test.
    Refused,
}

impl Clearance {
    /// Returns whether the worker counts as able to compute the experiment.
    pub(crate) fn is_able(self) -> bool {
        !matches!(self, Self::Overdue | Self::Refused)
    }
}

/// A job to send to a worker.
#[derive(Debug)]
pub(crate) struct QueuedAssignment {
    pub(crate) key: JobKey,
    pub(crate) bytes: Vec<u8>,
    pub(crate) ticket: Vec<u8>,
    /// The most slots that the run's jobs may use at the worker; 0 for all.
    pub(crate) run_slots: u32,
}

impl WorkerSession {
    pub(crate) fn new(join: JoinRequest, opinions_by: OpinionsBy, now: Instant) -> Self {
        let JoinRequest {
            session,
            worker,
            incarnation,
            host,
            build,
            slots,
            experiments,
            outbound,
            end_session,
            ..
        } = join;
        let address = host.as_ref().map(|host| host.address().to_string());
        Self {
            id: session,
            joined_at: now,
            name: worker,
            worker: incarnation,
            source: opinions_by.source(incarnation, host),
            slots,
            held: HeldJobs::default(),
            host: address.unwrap_or_default(),
            build,
            n_trials: 0,
            rate: RecentRate::default(),
            last_result_at: None,
            last_message_at: now,
            last_progress_at: now,
            last_available_at: now,
            released_at: None,
            experiments,
            welcome_tests: Vec::new(),
            clearances: BTreeMap::new(),
            announced: Vec::new(),
            credits: 0,
            unconfirmed: UnconfirmedParts::default(),
            draining: false,
            outbound,
            end_session: Some(end_session),
        }
    }

    /// Returns the session's id.
    pub(crate) fn id(&self) -> SessionId {
        self.id
    }

    /// Returns the worker's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the worker's id.
    pub(crate) fn worker(&self) -> WorkerId {
        self.worker
    }

    /// Returns the source of its answers, for audits.
    pub(crate) fn source(&self) -> &OpinionSource {
        &self.source
    }

    /// Returns the time at which it joined.
    pub(crate) fn joined_at(&self) -> Instant {
        self.joined_at
    }

    /// Returns the worker's slots.
    pub(crate) fn slots(&self) -> u32 {
        self.slots
    }

    /// Returns the jobs that it holds.
    pub(crate) fn held(&self) -> &HeldJobs {
        &self.held
    }

    /// Returns the experiments that it announced, with versions.
    pub(crate) fn experiments(&self) -> &BTreeMap<String, u32> {
        &self.experiments
    }

    /// Returns the time of its last message.
    pub(crate) fn last_message_at(&self) -> Instant {
        self.last_message_at
    }

    /// Returns the time of the latest sign of progress, over all jobs of the worker.
    pub(crate) fn last_progress_at(&self) -> Instant {
        self.last_progress_at
    }

    /// Returns whether it takes jobs: it has had a job, a credit for one, or an answer without a
    /// verdict, within the last [`IDLE_WITHOUT_CREDITS`]. Nothing waits for a worker that takes
    /// none.
    pub(crate) fn takes_jobs(&self, now: Instant) -> bool {
        now - self.last_available_at < IDLE_WITHOUT_CREDITS
    }

    /// Takes note of its jobs and credits. A worker that `awaits_verdicts` has no more room until
    /// they come.
    pub(crate) fn note_availability(&mut self, now: Instant, awaits_verdicts: bool) {
        if self.has_credits() || !self.held.is_empty() || awaits_verdicts {
            self.last_available_at = now;
        }
    }

    /// Returns whether it has given jobs back within the time `last`.
    pub(crate) fn has_released(&self, now: Instant, last: Duration) -> bool {
        self.released_at.is_some_and(|at| now - at < last)
    }

    /// Takes note of a message.
    pub(crate) fn note_message(&mut self, now: Instant) {
        self.last_message_at = now;
    }

    /// Takes note of a sign of progress.
    pub(crate) fn note_progress(&mut self, now: Instant) {
        self.last_progress_at = now;
    }

    /// Takes note that it gives jobs back.
    pub(crate) fn note_release(&mut self, now: Instant) {
        self.released_at = Some(now);
    }

    /// Takes note that it holds a job.
    pub(crate) fn hold(&mut self, key: JobKey, class: SeriesClass, slot_use: SlotUse) {
        self.held.insert(key, class, slot_use);
    }

    /// Takes note that it does not hold a job any more.
    pub(crate) fn drop_job(&mut self, key: JobKey) {
        self.held.remove(key);
    }

    /// Takes the credit for a job that is assigned.
    pub(crate) fn spend_credit(&mut self) {
        self.credits -= 1;
    }

    /// Returns whether it has credits.
    pub(crate) fn has_credits(&self) -> bool {
        self.credits != 0
    }

    /// Returns the number of its places: jobs held plus credits.
    pub(crate) fn n_places(&self) -> usize {
        self.held.len() + self.credits as usize
    }

    /// Takes note of the self-tests in its Welcome.
    pub(crate) fn welcome(&mut self, tests: Vec<Arc<SelfTestJob>>) {
        self.welcome_tests = tests;
    }

    /// Takes the self-tests in its Welcome, which it has answered.
    pub(crate) fn take_welcome_tests(&mut self) -> Vec<Arc<SelfTestJob>> {
        std::mem::take(&mut self.welcome_tests)
    }

    /// Admits parts of a job, in place of the parts that were admitted before.
    ///
    /// # Errors
    /// If the worker does not hold the job any more, or there are too many bytes.
    pub(crate) fn admit_parts(&mut self, key: JobKey, n_bytes: u64) -> Result<(), Status> {
        self.unconfirmed.admit(&self.held, key, n_bytes)
    }

    /// Takes note that it has reported the result of a job.
    pub(crate) fn note_result(&mut self, key: JobKey) {
        self.unconfirmed.report(key);
    }

    /// Sends the verdict on its result for a job.
    pub(crate) fn send_verdict(&mut self, key: JobKey, verdict: v1::Verdict) {
        match verdict {
            // Any other verdict is the last one on the result.
            v1::Verdict::PartsMissing => self.unconfirmed.expect_again(key),
            _ => self.unconfirmed.confirm(key),
        }
        let JobKey { run, job } = key;
        tracing::debug!(
            worker = self.name, %run, generation = job.generation, job = job.index, ?verdict,
            "verdict"
        );
        let r#ref = Some(job_ref::to_wire(key));
        let verdicts = vec![JobVerdict { r#ref, verdict: verdict.into() }];
        self.send(to_worker::Message::Verdicts(v1::Verdicts { verdicts }));
    }

    /// Returns the jobs that it held.
    pub(crate) fn into_held(self) -> HeldJobs {
        self.held
    }

    /// Sets whether it gets jobs of an experiment; returns the version that it announced, or `None`
    /// if it did not announce the experiment.
    pub(crate) fn set_clearance(&mut self, experiment: &str, clearance: Clearance) -> Option<u32> {
        let version = *self.experiments.get(experiment)?;
        let before = self.clearances.insert(experiment.to_owned(), clearance);
        let label = experiment_label(experiment, version);
        match (before.is_some_and(Clearance::is_able), clearance.is_able()) {
            (false, true) => self.announced.push(label),
            (true, false) => self.announced.retain(|announced| *announced != label),
            (true, true) | (false, false) => {}
        }
        Some(version)
    }

    /// Returns whether it gets jobs of an experiment; `None` if it did not announce it.
    pub(crate) fn clearance(&self, experiment: &str) -> Option<Clearance> {
        self.clearances.get(experiment).copied()
    }

    /// Adds credits.
    pub(crate) fn want(&mut self, credits: u32) {
        if self.draining {
            return;
        }
        let most = self.slots.saturating_mul(CREDITS_PER_SLOT).max(CREDITS_PER_SLOT);
        self.credits = self.credits.saturating_add(credits).min(most);
    }

    /// Returns the number of further jobs that the worker may get. For long trials, that is the
    /// number of slots without a long trial. For other trials, it is small while jobs are not known
    /// to be short, and such jobs never wait behind long trials for a slot.
    pub(crate) fn room(&self, class: SeriesClass, are_short: bool) -> u32 {
        let n_alone = self.held.n_alone();
        let free = self.slots.max(1).saturating_sub(n_alone);
        let n_pooled = u32::try_from(self.held.len()).unwrap_or(u32::MAX).saturating_sub(n_alone);
        let places = match class {
            SeriesClass::Alone => free,
            SeriesClass::Pooled if free == 0 => 0,
            SeriesClass::Pooled if are_short => u32::MAX,
            SeriesClass::Pooled => free.saturating_mul(PLACES_PER_SLOT).saturating_sub(n_pooled),
        };
        self.credits.min(places)
    }

    /// Returns the worker's slots for a run, and the number of short jobs that each slot takes now.
    pub(crate) fn slots_for(&self, are_short: bool) -> WorkerSlots {
        let n_slots = self.slots.max(1);
        let n_held = u32::try_from(self.held.len()).unwrap_or(u32::MAX);
        let n_short = if are_short { n_held.saturating_add(self.credits) / n_slots } else { 0 };
        WorkerSlots { n_slots, n_short: n_short.min(CREDITS_PER_SLOT) }
    }

    /// Drains the worker: it gets no more jobs, and is notified.
    pub(crate) fn drain(&mut self) {
        if !std::mem::replace(&mut self.draining, true) {
            self.credits = 0;
            self.send(to_worker::Message::Drain(v1::Drain {}));
        }
    }

    /// Returns whether it is being drained.
    pub(crate) fn is_draining(&self) -> bool {
        self.draining
    }

    /// Sends a message. A worker that lets its queue fill up is dropped.
    pub(crate) fn send(&mut self, message: to_worker::Message) {
        let message = ToWorker { message: Some(message) };
        if self.outbound.try_send(Ok(message)).is_err() {
            tracing::warn!(worker = self.name, "the worker's message queue is full");
            self.end(Status::resource_exhausted("the worker does not read its messages"));
        }
    }

    /// Ends the session with a reason.
    pub(crate) fn end(&mut self, status: Status) {
        if let Some(end_session) = self.end_session.take() {
            // The session may be over.
            end_session.send(status).unwrap_or(());
        }
    }

    /// Sends recorded assignments, in as many messages as needed.
    pub(crate) fn assign(&mut self, assignments: Vec<QueuedAssignment>) {
        let mut waiting = assignments.into_iter().peekable();
        while waiting.peek().is_some() {
            let (mut assignments, mut n_bytes) = (Vec::new(), 0);
            while let Some(next) = waiting.peek()
                && assignments.len() < MAX_BATCH_ITEMS
                && (assignments.is_empty() || n_bytes + next.bytes.len() <= MAX_BATCH_BYTES)
                && let Some(QueuedAssignment { key, bytes, ticket, run_slots }) = waiting.next()
            {
                n_bytes += bytes.len();
                assignments.push(Assignment {
                    r#ref: Some(job_ref::to_wire(key)),
                    job: bytes,
                    ticket,
                    run_slots,
                });
            }
            self.send(to_worker::Message::Assign(v1::Assign { assignments }));
        }
    }

    /// Sends the worker the cancellation of jobs.
    pub(crate) fn cancel(&mut self, jobs: &[JobKey]) {
        for job in jobs {
            self.held.remove(*job);
        }
        for jobs in jobs.chunks(MAX_BATCH_ITEMS) {
            let refs = jobs.iter().map(|job| job_ref::to_wire(*job)).collect();
            self.send(to_worker::Message::Cancel(v1::Cancel { refs }));
        }
    }

    /// Begins the measurement of the worker's rate when the worker gets a job while it has none.
    /// After a short rest, the measurement continues.
    pub(crate) fn begin_work(&mut self, now: Instant) {
        if !self.held.is_empty() {
            return;
        }
        if self.last_result_at.is_none_or(|since| SHORT_REST <= now - since) {
            self.rate = RecentRate::default();
            self.rate.observe(now - self.joined_at, self.n_trials);
        }
    }

    /// Counts trials whose results it has sent.
    pub(crate) fn count_trials(&mut self, now: Instant, n_trials: u32) {
        self.n_trials = self.n_trials.saturating_add(n_trials.into());
        self.rate.observe(now - self.joined_at, self.n_trials);
        self.last_result_at = Some(now);
    }

    /// Returns the announcement of the worker, which gets no jobs for `pause`.
    pub(crate) fn announcement(&self, now: Instant, pause: Duration) -> AnnouncedWorker {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        AnnouncedWorker {
            name: self.name.clone(),
            slots: self.slots,
            experiments: self.announced.clone(),
            incarnation: self.worker.to_bytes().to_vec(),
            jobs: u32::try_from(self.held.len()).unwrap_or(u32::MAX),
            draining: self.draining,
            paused_ms: millis(pause),
            busy_slots: self.held.n_slots(self.slots),
            trials_per_kilosecond: self.trials_per_kilosecond(now),
            heard_ms: millis(now - self.last_message_at),
            joined_ms: millis(now - self.joined_at),
            host: self.host.clone(),
            build: self.build.clone(),
            takes_no_jobs: !self.takes_jobs(now),
        }
    }

    /// Returns the recent rate in trials per 1,000 seconds; 0 if the worker has nothing to do.
    fn trials_per_kilosecond(&self, now: Instant) -> u64 {
        if self.held.is_empty() {
            return 0;
        }
        let mut rate = self.rate.clone();
        rate.observe(now - self.joined_at, self.n_trials);
        rate.per_kilosecond()
    }

    /// Sends a notice for the worker's operator.
    pub(crate) fn notice(&mut self, text: String) {
        self.send(to_worker::Message::Notice(v1::Notice { text }));
    }
}
