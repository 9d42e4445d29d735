//! What dispatch announces and counts.

use std::time::Duration;

use hatchery_proto::v1::result;

use super::scene::Scene;
use super::{job, work};
use crate::dispatch::dispatcher::{SILENCE, TICK};

fn completed(scene: &Scene, outcome: &str) -> u64 {
    scene.count(&format!("hatchery_jobs_completed_total{{kind=\"pig\",outcome=\"{outcome}\"}}"))
}

#[test]
fn every_result_counts_as_what_became_of_it() {
    let mut scene = Scene::new(8, 0);
    scene.join(1, 2, 4);
    scene.join(2, 2, 4);
    let n_brought = work(&mut scene) as u64;
    assert_eq!(completed(&scene, "accepted"), 8);
    assert_eq!(completed(&scene, "duplicate"), n_brought - 8);
    assert_eq!(scene.count("hatchery_units_completed_total{kind=\"pig\"}"), 8);
    assert_eq!(scene.count("hatchery_audits_total{outcome=\"passed\"}"), n_brought - 8);
    let output = result::Outcome::Output(Vec::new());
    scene.bring_outcome(1, job(1), Vec::new(), output);
    assert_eq!(completed(&scene, "invalid"), 1);
    assert_eq!(scene.count("hatchery_auth_failures_total{reason=\"ticket\"}"), 1);
    assert_eq!(completed(&scene, "mismatch"), 0);
}

/// The run may end with its last results before the dispatcher has the store's verdicts on them.
#[test]
fn results_of_a_run_that_has_ended_count() {
    let mut scene = Scene::new(8, 0);
    scene.join(1, 2, 4);
    scene.join(2, 2, 4);
    scene.closes_before_verdicts = true;
    work(&mut scene);
    let n_accepted = completed(&scene, "accepted");
    assert!(0 < n_accepted, "no result was stored");
    assert_eq!(scene.count("hatchery_units_completed_total{kind=\"pig\"}"), n_accepted);
}

#[test]
fn workers_and_leases_are_counted_while_they_are_there() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    scene.wait(Duration::from_secs(1));
    assert_eq!(scene.count("hatchery_workers{state=\"connected\"}"), 1);
    assert_eq!(scene.count("hatchery_jobs{state=\"leased\"}"), 1);
    scene.wait_in_silence(SILENCE + Duration::from_millis(100));
    assert_eq!(scene.count("hatchery_workers{state=\"connected\"}"), 0);
    assert_eq!(scene.count("hatchery_worker_sessions_ended_total{reason=\"silent\"}"), 1);
    assert_eq!(scene.count("hatchery_lease_expirations_total{level=\"worker\"}"), 1);
}

#[test]
fn workers_that_join_one_by_one_are_announced_at_once() {
    let mut scene = Scene::new(0, 0);
    for (session, n_workers) in (1..).zip(1..=5) {
        scene.join(session, 1, 1);
        scene.wait_in_silence(Duration::from_millis(1));
        assert_eq!(scene.announced.last(), Some(&n_workers));
    }
}

#[test]
fn workers_that_join_together_are_announced_together() {
    let mut scene = Scene::new(0, 0);
    for session in 1..=100 {
        scene.join(session, 1, 1);
    }
    assert_eq!(scene.announced, [1]);
    scene.wait_in_silence(TICK);
    assert_eq!(scene.announced, [1, 100]);
}
