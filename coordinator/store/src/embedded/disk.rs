//! The file below redb. It must be lockable, and the changes of a reader stay out of the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::{Bound, Range};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};
use tempfile::SpooledTempFile;

use super::error::{ForeignChange, NoLocks, StoreStop};

/// The unit of a reader's changes: a page of redb.
const BLOCK_BYTES: usize = 4096;

/// The most bytes of changes in memory. More are in a temporary file.
const CHANGES_IN_MEMORY_BYTES: usize = 16 << 20;

/// A store's file, for redb.
#[derive(Debug)]
pub(super) struct StoreDisk {
    file: FileBackend,
    /// The length that the file has if nobody else changes it.
    n_bytes: AtomicU64,
    /// The changes beside the file; `None` if they go to the file.
    changes: Option<Mutex<ChangedBlocks>>,
}

/// The changes that a reader made to a file, which stays as it is.
#[derive(Debug)]
struct ChangedBlocks {
    /// The length with the changes.
    n_bytes: u64,
    /// The bytes at the beginning of the file that still count.
    n_file_bytes: u64,
    /// The places of the changed blocks in `bytes`, by number.
    places: BTreeMap<u64, u64>,
    bytes: SpooledTempFile,
}

impl StoreDisk {
    /// Returns the disk of a file that is written.
    pub(super) fn new(file: File) -> Result<Self, StoreStop> {
        let file = FileBackend::new(file)?;
        let n_bytes = AtomicU64::new(file.len()?);
        Ok(Self { file, n_bytes, changes: None })
    }

    /// Returns the disk of the file at `path`, which is only read.
    pub(super) fn unchanged(path: &Path) -> Result<Self, StoreStop> {
        let file = FileBackend::new(File::open(path)?)?;
        let n_bytes = file.len()?;
        let changes = ChangedBlocks {
            n_bytes,
            n_file_bytes: n_bytes,
            places: BTreeMap::new(),
            bytes: SpooledTempFile::new(CHANGES_IN_MEMORY_BYTES),
        };
        Ok(Self { file, n_bytes: AtomicU64::new(n_bytes), changes: Some(Mutex::new(changes)) })
    }

