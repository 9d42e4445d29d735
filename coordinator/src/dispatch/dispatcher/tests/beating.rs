//! Signs of progress from inside trials.

use std::time::Duration;

use super::job;
use super::scene::{STALL, Scene, progress};
use crate::dispatch::message::WorkerMessage;

/// For `time`, the worker reports that its job makes progress, although no trial ends.
fn beat(scene: &mut Scene, time: Duration) {
    let every = Duration::from_secs(3);
    for n_signs in 0..time.as_secs() / every.as_secs() {
        scene.say(1, WorkerMessage::Heartbeat(vec![progress(job(0), n_signs)]));
        scene.wait(every);
    }
}

#[test]
fn a_job_does_not_hang_while_its_trial_beats() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    beat(&mut scene, STALL * 60);
    assert!(scene.players[&1].cancelled.is_empty());
    assert!(scene.attempts.is_empty());
    scene.wait(STALL);
    assert_eq!(scene.players[&1].cancelled, [job(0)], "it beats no more");
}

#[test]
fn a_job_that_waits_behind_a_long_one_does_not_hang() {
    let mut scene = Scene::new(2, 0);
    scene.join(1, 1, 2);
    assert_eq!(scene.players[&1].jobs.len(), 2);
    beat(&mut scene, STALL * 3);
    assert!(scene.players[&1].cancelled.is_empty());
    scene.wait(STALL);
    assert_eq!(scene.players[&1].cancelled, [job(0), job(1)]);
}

#[test]
fn a_run_that_is_paused_or_cancelled_stops_its_long_jobs_without_blame() {
    let mut scene = Scene::new(2, 0);
    scene.join(1, 1, 2);
    beat(&mut scene, STALL * 2);
    scene.close_and_open();
    assert_eq!(scene.players[&1].cancelled, [job(0), job(1)]);
    assert!(scene.attempts.is_empty() && scene.parked.is_empty());
    assert!(!scene.is_kicked(1), "its session goes on");
    assert_eq!(scene.ready.len(), 2, "they are READY again");
    scene.say(1, WorkerMessage::Want(2));
    scene.settle();
    assert_eq!(scene.players[&1].jobs.len(), 4, "and handed out again when the run goes on");
}
