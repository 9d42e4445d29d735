//! A server that is killed, halted, or full.

use std::time::Duration;

use hatchery_core::Part;
use hatchery_store::RedisStore;
use hatchery_store::operation::{
    AddAttempt, AppendEvent, CompleteJobs, CreateRun, DeleteRun, FinishPart, LeaseJobs, ListRuns,
    ParkJob, ReadMemory, ReadOverviews, ReadPosition, ReadRecord, ReadResults, ReadSecret,
    ReleaseJobs, RenewLeases, RetryJobs, TakeLead, WritePart,
};
use hatchery_store::{AfterFold, AttemptId, RunId, RunState, Store, StoreError, StoreVerdict};
use hatchery_test_redis::{PATIENCE, Redis};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use ulid::Ulid;

use super::play::{
    ANN, RUN, assert_all, begin, chain, enqueue, farm, farm_with, fold, indices, job, result,
    results, until_it_works,
};

/// How long a call may take when the server is silent.
const SILENT_FOR: Duration = Duration::from_secs(4);

#[tokio::test]
async fn a_killed_server_loses_nothing_that_it_acknowledged() {
    let (mut server, store) = farm().await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 100)).await.unwrap();
    let mut folded = 0;
    for round in 0..4 {
        let first = round * 10;
        let leased = until_it_works(async || {
            store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 20 }).await
        })
        .await;
        assert!(!leased.is_empty());
        let offered = results(first..first + 10);
        let verdicts = until_it_works(async || {
            store.execute(CompleteJobs { run: RUN, results: offered.clone() }).await
        })
        .await;
        assert_all(&verdicts, StoreVerdict::Accepted);
        server.wait_until_written().unwrap();
        server.restart().unwrap();
        // Nothing is loaded: the server forgot all scripts.
        let page = until_it_works(async || {
            store.execute(ReadResults { run: RUN, from: folded, most: 99 }).await
        })
        .await;
        assert_eq!(page.results.len(), 10, "in round {round}");
        assert_eq!(page.n_unresolved, 100 - 10 * (round + 1));
        let again = until_it_works(async || {
            store.execute(CompleteJobs { run: RUN, results: offered.clone() }).await
        })
        .await;
        assert_all(&again, StoreVerdict::Duplicate);
        folded = first + 10;
        store.execute(fold(lead, folded)).await.unwrap();
    }
    let position = store.execute(ReadPosition { run: RUN }).await.unwrap();
    assert_eq!((position.cursor, position.folded, position.revision), (100, 40, 5));
}

/// A power cut can leave half a transaction in the server's file. Left there, it would be done with
/// the first transaction after it when the server is started once more.
#[tokio::test]
async fn half_a_transaction_does_not_come_back() {
    let (mut server, store) = farm().await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 3)).await.unwrap();
    until_tidy(&server).await;
    server.wait_until_written().unwrap();
    let before = server.n_written().unwrap();
    store.execute(enqueue(lead, 3, 5)).await.unwrap();
    server.wait_until_written().unwrap();
    let n_bytes = server.n_written().unwrap() - before;
    server.kill().unwrap();
    server.cut(n_bytes / 3).unwrap();
    server.restart().unwrap();
    let cursor = async || Ok(store.execute(ReadPosition { run: RUN }).await?.cursor);
    assert_eq!(until_it_works(cursor).await, 3);
    until_tidy(&server).await;

    // Another transaction, that ends.
    let verdicts = until_it_works(async || {
        store.execute(CompleteJobs { run: RUN, results: results(0..1) }).await
    })
    .await;
    assert_all(&verdicts, StoreVerdict::Accepted);
    server.wait_until_written().unwrap();
    server.restart().unwrap();
    assert_eq!(until_it_works(cursor).await, 3);
    until_it_works(async || store.execute(enqueue(lead, 3, 5)).await).await;
    let leased = until_it_works(async || {
        store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 99 }).await
    })
    .await;
    assert_eq!(indices(&leased), [1, 2, 3, 4, 5, 6, 7]);
}

