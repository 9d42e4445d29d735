//! A store in one file, for one process: [redb] below, nothing to install.
//!
//! # The file
//! | table | key | value |
//! |---|---|---|
//! | `meta` | `"format"` | the version of this layout |
//! | `farm` | `"secret"` | the farm's secret |
//! | `quarantine` | worker | the reason of its quarantine |
//! | `keys` | key | the run that it stands for |
//! | `records` | run | its record |
//! | `positions` | run | state, revision, generation, cursor, folded, reason of a failure |
//! | `leads` | run | the token of the last lead: counter and incarnation |
//! | `checkpoints` | run | its checkpoint |
//! | `summaries` | run | its summary |
//! | `cuts` | run | how the current generation was cut so far |
//! | `jobs` | run, index | a job of the current generation that is not folded |
//! | `parked` | run, index | the row is there ⇔ the job is PARKED |
//! | `attempts` | run, index, id | an attempt at a job that is not DONE |
//! | `results` | run, index | output and cost; the row is there ⇔ DONE and not folded |
//! | `generations` | run, generation | the record of a folded generation |
//! | `events` | run, number | an event |
//! | `blobs` | run, hash | a blob |
//!
//! Keys have a fixed width and sort as their numbers do, so what belongs together lies together.
//! redb keeps a checksum of every page, and opening a store verifies them all.
//!
//! # How it works
//! An operation that writes is one transaction, on disk before it is answered. Writers queue for
//! one lock; readers see the last commit and wait for nobody. Leases, claims and announcements are
//! in memory, and leases end with the process only: who else should want the jobs? After the first
//! sign of trouble (disk full, damage) every operation on the file fails until the store is opened
//! again: then everything that was acknowledged is there.
//!
//! A commit is one sync. If the process was killed *and* the disk then damages what the last commit
//! wrote, that looks like a commit which was not finished, and is taken back; any other damage is
//! found. A second sync for each commit would tell the two apart, but takes twice as long.

mod consume;
mod error;
mod failing;
mod file;
mod jobs;
mod leases;
mod membership;
mod overviews;
mod presence;
mod runs;
mod tables;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use hatchery_core::Digest;
use redb::{ReadTransaction, StorageBackend, WriteTransaction};
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use self::error::{EmbeddedError, StoreStop};
use self::file::StoreFile;
use self::leases::AllLeases;
use self::presence::MemberPresence;
use super::{
    AttemptId, CoordinatorId, DeadJobRecord, EnqueueBatch, FencingNonce, FoldCommit, JobId,
    JobResult, LeaderState, LeaderToken, LeasedJob, ResultPage, Rewind, RunId, RunOverview,
    RunPosition, RunState, SteerAction, Store, StoreError, StoreVerdict, WorkerId,
};

/// A store in one file. See the [trait's contract](super).
#[derive(Debug)]
pub struct EmbeddedStore {
    file: Arc<StoreFile>,
    /// Shared with the thread that works for a writer, which keeps it locked although its caller
    /// may have gone: so leases always fit the file, and writers wait here, not on threads.
    leases: Arc<Mutex<AllLeases>>,
    presence: MemberPresence,
}

