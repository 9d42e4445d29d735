//! An operator's commands for workers, and for runs that do not progress.

use std::time::Instant;

use rustix::process::Signal;
use serde_json::Value as Json;

use hatchery_test_redis::PATIENCE;

use crate::harness::{Farm, RUN};
use crate::process::find;
use crate::sharing::submit_endless;
use crate::verbs::{json, kinds, output};

/// The workers, once they are as `wanted`.
pub(crate) fn workers(farm: &Farm, wanted: impl Fn(&[Json]) -> bool) -> Json {
    find(|| {
        let listed = json(farm, &["workers"]);
        if wanted(listed["workers"].as_array().unwrap()) { Ok(listed) } else { Err(listed) }
    })
}

/// A drained worker finishes its running jobs, gives the rest back, and ends; nothing is computed
/// again.
#[test]
fn a_worker_is_drained_by_name() {
    let mut farm = Farm::start(1, 2);
    workers(&farm, |workers| workers.len() == 2);
    let submitted = farm.submit(RUN);
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    let asked = Instant::now();
    assert_eq!(json(&farm, &["drain", "w1"])["name"], "w1");
    let (_, coordinator) = &farm.coordinators[0];
    let (_, line) = coordinator.wait_for(asked, PATIENCE, |line| line.contains("worker left"));
    assert!(line.contains("goodbye=true") && line.contains("held=0"), "{line}");
    let (status, _) = farm.workers[0].wait(PATIENCE);
    assert!(status.success(), "{status}");
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
    let listed = workers(&farm, |workers| workers.len() == 1);
    assert_eq!(listed["workers"][0]["name"], "w2");
    let again = ["drain", "w1", "--coordinator", &farm.coordinators[0].0];
    assert!(!farm.hatchery(&again).output().unwrap().status.success(), "it is gone");
}

/// A worker is drained at its coordinator; another coordinator answers which coordinator that is.
#[test]
fn a_worker_of_another_coordinator_is_drained_there() {
    let mut farm = Farm::start(2, 0);
    let [first, second] = [0, 1].map(|idx| farm.coordinators[idx].0.clone());
    let worker = farm.worker(std::slice::from_ref(&second), &[]);
    farm.workers.push(worker);
    workers(&farm, |workers| workers.len() == 1);
    let elsewhere = ["drain", "w1", "--coordinator", &first];
    let refused = farm.hatchery(&elsewhere).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains(&second), "{said}");
    output(&farm, &["drain", "w1", "--coordinator", &second]);
    let (status, _) = farm.workers[0].wait(PATIENCE);
    assert!(status.success(), "{status}");
}

/// A killed worker and a killed coordinator stay listed as lost, a worker that moves to another
/// coordinator is listed once, and a process that leaves in an orderly way is not listed as lost.
#[test]
fn the_lost_stay_listed() {
    let mut farm = Farm::start(3, 1);
    let [first, second, third] = [0, 1, 2].map(|idx| farm.coordinators[idx].0.clone());
    for urls in [vec![second.clone()], vec![second.clone(), first.clone()], vec![first.clone()]] {
        let worker = farm.worker(&urls, &[]);
        farm.workers.push(worker);
    }
    let listed = workers(&farm, |workers| workers.len() == 4);
    let worker = &listed["workers"][0];
    for key in ["busy_slots", "trials_per_s", "heard_ms", "joined_ms"] {
        assert!(worker[key].is_number(), "no {key}: {worker}");
    }
    assert_eq!((&worker["host"], worker["lost_ms"].is_null()), (&"127.0.0.1".into(), true));
    assert_eq!(listed["coordinators"].as_array().unwrap().len(), 3, "{listed}");
    farm.workers[3].signal(Signal::TERM);
    let (status, _) = farm.workers[3].wait(PATIENCE);
    assert!(status.success(), "{status}");
    farm.coordinators[2].1.signal(Signal::TERM);
    let (status, _) = farm.coordinators[2].1.wait(PATIENCE);
    assert!(status.success(), "{status}");
    farm.workers[1].kill();
    farm.coordinators[1].1.kill();
    let names = |listed: &Json, key: &str, name: &str| -> Vec<String> {
        let listed = listed[key].as_array().unwrap().iter();
        let mut names: Vec<_> = listed.map(|it| it[name].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let listed = find(|| {
        let listed = json(&farm, &["workers"]);
        let n_workers = listed["workers"].as_array().unwrap().len();
        assert!(n_workers <= 3, "a worker is counted twice: {listed}");
        let lost = names(&listed, "lost_coordinators", "coordinator");
        let is_there = names(&listed, "workers", "name") == ["w1", "w3"];
        if is_there && lost == [second.clone()] { Ok(listed) } else { Err(listed) }
    });
    assert_eq!(names(&listed, "lost_workers", "name"), ["w2"], "{listed}");
    assert_eq!(names(&listed, "coordinators", "coordinator"), [first], "{third} left");
    let table = output(&farm, &["workers"]);
    let row = table.lines().find(|line| line.contains("w2")).unwrap();
    assert!(row.contains("lost") && row.contains(" ago"), "{table}");
    assert!(table.contains("all experiments"), "{table}");
}

/// A quarantined worker is gone, with the reason, and the run continues without its results.
#[test]
fn a_worker_is_quarantined() {
    let farm = Farm::start(1, 2);
    workers(&farm, |workers| workers.len() == 2);
    let submitted = farm.submit(RUN);
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    let asked = Instant::now();
    let out = json(&farm, &["quarantine", "w1", "--reason", "bad memory"]);
    let listed = workers(&farm, |workers| workers.len() == 1);
    assert_eq!(listed["workers"][0]["name"], "w2");
    assert_eq!(listed["shut_out"][0]["worker"], out["worker"]);
    assert!(listed["shut_out"][0]["reason"].as_str().unwrap().contains("bad memory"), "{listed}");
    // It goes on asking as who it is: if it ended, a new process would be somebody else.
    let again = |line: &str| line.contains("no session") && line.contains("is quarantined");
    farm.workers[0].wait_for(asked, PATIENCE, again);
    let document = farm.result(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// Each thing that keeps a run from going on is named.
#[test]
fn a_run_that_stands_still_is_explained() {
    let mut farm = Farm::start(1, 0);
    let submitted = json(&farm, &["submit", RUN.preset, "--set", RUN.set[0]]);
    let run = submitted["run"].as_str().unwrap().to_owned();
    assert_eq!(kinds(&farm, &run), ["no_worker"]);
    output(&farm, &["pause", &run]);
    assert_eq!(kinds(&farm, &run), ["paused"]);
    farm.redis.stop().unwrap();
    assert_eq!(kinds(&farm, &run), ["store"]);
    farm.redis.cont().unwrap();
    output(&farm, &["resume", &run]);
    farm.add_worker();
    output(&farm, &["wait", &run]);
    assert_eq!(kinds(&farm, &run), ["ended"]);
    assert!(output(&farm, &["explain", &run]).ends_with("- it is done\n"));
    farm.check(&run);
}

/// The farm at a glance, for people.
#[test]
fn top_shows_runs_users_and_workers() {
    let farm = Farm::start(1, 1);
    workers(&farm, |workers| workers.len() == 1);
    submit_endless(&farm, &["--name", "night", "--user", "ada"]);
    let screen = output(&farm, &["top"]);
    for part in ["1 coordinator answers · 1 unfinished run · ", "1 worker · ", "night", "ada", "w1"]
    {
        assert!(screen.contains(part), "{part} in {screen}");
    }
}