/// Redis 7.0 can bring half a transaction back after power cuts: then the queue of a run is ahead
/// of the run. The run is named; the store and its other runs are not affected.
#[tokio::test]
async fn damage_of_one_run_is_named_and_others_go_on() {
    let (server, store) = farm().await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 3)).await.unwrap();
    let damage = |command: &[&str]| server.cli(command).expect("redis-cli is installed");
    let key = |end: &str| format!("ht:{{{RUN}}}:{end}");
    damage(&["XADD", &key("q"), "1-100", "j", "a job of half a transaction"]);
    let error = store.execute(enqueue(lead, 3, 5)).await.unwrap_err();
    assert!(matches!(error, StoreError::RunDamaged { run: RUN, .. }), "{error:?}");
    assert!(error.to_string().contains("XADD") && error.remedy().is_some(), "{error}");

    let other = RunId(Ulid(99));
    let (record, checkpoint, summary) = (b"record".to_vec(), vec![], vec![]);
    let create = CreateRun { run: other, record, checkpoint, summary, parts: vec![] };
    store.execute(create).await.unwrap();
    damage(&["DEL", &key("ctl")]);
    damage(&["SET", &key("ctl"), "junk"]);
    let overviews = store.execute(ReadOverviews { runs: vec![RUN, other] }).await.unwrap();
    let states: Vec<_> = overviews.into_iter().map(|it| it.unwrap().position.state).collect();
    assert_eq!(states[1], RunState::Active);
    let RunState::Failed { reason } = &states[0] else { panic!("{:?}", states[0]) };
    assert!(reason.contains(&RUN.to_string()) && reason.contains("new run"), "{reason}");
    let other = store.execute(TakeLead { run: other }).await.unwrap().lead;
    store.execute(enqueue(other, 0, 3)).await.unwrap();
}

/// Waits until the server has begun its file anew, as a store orders after each start.
async fn until_tidy(server: &Redis) {
    let asked = "redis-cli is installed";
    let start = server.info("run_id").expect(asked);
    let is_tidy = || {
        let tidied = server.cli(&["GET", "ht:tidied"]).expect(asked);
        let rewriting = server.info("aof_rewrite_in_progress").expect(asked);
        tidied.trim() == start && rewriting == "0"
    };
    let tidy = async {
        while !is_tidy() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, tidy).await.expect("a store tells it");
}

/// While a leader writes as fast as it can, the server is killed. Everything acknowledged still
/// exists, and other calls can be repeated.
#[tokio::test]
async fn a_server_killed_in_the_middle_keeps_its_word() {
    // With `everysec`, a server whose disk is slow keeps up to two seconds to itself.
    let (mut server, store) = farm_with(&["--appendfsync", "always"]).await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 2000)).await.unwrap();
    // Some dozen results are in by then.
    let (say, is_time) = oneshot::channel();
    let mut say = Some(say);
    let offer = async {
        for index in 0..2000 {
            if store.execute(CompleteJobs { run: RUN, results: vec![result(index)] }).await.is_err()
            {
                return index;
            }
            if let Some(say) = say.take_if(|_| index == 50) {
                say.send(()).expect("the kill waits");
            }
        }
        2000
    };
    let kill = tokio::task::spawn_blocking(move || {
        is_time.blocking_recv().expect("results are offered");
        server.kill().unwrap();
        server
    });
    let (n_acknowledged, server) = tokio::join!(offer, kill);
    let mut server = server.unwrap();
    server.restart().unwrap();
    let page =
        until_it_works(async || store.execute(ReadResults { run: RUN, from: 0, most: 2000 }).await)
            .await;
    let n_kept = u64::try_from(page.results.len()).unwrap();
    assert!((n_acknowledged..=n_acknowledged + 1).contains(&n_kept), "{n_acknowledged} {n_kept}");
    store.execute(CompleteJobs { run: RUN, results: results(0..2000) }).await.unwrap();
    assert_eq!(
        store.execute(ReadResults { run: RUN, from: 0, most: 2000 }).await.unwrap().n_unresolved,
        0
    );
}

