//! What others send to dispatch, and what it sends to leaders: types only.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_core::erased::AnySimulation;
use hatchery_proto::v1::{self, ToWorker};
use tokio::sync::{mpsc, oneshot};

use crate::machine::Input;
use crate::record::AnnouncedWorker;
use crate::scheduling::Scheduling;
use crate::store::{Enqueue, JobId, Lead, RunId, StoreError};

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
    Lead(RunId, mpsc::UnboundedSender<LeaderNotice>),
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
    /// The leader's right to write.
    pub(crate) lead: Lead,
    pub(crate) enqueue: Enqueue,
    /// How it went.
    pub(crate) done: oneshot::Sender<Result<(), StoreError>>,
}

/// A run that can have jobs.
#[derive(Clone)]
pub(crate) struct Open {
    pub(crate) run: RunId,
    pub(crate) experiment: String,
    pub(crate) version: u32,
    pub(crate) simulation: &'static dyn AnySimulation,
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

/// A message from dispatch to a leader in this process.
#[derive(Debug)]
pub(crate) enum LeaderNotice {
    /// Something for the machine.
    Input(Input),
    /// The store failed while results were written.
    StoreFailed(StoreError),
    /// A worker was shut out: it may have been at this run.
    ShutOut,
}
