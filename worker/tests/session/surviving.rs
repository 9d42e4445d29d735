//! Coordinators come and go; jobs and results stay.

use std::time::Duration;

use hatchery_proto::v1::to_coordinator::Message as FromWorker;
use hatchery_proto::v1::to_worker::Message as ToTheWorker;
use hatchery_proto::v1::{Cancel, Reconnect, Verdict, result};
use hatchery_worker::{ReconnectPolicy, SessionError, WorkerError};
use tonic::Status;

use crate::fake::{Fake, Session, at, soon, ticket};
use crate::{Worker, config, sluice};

/// The next session with either of two coordinators, and with which one.
async fn either(one: &mut Fake, other: &mut Fake) -> (usize, Session) {
    soon("a session", async {
        tokio::select! {
            session = one.session() => (0, session),
            session = other.session() => (1, session),
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_outlives_its_coordinator() {
    const GATE: u32 = 1;
    let (mut one, mut other) = (Fake::start().await, Fake::start().await);
    let _worker = Worker::start(config(2, &[&one, &other]));
    let (first, mut session) = either(&mut one, &mut other).await;
    assert!(session.held().is_empty());
    let (slow, quick) = (sluice::job(&[GATE], 1), sluice::job(&[0, 0], 40));
    session.assign(0, &slow).await;
    session.assign(1, &quick).await;
    let brought = session.results(1).await;
    assert_eq!(brought[&1].ticket, ticket(1));
    let incarnation = session.hello.incarnation.clone();
    drop(session);

    let (second, mut session) = either(&mut one, &mut other).await;
    assert_ne!(first, second, "the next attempt goes to the next coordinator");
    assert_eq!(session.hello.incarnation, incarnation);
    assert_eq!(session.held(), [0, 1], "what runs, and what has no verdict");
    let again = session.results(1).await;
    assert_eq!(again[&1], brought[&1]);
    sluice::open(GATE);
    let late = session.results(1).await;
    assert_eq!(late[&0].ticket, ticket(0));
    let output = result::Outcome::Output(sluice::output(&slow, &sluice::shared()));
    assert_eq!(late[&0].outcome, Some(output));
    let output = result::Outcome::Output(sluice::output(&quick, &sluice::shared()));
    assert_eq!(again[&1].outcome, Some(output));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_brought_until_its_verdict_and_never_after_it() {
    let mut fake = Fake::start().await;
    let _worker = Worker::start(config(1, &[&fake]));
    let mut session = fake.session().await;
    session.assign(0, &sluice::job(&[0], 1)).await;
    session.assign(1, &sluice::job(&[0], 2)).await;
    session.results(2).await;
    session.judge(&[1], Verdict::Accepted).await;
    // A verdict that nobody knows is none, and neither is one on another job.
    session.judge(&[0], Verdict::Unspecified).await;
    session.judge(&[5], Verdict::Accepted).await;
    session.barrier().await;
    drop(session);
    for verdict in [Verdict::Unknown, Verdict::Invalid, Verdict::Duplicate] {
        let mut session = fake.session().await;
        assert_eq!(session.held(), [0]);
        assert_eq!(session.results(1).await.into_keys().collect::<Vec<_>>(), [0]);
        session.judge(&[0], verdict).await;
        // Any of them ends it: there is another job for the next.
        session.assign(0, &sluice::job(&[0], 3)).await;
        session.results(1).await;
    }
    let mut session = fake.session().await;
    session.results(1).await;
    session.judge(&[0], Verdict::Accepted).await;
    assert_eq!(session.barrier().await, []);
    drop(session);
    let mut session = fake.session().await;
    assert!(session.held().is_empty());
    session.assign(9, &sluice::job(&[0], 1)).await;
    assert_eq!(session.results(1).await.into_keys().collect::<Vec<_>>(), [9]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_coordinator_can_cancel_what_the_worker_holds() {
    const GATE: u32 = 2;
    let mut fake = Fake::start().await;
    let worker = Worker::start(config(1, &[&fake]));
    let mut session = fake.session().await;
    session.assign(0, &sluice::job(&[0], 1)).await;
    session.results(1).await;
    session.assign(1, &sluice::job(&[GATE], 1)).await;
    session.running(1).await;
    drop(session);
    let mut session = fake.session().await;
    assert_eq!(session.held(), [0, 1]);
    session.results(1).await;
    session.say(ToTheWorker::Cancel(Cancel { refs: vec![at(0), at(1), at(2)] })).await;
    session.barrier().await;
    sluice::open(GATE);
    session.wait_for_credits(2).await;
    assert_eq!(session.barrier().await, [], "nothing more is said about cancelled jobs");
    worker.stop.send_replace(true);
    assert_eq!(session.ended().await, [FromWorker::Goodbye(Default::default())]);
    worker.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_goes_elsewhere_when_asked() {
    const GATE: u32 = 3;
    let (mut one, mut other) = (Fake::start().await, Fake::start().await);
    let mut config = config(2, &[&one]);
    // What does not end in time goes along.
    config.grace = Duration::from_millis(100);
    let worker = Worker::start(config);
    let mut session = one.session().await;
    for index in 0..2 {
        session.assign(index, &sluice::job(&[GATE], 1)).await;
    }
    session.running(2).await;
    session.assign(2, &sluice::job(&[GATE], 1)).await;
    session
        .say(ToTheWorker::Reconnect(Reconnect {
            after_ms: 1,
            endpoints: vec!["nonsense".to_owned(), other.endpoint.clone()],
        }))
        .await;
    let said = session.ended().await;
    let [FromWorker::Release(released), FromWorker::Goodbye(_)] = &said[..] else {
        panic!("{said:?}")
    };
    assert_eq!(released.refs, [at(2)], "what waits is given back");
    let mut session = other.session().await;
    assert_eq!(session.held(), [0, 1]);
    sluice::open(GATE);
    session.results(2).await;
    session.judge(&[0, 1], Verdict::Accepted).await;
    session.wait_for_credits(4).await;
    worker.stop.send_replace(true);
    worker.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_all_refuse_ends_and_one_that_some_refuse_goes_on() {
    let mismatch = || Status::failed_precondition("protocol 9 is needed");
    let (one, two) = (Fake::refusing(mismatch()).await, Fake::refusing(mismatch()).await);
    let refused = Worker::start(config(1, &[&one, &two])).ended().await.unwrap_err();
    let WorkerError::Refused { reason, .. } = refused else { panic!("{refused}") };
    assert_eq!(reason, "protocol 9 is needed");

    let busy = Fake::refusing(Status::unavailable("draining")).await;
    let mut good = Fake::start().await;
    let mut config = config(1, &[&one, &busy, &good]);
    // Waits double with each refusal. Those of one seed in five go beyond the deadline, and those of
    // this one are 2 s in all.
    config.rng_seed = 8;
    let worker = Worker::start(config);
    for _ in 0..3 {
        good.session().await;
    }
    worker.stop.send_replace(true);
    worker.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_with_one_coordinator_in_its_process_ends_with_it() {
    let mut fake = Fake::start().await;
    let mut config = config(1, &[&fake]);
    config.reconnect = ReconnectPolicy::Never;
    let worker = Worker::start(config);
    drop(fake.session().await);
    let ended = worker.ended().await;
    assert!(matches!(ended, Err(WorkerError::Session(SessionError::Gone))), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_without_a_coordinator_can_be_stopped() {
    let fake = Fake::refusing(Status::unavailable("draining")).await;
    let worker = Worker::start(config(1, &[&fake]));
    worker.stop.send_replace(true);
    worker.ended().await.unwrap();
}