/// Time is virtual while the server is halted: no answer comes, and the clock moves on to the next
/// awaited event.
#[tokio::test]
async fn a_halted_server_keeps_nobody_waiting() {
    let (server, store) = farm().await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 10)).await.unwrap();
    store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 5 }).await.unwrap();
    server.stop().unwrap();
    tokio::time::pause();
    let halted = Instant::now();
    while halted.elapsed() < Duration::from_secs(10) {
        let begin = Instant::now();
        let (data, control) = tokio::join!(
            store.execute(CompleteJobs { run: RUN, results: results(0..5) }),
            store.execute(fold(lead, 5)),
        );
        assert!(begin.elapsed() < SILENT_FOR, "{:?}", begin.elapsed());
        for error in [data.map(drop).unwrap_err(), control.unwrap_err()] {
            assert!(matches!(error, StoreError::Unavailable { .. }), "{}", chain(&error));
        }
    }
    tokio::time::resume();
    server.cont().unwrap();
    let verdicts = until_it_works(async || {
        store.execute(CompleteJobs { run: RUN, results: results(0..5) }).await
    })
    .await;
    // Those that were sent while it was halted may have been taken then.
    assert!(
        verdicts.iter().all(|it| matches!(it, StoreVerdict::Accepted | StoreVerdict::Duplicate))
    );
    until_it_works(async || store.execute(fold(lead, 5)).await).await;
    let rest = until_it_works(async || {
        store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 99 }).await
    })
    .await;
    assert_eq!(indices(&rest), [5, 6, 7, 8, 9]);
}

#[tokio::test]
async fn a_full_server_drains() {
    let (server, store) = farm().await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 10)).await.unwrap();
    assert_eq!(server.cli(&["CONFIG", "SET", "maxmemory", "1mb"]).unwrap(), "OK\n");
    // What was known of the memory a second ago does not matter: the server refuses as well.
    let error = store.execute(enqueue(lead, 10, 1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    assert!(chain(&error).contains("memory"), "{}", chain(&error));
    let new = RunId(Ulid(9));
    let error = store
        .execute(CreateRun {
            run: new,
            record: vec![],
            checkpoint: vec![],
            summary: vec![],
            parts: vec![],
        })
        .await
        .unwrap_err();
    assert!(chain(&error).contains("memory"), "{}", chain(&error));
    assert_eq!(
        store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 99 }).await.unwrap().len(),
        10
    );
    assert!(
        store
            .execute(RenewLeases { run: RUN, consumer: ANN, jobs: vec![job(0)] })
            .await
            .unwrap()
            .is_empty()
    );
    store
        .execute(AddAttempt {
            run: RUN,
            job: job(1),
            id: AttemptId(1),
            attempt: b"attempt".to_vec(),
        })
        .await
        .unwrap();
    store.execute(ParkJob { run: RUN, consumer: ANN, job: job(1) }).await.unwrap();
    assert_eq!(store.execute(RetryJobs { run: RUN, jobs: vec![job(1)] }).await.unwrap(), 1);
    store.execute(ReleaseJobs { run: RUN, consumer: ANN, jobs: vec![job(2)] }).await.unwrap();
    assert_all(
        &store.execute(CompleteJobs { run: RUN, results: results(0..10) }).await.unwrap(),
        StoreVerdict::Accepted,
    );
    let lead = store.execute(TakeLead { run: RUN }).await.unwrap().lead;
    store.execute(AppendEvent { run: RUN, event: b"event".to_vec() }).await.unwrap();
    let then = AfterFold::NextGeneration { record: b"generation".to_vec() };
    let mut last = fold(lead, 10);
    last.fold.then = then;
    store.execute(last).await.unwrap();
    assert_eq!(server.cli(&["CONFIG", "SET", "maxmemory", "0"]).unwrap(), "OK\n");
    let mut next = enqueue(lead, 0, 5);
    next.enqueue.generation = 1;
    until_it_works(async || store.execute(next.clone()).await).await;
}

