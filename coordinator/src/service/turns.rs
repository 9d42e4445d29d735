//! The turns of transfers: slow lines do not hold up other transfers.
//!
//! A transfer has a turn of ten seconds, then it queues again behind the others. It keeps what it
//! has sent or received, and its line: nothing is sent twice.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use hatchery_store::SessionId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// The longest turn: less than the 20 s that a worker waits for the next chunk.
pub(super) const TURN: Duration = Duration::from_secs(10);

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
}

impl TransferTurns {
    /// Creates turns for `most` transfers at a time, of which a peer has `most_per_peer` at most.
    pub(super) fn new(most: usize, most_per_peer: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(most)), most_per_peer, peers: Arc::default() }
    }

    /// Waits for a turn.
    pub(super) async fn begin(&self, peer: TransferPeer) -> TransferTurn {
        let permits = Some(self.acquire(peer).await);
        TransferTurn { turns: self.clone(), peer, permits, until: Instant::now() + TURN }
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
    /// Waits for `act` until the turn is over; returns `None` then, and the turn goes to another
    /// transfer. The caller may go on waiting for `act`.
    pub(super) async fn until_over<T>(
        &mut self,
        act: Pin<&mut impl Future<Output = T>>,
    ) -> Option<T> {
        tokio::select! {
            // In a fixed order, so that a simulation can be repeated.
            biased;
            done = act => Some(done),
            () = sleep_until(self.until) => {
                self.permits = None;
                None
            }
        }
    }

    /// Returns whether the turn is over.
    pub(super) fn is_over(&self) -> bool {
        self.permits.is_none() || self.until <= Instant::now()
    }

    /// Queues for another turn if this one is over.
    pub(super) async fn renew(&mut self) {
        if self.is_over() {
            self.permits = None;
            self.permits = Some(self.turns.acquire(self.peer).await);
            self.until = Instant::now() + TURN;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;

    use tokio::task::JoinSet;

    use super::*;

    fn peer(n: u128) -> TransferPeer {
        TransferPeer::Session(SessionId(n))
    }

    /// A line so slow that nothing ends within a turn.
    async fn crawl(turns: TransferTurns, n: u128) {
        let mut turn = turns.begin(peer(n)).await;
        loop {
            assert_eq!(turn.until_over::<()>(pin!(pending())).await, None);
            turn.renew().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn slow_lines_hold_up_others_for_one_turn() {
        let (turns, mut slow) = (TransferTurns::new(16, 4), JoinSet::new());
        (0..16).for_each(|n| _ = slow.spawn(crawl(turns.clone(), n)));
        tokio::task::yield_now().await;
        let begun = Instant::now();
        let mut quick = turns.begin(peer(99)).await;
        assert_eq!(begun.elapsed(), TURN);
        assert_eq!(quick.until_over(pin!(async { 7 })).await, Some(7));
        assert!(!quick.is_over());
    }

    #[tokio::test(start_paused = true)]
    async fn many_transfers_of_one_worker_leave_turns_to_others() {
        let (turns, mut slow) = (TransferTurns::new(16, 4), JoinSet::new());
        (0..100).for_each(|_| _ = slow.spawn(crawl(turns.clone(), 1)));
        tokio::task::yield_now().await;
        let begun = Instant::now();
        drop(turns.begin(peer(2)).await);
        assert_eq!(begun.elapsed(), Duration::ZERO, "one worker has 4 turns at most");
        slow.shutdown().await;
        drop(turns.begin(peer(3)).await);
        assert!(turns.peers.lock().unwrap().len() <= 1, "peers are forgotten");
    }
}
