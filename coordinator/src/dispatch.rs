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
mod effect;
mod failing;
mod fair;
mod forget;
mod job;
mod message;
mod meter;
mod results;
mod sessions;
#[cfg(test)]
mod tests;
mod verify;
mod waits;

use hatchery_proto::MAX_BATCH_ITEMS;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::context::Context;

use clerk::Clerk;
use desk::{Desk, TICK};
use effect::Done;

pub use desk::Patience;
pub(crate) use desk::{SILENCE, Settings};
pub(crate) use effect::Crew;
pub(crate) use message::{
    Farewell, Feed, Join, LeaderNotice, Message, Open, Peer, Said, SessionId,
};

/// How many messages may wait for dispatch: when there are more, sessions stop being read.
const MESSAGES: usize = 1024;

/// The way to a coordinator's dispatch, which works as long as there is one. Clones lead to the same.
#[derive(Clone, Debug)]
pub(crate) struct DispatchHandle(mpsc::Sender<Message>);

impl DispatchHandle {
    /// Sends `message`, once there is room for it.
    ///
    /// # Panics
    /// If dispatch is gone: it lives as long as its coordinator.
    pub(crate) async fn tell(&self, message: Message) {
        if self.0.send(message).await.is_err() {
            unreachable!("dispatch lives as long as its coordinator");
        }
    }

    /// Lets all workers go with this farewell; resolves when they are gone.
    pub(crate) async fn drain(&self, farewell: Farewell) {
        let (done, drained) = oneshot::channel();
        if self.0.send(Message::Drain(farewell, done)).await.is_ok() {
            // An error means that dispatch is gone, and with it all sessions.
            drained.await.unwrap_or_default();
        }
    }

    /// Whether dispatch is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// The channel itself, for those who can go on without dispatch.
    pub(crate) fn sender(&self) -> mpsc::Sender<Message> {
        self.0.clone()
    }
}

/// Starts the task. Returns the way to it, and whom it has.
pub(crate) fn start(
    context: Context,
    settings: Settings,
) -> (DispatchHandle, watch::Receiver<Crew>) {
    let (send, messages) = mpsc::channel(MESSAGES);
    let (say_crew, crew) = watch::channel(Crew::default());
    let clerk = Clerk { context, crew: say_crew };
    tokio::spawn(run(Desk::new(settings), clerk, messages));
    (DispatchHandle(send), crew)
}

/// Hands messages to the desk and performs what it wants, until nobody can send any more.
async fn run(mut desk: Desk, clerk: Clerk, mut messages: mpsc::Receiver<Message>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut batch = Vec::new();
    let mut errands: JoinSet<Done> = JoinSet::new();
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
