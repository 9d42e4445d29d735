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
//! | `ht:{r}:res` | hash | index to worker, output and cost: the DONE jobs |
//! | `ht:{r}:att` | hash | index to attempts, of jobs that failed |
//! | `ht:{r}:dead` | sorted set | the indices of the PARKED jobs |
//! | `ht:{r}:gens`, `ht:{r}:ev` | list | the records of the generations; the events |
//! | `ht:{r}:blobs` | hash | hash to blob |
//! | `ht:{r}:claim` | string, expires | which coordinator has the run, and its progress |
//! | `ht:{r}:sum` | string | the summary |
//! | `ht:runs` | sorted set | the runs that are there |
//! | `ht:{idem}`, `ht:{idem}:r` | hash, set | key of a submission to run, and back |
//! | `ht:quarantine` | hash | the quarantined workers, with the reasons |
//! | `ht:c:ID`, `ht:coords` | string, expires; set | the coordinators that are there |
//! | `ht:secret`, `ht:schema` | string | the farm's secret; the version of this layout |
//! | `ht:tidied` | string | the last start of the server whose append-only file was rewritten |
//!
//! # How it works
//! The entry of the stream *is* the job: its id is `<generation + 1>-<index + 1>`, and it is there
//! from `enqueue` to `fold`. Where a job stands is where its entry is:
//! ```text
//!   READY    pending with the consumer `free`
//!   LEASED   pending with another consumer: a coordinator's incarnation
//!   DONE     not pending, and in `res`
//!   PARKED   not pending, and in `dead`
//! ```
//! So an entry is given to `free` at once, and never read as a new one: the READY job of the lowest
//! index is the first that `free` has, whatever happened to it before. That a job is resolved once
//! hangs on one `HSETNX` into `res`. Each change is one Lua script, hence atomic; after a crash of
//! the server a run is as it was between two of them. Each script says who calls it when it rings
//! a bell (`PUBLISH ht:bell`), so a store hears others only.
//!
//! # The server
//! Redis 7.0 or later (or Valkey), a single master, `maxmemory-policy noeviction`. Runs survive its
//! crash if it has `appendonly yes`; with `appendfsync everysec`, a power cut takes the last second
//! back, which leaders notice. Whoever first speaks to a server that was started anew has it begin
//! its file anew (`BGREWRITEAOF`): half a transaction at the end of the old one would be taken for
//! the beginning of the next at another start. The same happens when a server writes again after
//! its disk was full: the file may have a hole then, with which it would not start. A connection to
//! a server that has become a replica is dropped. Behind Sentinel, put a TCP proxy or an operator's
//! service in front of the master: this client connects to the same address for ever. A user of its
//! own needs no more than
//! ```text
//!   user hatchery on >PASSWORD resetkeys ~ht:* resetchannels &ht:* -@all +evalsha +script|load
//!     +ping +info +bgrewriteaof +select +publish +subscribe +time +get +set +getrange +unlink
//!     +exists +hget +hset +hsetnx +hmget +hdel +hlen +hexists +hincrby +hgetall +rpush +lrange
//!     +lindex +ltrim +zadd +zrem +zcard +zrange +zrangebyscore +sadd +srem +smembers +xadd +xclaim
//!     +xpending +xack +xrange +xtrim +xgroup|create +xgroup|delconsumer +xinfo|consumers
//! ```

mod address;
mod connection;
mod error;
mod jobs;
mod keys;
mod membership;
mod pubsub;
mod reply;
mod request;
mod runs;
mod script;
mod server;

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hatchery_core::Digest;
use redis::Client;
use ulid::Ulid;

