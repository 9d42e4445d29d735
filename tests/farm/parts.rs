//! Values of any size: states, parts and tallies that are on their way when a process is killed.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tempfile::TempDir;

use hatchery_test_redis::PATIENCE;

use crate::harness::{Farm, Work};
use crate::process::{Process, find, pause};
use crate::verbs::{json, output};

/// Generations whose states, parts and tallies are large: most of the time something is sent.
const LARGE: Work = Work {
    preset: "burn/smoke",
    set: &[
        "trials=60",
        "rounds=300000",
        "generations=4",
        "shared_bytes=3000000",
        "state_bytes=3000000",
        "parts=6",
        "part_bytes=2500000",
        "new_parts=3",
        "tally_bytes=700000",
    ],
};

/// Workers, coordinators and leaders are killed while parts and large results are on their way, and
/// nothing is left of the run when it is deleted.
#[test]
fn large_values_survive_kills() {
    survive_kills(&mut Farm::start(2, 3));
}

/// The same with parts in a directory: Redis has none, and no file is left of a deleted run.
#[test]
fn large_values_in_a_directory_survive_kills() {
    let parts = tempfile::tempdir().unwrap();
    let mut farm = start_with(&parts, 2, 3);
    let run = survive_kills(&mut farm);
    assert!(!parts.path().join(&run).exists(), "nothing is left of a deleted run");
}

/// Starts a farm whose parts are in this directory.
fn start_with(parts: &TempDir, n_coordinators: usize, n_workers: usize) -> Farm {
    let mut farm = Farm::start(0, 0);
    farm.variables.push(("HATCHERY_PARTS", parts.path().display().to_string()));
    (0..n_coordinators).for_each(|_| farm.add_coordinator());
    (0..n_workers).for_each(|_| farm.add_worker());
    farm
}

fn survive_kills(farm: &mut Farm) -> String {
    let submitted = farm.submit(LARGE);
    for round in 0..3 {
        farm.wait_for_progress();
        farm.replace_worker(round % 3);
        farm.wait_for_progress();
        farm.restart_coordinator(farm.leader());
    }
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], LARGE.digest());
    let run = document["run"].as_str().unwrap().to_owned();
    let checked = output(farm, &["verify", &run, "--sample", "20%"]);
    assert!(checked.contains("all results are the same here"), "{checked}");
    output(farm, &["delete", &run]);
    let left = farm.redis.cli(&["--scan", "--pattern", &format!("ht:{{{run}}}*")]).unwrap();
    assert_eq!(left.trim(), "", "nothing is left of a deleted run");
    run
}

/// The same with a Redis that is killed and loses its unwritten data.
#[test]
fn large_values_survive_the_death_of_redis() {
    survive_the_death_of_redis(&mut Farm::start(1, 2));
}

/// The same with parts in a directory, where files outlive what Redis forgets.
#[test]
fn large_values_in_a_directory_survive_the_death_of_redis() {
    let parts = tempfile::tempdir().unwrap();
    survive_the_death_of_redis(&mut start_with(&parts, 1, 2));
}

fn survive_the_death_of_redis(farm: &mut Farm) {
    let submitted = farm.submit(LARGE);
    for _ in 0..2 {
        farm.wait_for_progress();
        // Redis writes its file every second.
        pause(Duration::from_millis(300));
        farm.redis.kill().unwrap();
        farm.redis.restart().unwrap();
    }
    let (document, _) = farm.finish_after_redis(submitted);
    assert_eq!(document["digest"], LARGE.digest());
}

/// A run whose state is lost fails, and says which file it needs; once that is back, it is resumed.
#[test]
fn a_run_that_has_lost_its_state_says_so() {
    let parts = tempfile::tempdir().unwrap();
    let aside = tempfile::tempdir().unwrap();
    let mut farm = start_with(&parts, 1, 0);
    let submitted = json(&farm, &["submit", "pig/smoke"]);
    let run = submitted["run"].as_str().unwrap().to_owned();
    wait_for_state(&farm, &run, "active");
    farm.coordinators[0].1.kill();
    let folder = parts.path().join(&run);
    let lost: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap()).collect();
    for file in &lost {
        fs::rename(file.path(), aside.path().join(file.file_name())).unwrap();
    }
    farm.restart_coordinator(0);
    let reason = wait_for_state(&farm, &run, "failed");
    assert!(lost.iter().any(|file| reason.contains(file.path().to_str().unwrap())), "{reason}");
    assert!(reason.contains("put the file back, as from a backup, and resume the run"), "{reason}");

    // The answers to those who want the state name the file as well, and do not say to wait.
    let url = farm.coordinators[0].0.clone();
    for args in [["verify", &run], ["replay", &run], ["fetch", &run]] {
        let trial: &[&str] = if args[0] == "replay" { &["0/0/0"] } else { &[] };
        let args = [&args, trial, &["--coordinator", &url]].concat();
        let refused = farm.hatchery(&args).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(3), "{args:?}: {said}");
        assert!(lost.iter().any(|file| said.contains(file.path().to_str().unwrap())), "{said}");
    }

    // A folder without files is removed.
    fs::create_dir_all(&folder).unwrap();
    for file in &lost {
        let n_bytes = fs::metadata(aside.path().join(file.file_name())).unwrap().len();
        fs::write(file.path(), vec![b'?'; usize::try_from(n_bytes).unwrap()]).unwrap();
    }
    output(&farm, &["resume", &run]);
    let reason = wait_for_state(&farm, &run, "failed");
    let damaged = |file: &str| reason.contains(&format!("is damaged: {file} has "));
    assert!(lost.iter().any(|file| damaged(file.path().to_str().unwrap())), "{reason}");
    for file in &lost {
        fs::rename(aside.path().join(file.file_name()), file.path()).unwrap();
    }
    output(&farm, &["resume", &run]);
    farm.add_worker();
    wait_for_state(&farm, &run, "done");
}

