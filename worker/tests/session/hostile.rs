//! Coordinators that are broken or hostile: the worker continues with the next session.

use hatchery_core::Digest;
use hatchery_proto::v1::to_worker::Message as ToTheWorker;
use hatchery_proto::v1::{
    Assign, Assignment, Cancel, Draws, Job, JobRef, Notice, Reconnect, SelfTest, Verdict, Welcome,
    result,
};
use prost::Message;

use crate::fake_coordinator::{FakeCoordinator, job_ref};
use crate::{TestWorker, config, gated};

/// Jobs that cannot run fail with a message that says why.
#[tokio::test(flavor = "multi_thread")]
async fn garbage_jobs_fail_with_a_reason() {
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(2, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    let good = gated::job(&[0], 10);
    let with = |change: &dyn Fn(&mut Job)| {
        let mut job = good.clone();
        change(&mut job);
        job.encode_to_vec()
    };
    let missing = Digest::of(b"nobody has this").as_bytes().to_vec();
    let garbage = [
        (vec![255; 30], "malformed job"),
        (with(&|job| job.experiment = "chess".to_owned()), "does not know chess version 3"),
        (with(&|job| job.version = 4), "does not know gated version 4"),
        (with(&|job| job.shared = vec![1; 31]), "a hash of 31 bytes instead of 32"),
        (with(&|job| job.shared = missing.clone()), "was not sent"),
        // The input of pig is no input of this experiment.
        (with(&|job| job.shared = Digest::of(&[0]).as_bytes().to_vec()), ""),
        (with(&|job| job.segments.clear()), "no segments"),
        (with(&|job| job.segments[0].n_trials = u32::MAX), "too many trials"),
        (with(&|job| job.segments[0].n_trials = 0), "without trials"),
        (with(&|job| job.segments[0].subject = vec![9; 9]), "malformed subject"),
        (with(&|job| job.draws = Draws::Unspecified.into()), "no draws"),
    ];
    for (index, (job, expected)) in (0..).zip(&garbage) {
        session.wait_for_credits(1).await;
        session.credits -= 1;
        session.assign_unasked(index, job.clone()).await;
        let brought = session.results(1).await;
        match brought[&index].outcome.as_ref().unwrap() {
            result::Outcome::Failure(failure) => {
                assert!(failure.message.contains(expected), "{expected}: {}", failure.message);
            }
            // The bytes of one input may be a valid encoding of another.
            result::Outcome::Output(_) => assert_eq!(*expected, "", "job {index}"),
        }
        session.send_verdicts(&[index], Verdict::Accepted).await;
    }
    session.assign(100, &good).await;
    let output = result::Outcome::Output(gated::output(&good, &gated::shared()));
    assert_eq!(session.results(1).await[&100].outcome, Some(output));
}

/// A result that is too large for the session is brought by a call of its own; a result that the
/// coordinator refuses there becomes a failure with the reason.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_result_that_is_refused_fails() {
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    let mut large = gated::job(&[0], 6);
    large.segments[0].subject = hatchery_core::WireValue::encode(&gated::GatedSubject {
        gate: 0,
        padding: 100_000,
        beats: false,
    });
    session.assign(0, &large).await;
    let brought = session.results(1).await;
    let Some(result::Outcome::Failure(failure)) = &brought[&0].outcome else { panic!() };
    assert!(failure.message.contains("no result here is large"), "{}", failure.message);
}

/// Each violation of the protocol ends the session, and the next session works.
#[tokio::test(flavor = "multi_thread")]
async fn a_broken_session_is_followed_by_another() {
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(1, &[&coordinator]));
    let many = vec![Assignment::default(); 129];
    let tests = vec![SelfTest::default(); 300];
    for breach in [
        ToTheWorker::Notice(Notice { text: "x".repeat(2 << 20) }),
        ToTheWorker::Welcome(Welcome::default()),
        ToTheWorker::Assign(Assign { assignments: many }),
    ] {
        let session = coordinator.welcomed_session().await;
        session.send(breach).await;
        session.wait_for_end().await;
    }
    let session = coordinator.next_session().await;
    session.send(ToTheWorker::Cancel(Cancel::default())).await;
    session.wait_for_end().await;
    let session = coordinator.next_session().await;
    session.send(ToTheWorker::Welcome(Welcome { self_tests: tests, ..Welcome::default() })).await;
    session.wait_for_end().await;
    assert_works(&mut coordinator).await;
}

/// Verdicts, cancellations and assignments of unknown jobs are ignored.
#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_ignored() {
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    session.wait_for_credits(2).await;
    let short = JobRef { run: vec![1, 2, 3], generation: 0, index: 0 };
    session.send_verdicts(&[1, 2, 3], Verdict::Accepted).await;
    session.send(ToTheWorker::Cancel(Cancel { refs: vec![short.clone(), job_ref(77)] })).await;
    let nowhere = |r#ref| Assignment { r#ref, ..Assignment::default() };
    let assignments = vec![nowhere(None), nowhere(Some(short))];
    session.send(ToTheWorker::Assign(Assign { assignments })).await;
    // Their credits are not lost.
    session.credits = 0;
    session.wait_for_credits(2).await;
    let endpoints = (0..500).map(|n| format!("http://192.0.2.1:{n}")).collect();
    let reconnect = Reconnect { after_ms: 0, endpoints };
    session.assign(5, &gated::job(&[0], 1)).await;
    session.results(1).await;
    session.send_verdicts(&[5], Verdict::Accepted).await;
    drop((session, reconnect));
    assert_works(&mut coordinator).await;
}

async fn assert_works(coordinator: &mut FakeCoordinator) {
    let mut session = coordinator.welcomed_session().await;
    let good = gated::job(&[0], 10);
    session.assign(0, &good).await;
    let output = result::Outcome::Output(gated::output(&good, &gated::shared()));
    assert_eq!(session.results(1).await[&0].outcome, Some(output));
}
