//! Values of any size: states, parts and tallies that are on their way when somebody is killed.

use std::time::Duration;

use serde_json::Value as Json;

use crate::harness::{Farm, Work};
use crate::process::pause;
use crate::verbs::output;

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
    let mut farm = Farm::start(2, 3);
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
    let checked = output(&farm, &["verify", &run, "--sample", "20%"]);
    assert!(checked.contains("all results are the same here"), "{checked}");
    output(&farm, &["delete", &run]);
    let left = farm.redis.cli(&["--scan", "--pattern", &format!("ht:{{{run}}}*")]).unwrap();
    assert_eq!(left.trim(), "", "nothing is left of a deleted run");
}

/// The same with a Redis that is killed and loses what it has not written.
#[test]
fn large_values_survive_the_death_of_redis() {
    let mut farm = Farm::start(1, 2);
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
