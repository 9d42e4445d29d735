//! Sends heartbeats from a thread of their own, so that neither the session nor a trial can delay
//! them.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use hatchery_proto::v1::{ToCoordinator, to_coordinator};
use tokio::sync::mpsc;

use crate::executor::handle::RunningJobs;
use crate::rng::random_wait;

/// The bounds of the interval that a coordinator can ask for: a shorter one is a load, a longer one
/// is no sign of life.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(60);

/// The share of the interval that is random, as a divisor, so that workers that connected together
/// do not send their heartbeats together: a fifth.
const JITTER_DIVISOR: u32 = 5;

/// The time between heartbeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeartbeatInterval(Duration);

impl HeartbeatInterval {
    /// The interval that a coordinator asks for, within bounds; `None` if it wants no heartbeats.
    pub(crate) fn from_wire(heartbeat_ms: u32) -> Option<Self> {
        let interval = Duration::from_millis(heartbeat_ms.into());
        (heartbeat_ms != 0).then(|| Self(interval.clamp(SHORTEST, LONGEST)))
    }

    /// Returns the wait before the next heartbeat: never longer than the interval.
    pub(crate) fn next_wait(self, rng: &mut Rng) -> Duration {
        self.0 - random_wait(rng, self.0 / JITTER_DIVISOR)
    }
}

/// The thread that sends a session's heartbeats. It ends when this handle is dropped.
#[derive(Debug)]
pub(crate) struct HeartbeatThread {
    _alive: Sender<()>,
}

impl HeartbeatThread {
    /// Starts the thread, which takes the progress of jobs from `running_jobs`.
    pub(crate) fn start(
        interval: HeartbeatInterval,
        rng: Rng,
        running_jobs: RunningJobs,
        outbound: mpsc::WeakSender<ToCoordinator>,
    ) -> std::io::Result<Self> {
        let (alive, ended) = channel();
        thread::Builder::new()
            .name("heartbeat".to_owned())
            .spawn(move || send_heartbeats(interval, rng, &running_jobs, &outbound, &ended))?;
        Ok(Self { _alive: alive })
    }
}

fn send_heartbeats(
    interval: HeartbeatInterval,
    mut rng: Rng,
    running_jobs: &RunningJobs,
    outbound: &mpsc::WeakSender<ToCoordinator>,
    ended: &Receiver<()>,
) {
    while ended.recv_timeout(interval.next_wait(&mut rng)) == Err(RecvTimeoutError::Timeout) {
        let Some(outbound) = outbound.upgrade() else { return };
        let message = Some(to_coordinator::Message::Heartbeat(running_jobs.heartbeat()));
        // Behind a full queue another heartbeat would be of no use.
        outbound.try_send(ToCoordinator { message }).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heartbeats_come_early_rather_than_late() {
        let mut rng = Rng::with_seed(1);
        let interval = HeartbeatInterval::from_wire(1000).unwrap();
        let waits: Vec<_> = (0..1000).map(|_| interval.next_wait(&mut rng)).collect();
        let (min, max) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
        assert!(Duration::from_millis(800) <= *min && *min < Duration::from_millis(820), "{min:?}");
        assert!(Duration::from_millis(980) < *max && *max <= Duration::from_secs(1), "{max:?}");
    }

    #[test]
    fn what_a_coordinator_asks_for_is_bounded() {
        assert_eq!(HeartbeatInterval::from_wire(0), None);
        assert_eq!(HeartbeatInterval::from_wire(1), Some(HeartbeatInterval(SHORTEST)));
        assert_eq!(HeartbeatInterval::from_wire(u32::MAX), Some(HeartbeatInterval(LONGEST)));
    }
}
