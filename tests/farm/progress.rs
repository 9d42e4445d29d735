//! What people see of a run while it goes on.

use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::metrics::{coordinator, get, value};
use crate::process::pause;
use crate::verbs::json;

/// The most that a status may be behind the work. It is two seconds on a machine that has time for
/// it; a check on a busy one allows for more.
const BEHIND: Duration = Duration::from_secs(6);

/// The time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// The trials that the coordinator at `address` has counted.
fn counted(address: &str) -> u64 {
    let counted = get(address, "/metrics").and_then(|(_, text)| {
        value(&text, "hatchery_units_completed_total{kind=\"tetris-evolve\"}")
    });
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let trials = counted.unwrap_or(0.0) as u64;
    trials
}

/// The status of a run follows the work, also through generations of milliseconds and at a
/// coordinator that does not lead the run.
#[test]
fn a_status_is_never_far_behind_the_work() {
    let (mut farm, metrics) = coordinator();
    let worker = farm.worker(&[farm.coordinators[0].0.clone()], &[]);
    farm.workers.push(worker);
    let work = ["submit", "tetris-evolve/smoke", "--set", "generations=400"];
    let run = json(&farm, &work)["run"].as_str().unwrap().to_owned();
    farm.add_coordinator();
    let other = farm.coordinators[1].0.clone();
    let show = |url: &str| -> Json {
        let shown = farm.hatchery(&["show", &run, "--output", "json", "--coordinator", url]);
        serde_json::from_slice(&{ shown }.output().unwrap().stdout).unwrap()
    };
    let (mut seen, mut looks) = (Vec::new(), 0);
    let end = loop {
        let (now, done) = (Instant::now(), counted(&metrics));
        let long_ago = seen.iter().rev().find(|(at, _)| BEHIND <= now.duration_since(*at));
        let least = long_ago.map_or(0, |&(_, done)| done);
        seen.push((now, done));
        let shown = show(&other);
        let trials = shown["trials_total"].as_u64().unwrap();
        assert!(least <= trials, "{trials} trials are shown, but {least} were done before {shown}");
        if shown["state"] == "done" {
            break shown;
        }
        // Its leader has told something, so there is no generation without trials.
        if shown["trials_per_s"] != 0.0 {
            assert_ne!(shown["trials"], 0, "{shown}");
            looks += 1;
        }
        pause(LOOK_EVERY);
    };
    assert!(0 < looks, "the run was over before it was seen");
    assert_eq!(end["trials_total"], counted(&metrics), "{end}");
    assert_eq!(end["percent"], 100.0, "{end}");
    let [started, ended] = ["started_unix_ms", "ended_unix_ms"].map(|key| end[key].as_u64());
    assert!(started < ended && end["created_unix_ms"].as_u64() <= started, "{end}");
    assert_eq!(end["measure_history"].as_array().unwrap().len(), 60, "{end}");
    assert!(0.0 < end["cpu_s"].as_f64().unwrap(), "{end}");
}
