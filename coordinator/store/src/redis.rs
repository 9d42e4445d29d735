//! A store in Redis, for a farm: any number of coordinators share it.
//!
//! # The keys
//! `{r}` is the id of a run in braces, so that all its keys are in one slot of a cluster.
//!
//! | key | type | content |
//! |---|---|---|
//! | `ht:{r}:rec` | string | the record |
//! | `ht:{r}:ctl` | hash | state, reason, revision, generation, cursor, folded, the last lead |
//! | `ht:{r}:ck`, `ht:{r}:cut` | string | the checkpoint; how this generation was cut so far |
//! | `ht:{r}:q` | stream | the jobs of this generation that are not folded, with group `w` |
//! | `ht:{r}:res` | hash | index to worker, output, parts and cost: the DONE jobs |
//! | `ht:{r}:att` | hash | index to attempts, of jobs that failed |
//! | `ht:{r}:dead` | sorted set | the indices of the PARKED jobs |
//! | `ht:{r}:gens`, `ht:{r}:ev` | list | the records of the generations; the events |
//! | `ht:{r}:parts` | hash | hash of a whole part to its length, or to LENGTH:NONCE of its file |
//! | `ht:{r}:open` | hash | hash of a part that is not whole to its length |
//! | `ht:{r}:p:HASH` | hash | number to chunk of a part; none if parts are in files |
//! | `ht:{r}:claim` | string, expires | which coordinator has the run, and its progress |
//! | `ht:{r}:sum` | string | the summary |
//! | `ht:runs` | sorted set | the runs that are there |
//! | `ht:{idem}`, `ht:{idem}:r` | hash, set | key of a submission to run, and back |
//! | `ht:quarantine` | hash | the quarantined workers, with the reasons |
//! | `ht:c:ID`, `ht:coords` | string, expires; set | the coordinators that are there |
//! | `ht:parts` | string | where the bytes of parts are: `redis` or `directory` |
//! | `ht:secret`, `ht:schema` | string | the farm's secret; the version of this layout |
//! | `ht:probe` | any | tries commands at the start of a store, and is gone after that |
//! | `ht:tidied` | string | the last start of the server whose append-only file was rewritten |
//!
//! # How it works
//! The entry of the stream *is* the job: its id is `<generation + 1>-<index + 1>`, and it exists
//! from `enqueue` to `fold`. The place of its entry shows the state of a job:
//! ```text
//!   READY    pending with the consumer `free`
//!   LEASED   pending with another consumer: a coordinator's incarnation
//!   DONE     not pending, and in `res`
//!   PARKED   not pending, and in `dead`
//! ```
//! So an entry is given to `free` at once, and never read as a new entry: the READY job with the
//! lowest index is the first in `free`, whatever happened to it before. One `HSETNX` into `res`
//! makes sure that a job is resolved once. Each change is one Lua script, hence atomic; after a
//! crash of the server, a run is in a state between two scripts. The chunks of a part are a key of
//! their own, so that the server frees them in the background; the chunks of a run that is not
//! created expire. Each script publishes its caller with its notification (`PUBLISH ht:bell`, or
//! `ht:bell:N` in database N), so a store hears only other stores.
//!
//! # Parts in a directory
//! The server can leave the bytes of parts to a directory ([`RedisOptions::with_parts_in`]). A
//! part exists once its file is whole, on disk, and noted here, in this order. Files that a run
//! gives up are removed a minute later, if they are not noted then: a server that goes back by a
//! few seconds still finds its parts. `delete` removes the files of its run at once. A sweep
//! removes the leftovers of a crash between two steps.
//!
//! # The server
//! Redis 7.0 or later (or Valkey), a single master, `maxmemory-policy noeviction`. Runs survive its
//! crash if it has `appendonly yes`; with `appendfsync everysec`, a power cut takes the last second
//! back, which leaders notice. The first store that speaks to a restarted server has it begin its
//! file anew (`BGREWRITEAOF`): otherwise, at another start, half a transaction at the end of the
//! old file would be taken for the beginning of the next transaction. The same happens when a
//! server writes again after its disk was full: the file may then have a hole, and the server would
//! not start with it. A connection to a server that has become a replica is dropped. Behind
//! Sentinel, put a TCP proxy or an operator's service in front of the master: this client connects
//! to the same address for ever. A user of its own needs no more than the rights in
//! `deploy/redis/users.acl`.

mod address;
mod commands;
mod connection;
mod error;
mod jobs;
mod keys;
mod membership;
mod part_files;
mod part_keeper;
mod part_place;
mod parts;
mod pubsub;
mod reply;
mod request;
mod runs;
mod script;
mod server;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use redis::Client;
use tokio::sync::{Semaphore, broadcast};
use ulid::Ulid;

