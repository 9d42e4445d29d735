//! Which worker gets which job: one task that owns all sessions and all open runs.
//!
//! It leases jobs from the store as far as workers have asked for some, remembers who is at what,
//! has some results computed twice, writes results to the store before it confirms them, and gives
//! the jobs of a lost worker to another. What to do is decided by the `desk`, which is pure; this
//! task and its `clerk` perform it. A store that does not answer holds up nobody but those who
//! wait for that answer.

mod assign;
mod clerk;
mod crew;
mod desk;
mod failing;
mod fair;
mod forget;
mod job;
mod meter;
mod results;
mod sessions;
#[cfg(test)]
mod tests;
mod verify;
mod waits;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::Catalog;
use hatchery_core::erased::AnySimulation;
use hatchery_proto::MAX_BATCH_ITEMS;
use hatchery_proto::v1::{self, ToWorker};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::driver::Notice;
use crate::event::Stamped;
use crate::record::AnnouncedWorker;
use crate::scheduling::Scheduling;
use crate::store::{Enqueue, JobId, Lead, RunId, Store, StoreError};

pub(crate) use crew::Crew;
pub use desk::Patience;
pub(crate) use desk::{Desk, SILENCE, Settings};

/// How many messages may wait for dispatch: when there are more, sessions stop being read.
const MESSAGES: usize = 1024;

/// How often dispatch looks at what time has done.
const TICK: Duration = Duration::from_millis(100);

/// Something for dispatch.
#[derive(Debug)]
pub(crate) enum Message {
    /// A worker's session begins.
    Join(Join),
    /// Its worker says something.
    Said(SessionId, Said),
    /// It ended.
    Leave {
        /// The session.
        session: SessionId,
        /// Whether its worker left on purpose.
        goodbye: bool,
    },
    /// A run can have jobs from now on.
    Open(Open),
    /// A run is led in this process: its leader wants to know what happens.
    Lead(RunId, mpsc::UnboundedSender<Notice>),
    /// It is not led here any more.
    Unlead(RunId),
    /// A run has ready jobs.
    Ready(RunId),
    /// The leader in this process wants jobs made ready.
    Enqueue(Feed),
    /// A run may have results for its leader.
    Stir(RunId),
    /// A run has no jobs any more, or none for now.
    Close(RunId),
    /// These workers are shut out, with the reasons.
    Quarantined(Vec<(u128, String)>),
    /// These are the farm's coordinators.
    Farm(Vec<Peer>),
    /// Let this worker end when it has finished what it is at; answer whether it is here.
    DrainWorker(u128, oneshot::Sender<bool>),
    /// Let all workers go; answer when they are gone.
    Drain(Farewell, oneshot::Sender<()>),
}

/// What workers are told that are let go.
#[derive(Debug)]
pub(crate) enum Farewell {
    /// To end.
    End,
    /// To find another coordinator, such as one of these.
    Elsewhere(Vec<String>),
}

impl Farewell {
    pub(super) fn message(&self) -> v1::to_worker::Message {
        match self {
            Self::End => v1::to_worker::Message::Drain(v1::Drain {}),
            Self::Elsewhere(endpoints) => {
                let (after_ms, endpoints) = (0, endpoints.clone());
                v1::to_worker::Message::Reconnect(v1::Reconnect { after_ms, endpoints })
            }
        }
    }
}

/// What a worker says in its session.
#[derive(Debug)]
pub(crate) enum Said {
    /// It takes more jobs.
    Want(u32),
    /// It is there, and its jobs are that far.
    Heartbeat(Vec<((RunId, JobId), u64)>),
    /// It brings results.
    Results(v1::Results),
    /// It gives jobs back.
    Release(Vec<(RunId, JobId)>),
    /// It has done the self-tests.
    SelfTested(v1::SelfTested),
    /// It takes no more jobs.
    Leaving,
}

/// The id of a session: unique in the farm.
pub(crate) type SessionId = u128;

