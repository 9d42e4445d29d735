//! The file itself: created as a whole, checked when opened, and opened again after trouble.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, TryLockError};
use std::time::{Duration, Instant};

use hatchery_core::{CaughtPanic, catch_panic, error_chain};
use redb::{
    Builder, Database, Durability, ReadTransaction, ReadableDatabase, StorageBackend,
    WriteTransaction,
};
use tracing::{info, warn};

use super::compaction::{self, CompactionOutcome};
use super::disk::StoreDisk;
use super::error::{EmbeddedError, ForeignChange, NoLocks, StoreStop};
use super::medium::{FileIdentity, SharedBackend, StoreMedium};
use super::tables::{self, FORMAT, FORMAT_KEY, META};
use super::{parts, upgrade};
use crate::StoreError;

/// The part of a file that redb may hold in memory: a window of jobs and results several times
/// over. Parts are read once and need no cache.
const CACHE_BYTES: usize = 64 << 20;

/// The same for a backend of the caller, who decides what to hold in memory.
const NO_CACHE_BYTES: usize = 0;

/// The remedy for a file that is too old to be upgraded.
const TOO_OLD: &str = "continue its run with the release that wrote it";

/// The least time from an opening after trouble to the next one.
const REOPEN_EVERY: Duration = Duration::from_secs(1);

/// An opening reads the whole file, so that the time to the next one is at least this many times
/// the time that the last one took.
const REOPEN_PAUSE_FACTOR: u32 = 4;

/// A store's file while it is open.
#[derive(Debug)]
pub(super) struct StoreFile {
    place: String,
    medium: StoreMedium,
    /// Locked for reading by each operation, and for writing while the file is opened again.
    opened: RwLock<OpenedFile>,
    /// The time before which the file is not opened again, if its last opening did not end its
    /// trouble.
    next_opening: Mutex<Option<Instant>>,
    /// True from the deletion of a run until the file was looked at for free space.
    has_deleted: AtomicBool,
    /// True if the file may be compacted in the background.
    may_compact: AtomicBool,
}

/// The file since its last opening.
#[derive(Debug)]
struct OpenedFile {
    /// The database; `None` if it could not be opened again, and while the file is dropped.
    database: Option<Database>,
    /// The first trouble since the opening.
    trouble: OnceLock<EmbeddedError>,
    /// The file at the place; `None` if nobody else can change it.
    identity: Option<FileIdentity>,
}

