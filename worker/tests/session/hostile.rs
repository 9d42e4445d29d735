//! Coordinators that are broken or hostile: the worker goes on with the next session.

use hatchery_core::Digest;
use hatchery_proto::v1::to_worker::Message as ToTheWorker;
use hatchery_proto::v1::{
    Assign, Assignment, Cancel, Draws, Job, JobRef, Notice, Reconnect, SelfTest, Verdict, Welcome,
    result,
};
use prost::Message;

use crate::fake::{Fake, at};
use crate::{Worker, config, sluice};

/// Jobs that can't be run are answered with what is wrong with them.
#[tokio::test(flavor = "multi_thread")]
async fn garbage_jobs_fail_with_a_reason() {
    let mut fake = Fake::start().await;
    let _worker = Worker::start(config(2, &[&fake]));
    let mut session = fake.session().await;
    let good = sluice::job(&[0], 10);
    let with = |change: &dyn Fn(&mut Job)| {
        let mut job = good.clone();
        change(&mut job);
        job.encode_to_vec()
    };
    let missing = Digest::of(b"nobody has this").as_bytes().to_vec();
    let garbage = [
        (vec![255; 30], "malformed job"),
        (with(&|job| job.experiment = "chess".to_owned()), "does not know chess version 3"),
        (with(&|job| job.version = 4), "does not know sluice version 4"),
        (with(&|job| job.shared = vec![1; 31]), "a hash of 31 bytes instead of 32"),
        (with(&|job| job.shared = missing.clone()), "was not sent"),
        // The blob of pig is no salt.
        (with(&|job| job.shared = Digest::of(&[0]).as_bytes().to_vec()), ""),
        (with(&|job| job.segments.clear()), "no segments"),
        (with(&|job| job.segments[0].n_trials = u32::MAX), "too many trials"),
        (with(&|job| job.segments[0].n_trials = 0), "without trials"),
        (with(&|job| job.segments[0].subject = vec![9; 9]), "malformed subject"),
        (with(&|job| job.draws = Draws::Unspecified.into()), "no draws"),
    ];
    for (index, (job, said)) in (0..).zip(&garbage) {
        session.wait_for_credits(1).await;
        session.credits -= 1;
        session.push(index, job.clone()).await;
        let brought = session.results(1).await;
        match brought[&index].outcome.as_ref().unwrap() {
            result::Outcome::Failure(failure) => {
                assert!(failure.message.contains(said), "{said}: {}", failure.message);
            }
            // Two encodings may be each other's.
            result::Outcome::Output(_) => assert_eq!(*said, "", "job {index}"),
        }
        session.judge(&[index], Verdict::Accepted).await;
    }
    session.assign(100, &good).await;
    let output = result::Outcome::Output(sluice::output(&good, &sluice::shared()));
    assert_eq!(session.results(1).await[&100].outcome, Some(output));
}

/// A result that is too large for a message is a failure that says so.
#[tokio::test(flavor = "multi_thread")]
async fn results_that_are_too_large_fail() {
    let mut fake = Fake::start().await;
    let _worker = Worker::start(config(1, &[&fake]));
    let mut session = fake.session().await;
    let mut large = sluice::job(&[0], 6);
    large.segments[0].subject =
        hatchery_core::Wire::encode(&sluice::Subject { gate: 0, padding: 100_000 });
    session.assign(0, &large).await;
    let brought = session.results(1).await;
    let Some(result::Outcome::Failure(failure)) = &brought[&0].outcome else { panic!() };
    assert!(failure.message.contains("but at most 524288 can be sent"), "{}", failure.message);
}

/// Whatever ends a session for good reason, the next one works.
#[tokio::test(flavor = "multi_thread")]
async fn a_broken_session_is_followed_by_another() {
    let mut fake = Fake::start().await;
    let _worker = Worker::start(config(1, &[&fake]));
    let many = vec![Assignment::default(); 129];
    let tests = vec![SelfTest::default(); 300];
    for breach in [
        ToTheWorker::Notice(Notice { text: "x".repeat(2 << 20) }),
        ToTheWorker::Welcome(Welcome::default()),
        ToTheWorker::Assign(Assign { assignments: many }),
    ] {
        let session = fake.session().await;
        session.say(breach).await;
        session.ended().await;
    }
    let session = fake.opened().await;
    session.say(ToTheWorker::Cancel(Cancel::default())).await;
    session.ended().await;
    let session = fake.opened().await;
    session.say(ToTheWorker::Welcome(Welcome { self_tests: tests, ..Welcome::default() })).await;
    session.ended().await;
    works(&mut fake).await;
}

/// What makes no sense is passed over.
#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_passed_over() {
    let mut fake = Fake::start().await;
    let _worker = Worker::start(config(1, &[&fake]));
    let mut session = fake.session().await;
    session.wait_for_credits(2).await;
    let short = JobRef { run: vec![1, 2, 3], generation: 0, index: 0 };
    session.judge(&[1, 2, 3], Verdict::Accepted).await;
    session.say(ToTheWorker::Cancel(Cancel { refs: vec![short.clone(), at(77)] })).await;
    let nowhere = |r#ref| Assignment { r#ref, job: vec![], ticket: vec![] };
    let assignments = vec![nowhere(None), nowhere(Some(short))];
    session.say(ToTheWorker::Assign(Assign { assignments })).await;
    // Their credits are not lost.
    session.credits = 0;
    session.wait_for_credits(2).await;
    let endpoints = (0..500).map(|n| format!("http://192.0.2.1:{n}")).collect();
    let reconnect = Reconnect { after_ms: 0, endpoints };
    session.assign(5, &sluice::job(&[0], 1)).await;
    session.results(1).await;
    session.judge(&[5], Verdict::Accepted).await;
    drop((session, reconnect));
    works(&mut fake).await;
}

async fn works(fake: &mut Fake) {
    let mut session = fake.session().await;
    let good = sluice::job(&[0], 10);
    session.assign(0, &good).await;
    let output = result::Outcome::Output(sluice::output(&good, &sluice::shared()));
    assert_eq!(session.results(1).await[&0].outcome, Some(output));
}
