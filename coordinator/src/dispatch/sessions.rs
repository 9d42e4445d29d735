//! The sessions of a coordinator: who each worker is, what it wants and holds.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_proto::v1::{self, Assignment, ToWorker, to_worker};
use hatchery_proto::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tonic::Status;

use super::job::{Answer, Standing};
use super::message::{Join, SessionId};
use crate::record::AnnouncedWorker;
use crate::store::{JobId, RunId};
use crate::wire::to_ref;

/// How many jobs a worker may ask for, per slot: enough of those that take no time for the time that
/// it takes to bring others.
const CREDITS_PER_SLOT: u32 = 32;

/// How many jobs it may have, per slot, that are not known to be short: what runs, what waits, and
/// room for those that turn out short.
const PLACES_PER_SLOT: u32 = 4;

/// One worker.
#[derive(Debug)]
pub(super) struct Session {
    /// Its name.
    pub(super) name: String,
    /// Its incarnation.
    pub(super) worker: u128,
    pub(super) slots: u32,
    /// The jobs that it is at.
    pub(super) held: BTreeSet<(RunId, JobId)>,
    /// When it was heard of last.
    pub(super) heard: Instant,
    pub(super) trust: Trust,
    /// What it says that it knows, with versions.
    pub(super) experiments: BTreeMap<String, u32>,
    /// Those of them that it may have jobs of.
    pub(super) cleared: BTreeSet<String>,
    pub(super) credits: u32,
    /// Whether the worker was told that no more jobs come.
    draining: bool,
    outbound: mpsc::Sender<Result<ToWorker, Status>>,
    /// Ends the session.
    kick: Option<oneshot::Sender<Status>>,
}

/// Whether a worker's results are taken without a second opinion.
#[derive(Debug)]
pub(super) enum Trust {
    /// Nothing of it was checked yet.
    Unchecked,
    /// A first result is being checked: the job, and the others that wait for the outcome.
    Pending((RunId, JobId), Vec<(RunId, JobId, Answer)>),
    /// Its first result was right.
    Checked,
}

impl Trust {
    pub(super) fn standing(&self) -> Standing {
        match self {
            Self::Checked => Standing::Checked,
            Self::Unchecked | Self::Pending(..) => Standing::Unchecked,
        }
    }
}

/// A job for a worker.
#[derive(Debug)]
pub(super) struct Handout {
    pub(super) run: RunId,
    pub(super) job: JobId,
    pub(super) bytes: Vec<u8>,
    pub(super) ticket: Vec<u8>,
}

impl Session {
    pub(super) fn new(join: Join, now: Instant) -> Self {
        let Join { worker, incarnation, slots, experiments, outbound, kick, .. } = join;
        Self {
            name: worker,
            worker: incarnation,
            slots,
            held: BTreeSet::new(),
            heard: now,
            trust: Trust::Unchecked,
            experiments,
            cleared: BTreeSet::new(),
            credits: 0,
            draining: false,
            outbound,
            kick: Some(kick),
        }
    }

    /// Whether it may have jobs of the experiment.
    pub(super) fn is_able(&self, experiment: &str, version: u32) -> bool {
        self.experiments.get(experiment) == Some(&version) && self.cleared.contains(experiment)
    }

    /// Adds to what the worker takes.
    pub(super) fn want(&mut self, credits: u32) {
        if self.draining {
            return;
        }
        let most = self.slots.saturating_mul(CREDITS_PER_SLOT).max(CREDITS_PER_SLOT);
        self.credits = self.credits.saturating_add(credits).min(most);
    }

    /// How many jobs more it may have whose time is not known to be short.
    pub(super) fn room(&self) -> u32 {
        let held = u32::try_from(self.held.len()).unwrap_or(u32::MAX);
        let places = self.slots.saturating_mul(PLACES_PER_SLOT).max(PLACES_PER_SLOT);
        self.credits.min(places.saturating_sub(held))
    }

    /// Gives the worker no more jobs, and tells it so.
    pub(super) fn drain(&mut self) {
        if !std::mem::replace(&mut self.draining, true) {
            self.credits = 0;
            self.send(to_worker::Message::Drain(v1::Drain {}));
        }
    }

    /// Whether it takes no more jobs.
    pub(super) fn is_draining(&self) -> bool {
        self.draining
    }

