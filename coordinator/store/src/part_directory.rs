//! A directory for the bytes of parts, which coordinators share: each part is a file.
//!
//! # The files
//! | file | content |
//! |---|---|
//! | `hatchery-parts` | the id of the farm whose parts are here |
//! | `hatchery-clock` | nothing: its time is the time of the directory, as the last sweep saw it |
//! | `RUN/HASH.NONCE` | the bytes of a part of a run |
//!
//! # How it works
//! The directory does not say which parts there are: a store notes the name of a file once the file
//! is whole and on disk. So a crash leaves no half part, only files that nothing names, which a
//! sweep removes. Each upload writes a file of its own, whose name is never used again: removing a
//! file hits no later upload, and no cache of a network file system has an older file of that name.
//! One process writes all chunks of a file.
//!
//! The calls on files of parts exist in object storages, too: put a whole object in pieces, read a
//! range, remove, list. None is renamed, appended to or locked; only the marker is renamed, once it
//! is whole.
//!
//! Each call has a deadline. A directory that does not answer blocks a few threads, and the callers
//! that ask for parts; no other caller waits.

mod calls;
mod disk;
mod error;
mod file;
mod listing;
mod marker;
#[cfg(test)]
mod tests;
mod uploads;

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hatchery_core::part::PART_CHUNK_BYTES;
use hatchery_core::{Digest, Part};

use self::calls::FileCalls;
use self::disk::{create, is_loss, length, offset_of, remove_file, sync_folders, write_all};
pub(super) use self::error::{DirectoryFailure, DirectoryTrouble};
pub(super) use self::file::{FileAge, PartFile};
pub(super) use self::marker::DirectoryMarker;
use self::uploads::{PartUpload, UploadTable};
use crate::{RunId, StoreError};

/// The most files that are written in one call, each with a sync of its own.
const FILES_PER_CALL: usize = 16;

/// The most files that are removed in one call, which has a deadline.
const REMOVALS_PER_CALL: usize = 256;

/// A directory for the bytes of parts.
#[derive(Debug)]
pub(super) struct PartDirectory {
    root: PathBuf,
    marker: DirectoryMarker,
    calls: FileCalls,
    uploads: Arc<UploadTable>,
}

impl PartDirectory {
    /// Opens the directory at `path` for the farm with this id. Nothing is written: a directory
    /// without a marker is refused by all calls but [`mark`](Self::mark).
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the path cannot be made absolute.
    pub(super) fn open(path: &Path, farm: Digest) -> Result<Self, StoreError> {
        let place = format!("directory {}", path.display());
        let root =
            std::path::absolute(path).map_err(|error| DirectoryFailure::from(error).at(&place))?;
        let place = format!("directory {}", root.display());
        let marker = DirectoryMarker::new(&root, farm);
        Ok(Self { root, marker, calls: FileCalls::new(place), uploads: Arc::default() })
    }

    /// Returns the directory in words, as errors name it.
    pub(super) fn place(&self) -> &str {
        self.calls.place()
    }

    /// Returns the id of the farm whose parts are here, as the marker says; `None` without one.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]
    pub(super) async fn owner(&self) -> Result<Option<String>, StoreError> {
        let marker = self.marker.clone();
        self.calls.run(0, move || Ok(marker.read()?)).await
    }

    /// Marks the directory as belonging to this farm.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]
    pub(super) async fn mark(&self) -> Result<(), StoreError> {
        let marker = self.marker.clone();
        self.calls.run(0, move || Ok(marker.write()?)).await
    }

    /// Returns the farm's id, as in the marker.
    pub(super) fn farm(&self) -> String {
        self.marker.id()
    }

    /// Writes a chunk of a part, to the file of this process's upload. An upload with a call that
    /// failed, or whose caller stopped waiting, is given up: its chunks must come again.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]
    pub(super) async fn write_chunk(
        &self,
        run: RunId,
        part: Part,
        index: u32,
        chunk: Vec<u8>,
    ) -> Result<(), StoreError> {
        let (upload, ended) = self.uploads.begin(run, part);
        for ended in ended {
            self.abandon(ended);
        }
        let giving_up = GiveUpOnDrop { directory: self, upload: Some(Arc::clone(&upload)) };
        let path = self.path(run, &upload.file);
        let marker = self.marker.clone();
        let open = self.calls.run(0, move || {
            marker.check()?;
            Ok(create(&path)?)
        });
        upload.handle.get_or_try_init(|| open).await?;
        let (writer, offset) = (Arc::clone(&upload), offset_of(index));
        let write = move || match writer.handle.get() {
            Some(handle) => Ok(handle.write_all_at(&chunk, offset)?),
            None => unreachable!("it was opened above"),
        };
        self.calls.run(PART_CHUNK_BYTES as u64, write).await?;
        giving_up.disarm();
        upload.came(index);
        Ok(())
    }

    /// Takes the file of this process's upload to the disk, and returns its name; `None` if not all
    /// chunks have come, or the file was removed.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]
    pub(super) async fn seal(
        &self,
        run: RunId,
        part: Part,
    ) -> Result<Option<PartFile>, StoreError> {
        let Some(upload) = self.uploads.complete(run, part) else { return Ok(None) };
        let giving_up = GiveUpOnDrop { directory: self, upload: Some(Arc::clone(&upload)) };
        let path = self.path(run, &upload.file);
        let writer = Arc::clone(&upload);
        let (root, marker) = (self.root.clone(), self.marker.clone());
        let seal = move || {
            let Some(handle) = writer.handle.get() else { return Ok(false) };
            handle.sync_all()?;
            sync_folders(&root, &path)?;
            marker.check()?;
            Ok(length(&path)? == Some(part.n_bytes()))
        };
        let is_whole = self.calls.run(part.n_bytes(), seal).await?;
        if is_whole {
            upload.seal();
            giving_up.disarm();
        }
        Ok(is_whole.then_some(upload.file))
    }

