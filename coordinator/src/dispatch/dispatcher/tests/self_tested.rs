//! Self-tests of workers: when a worker gets one, and what its answer changes.

use std::collections::BTreeSet;
use std::time::Duration;

use hatchery_proto::v1::result;

use super::scene::{CATALOG, Scene, worker_of};
use crate::dispatch::message::WorkerMessage;

/// The label of the scene's experiment.
fn label() -> String {
    format!("pig@{}", CATALOG.find("pig").unwrap().version())
}

/// A worker joins and takes jobs, but does not answer a self-test.
fn join_untested(scene: &mut Scene, session: u64) {
    scene.join_holding(session, worker_of(session), 1, Vec::new());
    scene.say(session, WorkerMessage::Want(2));
    scene.settle();
}

#[test]
fn a_worker_gets_no_job_before_its_self_test_is_right() {
    let mut scene = Scene::new(3, 0);
    join_untested(&mut scene, 1);
    assert_eq!(scene.players[&1].self_tests.len(), 1);
    assert!(scene.players[&1].jobs.is_empty());
    assert_eq!(scene.announced_experiments(), [[label()]], "it counts as able until then");
    scene.pass_self_test(1);
    scene.settle();
    assert!(!scene.players[&1].jobs.is_empty());
}

#[test]
fn a_worker_that_failed_the_self_test_gets_nothing() {
    let mut scene = Scene::new(3, 0);
    join_untested(&mut scene, 1);
    let wrong = result::Outcome::Output(b"something".to_vec());
    scene.answer_self_test(1, "pig", wrong);
    // Another answer does not help.
    scene.pass_self_test(1);
    scene.settle();
    assert!(scene.players[&1].jobs.is_empty());
    assert_eq!(scene.ready.len(), 3);
    assert_eq!(scene.announced_experiments(), [Vec::<String>::new()]);
    assert!(scene.players[&1].notices[0].contains("no jobs of pig"), "it is told why");
}

#[test]
fn a_self_test_is_computed_once_and_sent_when_a_run_needs_it() {
    let mut scene = Scene::new(3, 0);
    assert_eq!(scene.computed_tests, ["pig"]);
    scene.close();
    join_untested(&mut scene, 1);
    join_untested(&mut scene, 2);
    assert!(scene.players.values().all(|player| player.self_tests.is_empty()), "no run is open");
    scene.close_and_open();
    scene.close_and_open();
    assert!(scene.players.values().all(|player| player.self_tests.len() == 1));
    assert_eq!(scene.computed_tests, ["pig"]);
}

#[test]
fn a_worker_that_passed_is_not_tested_again() {
    let mut scene = Scene::new(3, 0);
    scene.join(1, 1, 2);
    scene.close_and_open();
    assert_eq!(scene.players[&1].self_tests.len(), 1);
    assert!(!scene.players[&1].jobs.is_empty());
}

#[test]
fn an_answer_to_a_test_that_was_not_asked_for_counts_for_nothing() {
    let mut scene = Scene::new(3, 0);
    scene.close();
    join_untested(&mut scene, 1);
    scene.pass_self_test(1);
    scene.answer_self_test(1, "chess", result::Outcome::Output(Vec::new()));
    scene.close_and_open();
    assert!(scene.players[&1].jobs.is_empty());
    scene.pass_self_test(1);
    scene.settle();
    assert!(!scene.players[&1].jobs.is_empty());
}

/// The worker is of this release, or of an earlier one, which gets its self-tests in Welcome.
#[test]
fn no_worker_gets_jobs_of_an_experiment_whose_self_test_fails_in_the_coordinator() {
    for sends_tests_in_welcome in [false, true] {
        let mut scene = Scene::new(3, 0);
        scene.sends_tests_in_welcome = sends_tests_in_welcome;
        scene.fail_self_test();
        join_untested(&mut scene, 1);
        // The right output does not help, since the coordinator does not know it.
        scene.pass_self_test(1);
        scene.settle();
        assert!(scene.players[&1].self_tests.is_empty() && scene.players[&1].jobs.is_empty());
        assert_eq!(scene.announced_experiments(), [Vec::<String>::new()]);
        let notices = &scene.players[&1].notices;
        assert!(notices[0].contains("failed in the coordinator"), "{notices:?}");
    }
}

/// A worker of an earlier release can answer only all self-tests together.
#[test]
fn a_worker_that_gets_its_tests_in_welcome_answers_them_together() {
    let mut scene = Scene::new(3, 0);
    scene.sends_tests_in_welcome = true;
    join_untested(&mut scene, 1);
    assert!(scene.players[&1].self_tests.is_empty() && scene.players[&1].jobs.is_empty());
    let right = result::Outcome::Output(scene.self_test.output.clone());
    scene.answer_self_test(1, "", right);
    scene.settle();
    assert!(!scene.players[&1].jobs.is_empty());
}