    /// Sends a message. A worker that lets its queue fill up is as good as gone.
    pub(super) fn send(&mut self, message: to_worker::Message) {
        let message = ToWorker { message: Some(message) };
        if self.outbound.try_send(Ok(message)).is_err() {
            tracing::warn!(worker = self.name, "a message was not taken");
            self.end(Status::resource_exhausted("the worker does not read its messages"));
        }
    }

    /// Ends the session with a reason.
    pub(super) fn end(&mut self, status: Status) {
        if let Some(kick) = self.kick.take() {
            // A session that is over needs no reason.
            kick.send(status).unwrap_or(());
        }
    }

    /// Sends jobs that are booked already, in as many messages as it takes.
    pub(super) fn hand(&mut self, handouts: Vec<Handout>) {
        let mut handouts = handouts.into_iter().peekable();
        while handouts.peek().is_some() {
            let (mut assignments, mut n_bytes) = (Vec::new(), 0);
            while let Some(next) = handouts.peek()
                && assignments.len() < MAX_BATCH_ITEMS
                && (assignments.is_empty() || n_bytes + next.bytes.len() <= MAX_BATCH_BYTES)
                && let Some(Handout { run, job, bytes, ticket }) = handouts.next()
            {
                n_bytes += bytes.len();
                assignments.push(Assignment { r#ref: Some(to_ref(run, job)), job: bytes, ticket });
            }
            self.send(to_worker::Message::Assign(v1::Assign { assignments }));
        }
    }

    /// Tells the worker that jobs are not wanted any more.
    pub(super) fn cancel(&mut self, jobs: &[(RunId, JobId)]) {
        for job in jobs {
            self.held.remove(job);
        }
        for jobs in jobs.chunks(MAX_BATCH_ITEMS) {
            let refs = jobs.iter().map(|&(run, job)| to_ref(run, job)).collect();
            self.send(to_worker::Message::Cancel(v1::Cancel { refs }));
        }
    }

    /// Tells something to the person at the worker.
    pub(super) fn notice(&mut self, text: String) {
        self.send(to_worker::Message::Notice(v1::Notice { text }));
    }
}

/// All workers of a coordinator.
#[derive(Debug, Default)]
pub(super) struct Sessions(pub(super) BTreeMap<SessionId, Session>);

impl Sessions {
    pub(super) fn get(&self, id: SessionId) -> Option<&Session> {
        self.0.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: SessionId) -> Option<&mut Session> {
        self.0.get_mut(&id)
    }

    /// The session of a worker.
    pub(super) fn of_worker(&self, worker: u128) -> Option<SessionId> {
        self.0.iter().find(|(_, session)| session.worker == worker).map(|(&id, _)| id)
    }

    /// Whether a worker other than `worker` may have jobs of the experiment.
    pub(super) fn has_other(&self, worker: u128, experiment: &str, version: u32) -> bool {
        self.0.values().any(|s| s.worker != worker && s.is_able(experiment, version))
    }

    /// How many workers may have jobs of the experiment.
    pub(super) fn n_able(&self, experiment: &str, version: u32) -> usize {
        self.0.values().filter(|session| session.is_able(experiment, version)).count()
    }

    /// How many jobs they are at and take more, all together.
    pub(super) fn n_places(&self) -> usize {
        self.0.values().map(|session| session.held.len() + session.credits as usize).sum()
    }

    /// What the coordinator says of them to others, and what they do now.
    pub(super) fn counted(&self) -> Vec<AnnouncedWorker> {
        let jobs = self.0.values().map(|session| session.held.len());
        let workers = self.announcement().into_iter().zip(jobs);
        let counted = workers.map(|(worker, jobs)| {
            let jobs = u32::try_from(jobs).unwrap_or(u32::MAX);
            AnnouncedWorker { jobs, ..worker }
        });
        counted.collect()
    }

    /// What the coordinator says of them to others at once.
    pub(super) fn announcement(&self) -> Vec<AnnouncedWorker> {
        let worker = |session: &Session| AnnouncedWorker {
            name: session.name.clone(),
            slots: session.slots,
            experiments: session
                .cleared
                .iter()
                .filter_map(|name| Some(format!("{name}@{}", session.experiments.get(name)?)))
                .collect(),
            incarnation: session.worker.to_be_bytes().to_vec(),
            jobs: 0,
            draining: session.draining,
        };
        self.0.values().map(worker).collect()
    }
}

/// What a worker hears that is shut out. It is no matter of tokens: it goes on asking as who it is,
/// where a new process would be somebody else, whom nobody knows.
pub(super) fn shut_out(reason: &str) -> Status {
    Status::aborted(format!("this worker is shut out: {reason}"))
}
