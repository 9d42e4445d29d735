//! How a worker leaves.

use std::time::Duration;

use hatchery_proto::v1::to_coordinator::Message as FromWorker;
use hatchery_proto::v1::to_worker::Message as ToTheWorker;
use hatchery_proto::v1::{Cancel, Drain, Leaving, Verdict};
use hatchery_worker::WorkerError;
use prost::Message as _;

use crate::fake::{Fake, at};
use crate::{Worker, config, sluice};

#[tokio::test(flavor = "multi_thread")]
async fn a_drained_worker_gives_back_what_waits_and_waits_for_verdicts() {
    const GATE: u32 = 40;
    let mut fake = Fake::start().await;
    let worker = Worker::start(config(1, &[&fake]));
    let mut session = fake.session().await;
    session.assign(0, &sluice::job(&[GATE], 1)).await;
    session.running(1).await;
    session.assign(1, &sluice::job(&[GATE], 1)).await;
    session.say(ToTheWorker::Drain(Drain {})).await;
    let FromWorker::Release(release) = session.next().await else { panic!() };
    assert_eq!(release.refs, [at(1)]);
    // A job that was under way comes back at once.
    session.push(2, Vec::new()).await;
    let FromWorker::Release(release) = session.next().await else { panic!() };
    assert_eq!(release.refs, [at(2)]);
    sluice::open(GATE);
    session.results(1).await;
    assert_eq!(session.barrier().await, [], "no goodbye without a verdict");
    session.judge(&[0], Verdict::Accepted).await;
    assert_eq!(session.ended().await, [FromWorker::Goodbye(Default::default())]);
    worker.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_worker_stays_until_no_more_jobs_can_come() {
    let mut fake = Fake::start().await;
    let worker = Worker::start(config(1, &[&fake]));
    let mut session = fake.session().await;
    session.wait_for_credits(1).await;
    worker.stop.send_replace(true);
    while session.hear_all().await.unwrap() != FromWorker::Leaving(Leaving {}) {}
    // Given out before Leaving came.
    session.push(3, sluice::job(&[0], 1).encode_to_vec()).await;
    let FromWorker::Release(release) = session.next().await else { panic!() };
    assert_eq!(release.refs, [at(3)]);
    session.say(ToTheWorker::Drain(Drain {})).await;
    assert_eq!(session.ended().await, [FromWorker::Goodbye(Default::default())]);
    worker.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_end_in_time_is_given_back() {
    let mut fake = Fake::start().await;
    let mut config = config(1, &[&fake]);
    config.grace = Duration::from_millis(100);
    let worker = Worker::start(config);
    let mut session = fake.session().await;
    session.assign(0, &sluice::job(&[0], 1)).await;
    session.results(1).await;
    session.assign(1, &sluice::job(&[41], 1)).await;
    session.running(1).await;
    worker.stop.send_replace(true);
    // The verdict on job 0 never comes.
    let said = session.ended().await;
    let [FromWorker::Release(release), FromWorker::Goodbye(_)] = &said[..] else {
        panic!("{said:?}")
    };
    assert_eq!(release.refs, [at(1)]);
    worker.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_worker_brings_its_results_to_the_next_coordinator() {
    const GATE: u32 = 42;
    let mut fake = Fake::start().await;
    let worker = Worker::start(config(1, &[&fake]));
    let mut session = fake.session().await;
    session.assign(0, &sluice::job(&[GATE], 1)).await;
    session.running(1).await;
    drop(session);
    let mut session = fake.session().await;
    worker.stop.send_replace(true);
    sluice::open(GATE);
    session.results(1).await;
    drop(session);
    let mut session = fake.session().await;
    session.results(1).await;
    session.judge(&[0], Verdict::Accepted).await;
    assert_eq!(session.ended().await, [FromWorker::Goodbye(Default::default())]);
    worker.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_that_does_not_return_ends_the_worker() {
    let mut fake = Fake::start().await;
    let worker = Worker::start(config(2, &[&fake]));
    let mut session = fake.session().await;
    session.assign(0, &sluice::job(&[43], 1)).await;
    session.assign(1, &sluice::job(&[44], 1)).await;
    session.running(2).await;
    session.say(ToTheWorker::Cancel(Cancel { refs: vec![at(0)] })).await;
    let said = session.ended().await;
    let [FromWorker::Release(release), FromWorker::Goodbye(_)] = &said[..] else {
        panic!("{said:?}")
    };
    assert_eq!(release.refs, [at(1)], "the other job can be done elsewhere");
    let stuck = worker.ended().await.unwrap_err();
    let WorkerError::Stuck { job, .. } = &stuck else { panic!("{stuck}") };
    assert!(job.ends_with("/4/0"), "{job}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_that_does_not_return_ends_a_worker_without_a_coordinator() {
    let mut fake = Fake::start().await;
    let mut config = config(1, &[&fake]);
    config.stuck_grace = Duration::from_millis(300);
    let worker = Worker::start(config);
    let mut session = fake.session().await;
    session.assign(0, &sluice::job(&[45], 1)).await;
    session.running(1).await;
    session.say(ToTheWorker::Cancel(Cancel { refs: vec![at(0)] })).await;
    session.barrier().await;
    drop((session, fake));
    assert!(matches!(worker.ended().await, Err(WorkerError::Stuck { .. })));
}
