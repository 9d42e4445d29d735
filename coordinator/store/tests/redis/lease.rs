//! Leases that end, and coordinators that share a server.

use hatchery_store::RedisStore;
use hatchery_store::membership::StoreChange;
use hatchery_store::operation::{
    CompleteJobs, CreateRun, DeleteRun, LeaseJobs, ListRuns, ReadPosition, ReadResults,
    ReleaseJobs, RenewLeases, SteerRun,
};
use hatchery_store::{CoordinatorId, JobId, SteerAction, Store, StoreError};
use hatchery_test_redis::PATIENCE;
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;

use super::play::{ANN, BOB, CAT, RUN, age, begin, enqueue, farm, indices, job, result, results};

#[tokio::test]
async fn a_lease_that_is_over_passes_on() {
    let (server, store) = farm().await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 3)).await.unwrap();
    assert_eq!(
        indices(&store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 2 }).await.unwrap()),
        [0, 1]
    );
    assert_eq!(
        indices(&store.execute(LeaseJobs { run: RUN, consumer: BOB, most: 9 }).await.unwrap()),
        [2]
    );
    age(&server);
    // Renewed in time: nobody looked meanwhile.
    assert!(
        store
            .execute(RenewLeases { run: RUN, consumer: ANN, jobs: vec![job(1)] })
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        indices(&store.execute(LeaseJobs { run: RUN, consumer: BOB, most: 9 }).await.unwrap()),
        [0, 2]
    );
    assert_eq!(
        store
            .execute(RenewLeases { run: RUN, consumer: ANN, jobs: vec![job(0), job(1)] })
            .await
            .unwrap(),
        [job(0)]
    );
    store
        .execute(ReleaseJobs { run: RUN, consumer: ANN, jobs: vec![job(0), job(1), job(2)] })
        .await
        .unwrap();
    assert_eq!(
        indices(&store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 9 }).await.unwrap()),
        [1]
    );
}

#[tokio::test]
async fn more_jobs_than_a_call_takes_are_leased_in_order() {
    let (server, store) = farm().await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 1000)).await.unwrap();
    let all: Vec<u64> = (0..1000).collect();
    assert_eq!(
        indices(&store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 700 }).await.unwrap()),
        all[..700]
    );
    assert_eq!(
        indices(&store.execute(LeaseJobs { run: RUN, consumer: BOB, most: 700 }).await.unwrap()),
        all[700..]
    );
    let jobs: Vec<JobId> = (0..1000).map(job).collect();
    assert_eq!(
        store.execute(RenewLeases { run: RUN, consumer: ANN, jobs: jobs.clone() }).await.unwrap(),
        jobs[700..]
    );
    age(&server);
    assert_eq!(
        indices(&store.execute(LeaseJobs { run: RUN, consumer: BOB, most: 2000 }).await.unwrap()),
        all
    );
    store.execute(CompleteJobs { run: RUN, results: results(0..1000) }).await.unwrap();
    let page = store.execute(ReadResults { run: RUN, from: 0, most: 2000 }).await.unwrap();
    let expected: Vec<_> = (0..1000).map(|index| result(index).1).collect();
    assert!(page.results == expected && page.n_unresolved == 0);
}

