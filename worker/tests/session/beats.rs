//! Long trials, which report progress and end when they are no longer wanted.

use std::time::Duration;

use hatchery_proto::v1::to_coordinator::Message as FromWorker;
use hatchery_proto::v1::to_worker::Message as ToTheWorker;
use hatchery_proto::v1::{Cancel, JobProgress};

use crate::fake_coordinator::{FakeCoordinator, FakeSession, job_ref};
use crate::{TestWorker, config, gated};

/// Waits until a running job has beaten more than `n` times, in its first trial.
async fn wait_for_beats(session: &mut FakeSession, n: u64) {
    loop {
        let Some(FromWorker::Heartbeat(heartbeat)) = session.receive().await else { continue };
        let has_beaten = |job: &JobProgress| job.trials_done == 0 && n < job.beats;
        if heartbeat.running.iter().any(has_beaten) {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_trial_that_beats_ends_and_its_worker_goes_on() {
    const GATE: u32 = 60;
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::beating_job(GATE)).await;
    wait_for_beats(&mut session, 0).await;
    wait_for_beats(&mut session, 10).await;
    session.send(ToTheWorker::Cancel(Cancel { refs: vec![job_ref(0)] })).await;
    gated::wait_until_left(GATE).await;
    session.assign(1, &gated::job(&[0], 1)).await;
    assert_eq!(session.results(1).await.into_keys().collect::<Vec<_>>(), [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_worker_ends_its_long_trials_when_its_grace_is_over() {
    const GATE: u32 = 61;
    let mut coordinator = FakeCoordinator::start().await;
    let mut config = config(1, &[&coordinator]);
    config.grace = Duration::from_millis(100);
    let worker = TestWorker::start(config);
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::beating_job(GATE)).await;
    session.wait_for_running(1).await;
    worker.stop.send_replace(true);
    let messages = session.wait_for_end().await;
    let [.., FromWorker::Release(release), FromWorker::Goodbye(_)] = &messages[..] else {
        panic!("{messages:?}")
    };
    assert_eq!(release.refs, [job_ref(0)]);
    worker.wait_for_end().await.unwrap();
    gated::wait_until_left(GATE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_trial_that_the_next_coordinator_does_not_want_ends() {
    const GATE: u32 = 62;
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::beating_job(GATE)).await;
    wait_for_beats(&mut session, 0).await;
    drop(session);
    let mut session = coordinator.welcomed_session().await;
    assert_eq!(session.held_indices(), [0]);
    wait_for_beats(&mut session, 0).await;
    session.send(ToTheWorker::Cancel(Cancel { refs: vec![job_ref(0)] })).await;
    gated::wait_until_left(GATE).await;
    session.assign(1, &gated::job(&[0], 1)).await;
    session.results(1).await;
}

/// A thread whose job waits for another thread may begin the next job meanwhile, but the first
/// job's result must not wait for that one.
#[tokio::test(flavor = "multi_thread")]
async fn no_result_waits_for_a_long_trial_of_another_job() {
    const GATES: [u32; 2] = [63, 64];
    const LONG_GATE: u32 = 65;
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(2, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    session.assign(0, &gated::job(&GATES, 1)).await;
    session.wait_for_running(1).await;
    session.assign(1, &gated::beating_job(LONG_GATE)).await;
    gated::open_gate(GATES[0]);
    wait_for_beats(&mut session, 0).await;
    gated::open_gate(GATES[1]);
    assert_eq!(session.results(1).await.into_keys().collect::<Vec<_>>(), [0]);
    gated::open_gate(LONG_GATE);
    assert_eq!(session.results(1).await.into_keys().collect::<Vec<_>>(), [1]);
}
