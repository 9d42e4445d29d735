//! People's commands for a farm.

use std::time::Instant;

use serde_json::Value as Json;

use hatchery_test_redis::PATIENCE;

use crate::harness::{Farm, RUN, Work};
use crate::process::Process;

/// The output of a command; it must succeed.
pub(crate) fn output(farm: &Farm, args: &[&str]) -> String {
    let url = farm.coordinators[0].0.clone();
    let output = farm.hatchery(args).args(["--coordinator", &url]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn json(farm: &Farm, args: &[&str]) -> Json {
    serde_json::from_str(&output(farm, &[args, &["--output", "json"]].concat())).unwrap()
}

/// The reason why a run does not progress.
pub(crate) fn kinds(farm: &Farm, run: &str) -> Vec<String> {
    let explained = json(farm, &["explain", run]);
    let reasons = explained["reasons"].as_array().unwrap().iter();
    reasons.map(|reason| reason["kind"].as_str().unwrap().to_owned()).collect()
}

/// The same spec has the same digest embedded, on one worker, and after being halted; for both
/// studies.
#[test]
fn a_farm_computes_what_a_laptop_does() {
    let tetris = Work { preset: "tetris-evolve/smoke", set: &[] };
    let mut farm = Farm::start(1, 1);
    for work in [RUN, tetris] {
        let submitted = farm.submit(work);
        let document = farm.finish(submitted);
        assert_eq!(document["digest"], work.digest());
        assert_eq!(document["schema"], "hatchery.result/2");
        assert_eq!(document["status"], "done");
    }
}

/// Waits until no worker computes, then has another run done, and checks that no job of `run` was
/// assigned after the other run began.
fn check_that_it_rests(farm: &Farm, run: &str) {
    crate::operators::workers(farm, |workers| workers.iter().all(|worker| worker["jobs"] == 0));
    let other = json(farm, &["submit", "pig/smoke", "--wait"]);
    let other = other["run"].as_str().unwrap();
    let mut n_begun = 0;
    for (_, coordinator) in &farm.coordinators {
        let assigned = |line: &String| line.contains(" assigned worker=");
        let assigned = coordinator.lines().into_iter().filter(assigned);
        let mut since = assigned.skip_while(|line| !line.contains(other));
        n_begun += usize::from(since.next().is_some());
        let late: Vec<_> = since.filter(|line| line.contains(run)).collect();
        assert!(late.is_empty(), "{late:#?}");
    }
    assert!(0 < n_begun, "nobody began run {other}");
}

/// Rows 34, 35 and 36: paused, resumed, submitted once however often it is sent.
#[test]
fn pause_resume_and_submit_twice() {
    let mut farm = Farm::start(2, 2);
    let set = RUN.set[0];
    let submit = ["submit", RUN.preset, "--set", set, "--idempotency-key", "once"];
    let first = json(&farm, &submit);
    let again = json(&farm, &submit);
    assert_eq!(first["run"], again["run"]);
    assert_eq!((&first["created"], &again["created"]), (&Json::Bool(true), &Json::Bool(false)));
    let url = farm.coordinators[0].0.clone();
    let other = ["submit", "pig/smoke", "--idempotency-key", "once", "--coordinator", &url];
    let refused = farm.hatchery(&other).output().unwrap();
    assert!(!refused.status.success(), "a key stands for one spec");

    let run = first["run"].as_str().unwrap().to_owned();
    farm.wait_for_progress();
    output(&farm, &["pause", &run]);
    check_that_it_rests(&farm, &run);
    assert_eq!(json(&farm, &["show", &run])["state"], "paused");
    output(&farm, &["resume", &run]);
    output(&farm, &["wait", &run]);
    let shown = json(&farm, &["show", &run]);
    assert_eq!((&shown["state"], &shown["digest"]), (&"done".into(), &RUN.digest().into()));
    farm.check(&run);
    let title = "Pig: at how many points should a turn end?";
    let waited = farm.hatchery(&["wait", &run, "--coordinator", &url]).output().unwrap();
    assert!(String::from_utf8_lossy(&waited.stdout).starts_with(title));
    let listed = &json(&farm, &["list"])["runs"][0];
    for key in ["title", "headline"] {
        assert_eq!((&listed[key], shown[key].is_string()), (&shown[key], true), "{shown}");
    }
    assert!(shown["summary"].is_string() && listed["summary"].is_null(), "{listed}");
    let list =
        |format| farm.hatchery(&["list", "--output", format, "--coordinator", &url]).output();
    let csv = String::from_utf8(list("csv").unwrap().stdout).unwrap();
    assert!(csv.contains("mean_turns") && csv.contains(&run), "{csv}");
    assert_eq!(&list("parquet").unwrap().stdout[..4], b"PAR1");
}

/// A cancelled run stops, and continues when it is resumed; a deleted run is gone.
#[test]
fn cancel_resume_fetch_verify_delete() {
    let mut farm = Farm::start(1, 2);
    let submitted = json(&farm, &["submit", RUN.preset, "--set", RUN.set[0]]);
    let run = submitted["run"].as_str().unwrap().to_owned();
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    let asked = Instant::now();
    output(&farm, &["cancel", &run]);
    coordinator.wait_for(asked, PATIENCE, |line| line.contains("run cancelled"));
    let url = farm.coordinators[0].0.clone();
    let waited = farm.hatchery(&["wait", "last", "--coordinator", &url]).output().unwrap();
    assert_eq!(waited.status.code(), Some(5));
    check_that_it_rests(&farm, &run);
    output(&farm, &["resume", &run]);
    output(&farm, &["wait", &run]);
    output(&farm, &["fetch", &run, "--out", "fetched"]);
    let fetched = farm.path().join("fetched/result.json");
    let document: Json = serde_json::from_slice(&std::fs::read(fetched).unwrap()).unwrap();
    assert_eq!(document["digest"], RUN.digest());
    output(&farm, &["verify", &run, "--sample", "5%"]);
    farm.check(&run);
    let listed = json(&farm, &["list"]);
    assert_eq!(listed["runs"].as_array().unwrap().len(), 2);
    output(&farm, &["delete", &run]);
    let shown = farm.hatchery(&["show", &run, "--coordinator", &url]).output().unwrap();
    assert!(!shown.status.success());
    let left = farm.redis.cli(&["--scan", "--pattern", &format!("*{run}*")]).unwrap();
    assert_eq!(left.trim(), "", "nothing is left of a deleted run");
}

/// Without a coordinator there is an exit code of its own.
#[test]
fn nobody_answers() {
    let farm = Farm::start(0, 0);
    let listed = farm.hatchery(&["list", "--coordinator", "http://127.0.0.1:9"]).output().unwrap();
    assert_eq!(listed.status.code(), Some(10));
    let outside = farm.hatchery(&["coordinator", "--listen", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(outside.status.code(), Some(2), "plain TCP is for loopback");
}

/// A coordinator without Redis is a farm as well.
#[test]
fn embedded_coordinator() {
    let mut farm = Farm::start(0, 0);
    let mut command = farm.hatchery(&["coordinator", "--listen", "127.0.0.1:0"]);
    let coordinator = Process::start("coordinator", &mut command);
    let begun = Instant::now() - PATIENCE;
    let (_, line) = coordinator.wait_for(begun, PATIENCE, |line| line.contains("listens on "));
    let url = line.split_once("listens on ").unwrap().1.trim().to_owned();
    let worker = farm.worker(std::slice::from_ref(&url), &[]);
    let args = ["submit", "pig/smoke", "--wait", "--output", "json", "--coordinator", &url];
    let output = farm.hatchery(&args).output().unwrap();
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["digest"], Work { preset: "pig/smoke", set: &[] }.digest());
    drop(worker);
}

/// Reports and comparisons are of runs of the farm; a folder below `runs/` is always that run.
#[test]
fn reports_know_runs_of_the_farm_and_of_this_machine() {
    let farm = Farm::start(1, 1);
    let ids = ["1", "2"].map(|seed| {
        let name = format!("seed-{seed}");
        let submit = ["submit", "pig/smoke", "--seed", seed, "--name", &name];
        let id = output(&farm, &submit).trim().to_owned();
        output(&farm, &["wait", &id]);
        id
    });
    let page = output(&farm, &["report", "seed-1", "--out", "-"]);
    assert!(page.contains(&ids[0]), "{page}");
    let page = output(&farm, &["report", "seed-1", "seed-2", "--out", "-"]);
    assert!(ids.iter().all(|id| page.contains(id)), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let url = farm.coordinators[0].0.clone();
    let here = |args: &[&str]| {
        let output = farm.hatchery(args).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let run = ["run", "pig/smoke", "--out", "runs/mine", "--output", "json"];
    let run: serde_json::Value = serde_json::from_str(&here(&run)).unwrap();
    let page = here(&["report", "mine", "--out", "-", "--coordinator", &url]);
    assert!(page.contains(run["run"].as_str().unwrap()), "{page}");
}