/// A worker whose parts the farm cannot take, as their directory is gone, is free for other runs as
/// soon as its run is cancelled or paused: it does not try until it may give the job back. The
/// paused run continues when it is resumed.
#[test]
fn parts_of_a_stopped_run_hold_up_no_others() {
    const OTHER: [&str; 3] = ["parts=2", "part_bytes=1000", "new_parts=1"];
    let scratch = tempfile::tempdir().unwrap();
    let (parts, aside) = (scratch.path().join("parts"), scratch.path().join("aside"));
    fs::create_dir(&parts).unwrap();
    let mut farm = Farm::start(0, 0);
    farm.variables.push(("HATCHERY_PARTS", parts.display().to_string()));
    farm.add_coordinator();
    farm.add_worker();
    let endless = ["parts=10", "part_bytes=100000", "new_parts=3", "generations=100000"];
    for verb in ["cancel", "pause"] {
        let submitted = json(&farm, &submission(&endless));
        let run = submitted["run"].as_str().unwrap().to_owned();
        let accepts = |line: &str| line.contains("verdict=Accepted") && line.contains(&run);
        let (_, coordinator) = &farm.coordinators[0];
        let (begun, _) = coordinator.wait_for(Instant::now() - PATIENCE, PATIENCE, accepts);
        fs::rename(&parts, &aside).unwrap();
        // A worker or the leader is the first to notice.
        let notices = |line: &str| line.contains("cannot be used now") && !line.contains("health");
        coordinator.wait_for(begun, PATIENCE, notices);
        output(&farm, &[verb, &run]);
        fs::rename(&aside, &parts).unwrap();
        output(&farm, &[&submission(&OTHER)[..], &["--wait"]].concat());
        let resumed = Instant::now();
        output(&farm, &["resume", &run]);
        let (_, coordinator) = &farm.coordinators[0];
        coordinator.wait_for(resumed, PATIENCE, accepts);
        output(&farm, &["cancel", &run]);
    }
    let gives_up = |line: &String| line.contains("job given back");
    assert!(!farm.workers[0].lines().iter().any(gives_up), "{:#?}", farm.workers[0].lines());
}

/// The arguments that submit burn/smoke with these changes.
fn submission<'a>(set: &[&'a str]) -> Vec<&'a str> {
    let set = set.iter().flat_map(|assignment| ["--set", assignment]);
    ["submit", "burn/smoke"].into_iter().chain(set).collect()
}

/// A coordinator does not start with a place that can never have parts; for a directory that cannot
/// be used now, it blames the directory, not Redis.
#[test]
fn places_that_cannot_have_parts_are_refused() {
    let farm = Farm::start(0, 0);
    let scratch = tempfile::tempdir().unwrap();
    fs::create_dir(scratch.path().join("hatchery-parts")).unwrap();
    let unusable = scratch.path().to_str().unwrap();
    let at = format!("directory {unusable} cannot be used now");
    for (parts, code, expected) in [
        ("", 2, "must be `redis` or a directory"),
        ("/", 2, "a directory of its own is needed, such as /srv/parts"),
        (unusable, 3, &*at),
    ] {
        let url = farm.redis.url();
        let args = ["coordinator", "--listen", "127.0.0.1:0", "--redis", &url, "--parts", parts];
        let mut coordinator = Process::start("coordinator", &mut farm.hatchery(&args));
        let (status, _) = coordinator.wait(PATIENCE);
        let said = coordinator.lines().join("\n");
        assert_eq!(status.code(), Some(code), "{parts:?}: {said}");
        assert!(said.contains(expected) && !said.contains("no store answers"), "{said}");
    }
}

/// Waits until a run has this state, and returns what `show` says about it.
fn wait_for_state(farm: &Farm, run: &str, state: &str) -> String {
    find(|| {
        let shown = json(farm, &["show", run]);
        let is_so = shown["state"] == state;
        if is_so { Ok(shown.to_string()) } else { Err(shown) }
    })
}

/// A run in a folder has the same digest as one on a farm.
#[test]
fn large_values_on_one_machine() {
    let farm = Farm::start(0, 0);
    let mut args = vec!["run", LARGE.preset, "--output", "json", "--out", "here"];
    args.extend(LARGE.set.iter().flat_map(|assignment| ["--set", assignment]));
    let ended = farm.hatchery(&args).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let document: Json = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(document["digest"], LARGE.digest());
    let verified = farm.hatchery(&["verify", "here", "--sample", "20%"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
}
