//! The uploads of this process that have not ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hatchery_core::{Digest, Part};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::file::PartFile;
use crate::RunId;

/// The most uploads at a time: several times the number that one coordinator takes and makes.
const MAX_UPLOADS: usize = 64;

/// The time without a chunk after which an upload is given up: its sender is gone. Far shorter than
/// the time after which a sweep removes a file that nothing names.
pub(super) const IDLE_TTL: Duration = Duration::from_secs(600);

/// An upload.
#[derive(Debug)]
pub(super) struct PartUpload {
    /// The run that the part is for.
    pub(super) run: RunId,
    /// The file that is being written.
    pub(super) file: PartFile,
    /// The open file: an error of an earlier write is reported to it, and to no other.
    pub(super) handle: OnceCell<File>,
    /// The chunks that have come.
    came: Mutex<BTreeSet<u32>>,
    /// The file is whole and on disk: it may be noted from now on.
    sealed: AtomicBool,
}

impl PartUpload {
    /// Notes that a chunk is in the file.
    pub(super) fn came(&self, index: u32) {
        self.came.lock().unwrap_or_else(PoisonError::into_inner).insert(index);
    }

    /// Notes that the file is whole and on disk.
    pub(super) fn seal(&self) {
        self.sealed.store(true, Ordering::Relaxed);
    }

    /// Returns true if the file may be noted.
    pub(super) fn is_sealed(&self) -> bool {
        self.sealed.load(Ordering::Relaxed)
    }

    fn is_complete(&self) -> bool {
        let came = self.came.lock().unwrap_or_else(PoisonError::into_inner);
        came.len() as u64 == u64::from(self.file.part.n_chunks())
    }
}

/// An upload in the table, and the time of its last chunk.
#[derive(Debug)]
struct TableEntry {
    upload: Arc<PartUpload>,
    touched: Instant,
}

/// The uploads of this process, one per part of a run.
#[derive(Debug, Default)]
pub(super) struct UploadTable(Mutex<BTreeMap<(RunId, Digest), TableEntry>>);

impl UploadTable {
    /// Returns the upload of a part, which begins if there is none, and the uploads that end with
    /// that: of two lengths of a part the last length counts.
    pub(super) fn begin(&self, run: RunId, part: Part) -> (Arc<PartUpload>, Vec<Arc<PartUpload>>) {
        let (key, now) = ((run, part.hash()), Instant::now());
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ended: Vec<TableEntry> = Vec::new();
        if let Some(entry) = table.get_mut(&key) {
            if entry.upload.file.part == part {
                entry.touched = now;
                return (Arc::clone(&entry.upload), Vec::new());
            }
            ended.extend(table.remove(&key));
        }
        let idle = table.extract_if(.., |_, entry| IDLE_TTL <= now - entry.touched);
        ended.extend(idle.map(|(_, entry)| entry));
        if MAX_UPLOADS <= table.len() {
            let oldest = table.iter().min_by_key(|(_, entry)| entry.touched).map(|(key, _)| *key);
            ended.extend(oldest.and_then(|key| table.remove(&key)));
        }
        let upload = Arc::new(PartUpload {
            run,
            file: PartFile::new(part),
            handle: OnceCell::new(),
            came: Mutex::default(),
            sealed: AtomicBool::new(false),
        });
        table.insert(key, TableEntry { upload: Arc::clone(&upload), touched: now });
        (upload, ended.into_iter().map(|entry| entry.upload).collect())
    }

    /// Returns the upload of a part if all its chunks have come.
    pub(super) fn complete(&self, run: RunId, part: Part) -> Option<Arc<PartUpload>> {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let upload = &table.get(&(run, part.hash()))?.upload;
        let is_complete = upload.file.part == part && upload.is_complete();
        is_complete.then(|| Arc::clone(upload))
    }

    /// Removes the upload of a part, and returns it.
    pub(super) fn remove(&self, run: RunId, hash: Digest) -> Option<Arc<PartUpload>> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.remove(&(run, hash)).map(|entry| entry.upload)
    }

    /// Removes this upload, unless another upload has its place, and returns it.
    pub(super) fn remove_same(&self, upload: &Arc<PartUpload>) -> Option<Arc<PartUpload>> {
        let key = (upload.run, upload.file.part.hash());
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = table.get(&key).is_some_and(|entry| Arc::ptr_eq(&entry.upload, upload));
        is_same.then(|| table.remove(&key).map(|entry| entry.upload)).flatten()
    }

    /// Removes the uploads for a run, except the uploads of these parts, and returns them.
    pub(super) fn remove_all_but(&self, run: RunId, kept: &[Digest]) -> Vec<Arc<PartUpload>> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = table.extract_if(.., |(of, hash), _| *of == run && !kept.contains(hash));
        gone.map(|(_, entry)| entry.upload).collect()
    }
}