pub use self::address::RedisOptions;
use self::connection::{CALL_DEADLINE, PART_CALLS, PART_DEADLINE, RedisConnection, ServerSignals};
pub(super) use self::error::{is_denial, refusal};
use self::part_keeper::PartKeeper;
use self::part_place::PartPlace;
use self::pubsub::ChangeSubscriptions;
use self::script::{APPEND_EVENT, PAUSE, POSITION, STANDING, SUMMARIZE};
use self::server::MemoryGuard;
use super::membership::StoreChange;
use super::operation::answer;
use super::{
    LeaderToken, RunId, RunPosition, StoreAnswer, StoreBackend, StoreCall, StoreError, StoreMemory,
};

/// The time for which the file of a removed part stays. A server that goes back to an earlier time,
/// as after a power cut or a failover, goes back by seconds only.
const REMOVAL_DELAY: Duration = Duration::from_secs(60);

/// A directory for the bytes of parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartDirectoryOptions {
    /// Its path.
    pub path: PathBuf,
    /// The time for which the file of a removed part stays, in case the server goes back to an
    /// earlier time, when the part existed.
    pub removal_delay: Duration,
}

impl PartDirectoryOptions {
    /// Returns the options for the directory at `path`: removed parts stay for a minute.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), removal_delay: REMOVAL_DELAY }
    }
}

/// A store in Redis. See the [contract](super).
#[derive(Debug)]
pub struct RedisStore {
    /// Where the server is, without user and password.
    place: String,
    /// The identity of this store when it publishes changes, and the suffix of their channel.
    caller: String,
    data: Arc<RedisConnection>,
    control: Arc<RedisConnection>,
    parts: Arc<RedisConnection>,
    /// The turns of callers that ask for parts.
    part_turns: Semaphore,
    part_place: PartPlace,
    room: MemoryGuard,
    changes: ChangeSubscriptions,
    /// The farm's secret, once it was read: a server that has lost all data gets it again.
    secret: Mutex<Option<[u8; 32]>>,
}

impl RedisStore {
    /// Connects to the server at `url`, as [`RedisOptions::new`] describes it.
    ///
    /// # Errors
    /// As for [`open_with`](Self::open_with).
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_with(&RedisOptions::new(url)).await
    }

    /// Connects to a server. Must be called within a tokio runtime with time and I/O.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], [`StoreError::Unsuitable`], [`StoreError::WrongFormat`],
    /// [`StoreError::PartPlace`] or [`StoreError::Damaged`]. No error shows the user or the
    /// password.
    pub async fn open_with(options: &RedisOptions) -> Result<Self, StoreError> {
        let store = Self::connect(options.client()?).await?;
        match options.parts() {
            None => store.with_parts_here().await,
            Some(directory) => store.with_parts_in(directory).await,
        }
    }

    async fn with_parts_here(self) -> Result<Self, StoreError> {
        part_place::agree_on_redis(&self.control, &self.place).await?;
        Ok(self)
    }

    async fn with_parts_in(
        mut self,
        PartDirectoryOptions { path, removal_delay }: &PartDirectoryOptions,
    ) -> Result<Self, StoreError> {
        let secret = self.secret().await?;
        let agree = part_place::agree_on_directory(&self.control, &self.place, path, secret);
        let directory = Arc::new(agree.await?);
        let (link, place) = (Arc::clone(&self.parts), self.place.clone());
        let keeper = PartKeeper::start(link, place, Arc::clone(&directory), *removal_delay);
        self.part_place = PartPlace::Directory { directory, keeper };
        Ok(self)
    }

    async fn connect((client, place): (Client, String)) -> Result<Self, StoreError> {
        let signals = Arc::new(ServerSignals::default());
        let database = client.get_connection_info().redis_settings().db();
        let link = async |deadline| {
            let open = RedisConnection::open(client.clone(), Arc::clone(&signals), deadline);
            open.await.map_err(|error| error.at(&place))
        };
        let (data, control, parts) =
            tokio::try_join!(link(CALL_DEADLINE), link(CALL_DEADLINE), link(PART_DEADLINE))?;
        server::check(&control, &place).await?;
        let (me, suffix) = (Ulid::generate(), keys::bell_suffix(database));
        let changes = ChangeSubscriptions::listen(client, me, suffix.clone(), Arc::clone(&control))
            .await
            .map_err(|error| error.at(&place))?;
        Ok(Self {
            place,
            caller: format!("{me}{suffix}"),
            data,
            control,
            parts,
            part_turns: Semaphore::new(PART_CALLS),
            part_place: PartPlace::Redis,
            room: MemoryGuard::default(),
            changes,
            secret: Mutex::new(None),
        })
    }

    /// Returns the run's position.
    async fn position(&self, run: RunId) -> Result<RunPosition, StoreError> {
        self.on(run, &POSITION).ask(reply::position).await
    }

    /// Returns the server's memory.
    async fn memory(&self) -> Result<StoreMemory, StoreError> {
        self.room.read(&self.control).await.map_err(|error| error.at(&self.place))
    }

    async fn standing(&self, lead: &LeaderToken) -> Result<RunPosition, StoreError> {
        self.on(lead.run, &STANDING).arg(keys::token(lead)).ask(reply::position).await
    }
}

