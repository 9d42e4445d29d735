//! The place of a store's bytes.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

use redb::StorageBackend;

use super::error::{ForeignChange, StoreStop};

/// The place of the bytes.
#[derive(Clone, Debug)]
pub(super) enum StoreMedium {
    File(PathBuf),
    /// A file that stays as it is.
    ReadOnly(PathBuf),
    Backend(SharedBackend),
}

/// A backend that stays when the database on it is closed.
#[derive(Clone, Debug)]
pub(super) struct SharedBackend(pub(super) Arc<dyn StorageBackend>);

/// A file, whatever it is called: its device and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileIdentity {
    device: u64,
    inode: u64,
}

impl StoreMedium {
    /// Returns the file at the place of a file that is written.
    pub(super) fn identity(&self) -> Result<Option<FileIdentity>, StoreStop> {
        let Self::File(path) = self else { return Ok(None) };
        match fs::metadata(path) {
            Ok(found) => Ok(Some(FileIdentity { device: found.dev(), inode: found.ino() })),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(ForeignChange::Place.into()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn n_bytes(&self) -> io::Result<u64> {
        match self {
            Self::File(path) | Self::ReadOnly(path) => Ok(fs::metadata(path)?.len()),
            Self::Backend(backend) => backend.len(),
        }
    }
}

impl StorageBackend for SharedBackend {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
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