/// A worker's session.
#[derive(Debug)]
pub(crate) struct Join {
    pub(crate) session: SessionId,
    /// The worker's name.
    pub(crate) worker: String,
    /// The worker's incarnation.
    pub(crate) incarnation: u128,
    pub(crate) slots: u32,
    /// The experiments that the worker knows, with their versions.
    pub(crate) experiments: BTreeMap<String, u32>,
    /// The jobs that it is at, with their tickets.
    pub(crate) held: Vec<((RunId, JobId), Vec<u8>)>,
    /// To the worker.
    pub(crate) outbound: mpsc::Sender<Result<ToWorker, tonic::Status>>,
    /// Ends the session.
    pub(crate) kick: oneshot::Sender<tonic::Status>,
}

/// Jobs to be made ready: some of them are leased at once where workers want them.
#[derive(Debug)]
pub(crate) struct Feed {
    pub(crate) run: RunId,
    pub(crate) by: By,
    pub(crate) enqueue: Enqueue,
    /// How it went.
    pub(crate) done: oneshot::Sender<Fed>,
}

/// By what right jobs are made ready.
#[derive(Debug)]
pub(crate) enum By {
    /// By that of the run's leader.
    Lead(Lead),
    /// The run is made with them.
    Making {
        /// Its record.
        record: Vec<u8>,
        /// Its first checkpoint.
        checkpoint: Vec<u8>,
    },
}

/// Under which lead jobs are in the store; `None` if their run was there before it was made.
pub(crate) type Fed = Result<Option<Lead>, StoreError>;

/// A run that can have jobs.
#[derive(Clone)]
pub(crate) struct Open {
    pub(crate) run: RunId,
    pub(crate) experiment: String,
    pub(crate) version: u32,
    pub(crate) simulation: &'static dyn AnySimulation,
    /// Whether it was made just now, and has no jobs before its leader here says so.
    pub(crate) is_new: bool,
    /// After how long without progress a job counts as hanging.
    pub(crate) stall: Duration,
    /// How much of the farm it gets.
    pub(crate) scheduling: Scheduling,
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open")
            .field("run", &self.run)
            .field("experiment", &self.experiment)
            .finish()
    }
}

/// A coordinator of the farm.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) incarnation: u128,
    /// The slots of its workers for each experiment, as `NAME@VERSION`.
    pub(crate) slots: BTreeMap<String, usize>,
}

impl Peer {
    /// A coordinator that has these workers.
    pub(crate) fn new(incarnation: u128, workers: &[AnnouncedWorker]) -> Self {
        let mut slots: BTreeMap<String, usize> = BTreeMap::new();
        for worker in workers {
            for experiment in &worker.experiments {
                match slots.get_mut(experiment) {
                    Some(known) => *known += worker.slots as usize,
                    None => _ = slots.insert(experiment.clone(), worker.slots as usize),
                }
            }
        }
        Self { incarnation, slots }
    }
}

/// Starts the task. It says in `crew` whom it has.
pub(crate) fn start(
    store: Arc<dyn Store>,
    catalog: Catalog,
    settings: Settings,
    events: broadcast::Sender<Stamped>,
    crew: tokio::sync::watch::Sender<Crew>,
) -> mpsc::Sender<Message> {
    let (send, messages) = mpsc::channel(MESSAGES);
    let clerk = clerk::Clerk {
        store,
        catalog,
        hands: settings.hands,
        consumer: settings.consumer,
        events,
        crew,
    };
    tokio::spawn(run(Desk::new(settings), clerk, messages));
    send
}

/// Hands messages to the desk and performs what it wants, until nobody can send any more.
async fn run(mut desk: Desk, clerk: clerk::Clerk, mut messages: mpsc::Receiver<Message>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut batch = Vec::new();
    let mut errands: JoinSet<clerk::Done> = JoinSet::new();
    loop {
        let mut effects = Vec::new();
        tokio::select! {
            // In a fixed order, so that a simulation can be repeated; what settles things first.
            biased;
            Some(done) = errands.join_next() => match done {
                Ok(done) => desk.done(Instant::now(), done, &mut effects),
                // An errand has no panic of its own: this one comes from a bug.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
            _ = ticks.tick() => {}
            // Taking many messages at a time lets results share a write to the store.
            n = messages.recv_many(&mut batch, MAX_BATCH_ITEMS) => {
                if n == 0 {
                    return;
                }
                for message in batch.drain(..) {
                    desk.take(Instant::now(), message, &mut effects);
                }
            }
        }
        desk.settle(Instant::now(), &mut effects);
        for effect in effects {
            clerk.perform(effect, &mut errands);
        }
    }
}
