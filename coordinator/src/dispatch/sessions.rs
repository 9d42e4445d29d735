//! The sessions of a coordinator: the identity, credits and jobs of each worker.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_proto::v1::{self, Assignment, ToWorker, to_worker};
use hatchery_proto::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tonic::Status;

use super::job::{JobAnswer, TrackedJob, TrustLevel};
use super::message::JoinRequest;
use crate::record::AnnouncedWorker;
use crate::store::{JobKey, SessionId, WorkerId};

/// The most credits per slot: enough short jobs to last until more arrive.
const CREDITS_PER_SLOT: u32 = 32;

/// The most jobs per slot that are not known to be short: one running, one waiting, and room for
/// jobs that turn out to be short.
const PLACES_PER_SLOT: u32 = 4;

/// A worker's session.
#[derive(Debug)]
pub(super) struct WorkerSession {
    /// Its name.
    pub(super) name: String,
    /// Its id.
    pub(super) worker: WorkerId,
    pub(super) slots: u32,
    /// The jobs that it holds.
    pub(super) held: BTreeSet<JobKey>,
    /// The time of its last message.
    pub(super) last_message_at: Instant,
    pub(super) trust: WorkerTrust,
    /// The experiments that it announced, with versions.
    pub(super) experiments: BTreeMap<String, u32>,
    /// The experiments that it passed the self-test of.
    pub(super) cleared: BTreeSet<String>,
    pub(super) credits: u32,
    /// Whether the worker was told to drain.
    draining: bool,
    outbound: mpsc::Sender<Result<ToWorker, Status>>,
    /// Ends the session.
    end_session: Option<oneshot::Sender<Status>>,
}

/// An answer that waits until its worker is checked, with its job.
pub(super) type WithheldAnswer = (JobKey, JobAnswer);

/// The trust in a worker: whether its results are accepted without a second opinion.
#[derive(Debug)]
pub(super) enum WorkerTrust {
    /// No result was checked yet.
    Unchecked,
    /// Its first result is being checked: the job, and the answers that wait for the outcome.
    Pending(JobKey, Vec<WithheldAnswer>),
    /// Its first result was right.
    Checked,
}

impl WorkerTrust {
    pub(super) fn trust_level(&self) -> TrustLevel {
        match self {
            Self::Checked => TrustLevel::Checked,
            Self::Unchecked | Self::Pending(..) => TrustLevel::Unchecked,
        }
    }
}

/// A job to send to a worker.
#[derive(Debug)]
pub(super) struct QueuedAssignment {
    pub(super) key: JobKey,
    pub(super) bytes: Vec<u8>,
    pub(super) ticket: Vec<u8>,
}

impl WorkerSession {
    pub(super) fn new(join: JoinRequest, now: Instant) -> Self {
        let JoinRequest { worker, incarnation, slots, experiments, outbound, end_session, .. } =
            join;
        Self {
            name: worker,
            worker: incarnation,
            slots,
            held: BTreeSet::new(),
            last_message_at: now,
            trust: WorkerTrust::Unchecked,
            experiments,
            cleared: BTreeSet::new(),
            credits: 0,
            draining: false,
            outbound,
            end_session: Some(end_session),
        }
    }

    /// Returns whether it may get jobs of the experiment.
    pub(super) fn is_able(&self, experiment: &str, version: u32) -> bool {
        self.experiments.get(experiment) == Some(&version) && self.cleared.contains(experiment)
    }

    /// Adds credits.
    pub(super) fn want(&mut self, credits: u32) {
        if self.draining {
            return;
        }
        let most = self.slots.saturating_mul(CREDITS_PER_SLOT).max(CREDITS_PER_SLOT);
        self.credits = self.credits.saturating_add(credits).min(most);
    }

    /// Returns the number of further jobs that it may get whose duration is not known to be short.
    pub(super) fn room(&self) -> u32 {
        let held = u32::try_from(self.held.len()).unwrap_or(u32::MAX);
        let places = self.slots.saturating_mul(PLACES_PER_SLOT).max(PLACES_PER_SLOT);
        self.credits.min(places.saturating_sub(held))
    }

    /// Drains the worker: it gets no more jobs and is told so.
    pub(super) fn drain(&mut self) {
        if !std::mem::replace(&mut self.draining, true) {
            self.credits = 0;
            self.send(to_worker::Message::Drain(v1::Drain {}));
        }
    }

    /// Returns whether it is being drained.
    pub(super) fn is_draining(&self) -> bool {
        self.draining
    }

    /// Sends a message. A worker that lets its queue fill up is dropped.
    pub(super) fn send(&mut self, message: to_worker::Message) {
        let message = ToWorker { message: Some(message) };
        if self.outbound.try_send(Ok(message)).is_err() {
            tracing::warn!(worker = self.name, "the worker's message queue is full");
            self.end(Status::resource_exhausted("the worker does not read its messages"));
        }
    }