impl EmbeddedStore {
    /// Opens the store at `path`, or makes one if there is no such file. Its folder must exist.
    ///
    /// Reads the whole file, and blocks meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Locked`], [`StoreError::WrongFormat`], [`StoreError::Damaged`] (also for an
    /// empty file) or [`StoreError::Unavailable`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        StoreFile::open(path).map(Self::new)
    }

    /// Opens the store in `backend`, or makes one if that is empty; errors call it `place`. All
    /// reads go to the backend.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn with_backend(backend: impl StorageBackend, place: &str) -> Result<Self, StoreError> {
        StoreFile::with_backend(backend, place).map(Self::new)
    }

    fn new(file: StoreFile) -> Self {
        Self { file: Arc::new(file), leases: Arc::default(), presence: MemberPresence::default() }
    }

    /// Answers from the last commit.
    async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&ReadTransaction) -> Result<T, StoreStop> + Send + 'static,
    {
        let file = Arc::clone(&self.file);
        self.blocking(move || file.read(work)).await
    }

    /// Answers from the last commit and changes leases.
    async fn assign<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&ReadTransaction, &mut AllLeases) -> Result<T, StoreStop> + Send + 'static,
    {
        let mut leases = Arc::clone(&self.leases).lock_owned().await;
        self.read(move |txn| work(txn, &mut leases)).await
    }

    /// Changes the file, and leases with it.
    async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&WriteTransaction, &mut AllLeases) -> Result<T, StoreStop> + Send + 'static,
    {
        let mut leases = Arc::clone(&self.leases).lock_owned().await;
        let file = Arc::clone(&self.file);
        self.blocking(move || file.write(|txn| work(txn, &mut leases))).await
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

#[async_trait]
impl Store for EmbeddedStore {
    async fn create(
        &self,
        run: RunId,
        record: &[u8],
        checkpoint: &[u8],
        summary: &[u8],
    ) -> Result<bool, StoreError> {
        let [record, checkpoint, summary] = [record, checkpoint, summary].map(<[u8]>::to_owned);
        self.write(move |txn, _| runs::create(txn, run, &record, &checkpoint, &summary)).await
    }

    async fn run_for(&self, key: Digest, run: RunId) -> Result<RunId, StoreError> {
        self.write(move |txn, _| runs::run_for(txn, key, run)).await
    }

    async fn delete(&self, run: RunId) -> Result<(), StoreError> {
        self.write(move |txn, leases| runs::delete(txn, leases, run)).await?;
        self.presence.forget(run);
        Ok(())
    }

    async fn runs(&self) -> Result<Vec<RunId>, StoreError> {
        self.read(runs::all).await
    }

    async fn overviews(&self, runs: &[RunId]) -> Result<Vec<Option<RunOverview>>, StoreError> {
        let wanted = runs.to_owned();
        let read = |txn: &ReadTransaction| {
            wanted
                .into_iter()
                .map(|run| overviews::overview(txn, run))
                .collect::<Result<Vec<_>, _>>()
        };
        let mut found = self.read(read).await?;
        let heard = self.presence.heard();
        for (run, overview) in runs.iter().zip(&mut found) {
            if let Some(overview) = overview {
                overview.claim = heard.claims.get(run).map(|(claim, _)| claim.clone());
            }
        }
        Ok(found)
    }

    async fn summarize(&self, run: RunId, summary: &[u8]) -> Result<(), StoreError> {
        let summary = summary.to_owned();
        self.write(move |txn, _| overviews::summarize(txn, run, &summary)).await
    }

    async fn record(&self, run: RunId) -> Result<Vec<u8>, StoreError> {
        self.read(move |txn| runs::record(txn, run)).await
    }

    async fn position(&self, run: RunId) -> Result<RunPosition, StoreError> {
        self.read(move |txn| tables::position(&txn.open_table(tables::POSITIONS)?, run)).await
    }

    async fn standing(&self, lead: &LeaderToken) -> Result<RunPosition, StoreError> {
        let lead = lead.clone();
        self.read(move |txn| runs::standing(txn, &lead)).await
    }

    async fn checkpoint(&self, run: RunId) -> Result<Vec<u8>, StoreError> {
        self.read(move |txn| runs::checkpoint(txn, run)).await
    }

    async fn lead(&self, run: RunId) -> Result<LeaderState, StoreError> {
        let nonce = FencingNonce::generate();
        self.write(move |txn, _| runs::lead(txn, run, nonce)).await
    }

    async fn enqueue_and_lease(
        &self,
        lead: &LeaderToken,
        enqueue: EnqueueBatch,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        let (run, lead) = (lead.run, lead.clone());
        let mut leases = Arc::clone(&self.leases).lock_owned().await;
        let file = Arc::clone(&self.file);
        // The leases stay locked in between.
        self.blocking(move || {
            file.write(|txn| jobs::enqueue(txn, &lead, &enqueue))?;
            match most {
                0 => Ok(Vec::new()),
                most => file.read(|txn| consume::lease(txn, &mut leases, run, consumer, most)),
            }
        })
        .await
    }

    async fn lease(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        self.assign(move |txn, leases| consume::lease(txn, leases, run, consumer, most)).await
    }

    async fn release(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<(), StoreError> {
        let jobs = jobs.to_owned();
        self.assign(move |txn, leases| consume::release(txn, leases, run, consumer, &jobs)).await
    }

    async fn renew(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<Vec<JobId>, StoreError> {
        let jobs = jobs.to_owned();
        self.assign(move |txn, leases| consume::not_held(txn, leases, run, consumer, jobs)).await
    }

    async fn adopt(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<Vec<LeasedJob>, StoreError> {
        let jobs = jobs.to_owned();
        self.assign(move |txn, leases| consume::adopt(txn, leases, run, consumer, &jobs)).await
    }

    async fn jobs(&self, run: RunId, jobs: &[JobId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let jobs = jobs.to_owned();
        self.read(move |txn| jobs::bytes_of(txn, run, &jobs)).await
    }

    async fn attempt(
        &self,
        run: RunId,
        job: JobId,
        id: AttemptId,
        attempt: &[u8],
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let attempt = attempt.to_owned();
        self.write(move |txn, _| failing::attempt(txn, run, job, id, &attempt)).await
    }

    async fn park(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        job: JobId,
    ) -> Result<(), StoreError> {
        self.write(move |txn, leases| failing::park(txn, leases, run, consumer, job)).await
    }

    async fn parked(
        &self,
        run: RunId,
        from: u64,
        most: usize,
    ) -> Result<Vec<DeadJobRecord>, StoreError> {
        self.read(move |txn| failing::parked(txn, run, from, most)).await
    }

    async fn retry(&self, run: RunId, jobs: &[JobId]) -> Result<u64, StoreError> {
        let jobs = jobs.to_owned();
        self.write(move |txn, leases| failing::retry(txn, leases, run, &jobs)).await
    }

    async fn complete(
        &self,
        run: RunId,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<Vec<StoreVerdict>, StoreError> {
        self.write(move |txn, leases| jobs::complete(txn, leases, run, &results)).await
    }

    async fn results(&self, run: RunId, from: u64, most: usize) -> Result<ResultPage, StoreError> {
        self.read(move |txn| jobs::results(txn, run, from, most)).await
    }

    async fn fold(&self, lead: &LeaderToken, fold: FoldCommit) -> Result<(), StoreError> {
        let lead = lead.clone();
        self.write(move |txn, leases| runs::fold(txn, leases, &lead, &fold)).await
    }

    async fn skip(
        &self,
        lead: &LeaderToken,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<(), StoreError> {
        let lead = lead.clone();
        self.write(move |txn, _| failing::skip(txn, &lead, &results)).await
    }

    async fn disown(&self, lead: &LeaderToken, worker: WorkerId) -> Result<u64, StoreError> {
        let lead = lead.clone();
        self.write(move |txn, leases| jobs::disown(txn, leases, &lead, worker)).await
    }

    async fn rewind(&self, lead: &LeaderToken, rewind: Rewind) -> Result<(), StoreError> {
        let lead = lead.clone();
        self.write(move |txn, leases| runs::rewind(txn, leases, &lead, &rewind)).await
    }

    async fn pause(&self, lead: &LeaderToken) -> Result<(), StoreError> {
        let lead = lead.clone();
        self.write(move |txn, _| runs::pause(txn, &lead)).await
    }

    async fn fail(&self, lead: &LeaderToken, reason: &str) -> Result<(), StoreError> {
        let (lead, reason) = (lead.clone(), reason.to_owned());
        self.write(move |txn, _| runs::fail(txn, &lead, &reason)).await
    }

    async fn steer(&self, run: RunId, steer: SteerAction) -> Result<RunState, StoreError> {
        self.write(move |txn, _| runs::steer(txn, run, steer)).await
    }

    async fn generations(&self, run: RunId, from: u32) -> Result<Vec<Vec<u8>>, StoreError> {
        self.read(move |txn| runs::generations(txn, run, from)).await
    }

    async fn append_event(&self, run: RunId, event: &[u8]) -> Result<(), StoreError> {
        let event = event.to_owned();
        self.write(move |txn, _| runs::append_event(txn, run, &event)).await
    }

    async fn events(&self, run: RunId, from: u64) -> Result<Vec<Vec<u8>>, StoreError> {
        self.read(move |txn| runs::events(txn, run, from)).await
    }

    async fn blob(&self, run: RunId, hash: Digest) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(move |txn| runs::blob(txn, run, hash)).await
    }
}