#[test]
fn a_worker_of_another_version_is_told_so_and_gets_nothing() {
    let mut scene = Scene::new(3, 0);
    scene.versions = Some([("pig".to_owned(), 999), ("chess".to_owned(), 1)].into());
    join_untested(&mut scene, 1);
    assert!(scene.players[&1].self_tests.is_empty() && scene.players[&1].jobs.is_empty());
    let notices = &scene.players[&1].notices;
    assert!(notices[0].contains("this worker 999"), "{notices:?}");
    // An experiment that is not in this build is another coordinator's matter.
    assert_eq!(scene.announced_experiments(), [["chess@1"]]);
    scene.versions = Some([].into());
    join_untested(&mut scene, 2);
    let notices = &scene.players[&2].notices;
    assert!(notices[0].contains("this worker none"), "{notices:?}");
}

/// Strangers may announce thousands of names: few and short ones are kept, and none once their
/// workers have left.
#[test]
fn unknown_experiments_of_workers_are_few_and_short_and_forgotten() {
    let mut scene = Scene::new(3, 0);
    let version = CATALOG.find("pig").unwrap().version();
    let names = |session: u64| {
        let odd = (0..100).map(move |n| (format!("{session}-{n}"), 1));
        let long = std::iter::once(("x".repeat(65), 1));
        odd.chain(long).chain([("pig".to_owned(), version)]).collect()
    };
    for session in 1..=20 {
        scene.versions = Some(names(session));
        join_untested(&mut scene, session);
        let announced = scene.announced_experiments();
        let of_worker = announced.iter().map(Vec::len).max().unwrap_or_default();
        assert!(of_worker <= 33, "{of_worker} names of a worker");
        let all: BTreeSet<_> = announced.concat().into_iter().collect();
        assert!(all.len() <= 257, "{} names of {session} workers", all.len());
        assert!(all.iter().all(|name| name.len() <= 66) && all.contains(&label()));
    }
    (1..=20).for_each(|session| scene.leave(session, true));
    assert_eq!(scene.n_known_experiments(), 0, "they are forgotten");
    scene.versions = Some([("chess".to_owned(), 1)].into());
    join_untested(&mut scene, 99);
    assert_eq!(scene.announced_experiments(), [["chess@1"]]);
}

/// An answer waits for the opinion of a worker that is about to be tested.
#[test]
fn a_worker_is_not_alone_while_another_is_being_tested() {
    let mut scene = Scene::new(1, 1_000_000);
    scene.join(1, 1, 1);
    join_untested(&mut scene, 2);
    scene.bring(1, false);
    assert!(scene.done.is_empty(), "it waits for a second opinion");
    scene.pass_self_test(2);
    scene.settle();
    scene.bring(2, false);
    assert_eq!(scene.done.len(), 1);
}

/// One worker fails each job, the other never answers its self-test: the job ends all the same.
#[test]
fn a_job_that_fails_waits_a_minute_for_a_worker_that_does_not_answer_its_self_test() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 1);
    join_untested(&mut scene, 2);
    let mut seconds = 0;
    while scene.parked.is_empty() {
        assert!(seconds < 300, "it is tried for ever");
        super::fail(&mut scene, 1);
        scene.say(1, WorkerMessage::Want(1));
        scene.wait(Duration::from_secs(1));
        seconds += 1;
    }
    assert!(60 <= seconds, "the other worker may compute it yet");
}

#[test]
fn answers_wait_a_minute_for_a_worker_that_does_not_answer_its_self_test() {
    let mut scene = Scene::new(2, 1_000_000);
    scene.join(1, 1, 2);
    join_untested(&mut scene, 2);
    scene.wait(Duration::from_secs(61));
    scene.bring(1, false);
    assert_eq!(scene.done.len(), 1, "a worker that is alone needs no second opinion");
}

#[test]
fn a_worker_counts_as_able_again_once_it_answers_its_self_test() {
    let mut scene = Scene::new(3, 0);
    join_untested(&mut scene, 1);
    scene.wait(Duration::from_secs(59));
    assert_eq!(scene.announced_experiments(), [[label()]]);
    scene.wait(Duration::from_secs(2));
    assert_eq!(scene.announced_experiments(), [Vec::<String>::new()]);
    assert!(scene.players[&1].notices[0].contains("has not answered"), "it is told so");
    scene.pass_self_test(1);
    scene.settle();
    assert_eq!(scene.announced_experiments(), [[label()]]);
    assert!(!scene.players[&1].jobs.is_empty());
}

/// A worker that answered in time, or left, gets no notice.
#[test]
fn only_a_missing_answer_is_overdue() {
    let mut scene = Scene::new(3, 0);
    scene.join(1, 1, 2);
    join_untested(&mut scene, 2);
    scene.leave(2, true);
    scene.wait(Duration::from_secs(61));
    assert_eq!(scene.announced_experiments(), [[label()]]);
    assert!(scene.players[&1].notices.is_empty());
}
