//! The orderly end of a worker's sessions: running jobs may finish, waiting jobs are given back.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// The longest grace period: after a longer one the worker would hardly count as leaving.
pub(crate) const MAX_GRACE: Duration = Duration::from_secs(24 * 3600);

/// The share of the grace period, as a divisor, that is kept for the verdicts on the last results.
const VERDICT_SHARE: u32 = 8;

/// The next step of a worker that has shut its session down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterShutdown {
    /// The worker ends.
    Exit,
    /// The worker connects to another coordinator after a while.
    Reconnect {
        /// The time until then.
        after: Duration,
    },
}

/// A shutdown in progress: the worker takes no more jobs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShutdownState {
    /// The time until which running jobs may go on.
    pub(crate) finish_by: Instant,
    /// The time until which the worker waits for verdicts.
    pub(crate) deadline: Instant,
    /// The next step.
    pub(crate) then: AfterShutdown,
    /// Set once the jobs that did not finish in time were given back.
    released: bool,
}

impl ShutdownState {
    /// A shutdown that begins `now` and takes `grace` at most.
    pub(crate) fn begin(now: Instant, grace: Duration, then: AfterShutdown) -> Self {
        let deadline = now + grace;
        let finish_by = deadline - grace / VERDICT_SHARE;
        Self { finish_by, deadline, then, released: false }
    }

    /// Returns true once, when the jobs that did not finish in time are to be given back. A worker
    /// that reconnects keeps them.
    pub(crate) fn take_release(&mut self, now: Instant) -> bool {
        self.then == AfterShutdown::Exit
            && self.finish_by <= now
            && !std::mem::replace(&mut self.released, true)
    }

    /// Returns the time at which something is due.
    pub(crate) fn next_deadline(&self) -> Instant {
        match self.released {
            true => self.deadline,
            false => self.finish_by,
        }
    }
}

/// Resolves when the worker is asked to stop, or when no handle is left that could ask.
pub(crate) async fn stop_requested(stop: &mut watch::Receiver<bool>) {
    while !*stop.borrow_and_update() && stop.changed().await.is_ok() {}
}

/// Resolves at `deadline`; never, if there is none.
pub(crate) async fn deadline_reached(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
