//! The media of a store's data during a test.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use hatchery_store::conformance::{Medium, ModelStore};
use hatchery_store::{EmbeddedStore, Store};
use redb::StorageBackend;
use redb::backends::InMemoryBackend;
use tempfile::TempDir;

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