#[tokio::test]
async fn a_consumer_without_leases_is_forgotten() {
    let (server, store) = farm().await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 4)).await.unwrap();
    for consumer in [ANN, BOB, CAT] {
        store.execute(LeaseJobs { run: RUN, consumer, most: 1 }).await.unwrap();
    }
    store.execute(ReleaseJobs { run: RUN, consumer: ANN, jobs: vec![job(0)] }).await.unwrap();
    let prelude = include_str!("../../src/redis/lua/prelude.lua");
    let lease = include_str!("../../src/redis/lua/lease.lua");
    let script = format!("{prelude}{lease}");
    let mut eval = vec!["EVAL".to_owned(), script, "12".to_owned()];
    let ends =
        ["rec", "ctl", "ck", "cut", "q", "res", "att", "dead", "gens", "ev", "parts", "claim"];
    eval.extend(ends.map(|end| format!("ht:{{{RUN}}}:{end}")));
    // No lease of `d` is over, and each time is too long ago to be looked at again or remembered.
    eval.extend(["me", "d", "1", "3600000", "0", "-1"].map(str::to_owned));
    let eval: Vec<&str> = eval.iter().map(String::as_str).collect();
    assert!(server.cli(&eval).unwrap().contains("ok"));
    let q = format!("ht:{{{RUN}}}:q");
    let left = server.cli(&["XINFO", "CONSUMERS", &q, "w"]).unwrap();
    let is_there = |consumer: CoordinatorId| left.contains(&consumer.to_string());
    assert_eq!([ANN, BOB, CAT].map(is_there), [false, true, true], "{left}");
    assert!(left.contains("free"), "{left}");
    // Whoever comes back is welcome.
    assert_eq!(
        indices(&store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 9 }).await.unwrap()),
        [3]
    );
}

#[tokio::test]
async fn a_run_that_is_gone_is_no_run() {
    let (server, store) = farm().await;
    let lead = begin(&store).await;
    store.execute(enqueue(lead, 0, 3)).await.unwrap();
    assert_eq!(server.cli(&["FLUSHALL"]).unwrap(), "OK\n");
    let answers = [
        store.execute(LeaseJobs { run: RUN, consumer: ANN, most: 1 }).await.map(drop),
        store.execute(CompleteJobs { run: RUN, results: results(0..1) }).await.map(drop),
        store.execute(enqueue(lead, 3, 1)).await.map(drop),
        store.execute(RenewLeases { run: RUN, consumer: ANN, jobs: vec![] }).await.map(drop),
        store.execute(ReadPosition { run: RUN }).await.map(drop),
    ];
    for answer in answers {
        assert!(matches!(answer, Err(StoreError::NoRun { run: RUN })), "{answer:?}");
    }
    assert!(store.execute(ListRuns).await.unwrap().is_empty());
}

#[tokio::test]
async fn changes_are_published_to_others_only_and_after_a_restart() {
    let (mut server, store) = farm().await;
    let other = Store::new(RedisStore::open(&server.url()).await.unwrap());
    let mut heard = other.changes();
    let mut own = store.changes();
    let lead = begin(&store).await;
    expect(&mut heard, StoreChange::State(RUN)).await;
    store.execute(enqueue(lead, 0, 1)).await.unwrap();
    expect(&mut heard, StoreChange::Ready(RUN)).await;
    store.execute(CompleteJobs { run: RUN, results: results(0..1) }).await.unwrap();
    expect(&mut heard, StoreChange::Results(RUN)).await;
    assert!(own.try_recv().is_err(), "its own changes are no news");
    server.restart().unwrap();
    ring_until(&store, &mut heard).await;
}

/// Makes a noise until it is heard.
async fn ring_until(store: &Store, heard: &mut Receiver<StoreChange>) {
    let ring = async {
        let run = hatchery_store::RunId(ulid::Ulid(1));
        loop {
            let done = async {
                store
                    .execute(CreateRun {
                        run,
                        record: vec![],
                        checkpoint: vec![],
                        summary: vec![],
                        parts: vec![],
                    })
                    .await?;
                store.execute(SteerRun { run, steer: SteerAction::Pause }).await?;
                store.execute(DeleteRun { run }).await
            };
            if done.await.is_err() || heard.try_recv().is_err() {
                tokio::task::yield_now().await;
                continue;
            }
            break;
        }
    };
    timeout(PATIENCE, ring).await.expect("changes are received");
}

/// Waits for `bell`, and skips any other change.
async fn expect(heard: &mut Receiver<StoreChange>, bell: StoreChange) {
    let wait = async { while heard.recv().await.expect("the store is there") != bell {} };
    timeout(PATIENCE, wait).await.expect("the bell rings");
}
