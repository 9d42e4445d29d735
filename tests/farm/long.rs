//! Trials that take an hour, when they are no longer wanted.

use std::time::Instant;

use rustix::process::Signal;

use hatchery_test_redis::PATIENCE;

use crate::harness::{Farm, RUN};
use crate::operators::workers;
use crate::process::Process;
use crate::verbs::{json, output};

/// Submits a run with a trial of many hours, and returns its id.
fn submit_long(farm: &Farm) -> String {
    let long = ["long_trials=1", "long_rounds=10000000000000", "trials=1"];
    let set = long.iter().flat_map(|assignment| ["--set", assignment]);
    let submitted =
        json(farm, &["submit", "burn/smoke"].into_iter().chain(set).collect::<Vec<_>>());
    submitted["run"].as_str().unwrap().to_owned()
}

/// Waits until the worker, which has one slot, begins the run's long trial: it comes first.
fn wait_for_long_trial(worker: &Process, run: &str, from: Instant) {
    let job = format!("{run}/0/0");
    worker.wait_for(from, PATIENCE, |line| line.contains("started") && line.contains(&job));
}

/// Checks that no job of the run failed, hung or was lost: the end of the run is no failure.
fn check_without_blame(farm: &Farm, run: &str) {
    let attempts = farm.redis.cli(&["HLEN", &format!("ht:{{{run}}}:att")]).unwrap();
    assert_eq!(attempts.trim(), "0", "attempts are recorded");
    for (_, coordinator) in &farm.coordinators {
        let blames = |line: &String| line.contains("job failed") || line.contains("worker paused");
        let blamed: Vec<_> = coordinator.lines().into_iter().filter(blames).collect();
        assert!(blamed.is_empty(), "{blamed:#?}");
    }
}

/// A run with a trial of many hours is cancelled, another is paused: their worker, which has one
/// slot, does other work. The worker is still the same process, so it did not count as stuck. The
/// paused run begins the trial again when it is resumed.
#[test]
fn a_long_trial_ends_when_its_run_is_cancelled_or_paused() {
    let mut farm = Farm::start(1, 1);
    let before = workers(&farm, |workers| workers.len() == 1);
    for verb in ["cancel", "pause"] {
        let begun = Instant::now();
        let run = submit_long(&farm);
        wait_for_long_trial(&farm.workers[0], &run, begun);
        let asked = Instant::now();
        output(&farm, &[verb, &run]);
        let other = farm.submit(RUN);
        let confirms = |line: &str| line.contains("verdict=Accepted") && !line.contains(&run);
        let (ended, _) = farm.coordinators[0].1.wait_for(asked, PATIENCE, confirms);
        println!("{verb} took effect after {:?}", ended - asked);
        assert_eq!(farm.finish(other)["digest"], RUN.digest());
        check_without_blame(&farm, &run);
        let resumed = Instant::now();
        output(&farm, &["resume", &run]);
        wait_for_long_trial(&farm.workers[0], &run, resumed);
        output(&farm, &["cancel", &run]);
    }
    assert!(farm.workers[0].is_running());
    let after = workers(&farm, |workers| workers.len() == 1);
    assert_eq!(before["workers"][0]["worker"], after["workers"][0]["worker"], "its incarnation");
    let joined = |line: &&String| line.contains("worker joined");
    assert_eq!(farm.coordinators[0].1.lines().iter().filter(joined).count(), 1);
}

/// A worker that is stopped gives a long trial back at the end of its grace, and exits; another
/// worker begins it.
#[test]
fn a_worker_with_a_long_trial_is_stopped() {
    let mut farm = Farm::start(1, 0);
    let url = farm.coordinators[0].0.clone();
    let mut first = farm.worker(std::slice::from_ref(&url), &["--grace", "1s"]);
    let begun = Instant::now();
    let run = submit_long(&farm);
    wait_for_long_trial(&first, &run, begun);
    let second = farm.worker(std::slice::from_ref(&url), &[]);
    let asked = Instant::now();
    first.signal(Signal::TERM);
    let (status, _) = first.wait(PATIENCE);
    assert!(status.success(), "{status}");
    wait_for_long_trial(&second, &run, asked);
    let (_, left) =
        farm.coordinators[0].1.wait_for(asked, PATIENCE, |line| line.contains("worker left"));
    assert!(left.contains("goodbye=true") && left.contains("held=0"), "{left}");
    check_without_blame(&farm, &run);
    output(&farm, &["cancel", &run]);
}