impl StoreFile {
    /// Opens the file at `path`, or makes it.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let place = path.display().to_string();
        Self::build(place, StoreMedium::File(path.to_owned()), |place| match open_file(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => make(path, place),
            file => existing(StoreDisk::new(file?)?, place),
        })
    }

    /// Opens the file at `path` and leaves it as it is: a repair, an upgrade and all other changes
    /// are this process's own, and end with it.
    pub(super) fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        let place = path.display().to_string();
        let medium = StoreMedium::ReadOnly(path.to_owned());
        Self::build(place, medium, |place| existing(StoreDisk::unchanged(path)?, place))
    }

    /// Opens what `backend` holds, or fills it.
    pub(super) fn with_backend(
        backend: impl StorageBackend,
        place: &str,
    ) -> Result<Self, StoreError> {
        let backend = SharedBackend(Arc::new(backend));
        let medium = StoreMedium::Backend(backend.clone());
        Self::build(place.to_owned(), medium, |place| match backend.len()? {
            0 => fill(builder(NO_CACHE_BYTES).create_with_backend(backend)?),
            _ => existing_in(backend, place),
        })
    }

    fn build(
        place: String,
        medium: StoreMedium,
        open: impl FnOnce(&str) -> Result<Database, StoreStop>,
    ) -> Result<Self, StoreError> {
        let opened = guarded(|| {
            let database = open(&place)?;
            Ok(OpenedFile::new(database, medium.identity()?))
        });
        match opened {
            Ok(opened) => {
                let (opened, next_opening) = (RwLock::new(opened), Mutex::new(None));
                let [has_deleted, may_compact] = [AtomicBool::new(false), AtomicBool::new(false)];
                Ok(Self { place, medium, opened, next_opening, has_deleted, may_compact })
            }
            Err(StoreStop::Refused(error)) => Err(error),
            Err(StoreStop::Trouble(trouble)) => Err(trouble.at(&place)),
        }
    }

    /// Returns true if the file may need to be opened again: it had trouble and it is time, or
    /// another thread opens it now. Never blocks.
    pub(super) fn wants_reopening(&self) -> bool {
        match self.opened.try_read() {
            Ok(opened) => self.is_due(&opened),
            Err(TryLockError::Poisoned(opened)) => self.is_due(&opened.into_inner()),
            Err(TryLockError::WouldBlock) => true,
        }
    }

    fn is_due(&self, opened: &OpenedFile) -> bool {
        let next = *self.next_opening.lock().unwrap_or_else(PoisonError::into_inner);
        opened.trouble.get().is_some() && next.is_none_or(|next| next <= Instant::now())
    }

    /// Opens the file again if it had trouble and it is time, and returns true if it was opened:
    /// everything that was acknowledged is back, and the change that had the trouble is there or
    /// not. A disk that is still full is no error: the next operation says so.
    ///
    /// # Errors
    /// If the file cannot be opened for another reason than space. A missing file is an error,
    /// too: a new one would have no runs.
    pub(super) fn reopen(&self) -> Result<bool, StoreError> {
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        if !self.is_due(&opened) {
            return Ok(false);
        }
        let begun = Instant::now();
        close(opened.database.take(), &self.place);
        let reopened = guarded(|| {
            let database = open_again(&self.medium, &self.place)?;
            Ok(OpenedFile::new(database, self.medium.identity()?))
        });
        let ended = Instant::now();
        let pause = REOPEN_EVERY.max((ended - begun) * REOPEN_PAUSE_FACTOR);
        *self.next_opening.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended + pause);
        match reopened {
            Ok(anew) => {
                info!(place = self.place, "the store was opened again after an error");
                *opened = anew;
                Ok(true)
            }
            Err(StoreStop::Refused(error)) => Err(error),
            Err(StoreStop::Trouble(trouble)) if trouble.is_lack_of_space() => Ok(false),
            Err(StoreStop::Trouble(trouble)) => Err(trouble.at(&self.place)),
        }
    }

    /// Records that a run was deleted, so that the file may have free space.
    pub(super) fn note_deletion(&self) {
        self.has_deleted.store(true, Ordering::Relaxed);
        self.may_compact.store(true, Ordering::Relaxed);
    }

    /// Returns whether [`compact`](Self::compact) has something to do once no run goes on.
    pub(super) fn wants_compaction(&self) -> bool {
        self.has_deleted.load(Ordering::Relaxed)
    }

    /// Closes the file if it may be compacted in the background, and waits for the end of that.
    pub(super) fn end_compaction(&self) {
        if self.may_compact.load(Ordering::Relaxed) {
            let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
            opened.trouble.get_or_init(|| redb::Error::DatabaseClosed.into());
            close(opened.database.take(), &self.place);
        }
    }

    /// Makes the file as small as its content if half of it is free; does nothing while a run goes
    /// on. An error is trouble like that of any operation.
    pub(super) fn compact(&self) {
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        let OpenedFile { database: Some(database), trouble, .. } = &mut *opened else { return };
        if trouble.get().is_some() || !self.wants_compaction() {
            return;
        }
        let begun = Instant::now();
        let n_bytes = || self.medium.n_bytes();
        match guarded(|| compaction::compact(database, n_bytes)) {
            Ok(CompactionOutcome::Busy) => {}
            Ok(CompactionOutcome::Dense) => self.has_deleted.store(false, Ordering::Relaxed),
            Ok(CompactionOutcome::Compacted { n_bytes_before, n_bytes }) => {
                self.has_deleted.store(false, Ordering::Relaxed);
                let (place, ms) = (&self.place, begun.elapsed().as_millis());
                info!(place, n_bytes_before, n_bytes, ms, "the store was compacted");
            }
            Err(StoreStop::Refused(error)) => warn!(%error, "the store was not compacted"),
            Err(StoreStop::Trouble(error)) => {
                trouble.get_or_init(|| error.again());
                let error = error_chain(&error.at(&self.place));
                warn!(error, "the store was not compacted");
            }
        }
    }

    /// Returns the place of the file, for errors.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Runs `work` on the last commit.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, StoreStop>,
    ) -> Result<T, StoreError> {
        self.attempt(|database| work(&database.begin_read()?))
    }

    /// Runs `work` and commits its changes, unless it fails. The commit is on disk when this
    /// returns: redb's default.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&WriteTransaction) -> Result<T, StoreStop>,
    ) -> Result<T, StoreError> {
        self.attempt(|database| {
            let txn = database.begin_write()?;
            let answer = work(&txn)?;
            txn.commit()?;
            Ok(answer)
        })
    }

    /// Runs `work` and commits its changes, unless it fails. The commit is on disk with the next
    /// commit that [`write`](Self::write) makes: redb's promise for its [`Durability::None`].
    pub(super) fn write_unsynced<T>(
        &self,
        work: impl FnOnce(&WriteTransaction) -> Result<T, StoreStop>,
    ) -> Result<T, StoreError> {
        self.attempt(|database| {
            let mut txn = database.begin_write()?;
            txn.set_durability(Durability::None)?;
            let answer = work(&txn)?;
            txn.commit()?;
            Ok(answer)
        })
    }

    fn attempt<T>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, StoreStop>,
    ) -> Result<T, StoreError> {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        let (None, Some(database)) = (opened.trouble.get(), &opened.database) else {
            let first = opened.trouble.get().expect("a file without trouble has a database");
            return Err(first.again().at(&self.place));
        };
        let attempted = guarded(|| {
            let answer = work(database)?;
            match self.medium.identity()? == opened.identity {
                true => Ok(answer),
                false => Err(ForeignChange::Place.into()),
            }
        });
        attempted.map_err(|stop| match stop {
            StoreStop::Refused(error) => error,
            StoreStop::Trouble(trouble) => {
                opened.trouble.get_or_init(|| trouble.again());
                trouble.at(&self.place)
            }
        })
    }
}