/// A run whose name the list has lost gets it back when it is created again.
#[tokio::test]
async fn a_run_that_is_made_again_is_listed_again() {
    let (server, store) = farm().await;
    begin(&store).await;
    assert_eq!(server.cli(&["ZREM", "ht:runs", &RUN.to_string()]).unwrap(), "1\n");
    assert!(store.execute(ListRuns).await.unwrap().is_empty());
    store
        .execute(CreateRun {
            run: RUN,
            record: b"another".to_vec(),
            checkpoint: b"another".to_vec(),
            summary: b"another".to_vec(),
            parts: vec![],
        })
        .await
        .unwrap();
    assert_eq!(store.execute(ListRuns).await.unwrap(), [RUN]);
    assert_eq!(store.execute(ReadRecord { run: RUN }).await.unwrap(), b"record");
}

/// A run that fills the server up to its limit exists with its name in the list, or does not exist:
/// a run without its name would take memory that no command could free. The limits close in on the
/// limit with just enough room for the run.
#[tokio::test]
async fn a_run_that_fills_the_server_is_listed_or_not_there() {
    let (server, store) = farm().await;
    until_tidy(&server).await;
    let client = redis::Client::open(server.url()).unwrap();
    let mut operator = client.get_multiplexed_async_connection().await.unwrap();
    let used = used_memory(&server);
    let record = vec![7; usize::try_from(used).unwrap()];
    let (mut refused_at, mut taken_at) = (used, 8 * used);
    for n in 1.. {
        if taken_at - refused_at < 64 {
            break;
        }
        let limit = u64::midpoint(refused_at, taken_at);
        command(&format!("CONFIG SET maxmemory {limit}")).exec_async(&mut operator).await.unwrap();
        let run = RunId(Ulid(n));
        let (record, checkpoint, summary) = (record.clone(), vec![], vec![]);
        let created =
            store.execute(CreateRun { run, record, checkpoint, summary, parts: vec![] }).await;
        let listed = store.execute(ListRuns).await.unwrap().contains(&run);
        let there = store.execute(ReadPosition { run }).await.is_ok();
        assert_eq!((listed, there), (created.is_ok(), created.is_ok()), "{created:?} at {limit}");
        match created {
            Ok(_) => taken_at = limit,
            Err(error) => {
                assert!(chain(&error).contains("memory"), "{}", chain(&error));
                refused_at = limit;
            }
        }
        store.execute(DeleteRun { run }).await.unwrap();
    }
}

/// Long before the server refuses, nothing more is enqueued, so that there is room for results; nor
/// is a run created that would wait for its first jobs.
#[tokio::test]
async fn a_server_that_is_nearly_full_takes_no_more_jobs_or_runs() {
    let (server, store) = farm().await;
    let lead = begin(&store).await;
    // The other store asked a moment ago, and remembers the answer. Connections take memory, too.
    let store = Store::new(RedisStore::open(&server.url()).await.unwrap());
    until_tidy(&server).await;
    let memory = store.execute(ReadMemory).await.unwrap().expect("Redis knows its memory");
    assert_eq!((memory.limit_bytes, 0 < memory.used_bytes), (None, true));
    let most = used_memory(&server) * 10 / 9;
    assert_eq!(server.cli(&["CONFIG", "SET", "maxmemory", &most.to_string()]).unwrap(), "OK\n");
    let memory = store.execute(ReadMemory).await.unwrap().expect("Redis knows its memory");
    assert_eq!(memory.limit_bytes, Some(most));
    let error = store.execute(enqueue(lead, 0, 1)).await.unwrap_err();
    assert!(chain(&error).contains("memory is nearly full"), "{}", chain(&error));
    let new = RunId(Ulid(9));
    let error = store
        .execute(CreateRun {
            run: new,
            record: vec![],
            checkpoint: vec![],
            summary: vec![],
            parts: vec![],
        })
        .await
        .unwrap_err();
    assert!(chain(&error).contains("memory is nearly full"), "{}", chain(&error));
    assert_eq!(store.execute(ListRuns).await.unwrap(), [RUN]);
    store
        .execute(CreateRun {
            run: RUN,
            record: b"another".to_vec(),
            checkpoint: b"another".to_vec(),
            summary: b"another".to_vec(),
            parts: vec![],
        })
        .await
        .unwrap();
    assert_eq!(store.execute(ReadRecord { run: RUN }).await.unwrap(), b"record");
    store.execute(CompleteJobs { run: RUN, results: results(0..1) }).await.unwrap();
    // A run continues to bring parts; one that is not created does not begin to.
    let part = Part::of(b"part");
    let write = |run| WritePart { run, part, index: 0, chunk: b"part".to_vec() };
    let error = store.execute(write(new)).await.unwrap_err();
    assert!(chain(&error).contains("memory is nearly full"), "{}", chain(&error));
    store.execute(write(RUN)).await.unwrap();
    assert!(store.execute(FinishPart { run: RUN, part }).await.unwrap());
}

