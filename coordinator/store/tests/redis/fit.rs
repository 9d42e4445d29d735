//! The servers that a store accepts, and its errors for other servers.

use std::time::Duration;

use hatchery_core::{Digest, Part};
use hatchery_store::operation::{
    AddAttempt, AdoptJobs, AnnounceCoordinator, AppendEvent, ClaimRun, CompleteJobs, CreateRun,
    DeleteRun, DisownResults, EnqueueAndLease, FailRun, FindParts, FindQuarantined, FindRun,
    FinishPart, LeaseJobs, ListCoordinators, ListQuarantined, ListRuns, ParkJob, QuarantineWorker,
    ReadClaim, ReadDeadJobs, ReadEvents, ReadGenerations, ReadJobs, ReadMemory, ReadPart,
    ReadRecord, ReadResults, ReadSecret, ReleaseJobs, RenewLeases, RetryJobs, RewindRun, RunForKey,
    SteerRun, UnclaimRun, WithdrawCoordinator, WritePart,
};
use hatchery_store::{
    AfterFold, AttemptId, AttemptedJob, PartDirectoryOptions, RedisOptions, RedisStore, RunId,
    SteerAction, Store, StoreError, StoreVerdict, WorkerId,
};
use hatchery_test_redis::Redis;
use tokio::time::Instant;
use ulid::Ulid;

use super::play::{
    ANN, BOB, RUN, assert_all, begin, chain, enqueue, farm, fold, indices, job, results,
};

/// The time after which a store reports a missing server, which is the deadline of a call.
const SOON: Duration = Duration::from_secs(4);

async fn refusal(url: &str) -> StoreError {
    RedisStore::open(url).await.expect_err("the server is not fit")
}

#[tokio::test]
async fn a_server_that_evicts_is_refused() {
    let server = Redis::start_with(&["--maxmemory-policy", "allkeys-lru"]).unwrap();
    let error = refusal(&server.url()).await;
    assert!(matches!(error, StoreError::Unsuitable { .. }), "{error}");
    assert!(error.to_string().contains("allkeys-lru") && error.to_string().contains("noeviction"));
    assert_eq!(server.cli(&["DBSIZE"]).unwrap(), "0\n", "nothing was written");
}

#[tokio::test]
async fn a_replica_is_refused() {
    let (master, replica) = (Redis::start().unwrap(), Redis::start().unwrap());
    replica.cli(&["REPLICAOF", "127.0.0.1", &master.port().to_string()]).unwrap();
    let refused = refusal(&replica.url()).await;
    let StoreError::Unsuitable { what, .. } = refused else { panic!("{refused:?}") };
    assert!(what.contains("the address of its master"), "{what}");
}

