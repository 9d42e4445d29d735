//! The media of a store's data during a test.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use hatchery_store::conformance::{Medium, ModelStore};
use hatchery_store::membership::StoreChange;
use hatchery_store::{
    EmbeddedStore, RoutedStore, RunId, Store, StoreAnswer, StoreBackend, StoreCall, StoreError,
    StoreOperation,
};
use redb::StorageBackend;
use redb::backends::InMemoryBackend;
use tempfile::TempDir;
use tokio::sync::broadcast;

/// A file in a folder of its own.
#[derive(Debug)]
pub(crate) struct Disk(TempDir);

impl Disk {
    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("store.redb")
    }
}

impl Default for Disk {
    fn default() -> Self {
        Self(TempDir::new().expect("a folder can be made"))
    }
}

#[async_trait]
impl Medium for Disk {
    async fn open(&self) -> Store {
        Store::new(EmbeddedStore::open(&self.path()).expect("the store can be opened"))
    }
}

/// Memory that outlives the store opened in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(Arc<InMemoryBackend>);

#[async_trait]
impl Medium for Memory {
    async fn open(&self) -> Store {
        let store = EmbeddedStore::with_backend(self.clone(), "memory");
        Store::new(store.expect("the store can be opened"))
    }
}

/// The model store: many can be open at the same time.
#[derive(Debug, Default)]
pub(crate) struct Shared(ModelStore);

#[async_trait]
impl Medium for Shared {
    async fn open(&self) -> Store {
        self.0.end_leases();
        Store::new(self.0.another())
    }

    fn shared(&self) -> bool {
        true
    }
}

/// Memory for each run, and for what belongs to none.
#[derive(Debug, Default)]
pub(crate) struct Routed {
    common: Memory,
    runs: Arc<Mutex<BTreeMap<RunId, Memory>>>,
}

#[async_trait]
impl Medium for Routed {
    async fn open(&self) -> Store {
        let routed = RoutedStore::new(self.common.open().await);
        let runs = self.runs.lock().expect("no test panicked").clone();
        for (run, memory) in runs {
            routed.insert(run, memory.open().await);
        }
        Store::new(RoutedRuns { routed, runs: Arc::clone(&self.runs) })
    }
}

/// A store that adds a run's store when it first hears of the run.
#[derive(Debug)]
struct RoutedRuns {
    routed: RoutedStore,
    runs: Arc<Mutex<BTreeMap<RunId, Memory>>>,
}

impl RoutedRuns {
    fn runs(&self) -> MutexGuard<'_, BTreeMap<RunId, Memory>> {
        self.runs.lock().expect("no test panicked")
    }
}

#[async_trait]
impl StoreBackend for RoutedRuns {
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError> {
        if let Some(run) = call.run()
            && !self.runs().contains_key(&run)
        {
            let memory = Memory::default();
            self.routed.insert(run, memory.open().await);
            self.runs().insert(run, memory);
        }
        self.routed.execute(call).await
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.routed.changes()
    }
}

impl StorageBackend for Memory {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        // As a file says it.
        let is_short = self.0.len()? < offset.saturating_add(out.len() as u64);
        if is_short { Err(ErrorKind::UnexpectedEof.into()) } else { self.0.read(offset, out) }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }
}