    fn changes(&self) -> Option<MutexGuard<'_, ChangedBlocks>> {
        Some(self.changes.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl StorageBackend for StoreDisk {
    fn len(&self) -> io::Result<u64> {
        self.changes().map_or_else(|| self.file.len(), |changes| Ok(changes.n_bytes))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match self.changes() {
            Some(mut changes) => changes.read(&self.file, offset, out),
            None => self.file.read(offset, out),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        match self.changes() {
            Some(mut changes) => changes.set_len(&self.file, len),
            None => {
                self.n_bytes.store(len, Ordering::Relaxed);
                self.file.set_len(len)
            }
        }
    }

    fn sync_data(&self) -> io::Result<()> {
        match &self.changes {
            Some(_) => Ok(()),
            None => {
                // What others wrote into the file is in no commit of this process.
                if self.file.len()? != self.n_bytes.load(Ordering::Relaxed) {
                    return Err(io::Error::other(ForeignChange::Content));
                }
                self.file.sync_data()
            }
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        match self.changes() {
            Some(mut changes) => changes.write(&self.file, offset, data),
            None => self.file.write(offset, data),
        }
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    /// Takes a shared lock for a reader: redb always asks for the lock of a writer.
    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        let locked = match &self.changes {
            Some(_) => self.file.try_lock_shared_range(start, end),
            None => self.file.try_lock_range(start, end),
        };
        locked.map_err(|error| match error {
            // redb asks for the whole file next, and works without a lock if it does not get it.
            BackendError::Unsupported if (start, end) != (Bound::Unbounded, Bound::Unbounded) => {
                BackendError::Unsupported
            }
            BackendError::Unsupported => NoLocks::of(ErrorKind::Unsupported.into()).into(),
            error => BackendError::Io(NoLocks::of(error.into())),
        })
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }
}

impl ChangedBlocks {
    fn read(&mut self, file: &FileBackend, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = offset.saturating_add(out.len() as u64);
        if self.n_bytes < end {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let is_changed = self.places.range(offset / BLOCK_BYTES as u64..=end / BLOCK_BYTES as u64);
        if end <= self.n_file_bytes && is_changed.count() == 0 {
            return file.read(offset, out);
        }
        let mut block = [0; BLOCK_BYTES];
        for_each_block(offset, out.len(), |number, in_block, in_range| {
            self.read_block(file, number, &mut block)?;
            out[in_range].copy_from_slice(&block[in_block]);
            Ok(())
        })
    }

    fn write(&mut self, file: &FileBackend, offset: u64, data: &[u8]) -> io::Result<()> {
        self.n_bytes = self.n_bytes.max(offset.saturating_add(data.len() as u64));
        let mut block = [0; BLOCK_BYTES];
        for_each_block(offset, data.len(), |number, in_block, in_range| {
            self.read_block(file, number, &mut block)?;
            block[in_block].copy_from_slice(&data[in_range]);
            self.write_block(number, &block)
        })
    }

    fn set_len(&mut self, file: &FileBackend, n_bytes: u64) -> io::Result<()> {
        let n_whole_blocks = n_bytes / BLOCK_BYTES as u64;
        let n_rest = usize::try_from(n_bytes % BLOCK_BYTES as u64).expect("a block is small");
        if n_bytes < self.n_bytes && n_rest != 0 {
            let mut block = [0; BLOCK_BYTES];
            self.read_block(file, n_whole_blocks, &mut block)?;
            block[n_rest..].fill(0);
            self.write_block(n_whole_blocks, &block)?;
        }
        self.n_bytes = n_bytes;
        self.n_file_bytes = self.n_file_bytes.min(n_bytes);
        let n_blocks = n_whole_blocks + u64::from(n_rest != 0);
        self.places.retain(|&number, _| number < n_blocks);
        Ok(())
    }

    /// Reads a block, which is zero beyond the end of the file.
    fn read_block(
        &mut self,
        file: &FileBackend,
        number: u64,
        block: &mut [u8; BLOCK_BYTES],
    ) -> io::Result<()> {
        if let Some(&place) = self.places.get(&number) {
            self.bytes.seek(SeekFrom::Start(place))?;
            return self.bytes.read_exact(block);
        }
        let begin = number * BLOCK_BYTES as u64;
        let n_there = self.n_file_bytes.saturating_sub(begin).min(BLOCK_BYTES as u64);
        let (there, beyond) =
            block.split_at_mut(usize::try_from(n_there).expect("a block is small"));
        beyond.fill(0);
        if there.is_empty() { Ok(()) } else { file.read(begin, there) }
    }

    fn write_block(&mut self, number: u64, block: &[u8; BLOCK_BYTES]) -> io::Result<()> {
        let place = match self.places.get(&number) {
            Some(&place) => self.bytes.seek(SeekFrom::Start(place))?,
            None => self.bytes.seek(SeekFrom::End(0))?,
        };
        self.bytes.write_all(block)?;
        self.places.insert(number, place);
        Ok(())
    }
}

/// Calls `work` for each block with bytes of a range: with its number, the range within the block,
/// and the part of the whole range.
fn for_each_block(
    offset: u64,
    n_bytes: usize,
    mut work: impl FnMut(u64, Range<usize>, Range<usize>) -> io::Result<()>,
) -> io::Result<()> {
    let (mut done, block_bytes) = (0, BLOCK_BYTES as u64);
    while done < n_bytes {
        let at = offset + done as u64;
        let first = usize::try_from(at % block_bytes).expect("a block is small");
        let n = (BLOCK_BYTES - first).min(n_bytes - done);
        work(at / block_bytes, first..first + n, done..done + n)?;
        done += n;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Compares a reader's disk with bytes in memory that get the same changes.
    #[test]
    fn changes_beside_a_file_read_like_changes_in_it() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        let mut bytes: Vec<u8> = (0..250).cycle().take(3 * BLOCK_BYTES + 100).collect();
        fs::write(&path, &bytes).unwrap();
        let disk = StoreDisk::unchanged(&path).unwrap();
        let sizes = [0, 1, 99, 4095, 4096, 4097, 8192, 10_000, 12_388, 20_000];
        for (step, &size) in sizes.iter().cycle().take(200).enumerate() {
            let (at, n) = (step * 613 % 16_000, step * 911 % 9000);
            if step % 5 == 4 {
                bytes.resize(size, 0);
                disk.set_len(size as u64).unwrap();
            } else {
                let data = vec![u8::try_from(step).unwrap(); n];
                bytes.resize(bytes.len().max(at + n), 0);
                bytes[at..at + n].copy_from_slice(&data);
                disk.write(at as u64, &data).unwrap();
            }
            assert_eq!(disk.len().unwrap(), bytes.len() as u64);
            for from in [0, at.min(bytes.len())] {
                let mut found = vec![7; bytes.len() - from];
                disk.read(from as u64, &mut found).unwrap();
                assert!(found == bytes[from..], "step {step} from {from}");
            }
            assert!(disk.read(1, &mut vec![0; bytes.len()]).is_err(), "beyond the end");
        }
        drop(disk);
        assert_eq!(fs::metadata(&path).unwrap().len(), 3 * BLOCK_BYTES as u64 + 100);
    }
}