/// An error of a server at the beginning of a connection does not stick to the store: here, that
/// the password is wrong, while a person changes it back and forth.
#[tokio::test]
async fn a_server_that_refused_connections_is_used_again() {
    let server = Redis::start_with(&["--requirepass", "right"]).unwrap();
    let url = format!("redis://:right@127.0.0.1:{}", server.port());
    let store = Store::new(RedisStore::open(&url).await.unwrap());
    begin(&store).await;
    let client = redis::Client::open(url).unwrap();
    let mut operator = client.get_multiplexed_async_connection().await.unwrap();
    for line in ["CONFIG SET requirepass other", "CLIENT KILL TYPE normal SKIPME yes"] {
        command(line).exec_async(&mut operator).await.unwrap();
    }
    let begin = Instant::now();
    while !store
        .execute(ReadPosition { run: RUN })
        .await
        .is_err_and(|error| chain(&error).contains("authentication failed"))
    {
        assert!(begin.elapsed() < PATIENCE, "the password is wrong");
    }
    command("CONFIG SET requirepass right").exec_async(&mut operator).await.unwrap();
    until_it_works(async || store.execute(ReadPosition { run: RUN }).await).await;
    until_it_works(async || store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 1 }).await)
        .await;
}

fn used_memory(server: &Redis) -> u64 {
    let used = server.info("used_memory").expect("the server answers");
    used.parse().expect("a number of bytes")
}

fn command(line: &str) -> redis::Cmd {
    let words: Vec<&str> = line.split(' ').collect();
    redis::cmd(words[0]).arg(&words[1..]).to_owned()
}

/// A server that loses everything gets the schema and one secret again from the remaining
/// coordinators, and a coordinator that starts meanwhile gets the same.
#[tokio::test]
async fn a_flushed_server_gets_its_secret_again() {
    let server = Redis::start().unwrap();
    let open = async || Store::new(RedisStore::open(&server.url()).await.unwrap());
    let (ann, bob) = (open().await, open().await);
    let secret = ann.execute(ReadSecret).await.unwrap();
    assert_eq!(bob.execute(ReadSecret).await.unwrap(), secret);
    server.cli(&["FLUSHALL"]).unwrap();
    assert_eq!(bob.execute(ReadSecret).await.unwrap(), secret);
    assert_eq!(server.cli(&["GET", "ht:schema"]).unwrap().trim(), "2");
    let cyd = open().await;
    assert_eq!(cyd.execute(ReadSecret).await.unwrap(), secret);

    // A newcomer that is faster wins, and the others follow.
    server.cli(&["FLUSHALL"]).unwrap();
    let dan = open().await;
    let newer = dan.execute(ReadSecret).await.unwrap();
    assert_ne!(newer, secret);
    for store in [&ann, &bob] {
        assert_eq!(store.execute(ReadSecret).await.unwrap(), newer);
    }
}
