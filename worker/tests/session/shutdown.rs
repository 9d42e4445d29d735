//! The shutdown of a worker.

use std::time::Duration;

use hatchery_proto::v1::to_coordinator::Message as FromWorker;
use hatchery_proto::v1::to_worker::Message as ToTheWorker;
use hatchery_proto::v1::{Cancel, Drain, Leaving, Verdict};
use hatchery_worker::WorkerError;
use prost::Message as _;

use crate::fake_coordinator::{FakeCoordinator, job_ref};
use crate::{TestWorker, config, gated};

#[tokio::test(flavor = "multi_thread")]
async fn a_drained_worker_gives_back_what_waits_and_waits_for_verdicts() {
    const GATE: u32 = 40;
    let mut coordinator = FakeCoordinator::start().await;
    let worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::job(&[GATE], 1)).await;
    session.wait_for_running(1).await;
    session.assign(1, &gated::job(&[GATE], 1)).await;
    session.send(ToTheWorker::Drain(Drain {})).await;
    let FromWorker::Release(release) = session.next_reply().await else { panic!() };
    assert_eq!(release.refs, [job_ref(1)]);
    // A job that was on its way comes back at once.
    session.assign_unasked(2, Vec::new()).await;
    let FromWorker::Release(release) = session.next_reply().await else { panic!() };
    assert_eq!(release.refs, [job_ref(2)]);
    gated::open_gate(GATE);
    session.results(1).await;
    assert_eq!(session.barrier().await, [], "no goodbye without a verdict");
    session.send_verdicts(&[0], Verdict::Accepted).await;
    assert_eq!(session.wait_for_end().await, [FromWorker::Goodbye(Default::default())]);
    worker.wait_for_end().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_worker_stays_until_no_more_jobs_can_come() {
    let mut coordinator = FakeCoordinator::start().await;
    let worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    session.wait_for_credits(1).await;
    worker.stop.send_replace(true);
    while session.receive_any().await.unwrap() != FromWorker::Leaving(Leaving {}) {}
    // Assigned before Leaving arrived.
    session.assign_unasked(3, gated::job(&[0], 1).encode_to_vec()).await;
    let FromWorker::Release(release) = session.next_reply().await else { panic!() };
    assert_eq!(release.refs, [job_ref(3)]);
    session.send(ToTheWorker::Drain(Drain {})).await;
    assert_eq!(session.wait_for_end().await, [FromWorker::Goodbye(Default::default())]);
    worker.wait_for_end().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_do_not_end_in_time_are_given_back() {
    let mut coordinator = FakeCoordinator::start().await;
    let mut config = config(1, &[&coordinator]);
    config.grace = Duration::from_millis(100);
    let worker = TestWorker::start(config);
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::job(&[0], 1)).await;
    session.results(1).await;
    session.assign(1, &gated::job(&[41], 1)).await;
    session.wait_for_running(1).await;
    worker.stop.send_replace(true);
    // The verdict on job 0 never comes.
    let messages = session.wait_for_end().await;
    let [FromWorker::Release(release), FromWorker::Goodbye(_)] = &messages[..] else {
        panic!("{messages:?}")
    };
    assert_eq!(release.refs, [job_ref(1)]);
    worker.wait_for_end().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_worker_sends_its_results_to_the_next_coordinator() {
    const GATE: u32 = 42;
    let mut coordinator = FakeCoordinator::start().await;
    let worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::job(&[GATE], 1)).await;
    session.wait_for_running(1).await;
    drop(session);
    let mut session = coordinator.welcomed_session().await;
    worker.stop.send_replace(true);
    gated::open_gate(GATE);
    session.results(1).await;
    drop(session);
    let mut session = coordinator.welcomed_session().await;
    session.results(1).await;
    session.send_verdicts(&[0], Verdict::Accepted).await;
    assert_eq!(session.wait_for_end().await, [FromWorker::Goodbye(Default::default())]);
    worker.wait_for_end().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_that_does_not_return_ends_the_worker() {
    let mut coordinator = FakeCoordinator::start().await;
    let mut config = config(2, &[&coordinator]);
    config.stuck_grace = Duration::from_millis(50);
    let worker = TestWorker::start(config);
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::job(&[43], 1)).await;
    session.assign(1, &gated::job(&[44], 1)).await;
    session.wait_for_running(2).await;
    session.send(ToTheWorker::Cancel(Cancel { refs: vec![job_ref(0)] })).await;
    let messages = session.wait_for_end().await;
    let [FromWorker::Release(release), FromWorker::Goodbye(_)] = &messages[..] else {
        panic!("{messages:?}")
    };
    assert_eq!(release.refs, [job_ref(1)], "the other job can be done elsewhere");
    let stuck = worker.wait_for_end().await.unwrap_err();
    let WorkerError::Stuck { job, .. } = &stuck else { panic!("{stuck}") };
    assert!(job.ends_with("/4/0"), "{job}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_that_does_not_return_ends_a_worker_without_a_coordinator() {
    let mut coordinator = FakeCoordinator::start().await;
    let mut config = config(1, &[&coordinator]);
    // Long enough for the coordinator to be gone before.
    config.stuck_grace = Duration::from_secs(3);
    let worker = TestWorker::start(config);
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::job(&[45], 1)).await;
    session.wait_for_running(1).await;
    session.send(ToTheWorker::Cancel(Cancel { refs: vec![job_ref(0)] })).await;
    drop((session, coordinator));
    assert!(matches!(worker.wait_for_end().await, Err(WorkerError::Stuck { .. })));
}
