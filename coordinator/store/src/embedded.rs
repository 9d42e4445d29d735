//! A store in one file, for one process: [redb] below, nothing to install.
//!
//! # The file
//! | table | key | value |
//! |---|---|---|
//! | `meta` | `"format"` | the version of this layout |
//! | `farm` | `"secret"` | the farm's secret |
//! | `quarantine` | worker | the reason of its quarantine |
//! | `keys` | key | the run of the key |
//! | `records` | run | its record |
//! | `positions` | run | state, revision, generation, cursor, folded, reason of a failure |
//! | `leads` | run | the token of the last lead: counter and incarnation |
//! | `checkpoints` | run | its checkpoint |
//! | `summaries` | run | its summary |
//! | `cuts` | run | how the current generation was cut so far |
//! | `jobs` | run, index | a job of the current generation that is not folded |
//! | `parked` | run, index | the row exists ⇔ the job is PARKED |
//! | `attempts` | run, index, id | an attempt at a job that is not DONE |
//! | `results` | run, index | worker, output, cost, parts; the row exists ⇔ DONE and not folded |
//! | `generations` | run, generation | the record of a folded generation |
//! | `events` | run, number | an event |
//! | `parts` | run, hash | the length of a whole part |
//! | `open parts` | run, hash | the length of another part, and the number of its chunks so far |
//! | `chunks` | run, hash, number | a chunk of a part |
//!
//! Keys have a fixed width and sort as their numbers do, so related keys are neighbors. redb keeps
//! a checksum of every page, and opening a store verifies them all.
//!
//! # How it works
//! An operation that writes is one transaction, on disk before it is answered. Writers queue for
//! one lock; readers see the last commit and never wait. Leases, claims and announcements are in
//! memory. Leases end only with the process, because no other process can want the jobs. After the
//! first sign of trouble (disk full, damage) every operation on the file fails until the store has
//! opened it again, which it tries at each operation, at most once a second: then everything that
//! was acknowledged is back. A file that cannot be opened for another reason than space is lost to
//! this process ([`EmbeddedStore::on_loss`]).
//!
//! A chunk of a part is not synced: the next synced commit takes it to the disk, at the latest the
//! commit that finishes the part.
//!
//! The file keeps the space of deleted runs for other data. It gives the space back when half of it
//! is free, after a deletion or later, as soon as no run goes on.
//!
//! A commit is one sync. If the process was killed *and* the disk then damages the data of the last
//! commit, the commit looks unfinished, and is taken back; any other damage is found. A second sync
//! for each commit would distinguish the two cases, but takes twice as long.

mod compaction;
mod consume;
mod disk;
mod error;
mod failing;
mod file;
mod jobs;
mod leases;
mod medium;
mod membership;
mod overviews;
mod parts;
mod presence;
mod runs;
mod tables;
mod upgrade;

use std::path::Path;
use std::sync::{Arc, Mutex as BlockingMutex, PoisonError};

use async_trait::async_trait;
use redb::backends::InMemoryBackend;
use redb::{ReadTransaction, StorageBackend, WriteTransaction};
use tokio::sync::{Mutex, broadcast, oneshot};
use tokio::task::spawn_blocking;

pub(super) use self::error::is_of_file;
use self::error::{EmbeddedError, StoreStop};
use self::file::StoreFile;
use self::leases::{AllLeases, LeaseTable};
use self::presence::MemberPresence;
use super::membership::StoreChange;
use super::operation::answer;
use super::{
    CoordinatorId, EnqueueBatch, FencingNonce, LeaderToken, LeasedJob, RunId, RunOverview,
    StoreAnswer, StoreBackend, StoreCall, StoreError,
};

/// A store in one file. See the [contract](super).
#[derive(Debug)]
pub struct EmbeddedStore {
    file: Arc<StoreFile>,
    /// Shared with the thread that works for a writer, which keeps it locked although its caller
    /// may have gone: so leases always fit the file, and writers wait here, not on threads.
    leases: Arc<Mutex<AllLeases>>,
    presence: MemberPresence,
    /// The channel for the error with which the file is lost, if anybody asked for it.
    loss: BlockingMutex<Option<oneshot::Sender<StoreError>>>,
}