impl OpenedFile {
    fn new(database: Database, identity: Option<FileIdentity>) -> Self {
        Self { database: Some(database), trouble: OnceLock::new(), identity }
    }
}

impl Drop for StoreFile {
    fn drop(&mut self) {
        let opened = self.opened.get_mut().unwrap_or_else(PoisonError::into_inner);
        close(opened.database.take(), &self.place);
    }
}

/// Closes the file: redb records its state, which spares the next opening a repair. In a damaged
/// file it may panic over that; the file is closed all the same, and the next opening says more.
fn close(database: Option<Database>, place: &str) {
    if catch_panic(|| drop(database)).is_err() {
        warn!(place, "the store is damaged and was not closed in order");
    }
}

/// Runs `work`. A panic is trouble like any other, see [`EmbeddedError::from_panic`]. The state
/// that a panic leaves behind is not used: an opening gives up, and an open file gives no more
/// answers.
fn guarded<T>(work: impl FnOnce() -> Result<T, StoreStop>) -> Result<T, StoreStop> {
    let panicked =
        |panic: CaughtPanic| Err(StoreStop::Trouble(EmbeddedError::from_panic(&panic.message)));
    catch_panic(work).unwrap_or_else(panicked)
}

fn builder(cache_bytes: usize) -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(cache_bytes);
    builder
}

