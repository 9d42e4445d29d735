//! When dispatch announces its workers.

use std::time::Duration;

use super::scene::Scene;
use crate::dispatch::dispatcher::TICK;

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