impl EmbeddedStore {
    /// Opens the store at `path`, or makes one if there is no such file. Its folder must exist.
    ///
    /// Reads the whole file, and blocks meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Locked`], [`StoreError::WrongFormat`], [`StoreError::Damaged`] (also for an
    /// empty file), [`StoreError::Unsuitable`] (the file system has no locks) or
    /// [`StoreError::Unavailable`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        StoreFile::open(path).map(Self::new)
    }

    /// Opens the store at `path` to read it. The file stays as it is, byte for byte, and need not
    /// be writable. Several processes can read it at once. This process alone sees changes, the
    /// repair of what a killed process left, and the upgrade of what the release before wrote:
    /// they are in memory, and in a temporary file if they are large.
    ///
    /// Reads the whole file, and blocks meanwhile.
    ///
    /// # Errors
    /// As for [`open`](Self::open); [`StoreError::Unavailable`] if there is no such file.
    pub fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        StoreFile::open_to_read(path).map(Self::new)
    }

    /// Opens the store in `backend`, or makes one if that is empty; errors call it `place`. All
    /// reads go to the backend.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn with_backend(backend: impl StorageBackend, place: &str) -> Result<Self, StoreError> {
        StoreFile::with_backend(backend, place).map(Self::new)
    }

    /// Creates a store in memory, which is gone with its last handle.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if there is no memory for it.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::with_backend(InMemoryBackend::new(), "memory")
    }

    fn new(file: StoreFile) -> Self {
        Self {
            file: Arc::new(file),
            leases: Arc::default(),
            presence: MemberPresence::default(),
            loss: BlockingMutex::default(),
        }
    }

    /// Returns the channel for the error with which the file is lost: the file had trouble, and
    /// cannot be opened again for another reason than space. A new process may be able to open it.
    pub fn on_loss(&mut self) -> oneshot::Receiver<StoreError> {
        let (sender, loss) = oneshot::channel();
        *self.loss.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        loss
    }

    /// Opens the file again, if it had trouble and it is time.
    async fn recover(&self) {
        if !self.file.wants_reopening() {
            return;
        }
        let mut leases = Arc::clone(&self.leases).lock_owned().await;
        let file = Arc::clone(&self.file);
        let reopened = self.blocking(move || {
            if file.reopen()? {
                leases.values_mut().for_each(LeaseTable::look_again);
            }
            Ok(())
        });
        if let Err(error) = reopened.await
            && let Some(loss) = self.loss.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            loss.send(error).ok();
        }
    }

    /// Answers from the last commit.
    async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&ReadTransaction) -> Result<T, StoreStop> + Send + 'static,
    {
        self.recover().await;
        let file = Arc::clone(&self.file);
        self.blocking(move || file.read(work)).await
    }

    /// Answers from the last commit and changes leases.
    async fn assign<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&ReadTransaction, &mut AllLeases) -> Result<T, StoreStop> + Send + 'static,
    {
        self.recover().await;
        let mut leases = Arc::clone(&self.leases).lock_owned().await;
        let file = Arc::clone(&self.file);
        self.blocking(move || file.read(|txn| work(txn, &mut leases))).await
    }

    /// Changes the file, and leases with it.
    async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&WriteTransaction, &mut AllLeases) -> Result<T, StoreStop> + Send + 'static,
    {
        self.recover().await;
        let mut leases = Arc::clone(&self.leases).lock_owned().await;
        let file = Arc::clone(&self.file);
        self.blocking(move || file.write(|txn| work(txn, &mut leases))).await
    }

    /// Changes the file; a crash may take the change back until another change is on disk.
    async fn write_unsynced<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&WriteTransaction) -> Result<T, StoreStop> + Send + 'static,
    {
        self.recover().await;
        // One writer at a time, as in `write`.
        let leases = Arc::clone(&self.leases).lock_owned().await;
        let file = Arc::clone(&self.file);
        self.blocking(move || {
            let _leases = leases;
            file.write_unsynced(work)
        })
        .await
    }

    async fn delete(&self, run: RunId) -> Result<(), StoreError> {
        self.write(move |txn, leases| runs::delete(txn, leases, run)).await?;
        self.presence.forget(run);
        self.file.note_deletion();
        self.compact_at_rest();
        Ok(())
    }

    /// Gives the space of deleted runs back, in the background, if no run goes on and half of the
    /// file is free. Other operations wait meanwhile.
    fn compact_at_rest(&self) {
        if self.file.wants_compaction() {
            let (file, leases) = (Arc::clone(&self.file), Arc::clone(&self.leases));
            tokio::spawn(async move {
                // One writer at a time, as in `write`.
                let leases = leases.lock_owned().await;
                let compact = move || {
                    let _leases = leases;
                    file.compact();
                };
                // Only a runtime that is shutting down has an error.
                spawn_blocking(compact).await.unwrap_or(());
            });
        }
    }

    async fn overviews(&self, runs: Vec<RunId>) -> Result<Vec<Option<RunOverview>>, StoreError> {
        let found = self.read(move |txn| {
            let overview = |run| match overviews::overview(txn, run) {
                Err(StoreStop::Refused(error)) if error.is_of_run() => {
                    Ok((run, Some(RunOverview::damaged(&error))))
                }
                found => Ok((run, found?)),
            };
            runs.into_iter().map(overview).collect::<Result<Vec<_>, StoreStop>>()
        });
        let found = found.await?;
        let heard = self.presence.heard();
        let claimed = |(run, mut overview): (RunId, Option<RunOverview>)| {
            if let Some(overview) = &mut overview {
                overview.claim = heard.claims.get(&run).map(|(claim, _)| claim.clone());
            }
            overview
        };
        Ok(found.into_iter().map(claimed).collect())
    }

    async fn enqueue_and_lease(
        &self,
        lead: LeaderToken,
        enqueue: EnqueueBatch,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        self.recover().await;
        let mut leases = Arc::clone(&self.leases).lock_owned().await;
        let file = Arc::clone(&self.file);
        // The leases stay locked in between.
        self.blocking(move || {
            file.write(|txn| jobs::enqueue(txn, &lead, &enqueue))?;
            match most {
                0 => Ok(Vec::new()),
                most => file.read(|txn| consume::lease(txn, &mut leases, lead.run, consumer, most)),
            }
        })
        .await
    }

    /// Runs `work` where it may block: redb has no other way. It runs to its end even if the caller
    /// stops waiting.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        // `work` catches its panics, so the only error is that of a runtime that is shutting down.
        spawn_blocking(work).await.unwrap_or_else(|error| {
            Err(EmbeddedError::Unavailable(Box::new(error)).at(self.file.place()))
        })
    }
}