    /// Forgets this process's upload of a part. Its file stays if `noted` is that file.
    pub(super) fn forget(&self, run: RunId, hash: Digest, noted: Option<&PartFile>) {
        if let Some(upload) = self.uploads.remove(run, hash)
            && Some(&upload.file) != noted
        {
            self.abandon(upload);
        }
    }

    /// Forgets this process's uploads for a run, except the uploads of these parts.
    pub(super) fn forget_all_but(&self, run: RunId, kept: &[Digest]) {
        for upload in self.uploads.remove_all_but(run, kept) {
            self.abandon(upload);
        }
    }

    /// Writes parts as a whole, each to a file of its own, and takes them to the disk.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]: then none of the files is of any use.
    pub(super) async fn write(
        &self,
        run: RunId,
        parts: &[(Part, Vec<u8>)],
    ) -> Result<Vec<PartFile>, StoreError> {
        let mut written = Vec::with_capacity(parts.len());
        for some in parts.chunks(FILES_PER_CALL) {
            let files: Vec<_> = some.iter().map(|(part, _)| PartFile::new(*part)).collect();
            let contents = some.iter().map(|(_, bytes)| bytes.clone());
            let paths = files.iter().map(|file| self.path(run, file));
            let contents: Vec<_> = paths.zip(contents).collect();
            let n_bytes = some.iter().map(|(part, _)| part.n_bytes()).sum();
            let (root, marker) = (self.root.clone(), self.marker.clone());
            let write = move || {
                marker.check()?;
                Ok(write_all(&root, &contents)?)
            };
            self.calls.run(n_bytes, write).await?.keep();
            written.extend(files);
        }
        Ok(written)
    }

    /// Returns a chunk of a part; `None` if the file is gone, or has another length.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], also if this is not the farm's directory any more.
    pub(super) async fn read(
        &self,
        run: RunId,
        file: &PartFile,
        index: u32,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(n_bytes) = file.part.chunk_bytes(index) else { return Ok(None) };
        let (path, marker) = (self.path(run, file), self.marker.clone());
        let length = file.part.n_bytes();
        let read = move || {
            let mut chunk = vec![0; n_bytes];
            let opened = File::open(&path).and_then(|file| {
                let has_length = file.metadata()?.len() == length;
                file.read_exact_at(&mut chunk, offset_of(index))?;
                Ok(has_length)
            });
            match opened {
                Ok(true) => return Ok(Some(chunk)),
                Ok(false) => {}
                Err(error) if is_loss(&error) => {}
                Err(error) => return Err(error.into()),
            }
            marker.check()?;
            Ok(None)
        };
        self.calls.run(n_bytes as u64, read).await
    }

    /// Returns for each of these files whether it exists with its whole length.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], also if this is not the farm's directory any more.
    pub(super) async fn are_whole(
        &self,
        run: RunId,
        files: &[PartFile],
    ) -> Result<Vec<bool>, StoreError> {
        let named = files.iter().map(|file| (self.path(run, file), file.part.n_bytes()));
        let (named, marker): (Vec<_>, _) = (named.collect(), self.marker.clone());
        let look = move || {
            let mut found = Vec::with_capacity(named.len());
            for (path, n_bytes) in named {
                found.push(length(&path)? == Some(n_bytes));
            }
            if found.contains(&false) {
                marker.check()?;
            }
            Ok(found)
        };
        self.calls.run(0, look).await
    }

    /// Removes files of a run; missing files count as removed.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]
    pub(super) async fn remove(
        &self,
        run: RunId,
        names: impl IntoIterator<Item = String>,
    ) -> Result<(), StoreError> {
        let folder = self.folder(run);
        let paths: Vec<_> = names.into_iter().map(|name| folder.join(name)).collect();
        for some in paths.chunks(REMOVALS_PER_CALL) {
            let some = some.to_vec();
            self.calls
                .run(0, move || Ok(some.iter().try_for_each(|path| remove_file(path))?))
                .await?;
        }
        Ok(())
    }

    /// Returns the path of a part's file.
    pub(super) fn path(&self, run: RunId, file: &PartFile) -> PathBuf {
        self.folder(run).join(file.name())
    }

    fn folder(&self, run: RunId) -> PathBuf {
        self.root.join(run.to_string())
    }

    /// Removes the file of an upload that has ended, sooner or later. A file that may be noted
    /// stays until a sweep has asked the server.
    fn abandon(&self, upload: Arc<PartUpload>) {
        if !upload.is_sealed() {
            let path = self.path(upload.run, &upload.file);
            let remove = move || {
                drop(upload);
                Ok(remove_file(&path)?)
            };
            self.calls.run_unwatched(remove);
        }
    }
}

/// Gives an upload up unless all went well: a write may still be under way then, and would change a
/// file that is taken for whole.
struct GiveUpOnDrop<'a> {
    directory: &'a PartDirectory,
    upload: Option<Arc<PartUpload>>,
}

impl GiveUpOnDrop<'_> {
    fn disarm(mut self) {
        self.upload = None;
    }
}

impl Drop for GiveUpOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(upload) = self.upload.take()
            && let Some(upload) = self.directory.uploads.remove_same(&upload)
        {
            self.directory.abandon(upload);
        }
    }
}
