//! The turns of transfers: slow lines do not hold up other transfers.
//!
//! A turn ends after ten seconds, or as soon as the line of the transfer keeps the coordinator
//! waiting for a quarter of a second. Then the transfer queues again behind the others. It keeps
//! what it has sent or received, and its line: nothing is sent twice.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use hatchery_store::SessionId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// The longest turn of a quick line.
const TURN: Duration = Duration::from_secs(10);

/// The longest pause of a line within a turn: a message takes as long to the other side of the
/// world and back. A line that needs a minute for each chunk has less than a hundredth of a turn.
const IDLE: Duration = Duration::from_millis(250);

/// The other end of a transfer, as far as the coordinator can tell workers apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TransferPeer {
    /// The worker of a session.
    Session(SessionId),
    /// Any worker at this address.
    Address(IpAddr),
    /// A worker in this process.
    Own,
}

/// The turns of transfers of a kind: a limited number at a time, in all and for each peer.
#[derive(Clone, Debug)]
pub(super) struct TransferTurns {
    permits: Arc<Semaphore>,
    most_per_peer: usize,
    /// The permits of each peer that has or awaits a turn. The lock is held for a lookup only.
    peers: Arc<Mutex<BTreeMap<TransferPeer, Weak<Semaphore>>>>,
}

/// A transfer that has a turn, or has had one.
#[derive(Debug)]
pub(super) struct TransferTurn {
    turns: TransferTurns,
    peer: TransferPeer,
    /// The permits of the peer and of the coordinator; `None` once the turn is over.
    permits: Option<[OwnedSemaphorePermit; 2]>,
    until: Instant,
    /// The time that the coordinator has waited for the line.
    line_time: Duration,
}

impl TransferTurns {
    /// Creates turns for `most` transfers at a time, of which a peer has `most_per_peer` at most.
    pub(super) fn new(most: usize, most_per_peer: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(most)), most_per_peer, peers: Arc::default() }
    }

    /// Waits for a turn.
    pub(super) async fn begin(&self, peer: TransferPeer) -> TransferTurn {
        let permits = Some(self.acquire(peer).await);
        let (turns, until) = (self.clone(), Instant::now() + TURN);
        TransferTurn { turns, peer, permits, until, line_time: Duration::ZERO }
    }

    async fn acquire(&self, peer: TransferPeer) -> [OwnedSemaphorePermit; 2] {
        let closed = "nobody closes the semaphore";
        let own = self.of_peer(peer).acquire_owned().await.expect(closed);
        [own, Arc::clone(&self.permits).acquire_owned().await.expect(closed)]
    }

    fn of_peer(&self, peer: TransferPeer) -> Arc<Semaphore> {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.retain(|_, permits| permits.strong_count() != 0);
        let known = peers.get(&peer).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let permits = Arc::new(Semaphore::new(self.most_per_peer));
            peers.insert(peer, Arc::downgrade(&permits));
            permits
        })
    }
}

impl TransferTurn {
    /// Waits for the line, until `act` is done. If the turn ends meanwhile, it goes to another
    /// transfer.
    pub(super) async fn wait<T>(&mut self, act: impl Future<Output = T>) -> T {
        let (begun, mut act) = (Instant::now(), pin!(act));
        let done = tokio::select! {
            // In a fixed order, so that a simulation can be repeated.
            biased;
            done = &mut act => Some(done),
            () = sleep_until(self.until.min(begun + IDLE)) => None,
        };
        let done = match done {
            Some(done) => done,
            None => {
                self.end();
                act.await
            }
        };
        self.line_time += begun.elapsed();
        done
    }

    /// Returns how long the coordinator has waited for the line in all. The time in which the
    /// transfer queued for a turn does not count.
    pub(super) fn line_time(&self) -> Duration {
        self.line_time
    }

    /// Ends the turn: it goes to another transfer.
    pub(super) fn end(&mut self) {
        self.permits = None;
    }

    /// Queues for another turn if this one is over.
    pub(super) async fn renew(&mut self) {
        if self.permits.is_none() || self.until <= Instant::now() {
            self.end();
            self.permits = Some(self.turns.acquire(self.peer).await);
            self.until = Instant::now() + TURN;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinSet;
    use tokio::time::{sleep, timeout};

    use super::*;

    fn peer(n: u128) -> TransferPeer {
        TransferPeer::Session(SessionId(n))
    }

    /// A transfer without end, whose line takes `each` for a chunk.
    async fn transfer(turns: TransferTurns, n: u128, each: Duration) {
        let mut turn = turns.begin(peer(n)).await;
        loop {
            turn.wait(sleep(each)).await;
            turn.renew().await;
        }
    }

    /// Returns the time until another transfer has its turn beside `n` transfers whose lines take
    /// `each` for a chunk.
    async fn beside(n: u128, each: Duration) -> Duration {
        let (turns, mut others) = (TransferTurns::new(16, 4), JoinSet::new());
        (0..n).for_each(|n| _ = others.spawn(transfer(turns.clone(), n, each)));
        for _ in 0..n {
            tokio::task::yield_now().await;
        }
        let begun = Instant::now();
        timeout(TURN * 100, turns.begin(peer(1000))).await.expect("turns end");
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn slow_lines_hold_up_others_for_a_moment() {
        assert_eq!(beside(16, Duration::from_secs(60)).await, IDLE);
        assert_eq!(beside(160, Duration::from_secs(60)).await, IDLE * 10);
    }

    #[tokio::test(start_paused = true)]
    async fn quick_lines_hold_up_others_for_one_turn() {
        assert_eq!(beside(16, Duration::from_millis(100)).await, TURN);
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_is_not_charged_for_the_turns_of_others() {
        let (turns, mut others) = (TransferTurns::new(2, 1), JoinSet::new());
        let each = Duration::from_millis(100);
        (0..20).for_each(|n| _ = others.spawn(transfer(turns.clone(), n, each)));
        tokio::task::yield_now().await;
        let (begun, chunk) = (Instant::now(), Duration::from_secs(1));
        let mut turn = turns.begin(peer(1000)).await;
        for _ in 0..10 {
            turn.wait(sleep(chunk)).await;
            turn.renew().await;
        }
        assert_eq!(turn.line_time(), chunk * 10);
        assert!(TURN * 100 < begun.elapsed(), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn many_transfers_of_one_worker_leave_turns_to_others() {
        let (turns, mut others) = (TransferTurns::new(16, 4), JoinSet::new());
        let each = Duration::from_millis(100);
        (0..100).for_each(|_| _ = others.spawn(transfer(turns.clone(), 1, each)));
        tokio::task::yield_now().await;
        let begun = Instant::now();
        drop(turns.begin(peer(2)).await);
        assert_eq!(begun.elapsed(), Duration::ZERO, "one worker has 4 turns at most");
        others.shutdown().await;
        drop(turns.begin(peer(3)).await);
        assert!(turns.peers.lock().unwrap().len() <= 1, "peers are forgotten");
    }
}
