//! Dispatch: one task that owns all sessions and all open runs, and decides which worker gets which
//! job.
//!
//! Dispatch leases jobs from the store as workers ask for them, and tracks which worker computes
//! which job. It has some jobs computed twice, stores results before it confirms them, and gives
//! the jobs of a lost worker to another worker. The pure `Dispatcher` decides; this task and its
//! `EffectRunner` act. A silent store delays only the workers that wait for its answer.
//!
//! - `dispatcher`: the pure state machine, with a file for each kind of step
//! - `eligibility`: *decides* who may compute a job; `audits`: whose answers are trusted; `verify`:
//!   whether a result has the right form
//! - `runs`: the open runs and their leased jobs; `workers`: the workers and their sessions
//! - `job`, `message`, `effect`: the values that these parts exchange; `effect_runner`: acts

mod audits;
mod dispatcher;
mod effect;
mod effect_runner;
mod eligibility;
mod job;
mod message;
mod runs;
mod verify;
mod workers;

use hatchery_proto::MAX_BATCH_ITEMS;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::base::context::CoordinatorContext;
use crate::self_tests::SelfTests;

use dispatcher::{Dispatcher, TICK};
use effect::{EffectCompletion, StepContext};
use effect_runner::EffectRunner;

pub(crate) use dispatcher::{DispatchSettings, SILENCE};
pub(crate) use effect::WorkerSummary;
pub(crate) use message::{
    DispatchMessage, DrainMode, EnqueueRequest, JoinRequest, KnownJobs, LeaderNotice, OpenRun,
    PartAdmission, PeerCoordinator, ReportedProgress, WorkerMessage,
};
pub use runs::retry::RetryPolicy;

/// The most messages that wait for dispatch. Above this number, sessions are no longer read.
const MESSAGES: usize = 1024;

/// A handle to a coordinator's dispatch, which runs while a handle exists. Clones are handles to
/// the same dispatch.
#[derive(Clone, Debug)]
pub(crate) struct DispatchHandle(mpsc::Sender<DispatchMessage>);

impl DispatchHandle {
    /// Sends `message` once the queue has room.
    ///
    /// # Panics
    /// If dispatch has stopped, although it lives as long as its coordinator.
    pub(crate) async fn tell(&self, message: DispatchMessage) {
        if self.0.send(message).await.is_err() {
            unreachable!("dispatch lives as long as its coordinator");
        }
    }

    /// Drains all workers; resolves when they have left.
    pub(crate) async fn drain(&self, drain_mode: DrainMode) {
        let (done, drained) = oneshot::channel();
        if self.0.send(DispatchMessage::Drain(drain_mode, done)).await.is_ok() {
            // An error means that dispatch has stopped, and with it all sessions.
            drained.await.unwrap_or_default();
        }
    }

    /// Returns whether dispatch has stopped.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Returns the channel, for users that continue without dispatch.
    pub(crate) fn sender(&self) -> mpsc::Sender<DispatchMessage> {
        self.0.clone()
    }
}

/// Starts the task. Returns its handle and a summary of its workers.
pub(crate) fn start(
    context: CoordinatorContext,
    settings: DispatchSettings,
    self_tests: SelfTests,
) -> (DispatchHandle, watch::Receiver<WorkerSummary>) {
    let (send, messages) = mpsc::channel(MESSAGES);
    let (summary_sender, summary) = watch::channel(WorkerSummary::default());
    let runner = EffectRunner::new(context, self_tests, summary_sender);
    tokio::spawn(run(Dispatcher::new(settings), runner, messages));
    (DispatchHandle(send), summary)
}

/// Feeds messages to the dispatcher and performs its effects, until every handle is dropped.
async fn run(
    mut dispatcher: Dispatcher,
    runner: EffectRunner,
    mut messages: mpsc::Receiver<DispatchMessage>,
) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut batch = Vec::new();
    let mut running: JoinSet<EffectCompletion> = JoinSet::new();
    loop {
        let mut ctx = StepContext::new(Instant::now());
        tokio::select! {
            // In a fixed order, so that a simulation can be repeated; completions first.
            biased;
            Some(done) = running.join_next() => match done {
                Ok(done) => {
                    ctx.now = Instant::now();
                    dispatcher.done(&mut ctx, done);
                }
                // An effect does not panic: this is a bug.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
            _ = ticks.tick() => {}
            // Taking many messages at a time lets results share a write to the store.
            n = messages.recv_many(&mut batch, MAX_BATCH_ITEMS) => {
                if n == 0 {
                    return;
                }
                for message in batch.drain(..) {
                    ctx.now = Instant::now();
                    dispatcher.take(&mut ctx, message);
                }
            }
        }
        ctx.now = Instant::now();
        dispatcher.settle(&mut ctx);
        for effect in ctx.effects {
            runner.perform(effect, &mut running);
        }
    }
}