use self::connection::{RedisConnection, ServerSignals};
pub(super) use self::error::{is_denial, refusal};
use self::pubsub::ChangeSubscriptions;
use self::script::{APPEND_EVENT, BLOB, DISOWN, PAUSE, POSITION, STANDING, SUMMARIZE};
use self::server::MemoryGuard;
use super::{
    AttemptId, CoordinatorId, DeadJobRecord, EnqueueBatch, FoldCommit, JobId, JobResult,
    LeaderState, LeaderToken, LeasedJob, ResultPage, Rewind, RunId, RunOverview, RunPosition,
    RunState, SteerAction, Store, StoreError, StoreVerdict, WorkerId,
};

/// A store in Redis. See the [trait's contract](super).
#[derive(Debug)]
pub struct RedisStore {
    /// Where the server is, without user and password.
    place: String,
    /// The identity of this store when it publishes changes.
    me: Ulid,
    data: RedisConnection,
    control: Arc<RedisConnection>,
    room: MemoryGuard,
    changes: ChangeSubscriptions,
    /// The farm's secret, once it was read: a server that has lost all data gets it again.
    secret: Mutex<Option<[u8; 32]>>,
}

impl RedisStore {
    /// Connects to the server at `url`: `redis://[USER:PASSWORD@]HOST[:PORT][/DB]`, or `rediss://`
    /// for TLS with a certificate that a browser would take. Must be called within a tokio runtime
    /// with time and I/O.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], [`StoreError::Unsuitable`], [`StoreError::WrongFormat`] or
    /// [`StoreError::Damaged`]. None of them shows the user or the password.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        Self::connect(address::client(url, None)?).await
    }

    /// Connects like [`open`](Self::open), but trusts the authorities in `pem`, and no others.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub async fn open_trusting(url: &str, pem: &[u8]) -> Result<Self, StoreError> {
        Self::connect(address::client(url, Some(pem))?).await
    }

    async fn connect((client, place): (Client, String)) -> Result<Self, StoreError> {
        let signals = Arc::new(ServerSignals::default());
        let link = async || {
            let open = RedisConnection::open(client.clone(), Arc::clone(&signals));
            open.await.map_err(|error| error.at(&place))
        };
        let (data, control) = tokio::try_join!(link(), link())?;
        server::check(&control, &place).await?;
        let (me, control) = (Ulid::generate(), Arc::new(control));
        let changes = ChangeSubscriptions::listen(client, me, Arc::clone(&control))
            .await
            .map_err(|error| error.at(&place))?;
        Ok(Self {
            place,
            me,
            data,
            control,
            room: MemoryGuard::default(),
            changes,
            secret: Mutex::new(None),
        })
    }
}

#[async_trait]
impl Store for RedisStore {
    async fn create(
        &self,
        run: RunId,
        record: &[u8],
        checkpoint: &[u8],
        summary: &[u8],
    ) -> Result<bool, StoreError> {
        self.create_run(run, record, checkpoint, summary).await
    }

    async fn run_for(&self, key: Digest, run: RunId) -> Result<RunId, StoreError> {
        self.run_of(key.as_bytes(), run).await
    }

    async fn delete(&self, run: RunId) -> Result<(), StoreError> {
        self.delete_run(run).await
    }

    async fn runs(&self) -> Result<Vec<RunId>, StoreError> {
        self.all_runs().await
    }

    async fn overviews(&self, runs: &[RunId]) -> Result<Vec<Option<RunOverview>>, StoreError> {
        self.overviews_of(runs).await
    }

    async fn summarize(&self, run: RunId, summary: &[u8]) -> Result<(), StoreError> {
        self.on(run, &SUMMARIZE).arg(summary).done().await
    }

    async fn record(&self, run: RunId) -> Result<Vec<u8>, StoreError> {
        self.get(run, "record").await
    }

    async fn position(&self, run: RunId) -> Result<RunPosition, StoreError> {
        self.on(run, &POSITION).ask(reply::position).await
    }

    async fn standing(&self, lead: &LeaderToken) -> Result<RunPosition, StoreError> {
        self.on(lead.run, &STANDING).arg(keys::token(lead)).ask(reply::position).await
    }

    async fn checkpoint(&self, run: RunId) -> Result<Vec<u8>, StoreError> {
        self.get(run, "checkpoint").await
    }

