//! Connections that wait: half-open connections, which have not made a call yet, and idle
//! connections, whose calls have ended. Above a limit, the oldest half-open connection is closed,
//! and if there is none the oldest idle connection, so newcomers are never locked out.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hatchery_coordinator::CallerAddress;
use tokio::sync::watch;

/// The shortest time between two log lines about connections that were closed for newcomers.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The waiting connections of a listener. Clones are the same tables.
#[derive(Clone, Debug)]
pub(super) struct WaitingConnections {
    pub(super) half_open: WaitingTable,
    pub(super) idle: WaitingTable,
}

/// Connections that wait for the same reason. Clones are the same table.
#[derive(Clone, Debug)]
pub(super) struct WaitingTable {
    kind: &'static str,
    limits: HalfOpenLimits,
    /// The accepting task adds connections; the tasks that serve the connections remove them.
    entries: Arc<Mutex<Entries>>,
}

/// The most half-open connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HalfOpenLimits {
    /// The limit over all addresses.
    pub(crate) all: usize,
    /// The limit per address, or per network of IPv6.
    pub(crate) of_address: usize,
}

#[derive(Debug, Default)]
struct Entries {
    /// The connections by network, oldest first. A network without connections has no entry.
    by_address: HashMap<IpAddr, BTreeMap<u64, watch::Sender<bool>>>,
    n_entries: usize,
    /// The number that the next connection gets.
    next: u64,
    logged: Option<Instant>,
}

/// The entry of a connection, which is removed when this is dropped.
#[derive(Debug)]
pub(super) struct WaitingEntry {
    table: WaitingTable,
    address: IpAddr,
    number: u64,
}

impl WaitingConnections {
    /// Creates empty tables. Only the number of half-open connections has limits.
    pub(super) fn new(limits: HalfOpenLimits) -> Self {
        let unlimited = HalfOpenLimits { all: usize::MAX, of_address: usize::MAX };
        let table = |kind, limits| WaitingTable { kind, limits, entries: Arc::default() };
        Self { half_open: table("half-open", limits), idle: table("idle", unlimited) }
    }

    /// Closes a connection, if any waits: the oldest half-open connection of the address with the
    /// most half-open connections, or else an idle connection in the same way.
    pub(super) fn close_oldest(&self) {
        if !self.half_open.close_oldest() {
            self.idle.close_oldest();
        }
    }
}

impl WaitingTable {
    /// Adds a connection from `peer`, which is closed through `closed`. If the address of `peer` is
    /// at its limit, its oldest connection is closed. If all addresses together are at the limit,
    /// the oldest connection of the address with the most connections is closed.
    pub(super) fn add(&self, peer: CallerAddress, closed: watch::Sender<bool>) -> WaitingEntry {
        let address = peer.network();
        let mut entries = self.lock();
        let n_same = entries.by_address.get(&address).map_or(0, BTreeMap::len);
        if self.limits.of_address <= n_same {
            entries.close_oldest_of(address, self.kind);
        } else if self.limits.all <= entries.n_entries {
            entries.close_oldest(self.kind);
        }
        let number = entries.next;
        entries.next += 1;
        entries.n_entries += 1;
        entries.by_address.entry(address).or_default().insert(number, closed);
        WaitingEntry { table: self.clone(), address, number }
    }

    /// Closes the oldest connection of the address with the most connections, and returns true if
    /// there is any.
    fn close_oldest(&self) -> bool {
        self.lock().close_oldest(self.kind)
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WaitingEntry {
    fn drop(&mut self) {
        // One that had to give way is not there any more.
        self.table.lock().remove(self.address, self.number);
    }
}

impl Entries {
    fn close_oldest(&mut self, kind: &'static str) -> bool {
        let most = self.by_address.iter().max_by_key(|(_, entries)| entries.len());
        let Some((&address, _)) = most else { return false };
        self.close_oldest_of(address, kind);
        true
    }

    fn close_oldest_of(&mut self, address: IpAddr, kind: &'static str) {
        let entries = self.by_address.get(&address);
        let n_entries = entries.map_or(0, BTreeMap::len);
        let oldest = entries.and_then(|entries| entries.first_key_value());
        let Some((&number, _)) = oldest else { return };
        if let Some(closed) = self.remove(address, number) {
            closed.send_replace(true);
        }
        if self.logged.is_none_or(|logged| LOG_INTERVAL <= logged.elapsed()) {
            self.logged = Some(Instant::now());
            tracing::warn!(%address, n_entries, "too many {kind} connections: oldest closed");
        }
    }

    fn remove(&mut self, address: IpAddr, number: u64) -> Option<watch::Sender<bool>> {
        let entries = self.by_address.get_mut(&address)?;
        let closed = entries.remove(&number)?;
        if entries.is_empty() {
            self.by_address.remove(&address);
        }
        self.n_entries -= 1;
        Some(closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection of the table.
    struct Connection {
        entry: WaitingEntry,
        closed: watch::Receiver<bool>,
    }

    fn connect(table: &WaitingTable, address: &str) -> Connection {
        let (closing, closed) = watch::channel(false);
        Connection { entry: table.add(CallerAddress(address.parse().unwrap()), closing), closed }
    }

    fn are_closed(connections: &[Connection]) -> Vec<bool> {
        connections.iter().map(|connection| *connection.closed.borrow()).collect()
    }

    #[test]
    fn the_oldest_of_an_address_gives_way() {
        let table = WaitingConnections::new(HalfOpenLimits { all: 10, of_address: 2 }).half_open;
        let other = connect(&table, "192.0.2.2");
        let same: Vec<_> = (0..3).map(|_| connect(&table, "192.0.2.1")).collect();
        assert_eq!(are_closed(&same), [true, false, false]);
        assert!(!*other.closed.borrow());
        let [_, second, third] = same.try_into().unwrap_or_else(|_| panic!("three"));
        // One that has made a call counts no more, and stays.
        drop(second.entry);
        let fourth = connect(&table, "192.0.2.1");
        assert_eq!(are_closed(&[third, fourth]), [false, false]);
        assert!(!*second.closed.borrow());
    }

    #[test]
    fn where_all_are_too_many_the_address_with_the_most_gives_way() {
        let table = WaitingConnections::new(HalfOpenLimits { all: 4, of_address: 3 }).half_open;
        let one = connect(&table, "192.0.2.9");
        let many: Vec<_> = (0..3).map(|_| connect(&table, "192.0.2.1")).collect();
        let newcomers = [connect(&table, "192.0.2.2"), connect(&table, "192.0.2.3")];
        assert_eq!(are_closed(&many), [true, true, false]);
        assert_eq!(are_closed(&newcomers), [false, false]);
        assert!(!*one.closed.borrow());
        drop((one, many, newcomers));
        let entries = table.lock();
        assert_eq!((entries.n_entries, entries.by_address.len()), (0, 0));
    }
}
