//! Connections that carry nothing for a while, and are cut by the server or forgotten on the way.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hatchery_core::Digest;
use hatchery_store::membership::StoreChange;
use hatchery_store::operation::{FindParts, LeaseJobs, ReadPosition};
use hatchery_store::{RedisStore, Store};
use hatchery_test_redis::{PATIENCE, Redis};
use tokio::io::{AsyncReadExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;

use super::play::{ANN, RUN, begin, enqueue, farm, farm_with};

/// The connections of a store: three for calls and one for changes.
const N_CONNECTIONS: usize = 4;

/// Makes a call on each connection for calls. The first of the calls is never sent twice.
async fn call_each(store: &Store) {
    store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 1 }).await.expect("it is leased");
    store.execute(ReadPosition { run: RUN }).await.expect("it is there");
    store
        .execute(FindParts { run: RUN, parts: vec![Digest::of(b"part")] })
        .await
        .expect("nothing is found");
}

#[tokio::test]
async fn a_server_that_cuts_idle_connections_fails_no_call() {
    let (server, store) = farm_with(&["--timeout", "1"]).await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 10)).await.unwrap();
    for _ in 0..2 {
        // The connection of somebody who is as idle, and pings nobody.
        let mut idle = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port())).await.unwrap();
        let n = timeout(PATIENCE, idle.read(&mut [0])).await.unwrap();
        assert_eq!(n.unwrap(), 0, "the server cuts the connection");
        call_each(&store).await;
    }
}

#[tokio::test]
async fn a_call_whose_connection_breaks_is_sent_again() {
    let (server, store) = farm().await;
    begin(&store).await;
    for _ in 0..20 {
        server.cli(&["CLIENT", "KILL", "TYPE", "normal"]).unwrap();
        store.execute(ReadPosition { run: RUN }).await.unwrap();
    }
}

/// Passes bytes between a server and its clients, like a NAT.
struct Nat {
    address: SocketAddr,
    /// The number of connections that were ever made.
    n_connections: watch::Receiver<usize>,
    /// The number of connections that are forgotten, from the first one on.
    n_forgotten: Arc<watch::Sender<usize>>,
}

impl Nat {
    async fn before(server: &Redis) -> Self {
        let port = server.port();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let (sender, n_connections) = watch::channel(0);
        let n_forgotten = Arc::new(watch::Sender::new(0));
        let forgotten = n_forgotten.subscribe();
        tokio::spawn(async move {
            for index in 0.. {
                let (mut client, _) = listener.accept().await.expect("it listens");
                let server = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
                let mut server = server.expect("the server listens");
                sender.send_replace(index + 1);
                let mut forgotten = forgotten.clone();
                tokio::spawn(async move {
                    let forget = async { forgotten.wait_for(|&n| index < n).await.map(drop) };
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => return,
                        _ = forget => {}
                    }
                    // Both ends stay open, and hear nothing from now on.
                    std::future::pending::<()>().await;
                });
            }
        });
        Self { address, n_connections, n_forgotten }
    }

    /// Forgets all connections of now, and returns their number.
    fn forget(&self) -> usize {
        let n = *self.n_connections.borrow();
        self.n_forgotten.send_replace(n);
        n
    }
}

#[tokio::test]
async fn connections_that_were_forgotten_are_replaced_before_a_call_needs_them() {
    let server = Redis::start().unwrap();
    let mut nat = Nat::before(&server).await;
    let store = RedisStore::open(&format!("redis://{}", nat.address)).await.unwrap();
    let store = Store::new(store);
    let mut changes = store.changes();
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 10)).await.unwrap();
    for _ in 0..2 {
        let n = nat.forget();
        let replaced = nat.n_connections.wait_for(|&now| n + N_CONNECTIONS <= now);
        timeout(PATIENCE, replaced).await.unwrap().unwrap();
        call_each(&store).await;
        // Nobody knows what was announced meanwhile.
        let missed = async { while changes.recv().await.unwrap() != StoreChange::Missed {} };
        timeout(PATIENCE, missed).await.unwrap();
    }
}

#[tokio::test]
async fn a_farm_hears_nothing_of_a_farm_in_another_database() {
    let server = Redis::start().unwrap();
    let open = async |database: u32| {
        let url = format!("{}/{database}", server.url());
        Store::new(RedisStore::open(&url).await.expect("the server is there"))
    };
    let (listener, own, other) = (open(2).await, open(2).await, open(0).await);
    let mut changes = listener.changes();
    for store in [&other, &own] {
        let lead = begin(store).await;
        store.execute(enqueue(lead, 0, 10)).await.unwrap();
    }
    let heard = async { [changes.recv().await.unwrap(), changes.recv().await.unwrap()] };
    let heard = timeout(PATIENCE, heard).await.unwrap();
    assert_eq!(heard, [StoreChange::State(RUN), StoreChange::Ready(RUN)]);
    assert!(changes.try_recv().is_err());
}
