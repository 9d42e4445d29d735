//! Jobs with a long trial.

use std::time::Duration;

use hatchery_proto::v1;

use super::job;
use super::scene::{Scene, key};
use crate::dispatch::message::{ReportedProgress, WorkerMessage};

/// Far longer than a job of other trials takes; twice this time is still shorter than the time for
/// which a job may be silent.
const LONG: Duration = Duration::from_secs(20);

#[test]
fn a_long_job_gets_no_copy_before_it_is_known_how_long_others_take() {
    let mut scene = Scene::with_alone(2, 2, 0);
    scene.join(1, 1, 2);
    scene.join(2, 1, 2);
    let counts = |scene: &Scene| [1, 2].map(|session: u64| scene.players[&session].jobs.len());
    assert_eq!(counts(&scene), [1, 1]);
    scene.wait(LONG);
    assert_eq!(scene.bring(2, false), Some(job(1)));
    scene.want_more();
    // Now it is known: twice as long is late.
    scene.wait(LONG - Duration::from_secs(1));
    assert_eq!(counts(&scene), [1, 0]);
    scene.begin(1, job(0));
    scene.wait(Duration::from_secs(2));
    assert_eq!(counts(&scene), [1, 1]);
}

#[test]
fn no_job_waits_behind_a_long_one_for_a_slot() {
    let mut scene = Scene::with_alone(2, 12, 0);
    scene.join(1, 1, 8);
    scene.join(2, 2, 16);
    let held = |session: u64| -> Vec<u64> {
        scene.players[&session].jobs.iter().map(|(job, ..)| job.index).collect()
    };
    assert_eq!(held(1), [0], "its only slot has a long one");
    // A worker that is not checked yet keeps one of the four places for second opinions.
    assert_eq!((held(2)[0], held(2).len()), (1, 4), "a long one, and three for the other slot");
}

#[test]
fn long_jobs_wait_in_the_store_until_a_slot_is_free() {
    let mut scene = Scene::with_alone(3, 3, 0);
    scene.join(1, 1, 8);
    scene.wait(Duration::from_secs(3));
    assert_eq!(scene.players[&1].jobs.len(), 1);
    assert_eq!(scene.ready.len(), 2, "another coordinator can lease them");
    assert_eq!(super::work(&mut scene), 3);
}

#[test]
fn a_long_job_is_not_checked_because_it_is_the_first_of_a_worker() {
    let mut scene = Scene::with_alone(1, 4, 0);
    scene.join(1, 1, 1);
    scene.join(2, 1, 0);
    assert_eq!(scene.bring(1, false), Some(job(0)));
    assert!(scene.done.contains_key(&job(0)));
    assert_eq!(scene.players[&1].verdicts, [(job(0), v1::Verdict::Accepted)]);
    // The next one is, because nothing is known of the worker yet.
    scene.say(1, WorkerMessage::Want(2));
    scene.settle();
    assert_eq!(scene.bring(1, false), Some(job(1)));
    assert!(!scene.done.contains_key(&job(1)));
}

#[test]
fn a_long_answer_waits_while_its_worker_is_checked() {
    let mut scene = Scene::with_alone(1, 3, 0);
    scene.join(1, 2, 3);
    scene.join(2, 1, 0);
    let jobs: Vec<_> = scene.players[&1].jobs.iter().map(|(job, ..)| job.index).collect();
    assert_eq!(jobs[..2], [0, 1]);
    scene.players.get_mut(&1).unwrap().jobs.rotate_left(1);
    assert_eq!(scene.bring(1, false), Some(job(1)));
    scene.players.get_mut(&1).unwrap().jobs.rotate_right(1);
    assert_eq!(scene.bring(1, false), Some(job(0)));
    assert!(scene.done.is_empty(), "both wait for the second opinion on job 1");
    scene.say(2, WorkerMessage::Want(1));
    scene.settle();
    assert_eq!(scene.bring(2, false), Some(job(1)));
    assert_eq!(scene.done.len(), 2);
}

#[test]
fn long_jobs_are_audited_at_the_audit_rate() {
    let mut scene = Scene::with_alone(1, 1, 1_000_000);
    scene.join(1, 1, 1);
    scene.join(2, 1, 1);
    assert_eq!(scene.bring(1, false), Some(job(0)));
    assert!(scene.done.is_empty());
    scene.settle();
    assert_eq!(scene.bring(2, false), Some(job(0)));
    assert_eq!(scene.done.len(), 1);
}

#[test]
fn the_share_that_is_done_of_long_trials_is_counted() {
    let mut scene = Scene::with_alone(2, 3, 0);
    scene.join(1, 3, 3);
    let progress =
        |index, share_ppm| ReportedProgress { key: key(job(index)), n_signs: 1, share_ppm };
    let running = vec![progress(0, 250_000), progress(1, 500_000), progress(2, 999_999)];
    scene.say(1, WorkerMessage::Heartbeat(running));
    assert_eq!(scene.in_progress_ppm(), 750_000);
    assert!(scene.bring(1, false).is_some());
    assert_eq!(scene.in_progress_ppm(), 500_000, "what is done is not in progress");
}
