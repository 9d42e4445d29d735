//! A store whose disk fills up works again when there is room, and loses nothing.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use hatchery_store::conformance::View;
use hatchery_store::operation::{DisownResults, LeaseJobs, QuarantineWorker, RenewLeases};
use hatchery_store::{CoordinatorId, EmbeddedStore, LeasedJob, Store, StoreError, WorkerId};
use hatchery_test_redis::PATIENCE;
use redb::StorageBackend;
use tokio::time::timeout;

use super::media::Memory;
use super::script;

/// The calls that would be made with room for all.
const CALLS: u64 = 24;

/// Memory with room for this number of further bytes.
#[derive(Clone, Debug)]
pub(super) struct Limited {
    memory: Memory,
    room: Arc<AtomicUsize>,
    /// True once nothing can be read or written.
    is_gone: Arc<AtomicBool>,
}

impl Limited {
    pub(super) fn new(memory: Memory, room: usize) -> Self {
        Self { memory, room: Arc::new(room.into()), is_gone: Arc::default() }
    }

    pub(super) fn room(&self) -> usize {
        self.room.load(Ordering::SeqCst)
    }

    fn check(&self) -> io::Result<()> {
        match self.is_gone.load(Ordering::SeqCst) {
            true => Err(ErrorKind::NotFound.into()),
            false => Ok(()),
        }
    }

    pub(super) fn set_room(&self, room: usize) {
        self.room.store(room, Ordering::SeqCst);
    }
}

impl StorageBackend for Limited {
    fn len(&self) -> io::Result<u64> {
        self.check()?;
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
        self.check()?;
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

    limited.set_room(usize::MAX);
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

/// A store opens itself again when there is room, however long that takes; its leases are as they
/// were.
#[tokio::test]
async fn a_disk_may_stay_full() {
    let limited = Limited::new(Memory::default(), usize::MAX);
    let store = EmbeddedStore::with_backend(limited.clone(), "a small disk").map(Store::new);
    let store = store.expect("there is room");
    let lead = script::begin(&store).await.expect("there is room");
    store.execute(script::call(0, lead)).await.expect("there is room");
    let lease = async |most| {
        let lease = LeaseJobs { run: lead.run, consumer: CoordinatorId(1), most };
        store.execute(lease).await
    };
    let held = lease(2).await.expect("there are jobs");
    limited.set_room(0);
    let quarantine = || QuarantineWorker { worker: WorkerId(1), reason: "test".to_owned() };
    for _ in 0..3 {
        let error = store.execute(quarantine()).await.expect_err("there is no room");
        assert!(matches!(error, StoreError::Unavailable { .. }), "{error:?}");
    }
    limited.set_room(usize::MAX);
    let begin = Instant::now();
    while let Err(error) = store.execute(quarantine()).await {
        assert!(begin.elapsed() < PATIENCE, "{error:?}");
        tokio::task::yield_now().await;
    }
    let ids = |jobs: &[LeasedJob]| jobs.iter().map(|job| job.id).collect::<Vec<_>>();
    let renew = RenewLeases { run: lead.run, consumer: CoordinatorId(1), jobs: ids(&held) };
    assert_eq!(store.execute(renew).await.expect("there is room"), [], "they are held");
    let others = lease(usize::MAX).await.expect("there is room");
    assert_eq!((held.len(), others.len()), (2, 2), "of the four jobs");
}

/// A file that cannot be read when it is opened again is lost, for whoever wants to know.
#[tokio::test]
async fn a_file_that_cannot_be_opened_again_is_lost() {
    let limited = Limited::new(Memory::default(), usize::MAX);
    let mut store = EmbeddedStore::with_backend(limited.clone(), "a disk").expect("it is new");
    let loss = store.on_loss();
    let store = Store::new(store);
    limited.is_gone.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        let error = script::begin(&store).await.expect_err("its disk is gone");
        assert!(matches!(error, StoreError::Unavailable { .. }), "{error:?}");
    }
    let error = timeout(PATIENCE, loss).await.expect("it is lost").expect("the store says so");
    assert_eq!(root_kind(&error), Some(ErrorKind::NotFound), "{error:?}");
}

/// An answer of the contract is no trouble: the store continues.
#[tokio::test]
async fn a_refusal_closes_nothing() {
    let store = EmbeddedStore::with_backend(Memory::default(), "memory")
        .map(Store::new)
        .expect("it is new");
    let lead = script::begin(&store).await.expect("it is new");
    let stale = script::begin(&store).await.map(|_| lead).expect("it can be led");
    let refused = store.execute(DisownResults { lead: stale, workers: vec![WorkerId(1)] }).await;
    assert!(matches!(refused, Err(StoreError::Fenced { .. })), "{refused:?}");
    assert_eq!(View::of(&store).await.expect("it can be read"), script::view_after(0));
}
