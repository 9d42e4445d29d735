//! Coordinators are lost and replaced; jobs and results stay.

use std::time::Duration;

use hatchery_proto::WorkerProof;
use hatchery_proto::v1::to_coordinator::Message as FromWorker;
use hatchery_proto::v1::to_worker::Message as ToTheWorker;
use hatchery_proto::v1::{Cancel, Reconnect, Verdict, result};
use hatchery_worker::{ReconnectPolicy, SessionError, WorkerError};
use tonic::Status;

use crate::fake_coordinator::{FakeCoordinator, FakeSession, job_ref, ticket, within_deadline};
use crate::{TestWorker, config, gated};

/// Waits for the next session with either of two coordinators, and returns the coordinator's index.
async fn either_session(
    one: &mut FakeCoordinator,
    other: &mut FakeCoordinator,
) -> (usize, FakeSession) {
    within_deadline("a session", async {
        tokio::select! {
            session = one.welcomed_session() => (0, session),
            session = other.welcomed_session() => (1, session),
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_outlives_its_coordinator() {
    const GATE: u32 = 1;
    let (mut one, mut other) = (FakeCoordinator::start().await, FakeCoordinator::start().await);
    let _worker = TestWorker::start(config(2, &[&one, &other]));
    let (first, mut session) = either_session(&mut one, &mut other).await;
    assert!(session.held_indices().is_empty());
    let (slow, quick) = (gated::job(&[GATE], 1), gated::job(&[0, 0], 40));
    session.assign(0, &slow).await;
    session.assign(1, &quick).await;
    let brought = session.results(1).await;
    assert_eq!(brought[&1].ticket, ticket(1));
    let (incarnation, proof) = (session.hello.incarnation.clone(), session.hello.proof.clone());
    let proven = WorkerProof::from_wire(&proof).map(|proof| proof.worker_id().to_vec());
    assert_eq!(proven.as_ref(), Some(&incarnation), "the id is the one of the proof");
    drop(session);

    let (second, mut session) = either_session(&mut one, &mut other).await;
    assert_ne!(first, second, "the next attempt goes to the next coordinator");
    assert_eq!((&session.hello.incarnation, &session.hello.proof), (&incarnation, &proof));
    assert_eq!(session.held_indices(), [0, 1], "what runs, and what has no verdict");
    let again = session.results(1).await;
    assert_eq!(again[&1], brought[&1]);
    gated::open_gate(GATE);
    let late = session.results(1).await;
    assert_eq!(late[&0].ticket, ticket(0));
    let output = result::Outcome::Output(gated::output(&slow, &gated::shared()));
    assert_eq!(late[&0].outcome, Some(output));
    let output = result::Outcome::Output(gated::output(&quick, &gated::shared()));
    assert_eq!(again[&1].outcome, Some(output));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_sent_until_its_verdict_and_never_after_it() {
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::job(&[0], 1)).await;
    session.assign(1, &gated::job(&[0], 2)).await;
    session.results(2).await;
    session.send_verdicts(&[1], Verdict::Accepted).await;
    // An unknown verdict is none, and neither is one on another job.
    session.send_verdicts(&[0], Verdict::Unspecified).await;
    session.send_verdicts(&[5], Verdict::Accepted).await;
    session.barrier().await;
    drop(session);
    for verdict in [Verdict::Unknown, Verdict::Invalid, Verdict::Duplicate] {
        let mut session = coordinator.welcomed_session().await;
        assert_eq!(session.held_indices(), [0]);
        assert_eq!(session.results(1).await.into_keys().collect::<Vec<_>>(), [0]);
        session.send_verdicts(&[0], verdict).await;
        // Any of them removes the result: there is another job for the next.
        session.assign(0, &gated::job(&[0], 3)).await;
        session.results(1).await;
    }
    let mut session = coordinator.welcomed_session().await;
    session.results(1).await;
    session.send_verdicts(&[0], Verdict::Accepted).await;
    assert_eq!(session.barrier().await, []);
    drop(session);
    let mut session = coordinator.welcomed_session().await;
    assert!(session.held_indices().is_empty());
    session.assign(9, &gated::job(&[0], 1)).await;
    assert_eq!(session.results(1).await.into_keys().collect::<Vec<_>>(), [9]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_coordinator_can_cancel_what_the_worker_holds() {
    const GATE: u32 = 2;
    let mut coordinator = FakeCoordinator::start().await;
    let worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::job(&[0], 1)).await;
    session.results(1).await;
    session.assign(1, &gated::job(&[GATE], 1)).await;
    session.wait_for_running(1).await;
    drop(session);
    let mut session = coordinator.welcomed_session().await;
    assert_eq!(session.held_indices(), [0, 1]);
    session.results(1).await;
    session
        .send(ToTheWorker::Cancel(Cancel { refs: vec![job_ref(0), job_ref(1), job_ref(2)] }))
        .await;
    session.barrier().await;
    gated::open_gate(GATE);
    session.wait_for_credits(2).await;
    assert_eq!(session.barrier().await, [], "nothing more is said about cancelled jobs");
    worker.stop.send_replace(true);
    assert_eq!(session.wait_for_end().await, [FromWorker::Goodbye(Default::default())]);
    worker.wait_for_end().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_reconnects_elsewhere_when_asked() {
    const GATE: u32 = 3;
    let (mut one, mut other) = (FakeCoordinator::start().await, FakeCoordinator::start().await);
    let mut config = config(2, &[&one]);
    // Jobs that do not end in time go along.
    config.grace = Duration::from_millis(100);
    let worker = TestWorker::start(config);
    let mut session = one.welcomed_session().await;
    for index in 0..2 {
        session.assign(index, &gated::job(&[GATE], 1)).await;
    }
    session.wait_for_running(2).await;
    session.assign(2, &gated::job(&[GATE], 1)).await;
    session
        .send(ToTheWorker::Reconnect(Reconnect {
            after_ms: 1,
            endpoints: vec!["nonsense".to_owned(), other.endpoint.clone()],
        }))
        .await;
    let messages = session.wait_for_end().await;
    let [FromWorker::Release(released), FromWorker::Goodbye(_)] = &messages[..] else {
        panic!("{messages:?}")
    };
    assert_eq!(released.refs, [job_ref(2)], "what waits is given back");
    let mut session = other.welcomed_session().await;
    assert_eq!(session.held_indices(), [0, 1]);
    gated::open_gate(GATE);
    session.results(2).await;
    session.send_verdicts(&[0, 1], Verdict::Accepted).await;
    session.wait_for_credits(4).await;
    worker.stop.send_replace(true);
    worker.wait_for_end().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_all_refuse_ends_and_one_that_some_refuse_goes_on() {
    let mismatch = || Status::failed_precondition("protocol 9 is needed");
    let (one, two) =
        (FakeCoordinator::refusing(mismatch()).await, FakeCoordinator::refusing(mismatch()).await);
    let refused = TestWorker::start(config(1, &[&one, &two])).wait_for_end().await.unwrap_err();
    let WorkerError::Refused { reason, .. } = refused else { panic!("{refused}") };
    assert_eq!(reason, "protocol 9 is needed");

    let busy = FakeCoordinator::refusing(Status::unavailable("draining")).await;
    let mut good = FakeCoordinator::start().await;
    let mut config = config(1, &[&one, &busy, &good]);
    // Waits double with each refusal. Those of one seed in five go beyond the deadline, and those
    // of this one are 2 s in all.
    config.rng_seed = 8;
    let worker = TestWorker::start(config);
    for _ in 0..3 {
        good.welcomed_session().await;
    }
    worker.stop.send_replace(true);
    worker.wait_for_end().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_with_one_coordinator_in_its_process_ends_with_it() {
    let mut coordinator = FakeCoordinator::start().await;
    let mut config = config(1, &[&coordinator]);
    config.reconnect = ReconnectPolicy::Never;
    let worker = TestWorker::start(config);
    drop(coordinator.welcomed_session().await);
    let outcome = worker.wait_for_end().await;
    assert!(matches!(outcome, Err(WorkerError::Session(SessionError::Closed))), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_without_a_coordinator_can_be_stopped() {
    let coordinator = FakeCoordinator::refusing(Status::unavailable("draining")).await;
    let worker = TestWorker::start(config(1, &[&coordinator]));
    worker.stop.send_replace(true);
    worker.wait_for_end().await.unwrap();
}
