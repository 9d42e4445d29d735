//! A store whose disk fills up fails until it is opened again, and loses nothing.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hatchery_store::conformance::View;
use hatchery_store::operation::DisownResults;
use hatchery_store::{EmbeddedStore, Store, StoreError, WorkerId};
use redb::StorageBackend;

use super::media::Memory;
use super::script;

/// The calls that would be made with room for all.
const CALLS: u64 = 24;

/// Memory with room for this number of further bytes.
#[derive(Clone, Debug)]
pub(super) struct Limited {
    memory: Memory,
    room: Arc<AtomicUsize>,
}

impl Limited {
    pub(super) fn new(memory: Memory, room: usize) -> Self {
        Self { memory, room: Arc::new(room.into()) }
    }

    pub(super) fn room(&self) -> usize {
        self.room.load(Ordering::SeqCst)
    }

    pub(super) fn set_room(&self, room: usize) {
        self.room.store(room, Ordering::SeqCst);
    }
}

impl StorageBackend for Limited {
    fn len(&self) -> io::Result<u64> {
        self.memory.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.memory.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.memory.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.memory.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let room = self.room();
        self.set_room(room.saturating_sub(data.len()));
        if room < data.len() {
            // What fits is written, as a disk does.
            self.memory.write(offset, &data[..room])?;
            return Err(ErrorKind::StorageFull.into());
        }
        self.memory.write(offset, data)
    }
}

/// Plays the script with room for `room` bytes; gives how many bytes were left.
async fn check(room: usize) -> usize {
    let limited = Limited::new(Memory::default(), usize::MAX);
    let store = EmbeddedStore::with_backend(limited.clone(), "a small disk")
        .map(Store::new)
        .expect("there is room");
    let lead = script::begin(&store).await.expect("there is room");
    limited.set_room(room);

    let mut n_done = 0;
    let error = loop {
        if n_done == CALLS {
            return limited.room();
        }
        match store.execute(script::call(n_done, lead)).await {
            Ok(_) => n_done += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(root_kind(&error), Some(ErrorKind::StorageFull), "{error:?}");

    // Room does not help, until the store is opened again.
    limited.set_room(usize::MAX);
    let again = store.execute(script::call(n_done, lead)).await;
    assert!(matches!(again, Err(StoreError::Unavailable { .. })), "{again:?}");
    let read = View::of(&store).await;
    assert!(matches!(read, Err(StoreError::Unavailable { .. })), "{read:?}");
    drop(store);

    let store = EmbeddedStore::with_backend(limited, "a larger disk")
        .map(Store::new)
        .expect("it is undamaged");
    let view = View::of(&store).await.expect("it can be read");
    let n_kept = (n_done..=n_done + 1).find(|n| view == script::view_after(*n));
    let n_kept =
        n_kept.unwrap_or_else(|| panic!("with room for {room}: not call {n_done}: {view:?}"));
    for step in n_kept..CALLS {
        let answer = store.execute(script::call(step, lead)).await;
        assert!(answer.is_ok(), "{answer:?}");
    }
    assert_eq!(View::of(&store).await.expect("it can be read"), script::view_after(CALLS));
    0
}

/// The kind of the system's error at the end of the chain.
pub(super) fn root_kind(error: &StoreError) -> Option<ErrorKind> {
    error.source()?.downcast_ref().map(io::Error::kind)
}

#[tokio::test]
async fn a_full_disk_loses_nothing() {
    let enough = 1 << 30;
    let needed = enough - check(enough).await;
    for part in 0..50 {
        check(needed * part / 50).await;
    }
}

/// An answer of the contract is no trouble: the store continues.
#[tokio::test]
async fn a_refusal_closes_nothing() {
    let store = EmbeddedStore::with_backend(Memory::default(), "memory")
        .map(Store::new)
        .expect("it is new");
    let lead = script::begin(&store).await.expect("it is new");
    let stale = script::begin(&store).await.map(|_| lead).expect("it can be led");
    let refused = store.execute(DisownResults { lead: stale, worker: WorkerId(1) }).await;
    assert!(matches!(refused, Err(StoreError::Fenced { .. })), "{refused:?}");
    assert_eq!(View::of(&store).await.expect("it can be read"), script::view_after(0));
}