    /// Ends the session with a reason.
    pub(super) fn end(&mut self, status: Status) {
        if let Some(end_session) = self.end_session.take() {
            // The session may be over.
            end_session.send(status).unwrap_or(());
        }
    }

    /// Sends recorded assignments, in as many messages as needed.
    pub(super) fn assign(&mut self, assignments: Vec<QueuedAssignment>) {
        let mut waiting = assignments.into_iter().peekable();
        while waiting.peek().is_some() {
            let (mut assignments, mut n_bytes) = (Vec::new(), 0);
            while let Some(next) = waiting.peek()
                && assignments.len() < MAX_BATCH_ITEMS
                && (assignments.is_empty() || n_bytes + next.bytes.len() <= MAX_BATCH_BYTES)
                && let Some(QueuedAssignment { key, bytes, ticket }) = waiting.next()
            {
                n_bytes += bytes.len();
                assignments.push(Assignment { r#ref: Some(key.to_wire()), job: bytes, ticket });
            }
            self.send(to_worker::Message::Assign(v1::Assign { assignments }));
        }
    }

    /// Tells the worker that jobs are cancelled.
    pub(super) fn cancel(&mut self, jobs: &[JobKey]) {
        for job in jobs {
            self.held.remove(job);
        }
        for jobs in jobs.chunks(MAX_BATCH_ITEMS) {
            let refs = jobs.iter().map(|job| job.to_wire()).collect();
            self.send(to_worker::Message::Cancel(v1::Cancel { refs }));
        }
    }

    /// Sends a notice for the worker's operator.
    pub(super) fn notice(&mut self, text: String) {
        self.send(to_worker::Message::Notice(v1::Notice { text }));
    }
}

/// The workers that could give another opinion on a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OtherOpinions {
    /// At least one has not tried the job yet, or is computing it.
    Possible,
    /// There are other workers, but all of them have failed the job.
    UsedUp,
    /// There is no other worker.
    Nobody,
}

/// All workers of a coordinator.
#[derive(Debug, Default)]
pub(super) struct SessionTable(pub(super) BTreeMap<SessionId, WorkerSession>);

impl SessionTable {
    pub(super) fn get(&self, id: SessionId) -> Option<&WorkerSession> {
        self.0.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: SessionId) -> Option<&mut WorkerSession> {
        self.0.get_mut(&id)
    }

    /// Returns the session of a worker.
    pub(super) fn of_worker(&self, worker: WorkerId) -> Option<SessionId> {
        self.0.iter().find(|(_, session)| session.worker == worker).map(|(&id, _)| id)
    }

    /// Returns whether another worker than `worker` may get jobs of the experiment.
    pub(super) fn has_other(&self, worker: WorkerId, experiment: &str, version: u32) -> bool {
        self.0.values().any(|s| s.worker != worker && s.is_able(experiment, version))
    }

    /// Returns who could give another opinion on a job that has an answer.
    pub(super) fn other_opinions(
        &self,
        job: &TrackedJob,
        experiment: &str,
        version: u32,
    ) -> OtherOpinions {
        let mut able = self.0.values().filter(|session| session.is_able(experiment, version));
        let is_other = |session: &WorkerSession| !job.has_answer_of(session.worker);
        if !job.executions.is_empty() || able.clone().any(|session| job.suits(session.worker)) {
            OtherOpinions::Possible
        } else if able.any(is_other) {
            OtherOpinions::UsedUp
        } else {
            OtherOpinions::Nobody
        }
    }

    /// Returns the number of workers that may get jobs of the experiment.
    pub(super) fn n_able(&self, experiment: &str, version: u32) -> usize {
        self.0.values().filter(|session| session.is_able(experiment, version)).count()
    }

    /// Returns the number of places: jobs held plus credits, over all workers.
    pub(super) fn n_places(&self) -> usize {
        self.0.values().map(|session| session.held.len() + session.credits as usize).sum()
    }

    /// Returns the announcement of all workers with their current jobs.
    pub(super) fn counted(&self) -> Vec<AnnouncedWorker> {
        let jobs = self.0.values().map(|session| session.held.len());
        let workers = self.announcement().into_iter().zip(jobs);
        let counted = workers.map(|(worker, jobs)| {
            let jobs = u32::try_from(jobs).unwrap_or(u32::MAX);
            AnnouncedWorker { jobs, ..worker }
        });
        counted.collect()
    }

    /// Returns the announcement of all workers without job counts.
    pub(super) fn announcement(&self) -> Vec<AnnouncedWorker> {
        let worker = |session: &WorkerSession| AnnouncedWorker {
            name: session.name.clone(),
            slots: session.slots,
            experiments: session
                .cleared
                .iter()
                .filter_map(|name| Some(format!("{name}@{}", session.experiments.get(name)?)))
                .collect(),
            incarnation: session.worker.to_bytes().to_vec(),
            jobs: 0,
            draining: session.draining,
        };
        self.0.values().map(worker).collect()
    }
}
