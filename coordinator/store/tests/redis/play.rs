//! A run in a Redis store, and what tests do to it.

use std::error::Error;

use hatchery_store::RedisStore;
use hatchery_store::operation::{CreateRun, EnqueueAndLease, FoldResults, TakeLead};
use hatchery_store::{
    AfterFold, CoordinatorId, EnqueueBatch, FoldCommit, JobId, JobResult, LeaderToken, LeasedJob,
    PartRetention, RunId, Store, StoreError, StoreVerdict, WorkerId,
};
use hatchery_test_redis::{PATIENCE, Redis};
use tokio::time::{Instant, timeout};
use ulid::Ulid;

/// The run of most tests.
pub(super) const RUN: RunId = RunId(Ulid(0x0123_4567_89ab_cdef));

/// Two coordinators.
pub(super) const ANN: CoordinatorId = CoordinatorId(0xa);
pub(super) const BOB: CoordinatorId = CoordinatorId(0xb);
pub(super) const CAT: CoordinatorId = CoordinatorId(0xc);

/// A server that other tests do not touch, with a store.
pub(super) async fn farm() -> (Redis, Store) {
    farm_with(&[]).await
}

/// As [`farm`], of a server that is started with these arguments.
pub(super) async fn farm_with(arguments: &[&str]) -> (Redis, Store) {
    let server = Redis::start_with(arguments).expect("redis-server is installed");
    let store = RedisStore::open(&server.url()).await.expect("the server is fit");
    (server, Store::new(store))
}

/// Makes the run, and takes its lead.
pub(super) async fn begin(store: &Store) -> LeaderToken {
    store
        .execute(CreateRun {
            run: RUN,
            record: b"record".to_vec(),
            checkpoint: b"checkpoint".to_vec(),
            summary: b"summary".to_vec(),
            parts: vec![],
        })
        .await
        .expect("there is room");
    store.execute(TakeLead { run: RUN }).await.expect("the run is there").lead
}

pub(super) fn job(index: u64) -> JobId {
    JobId { generation: 0, index }
}

/// The jobs `first_index..first_index + n`, with a payload as large as a game's.
pub(super) fn enqueue(lead: LeaderToken, first_index: u64, n: u64) -> EnqueueAndLease {
    let jobs = (first_index..first_index + n).map(|index| payload(index).into_bytes());
    let (jobs, table) = (jobs.collect(), b"table".to_vec());
    let enqueue = EnqueueBatch { first_index, jobs, table, ..EnqueueBatch::default() };
    EnqueueAndLease { lead, enqueue, consumer: ANN, most: 0 }
}

fn payload(index: u64) -> String {
    format!("{index:0>200}")
}

pub(super) fn result(index: u64) -> (JobId, JobResult) {
    let output = format!("output of {index}").into_bytes();
    (job(index), JobResult { worker: WorkerId(7), output, cost: b"cost".to_vec(), parts: vec![] })
}

pub(super) fn results(indices: impl IntoIterator<Item = u64>) -> Vec<(JobId, JobResult)> {
    indices.into_iter().map(result).collect()
}

pub(super) fn fold(lead: LeaderToken, folded: u64) -> FoldResults {
    let checkpoint = format!("checkpoint {folded}").into_bytes();
    let fold = FoldCommit {
        generation: 0,
        folded,
        checkpoint,
        summary: vec![],
        parts: vec![],
        retention: PartRetention::All,
        then: AfterFold::SameGeneration,
    };
    FoldResults { lead, fold }
}

/// The indices of leased jobs.
pub(super) fn indices(leased: &[LeasedJob]) -> Vec<u64> {
    leased.iter().map(|job| job.id.index).collect()
}

/// Asserts that all verdicts are the same.
pub(super) fn assert_all(verdicts: &[StoreVerdict], expected: StoreVerdict) {
    assert!(verdicts.iter().all(|verdict| *verdict == expected), "{verdicts:?}");
}

/// Returns the message of an error, with all that is behind it.
pub(super) fn chain(error: &StoreError) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text = format!("{text}: {error}");
        next = error.source();
    }
    text
}

/// Asks until the store can be used again.
pub(super) async fn until_it_works<T>(ask: impl AsyncFn() -> Result<T, StoreError>) -> T {
    let begin = Instant::now();
    loop {
        match timeout(PATIENCE, ask()).await.expect("a call ends by itself") {
            Ok(answer) => return answer,
            Err(StoreError::Unavailable { .. }) if begin.elapsed() < PATIENCE => {
                tokio::task::yield_now().await;
            }
            Err(error) => panic!("{}", chain(&error)),
        }
    }
}

/// Ends the time of every lease: it is set back on the server.
pub(super) fn age(server: &Redis) {
    change_leases(server, "{ q, 'w', holder, 0, id, 'IDLE', 3600000, 'JUSTID' }");
}

/// Ends all leases, as the next look after their time does.
pub(super) fn end_leases(server: &Redis) {
    change_leases(server, "{ q, 'w', 'free', 0, id, 'JUSTID' }");
}

/// Lets the parts of every run expire that was not created.
pub(super) fn expire_parts(server: &Redis) {
    let script = "for _, key in ipairs(redis.call('KEYS', 'ht:*')) do
          local of_parts = string.match(key, ':parts$') or string.match(key, ':open$')
          if (of_parts or string.match(key, ':p:')) and redis.call('PTTL', key) >= 0 then
            redis.call('DEL', key)
          end
        end
        return 'expired'";
    assert_eq!(server.cli(&["EVAL", script, "0"]).expect("redis-cli is installed"), "expired\n");
}

/// Claims every leased job of every run anew.
fn change_leases(server: &Redis, claim: &str) {
    let script = format!(
        "for _, q in ipairs(redis.call('KEYS', 'ht:*:q')) do
          for _, info in ipairs(redis.call('XINFO', 'CONSUMERS', q, 'w')) do
            local holder = info[2]
            if holder ~= 'free' then
              for _, pending in ipairs(redis.call('XPENDING', q, 'w', '-', '+', 10000, holder)) do
                local id = pending[1]
                redis.call('XCLAIM', unpack({claim}))
              end
            end
          end
          redis.call('HDEL', string.gsub(q, ':q$', ':ctl'), 'swept')
        end
        return 'changed'"
    );
    assert_eq!(server.cli(&["EVAL", &script, "0"]).expect("redis-cli is installed"), "changed\n");
}