#[tokio::test]
async fn another_format_is_refused_and_kept() {
    let (server, store) = farm().await;
    drop(store);
    assert_eq!(server.cli(&["SET", "ht:schema", "99"]).unwrap(), "OK\n");
    let error = refusal(&server.url()).await;
    assert!(matches!(error, StoreError::WrongFormat { found: 99, expected: 2, .. }), "{error}");
    assert_eq!(server.cli(&["GET", "ht:schema"]).unwrap(), "99\n");
    assert!(error.to_string().contains("the release that wrote it, or a later one"), "{error}");
    server.cli(&["SET", "ht:schema", "a number"]).unwrap();
    let error = refusal(&server.url()).await;
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

/// A database as the release before left it, with a run.
#[tokio::test]
async fn the_format_before_is_refused_with_its_remedy() {
    let server = Redis::start().unwrap();
    let run = format!("ht:{{{RUN}}}:");
    let before: &[&[&str]] = &[
        &["SET", "ht:schema", "1"],
        &["ZADD", "ht:runs", "0", &RUN.to_string()],
        &["HSET", &format!("{run}ctl"), "state", "active", "rev", "0", "gen", "0"],
        &["HSET", &format!("{run}blobs"), "hash", "a state"],
    ];
    for command in before {
        server.cli(command).unwrap();
    }
    let all = server.cli(&["DBSIZE"]).unwrap();
    let error = refusal(&server.url()).await;
    let place = format!("redis://127.0.0.1:{}/0", server.port());
    let remedy = "give another database number, as in redis://HOST/1; or let its runs finish with \
                  the release that wrote it, fetch them, and empty it with FLUSHDB";
    let expected = format!("{place} has store format 1, but this build reads format 2; {remedy}");
    assert_eq!(error.to_string(), expected);
    assert_eq!(server.cli(&["DBSIZE"]).unwrap(), all, "nothing was written");
    // What it says works.
    let another = RedisStore::open(&format!("{}/1", server.url())).await;
    assert!(another.is_ok(), "{another:?}");
    assert_eq!(server.cli(&["FLUSHDB"]).unwrap(), "OK\n");
    assert!(RedisStore::open(&server.url()).await.is_ok());
}

#[tokio::test]
async fn no_server_is_said_soon() {
    let mut server = Redis::start().unwrap();
    let url = server.url();
    server.kill().unwrap();
    // Nothing is waited for but tries: their times are virtual.
    tokio::time::pause();
    let begin = Instant::now();
    let error = refusal(&url).await;
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    assert!(chain(&error).contains("refused"), "{}", chain(&error));
}

#[tokio::test]
async fn no_error_shows_the_password() {
    let server = Redis::start_with(&["--requirepass", "right"]).unwrap();
    let port = server.port();
    let urls = [
        format!("redis://:SECRET@127.0.0.1:{port}"),
        format!("redis://USER:SECRET@127.0.0.1:{port}/1"),
        format!("redis://USER:SECRET@127.0.0.1:{port}/no number"),
        format!("redis://USER:SECRET@127.0.0.1:99{port}"),
        "http://USER:SECRET@127.0.0.1".to_owned(),
        "USER:SECRET".to_owned(),
    ];
    for url in urls {
        let error = refusal(&url).await;
        let said = format!("{} {error:?}", chain(&error));
        assert!(!said.contains("SECRET") && !said.contains("USER:S"), "{said}");
    }
    let store = RedisStore::open(&format!("redis://:right@127.0.0.1:{port}/3")).await.unwrap();
    let store = Store::new(store);
    assert!(!format!("{store:?}").contains("right"), "{store:?}");
    begin(&store).await;
}

/// The line in `deploy/` is enough for all that a store does.
#[tokio::test]
async fn a_user_with_few_rights_is_enough() {
    let (server, _store) = farm().await;
    let mut line = vec!["ACL", "SETUSER", "hatchery", "reset", "on", ">word"];
    let users = include_str!("../../../../deploy/redis/users.acl").lines();
    let rights = users.filter(|line| line.starts_with("user hatchery ")).collect::<String>();
    line.extend(rights.split_whitespace().skip_while(|right| *right != "resetkeys"));
    assert_eq!(server.cli(&line).unwrap(), "OK\n");
    let url = format!("redis://hatchery:word@127.0.0.1:{}", server.port());
    let store = Store::new(RedisStore::open(&url).await.unwrap());
    whole_life(&store).await.unwrap();
    // So it is with parts in a directory.
    assert_eq!(server.cli(&["FLUSHDB"]).unwrap(), "OK\n");
    let folder = tempfile::tempdir().unwrap();
    let options = PartDirectoryOptions::new(folder.path());
    let store =
        RedisStore::open_with(&RedisOptions::new(&url).with_parts_in(options)).await.unwrap();
    whole_life(&Store::new(store)).await.unwrap();
    let unheard = server.cli(&["ACL", "LOG"]).unwrap();
    assert_eq!(unheard.trim(), "", "what was denied");
}

/// Permissions without which a store can be opened: one is for other databases, one for the time
/// after a start of the server, and one for connections that are idle.
const LATER: [&str; 3] = ["+select", "+bgrewriteaof", "+ping"];

/// A user without one of the permissions, as after an upgrade with the file of the release before,
/// is refused at the start, and the error names the command.
#[tokio::test]
async fn a_missing_permission_is_named_at_the_start() {
    let server = Redis::start().unwrap();
    let users = include_str!("../../../../deploy/redis/users.acl").lines();
    let rights = users.filter(|line| line.starts_with("user hatchery ")).collect::<String>();
    let rights: Vec<_> =
        rights.split_whitespace().skip_while(|right| *right != "resetkeys").collect();
    let url = format!("redis://hatchery:word@127.0.0.1:{}", server.port());
    let commands = rights.iter().filter(|right| right.starts_with('+') && !LATER.contains(*right));
    let mut n_commands = 0;
    for missing in commands {
        let mut line = vec!["ACL", "SETUSER", "hatchery", "reset", "on", ">word"];
        line.extend(rights.iter().filter(|right| *right != missing));
        assert_eq!(server.cli(&line).unwrap(), "OK\n");
        let said = chain(&refusal(&url).await);
        let command = missing.trim_start_matches('+');
        assert!(said.to_lowercase().contains(command), "{command}: {said}");
        n_commands += 1;
    }
    assert!(40 <= n_commands, "{n_commands}");
    let left = server.cli(&["EXISTS", "ht:probe"]).unwrap();
    assert_eq!(left, "0\n");
}

/// Every operation once, with an effect.
async fn whole_life(store: &Store) -> Result<(), StoreError> {
    let lead = begin(store).await;
    let key = Digest::of(b"key");
    assert_eq!(store.execute(RunForKey { key, run: RUN }).await?, RUN);
    assert_eq!(store.execute(FindRun { key }).await?, Some(RUN));
    assert_eq!(store.execute(ListRuns).await?, [RUN]);
    assert_eq!(store.execute(ReadRecord { run: RUN }).await?, b"record");
    let mut first = enqueue(lead, 0, 4);
    first.enqueue.parts = vec![b"part".to_vec()];
    store.execute(first).await?;
    let leased =
        store.execute(EnqueueAndLease { consumer: BOB, most: 1, ..enqueue(lead, 4, 2) }).await?;
    store.execute(ReleaseJobs { run: RUN, consumer: BOB, jobs: vec![leased[0].id] }).await?;
    assert_eq!(
        indices(&store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 3 }).await?),
        [0, 1, 2]
    );
    store.execute(ReleaseJobs { run: RUN, consumer: ANN, jobs: vec![job(0)] }).await?;
    assert_eq!(
        store.execute(RenewLeases { run: RUN, consumer: ANN, jobs: vec![job(0), job(1)] }).await?,
        [job(0)]
    );
    assert_eq!(
        indices(&store.execute(AdoptJobs { run: RUN, consumer: BOB, jobs: vec![job(1)] }).await?),
        [1]
    );
    assert!(store.execute(ReadJobs { run: RUN, jobs: vec![job(5)] }).await?[0].is_some());
    assert_eq!(
        store
            .execute(AddAttempt {
                run: RUN,
                job: job(2),
                id: AttemptId(1),
                attempt: b"attempt".to_vec()
            })
            .await?,
        AttemptedJob::Unresolved(vec![b"attempt".to_vec()])
    );
    store.execute(ParkJob { run: RUN, consumer: ANN, job: job(2) }).await?;
    assert_eq!(store.execute(ReadDeadJobs { run: RUN, from: 0, most: 9 }).await?.len(), 1);
    assert_eq!(store.execute(RetryJobs { run: RUN, jobs: vec![job(2)] }).await?, 1);
    assert_all(
        &store.execute(CompleteJobs { run: RUN, results: results(0..4) }).await?,
        StoreVerdict::Accepted,
    );
    assert_eq!(store.execute(ReadResults { run: RUN, from: 0, most: 9 }).await?.results.len(), 4);
    store.execute(fold(lead, 1)).await?;
    assert_eq!(
        store.execute(DisownResults { lead, workers: vec![WorkerId(7)] }).await?,
        [(WorkerId(7), 3)]
    );
    store.execute(CompleteJobs { run: RUN, results: results(0..6) }).await?;
    let then = AfterFold::NextGeneration { record: b"generation".to_vec() };
    let mut last = fold(lead, 6);
    last.fold.then = then;
    store.execute(last).await?;
    let checkpoint = b"0".to_vec();
    store
        .execute(RewindRun {
            lead,
            generation: 0,
            checkpoint,
            keep: Some(vec![Digest::of(b"part")]),
        })
        .await?;
    store.execute(FailRun { lead, reason: "why".to_owned() }).await?;
    without_a_leader(store).await?;
    store.execute(DeleteRun { run: RUN }).await
}

