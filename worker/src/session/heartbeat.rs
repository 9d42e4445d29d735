//! Heartbeats from a thread of their own: whatever the session or the trials are at, a worker that
//! is there can be heard.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use hatchery_proto::v1::{ToCoordinator, to_coordinator};
use tokio::sync::mpsc;

use crate::executor::handle::RunningJobs;
use crate::rng::random_wait;

/// Bounds on how often a coordinator can ask for heartbeats: more often is a load, more seldom is
/// no sign of life.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(60);

/// The part of a period that is left to chance, so that workers that came together do not beat
/// together: a fifth.
const JITTER_DIVISOR: u32 = 5;

/// How often to beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeartbeatInterval(Duration);

impl HeartbeatInterval {
    /// What a coordinator asks for, within bounds; `None` if it wants no heartbeats.
    pub(crate) fn asked_for(heartbeat_ms: u32) -> Option<Self> {
        let period = Duration::from_millis(heartbeat_ms.into());
        (heartbeat_ms != 0).then(|| Self(period.clamp(SHORTEST, LONGEST)))
    }

    /// The time to the next beat: never longer than the period.
    pub(crate) fn next(self, rng: &mut Rng) -> Duration {
        self.0 - random_wait(rng, self.0 / JITTER_DIVISOR)
    }
}

/// The beating thread of one session; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct HeartbeatThread {
    _alive: Sender<()>,
}

impl HeartbeatThread {
    /// Starts to beat.
    pub(crate) fn start(
        period: HeartbeatInterval,
        rng: Rng,
        board: RunningJobs,
        outbound: mpsc::WeakSender<ToCoordinator>,
    ) -> std::io::Result<Self> {
        let (alive, ended) = channel();
        thread::Builder::new()
            .name("heartbeat".to_owned())
            .spawn(move || beat(period, rng, &board, &outbound, &ended))?;
        Ok(Self { _alive: alive })
    }
}

fn beat(
    period: HeartbeatInterval,
    mut rng: Rng,
    board: &RunningJobs,
    outbound: &mpsc::WeakSender<ToCoordinator>,
    ended: &Receiver<()>,
) {
    while ended.recv_timeout(period.next(&mut rng)) == Err(RecvTimeoutError::Timeout) {
        let Some(outbound) = outbound.upgrade() else { return };
        let message = Some(to_coordinator::Message::Heartbeat(board.heartbeat()));
        // If so much waits to be sent, one heartbeat more would not be heard either.
        outbound.try_send(ToCoordinator { message }).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_come_early_rather_than_late() {
        let mut rng = Rng::with_seed(1);
        let period = HeartbeatInterval::asked_for(1000).unwrap();
        let waits: Vec<_> = (0..1000).map(|_| period.next(&mut rng)).collect();
        let (min, max) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
        assert!(Duration::from_millis(800) <= *min && *min < Duration::from_millis(820), "{min:?}");
        assert!(Duration::from_millis(980) < *max && *max <= Duration::from_secs(1), "{max:?}");
    }

    #[test]
    fn what_a_coordinator_asks_for_is_bounded() {
        assert_eq!(HeartbeatInterval::asked_for(0), None);
        assert_eq!(HeartbeatInterval::asked_for(1), Some(HeartbeatInterval(SHORTEST)));
        assert_eq!(HeartbeatInterval::asked_for(u32::MAX), Some(HeartbeatInterval(LONGEST)));
    }
}
