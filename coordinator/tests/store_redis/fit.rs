//! Which servers a store takes, and what it says of the others.

use hatchery_coordinator::RedisStore;
use hatchery_coordinator::store::membership::Membership;
use hatchery_coordinator::store::{
    AfterFold, AttemptId, EnqueueBatch, SteerAction, Store, StoreError, StoreVerdict, WorkerId,
};
use hatchery_test_redis::Redis;

use super::play::{
    ANN, BOB, DEADLINE, RUN, assert_all, begin, chain, enqueue, farm, fold, indices, job, results,
};

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
    assert!(matches!(error, StoreError::WrongFormat { found: 99, expected: 1, .. }), "{error}");
    assert_eq!(server.cli(&["GET", "ht:schema"]).unwrap(), "99\n");
    server.cli(&["SET", "ht:schema", "a number"]).unwrap();
    let error = refusal(&server.url()).await;
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn no_server_is_said_soon() {
    let mut server = Redis::start().unwrap();
    let url = server.url();
    server.kill().unwrap();
    let error = tokio::time::timeout(DEADLINE, refusal(&url)).await.expect("that is soon");
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
    assert!(!format!("{store:?}").contains("right"), "{store:?}");
    begin(&store).await;
}

/// The line in the documentation of the store is enough for all that a store does.
#[tokio::test]
async fn a_user_with_few_rights_is_enough() {
    let (server, _store) = farm().await;
    let mut line = vec!["ACL", "SETUSER", "hatchery", "reset", "on", ">word"];
    let docs = include_str!("../../src/store/redis.rs").lines();
    let rights: String = docs
        .map(|line| line.trim_start_matches("//!"))
        .skip_while(|line| !line.contains("user hatchery on"))
        .take_while(|line| !line.contains("```"))
        .collect();
    line.extend(rights.split_whitespace().skip_while(|right| *right != "resetkeys"));
    assert_eq!(server.cli(&line).unwrap(), "OK\n");
    let url = format!("redis://hatchery:word@127.0.0.1:{}", server.port());
    let store = RedisStore::open(&url).await.unwrap();
    whole_life(&store).await.unwrap();
    let unheard = server.cli(&["ACL", "LOG"]).unwrap();
    assert_eq!(unheard.trim(), "", "what was denied");
}

/// Every operation once, with an effect.
async fn whole_life(store: &RedisStore) -> Result<(), StoreError> {
    let lead = begin(store).await;
    let key = hatchery_core::Digest::of(b"key");
    assert_eq!(store.run_for(key, RUN).await?, RUN);
    assert_eq!(store.runs().await?, [RUN]);
    assert_eq!(store.record(RUN).await?, b"record");
    let first = EnqueueBatch { blobs: vec![b"blob".to_vec()], ..enqueue(0, 4) };
    store.enqueue(&lead, first).await?;
    let leased = store.enqueue_and_lease(&lead, enqueue(4, 2), BOB, 1).await?;
    store.release(RUN, BOB, &[leased[0].id]).await?;
    assert_eq!(indices(&store.lease(RUN, ANN, 3).await?), [0, 1, 2]);
    store.release(RUN, ANN, &[job(0)]).await?;
    assert_eq!(store.renew(RUN, ANN, &[job(0), job(1)]).await?, [job(0)]);
    assert_eq!(indices(&store.adopt(RUN, BOB, &[job(1)]).await?), [1]);
    assert!(store.jobs(RUN, &[job(5)]).await?[0].is_some());
    assert_eq!(store.attempt(RUN, job(2), AttemptId(1), b"attempt").await?.len(), 1);
    store.park(RUN, ANN, job(2)).await?;
    assert_eq!(store.parked(RUN, 0, 9).await?.len(), 1);
    assert_eq!(store.retry(RUN, &[job(2)]).await?, 1);
    assert_all(&store.complete(RUN, results(0..4)).await?, StoreVerdict::Accepted);
    assert_eq!(store.results(RUN, 0, 9).await?.results.len(), 4);
    store.fold(&lead, fold(1)).await?;
    assert_eq!(store.disown(&lead, WorkerId(7)).await?, 3);
    store.complete(RUN, results(0..6)).await?;
    let then = AfterFold::NextGeneration { record: b"generation".to_vec() };
    store.fold(&lead, hatchery_coordinator::store::FoldCommit { then, ..fold(6) }).await?;
    let back = hatchery_coordinator::store::Rewind { generation: 0, checkpoint: b"0".to_vec() };
    store.rewind(&lead, back).await?;
    store.fail(&lead, "why").await?;
    store.steer(RUN, SteerAction::Resume).await?;
    store.append_event(RUN, b"event").await?;
    assert_eq!(store.events(RUN, 0).await?.len(), 1);
    assert!(store.generations(RUN, 0).await?.is_empty());
    assert!(store.blob(RUN, hatchery_core::Digest::of(b"blob")).await?.is_some());
    assert!(store.claim(RUN, ANN, b"progress").await?);
    assert!(store.claimed(RUN).await?.is_some());
    store.unclaim(RUN, ANN).await?;
    store.announce(ANN, b"here").await?;
    assert_eq!(store.announced().await?.len(), 1);
    store.withdraw(ANN).await?;
    store.quarantine(WorkerId(9), "why").await?;
    assert_eq!(store.quarantined().await?, [(WorkerId(9), "why".to_owned())]);
    assert_eq!(store.secret().await?, store.secret().await?);
    store.delete(RUN).await
}