/// Every operation that needs no leader and no job.
async fn without_a_leader(store: &Store) -> Result<(), StoreError> {
    store.execute(SteerRun { run: RUN, steer: SteerAction::Resume }).await?;
    store.execute(AppendEvent { run: RUN, event: b"event".to_vec() }).await?;
    assert_eq!(store.execute(ReadEvents { run: RUN, from: 0 }).await?.len(), 1);
    assert!(store.execute(ReadGenerations { run: RUN, from: 0 }).await?.is_empty());
    with_parts(store).await?;
    assert!(
        store
            .execute(ClaimRun { run: RUN, coordinator: ANN, progress: b"progress".to_vec() })
            .await?
    );
    assert!(store.execute(ReadClaim { run: RUN }).await?.is_some());
    store.execute(UnclaimRun { run: RUN, coordinator: ANN }).await?;
    store.execute(AnnounceCoordinator { coordinator: ANN, announcement: b"here".to_vec() }).await?;
    assert_eq!(store.execute(ListCoordinators).await?.len(), 1);
    store.execute(WithdrawCoordinator { coordinator: ANN }).await?;
    store.execute(QuarantineWorker { worker: WorkerId(9), reason: "why".to_owned() }).await?;
    assert_eq!(store.execute(ListQuarantined).await?, [(WorkerId(9), "why".to_owned())]);
    let find = FindQuarantined { workers: vec![WorkerId(8), WorkerId(9)] };
    assert_eq!(store.execute(find).await?, [(WorkerId(9), "why".to_owned())]);
    assert_eq!(store.execute(ReadSecret).await?, store.execute(ReadSecret).await?);
    assert!(store.execute(ReadMemory).await?.is_some());
    Ok(())
}

/// Every operation on parts, for an existing run and for a run that is created later.
async fn with_parts(store: &Store) -> Result<(), StoreError> {
    let later = RunId(Ulid(1));
    let part = Part::of(b"written");
    for run in [RUN, later] {
        store.execute(WritePart { run, part, index: 0, chunk: b"written".to_vec() }).await?;
        assert!(store.execute(FinishPart { run, part }).await?);
        assert_eq!(store.execute(FindParts { run, parts: vec![part.hash()] }).await?, [Some(part)]);
        assert!(store.execute(ReadPart { run, hash: part.hash(), index: 0 }).await?.is_some());
    }
    let [record, checkpoint, summary] = [vec![], vec![], vec![]];
    let parts = vec![b"part".to_vec()];
    assert!(store.execute(CreateRun { run: later, record, checkpoint, summary, parts }).await?);
    store.execute(DeleteRun { run: later }).await
}