fn open_file(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Opens a store that was open before.
fn open_again(medium: &StoreMedium, place: &str) -> Result<Database, StoreStop> {
    match medium {
        StoreMedium::File(path) => existing(StoreDisk::new(open_file(path)?)?, place),
        StoreMedium::ReadOnly(path) => existing(StoreDisk::unchanged(path)?, place),
        StoreMedium::Backend(backend) => existing_in(backend.clone(), place),
    }
}

/// Opens a file that must hold a store.
fn existing(disk: StoreDisk, place: &str) -> Result<Database, StoreStop> {
    if disk.len()? == 0 {
        // redb would make a new store of it: all runs gone without a word.
        return Err(StoreStop::damaged("it is empty".to_owned()));
    }
    check(builder(CACHE_BYTES).create_with_backend(disk)?, place)
}

/// Opens a backend that must hold a store.
fn existing_in(backend: SharedBackend, place: &str) -> Result<Database, StoreStop> {
    check(builder(NO_CACHE_BYTES).create_with_backend(backend)?, place)
}

/// Creates a store under another name and renames it when it is complete: a process that is killed
/// meanwhile leaves no file that looks damaged.
fn make(path: &Path, place: &str) -> Result<Database, StoreStop> {
    let draft_path = draft_path(path);
    let is_new = !draft_path.try_exists()?;
    let draft =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&draft_path)?;
    make_of(draft, &draft_path, path, place).inspect_err(|stop| {
        // No other process can have locked it, so none makes a store of it.
        if let (StoreStop::Trouble(EmbeddedError::NoLocks(_)), true) = (stop, is_new) {
            fs::remove_file(&draft_path).unwrap_or(());
        }
    })
}

fn make_of(
    draft: File,
    draft_path: &Path,
    path: &Path,
    place: &str,
) -> Result<Database, StoreStop> {
    // One process at a time makes the store. It holds this lock until it closes the store, which is
    // the same file, so whoever gets the lock after it finds `path` taken.
    draft.try_lock().map_err(|error| match error {
        fs::TryLockError::WouldBlock => StoreStop::Trouble(EmbeddedError::Locked),
        fs::TryLockError::Error(error) => NoLocks::of(error).into(),
    })?;
    if path.try_exists()? {
        let removed = fs::remove_file(draft_path);
        removed.or_else(|error| match error.kind() {
            ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
        drop(draft);
        return existing(StoreDisk::new(open_file(path)?)?, place);
    }
    draft.set_len(0)?;
    let database = fill(builder(CACHE_BYTES).create_with_backend(StoreDisk::new(draft)?)?)?;
    fs::rename(draft_path, path)?;
    sync_folder(path)?;
    Ok(database)
}

/// Creates the tables that a store lacks.
fn fill(database: Database) -> Result<Database, StoreStop> {
    let txn = database.begin_write()?;
    tables::make(&txn)?;
    txn.commit()?;
    Ok(database)
}

/// Checks that the file is undamaged and has our format, or upgrades it; removes the parts of runs
/// that were never created.
fn check(mut database: Database, place: &str) -> Result<Database, StoreStop> {
    // Fails if any page that is in use differs from its checksum. `false` says that the list of
    // free pages was wrong, and is right now.
    let _repaired: bool = database.check_integrity()?;
    let txn = database.begin_read()?;
    let found = txn.open_table(META)?.get(FORMAT_KEY)?.map(|format| format.value());
    match found {
        Some(FORMAT) => {}
        Some(upgrade::FORMAT_BEFORE) => {
            drop(txn);
            let txn = database.begin_write()?;
            upgrade::upgrade(&txn, place)?;
            tables::make(&txn)?;
            txn.commit()?;
        }
        Some(found) => {
            return Err(StoreError::wrong_format(place, found, FORMAT, TOO_OLD).into());
        }
        None => return Err(StoreStop::damaged("it has no format number".to_owned())),
    }
    let never_created = parts::without_run(&database.begin_read()?)?;
    if !never_created.is_empty() {
        let txn = database.begin_write()?;
        parts::sweep(&txn, &never_created)?;
        txn.commit()?;
    }
    Ok(database)
}

fn draft_path(path: &Path) -> PathBuf {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    draft.into()
}

/// Writes the name of a new file to disk, which syncing the file does not.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