impl Drop for EmbeddedStore {
    fn drop(&mut self) {
        self.file.end_compaction();
    }
}

#[async_trait]
impl StoreBackend for EmbeddedStore {
    #[expect(clippy::too_many_lines, reason = "an arm for each operation, and nothing else")]
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError> {
        Ok(answer!(call {
            CreateRun { run, record, checkpoint, summary, parts } => {
                let new = runs::NewRun { run, record, checkpoint, summary, parts };
                self.write(move |txn, _| runs::create(txn, &new)).await?
            },
            RunForKey { run, key } => self.write(move |txn, _| runs::run_for(txn, key, run)).await?,
            FindRun { key } => self.read(move |txn| runs::run_of(txn, key)).await?,
            DeleteRun { run } => self.delete(run).await?,
            ListRuns {} => self.read(runs::all).await?,
            FindLastRun {} => self.read(runs::last).await?,
            ReadOverviews { runs } => self.overviews(runs).await?,
            SummarizeRun { run, summary } => {
                self.write(move |txn, _| overviews::summarize(txn, run, &summary)).await?;
            },
            ReadRecord { run } => self.read(move |txn| runs::record(txn, run)).await?,
            ReadPosition { run } => self.read(move |txn| runs::current(txn, run)).await?,
            ReadStanding { lead } => self.read(move |txn| runs::standing(txn, &lead)).await?,
            ReadCheckpoint { run } => self.read(move |txn| runs::checkpoint(txn, run)).await?,
            SteerRun { run, steer } => {
                let state = self.write(move |txn, _| runs::steer(txn, run, steer)).await?;
                self.compact_at_rest();
                state
            },
            TakeLead { run } => {
                self.write(move |txn, _| runs::lead(txn, run, FencingNonce::generate())).await?
            },
            EnqueueAndLease { lead, enqueue, consumer, most } => {
                self.enqueue_and_lease(lead, enqueue, consumer, most).await?
            },
            LeaseJobs { run, consumer, most } => self
                .assign(move |txn, leases| consume::lease(txn, leases, run, consumer, most))
                .await?,
            ReleaseJobs { run, consumer, jobs } => self
                .assign(move |txn, leases| consume::release(txn, leases, run, consumer, &jobs))
                .await?,
            RenewLeases { run, consumer, jobs } => self
                .assign(move |txn, leases| consume::not_held(txn, leases, run, consumer, jobs))
                .await?,
            AdoptJobs { run, consumer, jobs } => self
                .assign(move |txn, leases| consume::adopt(txn, leases, run, consumer, &jobs))
                .await?,
            ReadJobs { run, jobs } => self.read(move |txn| jobs::bytes_of(txn, run, &jobs)).await?,
            AddAttempt { run, job, id, attempt } => {
                self.write(move |txn, _| failing::attempt(txn, run, job, id, &attempt)).await?
            },
            ParkJob { run, consumer, job } => self
                .write(move |txn, leases| failing::park(txn, leases, run, consumer, job))
                .await?,
            ReadDeadJobs { run, from, most } => {
                self.read(move |txn| failing::parked(txn, run, from, most)).await?
            },
            RetryJobs { run, jobs } => {
                self.write(move |txn, leases| failing::retry(txn, leases, run, &jobs)).await?
            },
            CompleteJobs { run, results } => {
                self.write(move |txn, leases| jobs::complete(txn, leases, run, &results)).await?
            },
            ReadResults { run, from, most } => {
                self.read(move |txn| jobs::results(txn, run, from, most)).await?
            },
            FoldResults { lead, fold } => {
                self.write(move |txn, leases| runs::fold(txn, leases, &lead, &fold)).await?;
                self.compact_at_rest();
            },
            SkipJobs { lead, results } => {
                self.write(move |txn, _| failing::skip(txn, &lead, &results)).await?;
            },
            DisownResults { lead, workers } => {
                self.write(move |txn, leases| jobs::disown(txn, leases, &lead, &workers)).await?
            },
            RewindRun { lead, generation, checkpoint, keep } => {
                let to = runs::RewindPoint { generation, checkpoint, keep };
                self.write(move |txn, leases| runs::rewind(txn, leases, &lead, &to)).await?;
            },
            PauseRun { lead } => self.write(move |txn, _| runs::pause(txn, &lead)).await?,
            FailRun { lead, reason } => {
                self.write(move |txn, _| runs::fail(txn, &lead, &reason)).await?;
                self.compact_at_rest();
            },
            ReadGenerations { run, from } => {
                self.read(move |txn| runs::generations(txn, run, from)).await?
            },
            AppendEvent { run, event } => {
                self.write(move |txn, _| runs::append_event(txn, run, &event)).await?;
            },
            ReadEvents { run, from } => self.read(move |txn| runs::events(txn, run, from)).await?,
            WritePart { run, part, index, chunk } => {
                self.write_unsynced(move |txn| parts::write(txn, run, part, index, &chunk)).await?;
            },
            FinishPart { run, part } => {
                self.write(move |txn, _| parts::finish(txn, run, part)).await?
            },
            FindParts { run, parts } => self.read(move |txn| parts::find(txn, run, &parts)).await?,
            LocatePart { run: _, hash: _ } => None,
            ReadPart { run, hash, index } => {
                self.read(move |txn| parts::chunk(txn, run, hash, index)).await?
            },
            ClaimRun { run, coordinator, progress } => self.claim(run, coordinator, progress),
            UnclaimRun { run, coordinator } => self.unclaim(run, coordinator),
            ReadClaim { run } => self.claimed(run),
            AnnounceCoordinator { coordinator, announcement } => {
                self.announce(coordinator, announcement);
            },
            WithdrawCoordinator { coordinator } => self.withdraw(coordinator),
            ListCoordinators {} => self.announced(),
            QuarantineWorker { worker, reason } => self.quarantine(worker, reason).await?,
            ListQuarantined {} => self.quarantined().await?,
            FindQuarantined { workers } => self.find_quarantined(workers).await?,
            ReadSecret {} => self.secret().await?,
            ReadMemory {} => None,
        }))
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.presence.changes()
    }
}