    async fn lead(&self, run: RunId) -> Result<LeaderState, StoreError> {
        self.take_lead(run).await
    }

    async fn enqueue_and_lease(
        &self,
        lead: &LeaderToken,
        enqueue: EnqueueBatch,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        self.enqueue_jobs(lead, &enqueue, consumer, most).await
    }

    async fn lease(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        self.lease_jobs(run, consumer, most).await
    }

    async fn release(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<(), StoreError> {
        self.release_jobs(run, consumer, jobs).await
    }

    async fn renew(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<Vec<JobId>, StoreError> {
        self.renew_leases(run, consumer, jobs).await
    }

    async fn adopt(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<Vec<LeasedJob>, StoreError> {
        self.adopt_jobs(run, consumer, jobs).await
    }

    async fn jobs(&self, run: RunId, jobs: &[JobId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.job_bytes(run, jobs).await
    }

    async fn attempt(
        &self,
        run: RunId,
        job: JobId,
        id: AttemptId,
        attempt: &[u8],
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        self.add_attempt(run, job, id, attempt).await
    }

    async fn park(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        job: JobId,
    ) -> Result<(), StoreError> {
        self.park_job(run, consumer, job).await
    }

    async fn parked(
        &self,
        run: RunId,
        from: u64,
        most: usize,
    ) -> Result<Vec<DeadJobRecord>, StoreError> {
        self.parked_jobs(run, from, most).await
    }

    async fn retry(&self, run: RunId, jobs: &[JobId]) -> Result<u64, StoreError> {
        self.retry_jobs(run, jobs).await
    }

    async fn complete(
        &self,
        run: RunId,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<Vec<StoreVerdict>, StoreError> {
        self.offer_results(run, &results).await
    }

    async fn results(&self, run: RunId, from: u64, most: usize) -> Result<ResultPage, StoreError> {
        self.read_page(run, from, most).await
    }

    async fn fold(&self, lead: &LeaderToken, fold: FoldCommit) -> Result<(), StoreError> {
        self.fold_results(lead, &fold).await
    }

    async fn skip(
        &self,
        lead: &LeaderToken,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<(), StoreError> {
        self.skip_jobs(lead, &results).await
    }

    async fn disown(&self, lead: &LeaderToken, worker: WorkerId) -> Result<u64, StoreError> {
        let request = self.on(lead.run, &DISOWN).arg(keys::token(lead));
        request.arg(&worker.to_bytes()[..]).ask(reply::number).await
    }

    async fn rewind(&self, lead: &LeaderToken, rewind: Rewind) -> Result<(), StoreError> {
        self.rewind_to(lead, &rewind).await
    }

    async fn pause(&self, lead: &LeaderToken) -> Result<(), StoreError> {
        self.on(lead.run, &PAUSE).arg(keys::token(lead)).done().await
    }

    async fn fail(&self, lead: &LeaderToken, reason: &str) -> Result<(), StoreError> {
        self.fail_run(lead, reason).await
    }

    async fn steer(&self, run: RunId, steer: SteerAction) -> Result<RunState, StoreError> {
        self.steer_run(run, steer).await
    }

    async fn generations(&self, run: RunId, from: u32) -> Result<Vec<Vec<u8>>, StoreError> {
        self.list(run, "generations", from.into()).await
    }

    async fn append_event(&self, run: RunId, event: &[u8]) -> Result<(), StoreError> {
        self.on(run, &APPEND_EVENT).arg(event).done().await
    }

    async fn events(&self, run: RunId, from: u64) -> Result<Vec<Vec<u8>>, StoreError> {
        self.list(run, "events", from).await
    }

    async fn blob(&self, run: RunId, hash: Digest) -> Result<Option<Vec<u8>>, StoreError> {
        self.on(run, &BLOB).arg(&hash.as_bytes()[..]).ask(reply::maybe_bytes).await
    }
}