#[async_trait]
impl StoreBackend for RedisStore {
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError> {
        Ok(answer!(call {
            CreateRun { run, record, checkpoint, summary, parts } => {
                self.create_run(run, [&record, &checkpoint, &summary], &parts).await?
            },
            RunForKey { run, key } => self.run_for(key.as_bytes(), run).await?,
            FindRun { key } => self.run_of(key.as_bytes()).await?,
            DeleteRun { run } => self.delete_run(run).await?,
            ListRuns {} => self.runs_from(0).await?,
            FindLastRun {} => self.runs_from(-1).await?.pop(),
            ReadOverviews { runs } => self.overviews_of(&runs).await?,
            SummarizeRun { run, summary } => self.on(run, &SUMMARIZE).arg(summary).done().await?,
            ReadRecord { run } => self.get(run, "record").await?,
            ReadPosition { run } => self.position(run).await?,
            ReadStanding { lead } => self.standing(&lead).await?,
            ReadCheckpoint { run } => self.get(run, "checkpoint").await?,
            SteerRun { run, steer } => self.steer_run(run, steer).await?,
            TakeLead { run } => self.take_lead(run).await?,
            EnqueueAndLease { lead, enqueue, consumer, most } => {
                self.enqueue_jobs(&lead, &enqueue, consumer, most).await?
            },
            LeaseJobs { run, consumer, most } => self.lease_jobs(run, consumer, most).await?,
            ReleaseJobs { run, consumer, jobs } => self.release_jobs(run, consumer, &jobs).await?,
            RenewLeases { run, consumer, jobs } => self.renew_leases(run, consumer, &jobs).await?,
            AdoptJobs { run, consumer, jobs } => self.adopt_jobs(run, consumer, &jobs).await?,
            ReadJobs { run, jobs } => self.job_bytes(run, &jobs).await?,
            AddAttempt { run, job, id, attempt } => self.add_attempt(run, job, id, &attempt).await?,
            ParkJob { run, consumer, job } => self.park_job(run, consumer, job).await?,
            ReadDeadJobs { run, from, most } => self.parked_jobs(run, from, most).await?,
            RetryJobs { run, jobs } => self.retry_jobs(run, &jobs).await?,
            CompleteJobs { run, results } => self.offer_results(run, &results).await?,
            ReadResults { run, from, most } => self.read_page(run, from, most).await?,
            FoldResults { lead, fold } => self.fold_results(&lead, &fold).await?,
            SkipJobs { lead, results } => self.skip_jobs(&lead, &results).await?,
            DisownResults { lead, workers } => self.disown_results(&lead, &workers).await?,
            RewindRun { lead, generation, checkpoint, keep } => {
                self.rewind_to(&lead, generation, &checkpoint, keep).await?;
            },
            PauseRun { lead } => self.on(lead.run, &PAUSE).arg(keys::token(&lead)).done().await?,
            FailRun { lead, reason } => self.fail_run(&lead, &reason).await?,
            ReadGenerations { run, from } => self.list(run, "generations", from.into()).await?,
            AppendEvent { run, event } => self.on(run, &APPEND_EVENT).arg(event).done().await?,
            ReadEvents { run, from } => self.list(run, "events", from).await?,
            WritePart { run, part, index, chunk } => {
                self.write_chunk(run, part, index, chunk).await?;
            },
            FinishPart { run, part } => self.finish(run, part).await?,
            FindParts { run, parts } => self.whole_parts(run, &parts).await?,
            LocatePart { run, hash } => self.path_of(run, hash).await?,
            ReadPart { run, hash, index } => self.chunk_of(run, hash, index).await?,
            ClaimRun { run, coordinator, progress } => {
                self.claim(run, coordinator, &progress).await?
            },
            UnclaimRun { run, coordinator } => self.unclaim(run, coordinator).await?,
            ReadClaim { run } => self.claimed(run).await?,
            AnnounceCoordinator { coordinator, announcement } => {
                self.announce(coordinator, &announcement).await?;
            },
            WithdrawCoordinator { coordinator } => self.withdraw(coordinator).await?,
            ListCoordinators {} => self.announced().await?,
            QuarantineWorker { worker, reason } => self.quarantine(worker, &reason).await?,
            ListQuarantined {} => self.quarantined().await?,
            FindQuarantined { workers } => self.find_quarantined(&workers).await?,
            ReadSecret {} => self.secret().await?,
            ReadMemory {} => Some(self.memory().await?),
        }))
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.changes.subscribe()
    }
}
