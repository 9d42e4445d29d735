//! Sweeps on a farm: the sweep's name selects all its runs.

use std::fs;

use hatchery_test_redis::PATIENCE;
use rustix::process::Signal;

use crate::harness::Farm;
use crate::process::{Process, until};
use crate::verbs::{json, output};

/// A sweep submitted twice with the same key is one; it is waited for, downloaded and listed by its
/// name, and its runs have the digests of a laptop.
#[test]
fn a_sweep_is_waited_for_and_downloaded_by_its_name() {
    let farm = Farm::start(1, 1);
    let submit = ["submit", "pig/smoke", "--sweep", "games=50,60", "--sweep", "seed=1..2"];
    let submit = [&submit[..], &["--idempotency-key", "once"]].concat();
    let submitted = json(&farm, &submit);
    let again = json(&farm, &submit);
    let ids = |document: &serde_json::Value| {
        let runs = document["runs"].as_array().unwrap().iter();
        runs.map(|run| run["run"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((ids(&submitted).len(), ids(&submitted)), (4, ids(&again)));
    assert_eq!(
        (&submitted["runs"][0]["created"], &again["runs"][0]["created"]),
        (&true.into(), &false.into())
    );
    let sweep = submitted["sweep"].as_str().unwrap();

    let waited = json(&farm, &["wait", sweep]);
    assert_eq!(ids(&waited), ids(&submitted));
    assert_eq!(
        (waited["table"].as_array().unwrap().len(), &waited["table"][1]["done"]),
        (2, &2.into())
    );
    let listed = json(&farm, &["list", "--sweep", sweep]);
    assert_eq!(listed["runs"].as_array().unwrap().len(), 4);

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("fetched");
    let fetched = json(&farm, &["fetch", sweep, "--out", out.to_str().unwrap()]);
    assert_eq!(fetched, waited);
    let result = fs::read_to_string(out.join("games=60,seed=2/result.json")).unwrap();
    assert!(result.contains(fetched["runs"][3]["digest"].as_str().unwrap()), "{result}");
    assert!(out.join("sweep.csv").exists() && out.join("games=50,seed=1/report.html").exists());

    let page = output(&farm, &["report", sweep, "--out", "-"]);
    assert_eq!(page, fs::read_to_string(out.join("report.html")).unwrap());

    // All have ended: none is cancelled.
    let cancelled = json(&farm, &["cancel", sweep]);
    assert!(cancelled["runs"].as_array().unwrap().is_empty(), "{cancelled}");
}

/// Runs that are in progress are cancelled together, and the sweep then counts as not done. Without
/// a worker they are in progress for as long as it takes.
#[test]
fn a_sweep_is_cancelled_by_its_name() {
    let farm = Farm::start(1, 0);
    let submit = ["submit", "pig/quick", "--set", "games=1000000", "--name", "all/night"];
    let submitted = output(&farm, &[&submit[..], &["--sweep", "seed=1..3"]].concat());
    assert_eq!(submitted.lines().last(), Some("sweep all-night"));
    output(&farm, &["pause", "all-night"]);
    // What is there can be downloaded at any time.
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("half");
    let fetched = json(&farm, &["fetch", "all-night", "--out", out.to_str().unwrap()]);
    assert_eq!(
        (&fetched["table"][0]["done"], &fetched["table"][0]["runs"]),
        (&0.into(), &3.into())
    );
    let cancelled = json(&farm, &["cancel", "all-night"]);
    assert_eq!(cancelled["runs"].as_array().unwrap().len(), 3);
    let said = said(&farm, &["wait", "all-night"], 3);
    assert!(said.contains("3 of 3 runs are not done; the first is seed=1: cancelled"), "{said}");
}

/// Runs a command, which must end with this exit code, and returns its messages.
fn said(farm: &Farm, args: &[&str], code: i32) -> String {
    let url = farm.coordinators[0].0.clone();
    let args = [args, &["--coordinator", &url]].concat();
    let output = farm.hatchery(&args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    said
}

/// Each point counts once: a sweep that is submitted again under its name replaces runs.
#[test]
fn a_sweep_that_is_submitted_again_counts_its_points_once() {
    let farm = Farm::start(1, 1);
    let submit = ["submit", "pig/smoke", "--name", "s", "--sweep"];
    output(&farm, &[&submit[..], &["seed=1..2"]].concat());
    let later = json(&farm, &[&submit[..], &["seed=2..3"]].concat());
    assert!(said(&farm, &["wait", "s"], 0).contains("1 earlier run of the same points left out"));
    let fetched = tempfile::tempdir().unwrap();
    let out = fetched.path().join("s");
    let out = ["--out", out.to_str().unwrap()];
    let document = json(&farm, &[&["fetch", "s"], &out[..]].concat());
    let points = document["runs"].as_array().unwrap().iter();
    let points: Vec<_> = points.map(|run| (&run["point"], &run["run"])).collect();
    assert_eq!(points.len(), 3, "{document}");
    assert_eq!(points[1], (&"seed=2".into(), &later["runs"][0]["run"]));
    // Runs that are reused have names of their own, and are those of the sweep as well.
    let reused = [&submit[..4], &["--reuse", "--wait", "--sweep", "seed=1..3"]].concat();
    let reused = reused.iter().map(|arg| if *arg == "s" { "t" } else { arg }).collect::<Vec<_>>();
    let out = fetched.path().join("t");
    let document = json(&farm, &[&reused[..], &["--out", out.to_str().unwrap()]].concat());
    assert_eq!(document["table"][0]["done"], 3);
    let page = said(&farm, &["report", out.to_str().unwrap()], 0);
    let written = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(written.contains("All runs are done") && written.contains("pig: 3 runs"), "{page}");
    // The folder is that of one sweep.
    let refused = said(&farm, &["fetch", "s", "--out", out.to_str().unwrap()], 2);
    assert!(refused.contains("does not hold the sweep s"), "{refused}");
}

/// A folder of results keeps its data: values of points that have numbers, and its own sweep.
#[test]
fn a_folder_of_results_keeps_what_it_knows() {
    let farm = Farm::start(1, 1);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("d");
    let out = out.to_str().unwrap();
    let submit =
        ["submit", "pig/smoke", "--sweep", "hold_at=[5,10],[20,30]", "--sweep", "seed=1..2"];
    let submit = [&submit[..], &["--name", "n", "--wait", "--out", out]].concat();
    let waited = json(&farm, &submit);
    assert_eq!((&waited["table"][0]["done"], &waited["table"][1]["done"]), (&2.into(), &2.into()));
    assert_eq!(json(&farm, &["fetch", "n", "--out", out]), waited);
    // A sweep of this machine that is called the same is another one.
    let here = folder.path().join("m");
    let here = here.to_str().unwrap();
    let local = ["run", "pig/smoke", "--sweep", "seed=11,12", "--out", here, "--output", "quiet"];
    assert!(farm.hatchery(&local).status().unwrap().success());
    output(&farm, &["submit", "pig/smoke", "--sweep", "seed=5,6", "--name", "m"]);
    let refused = said(&farm, &["fetch", "m", "--out", here], 2);
    assert!(refused.contains("does not hold the sweep m"), "{refused}");
}

/// A sweep and a run of the same name stay distinct, and no sweep hides the latest run.
#[test]
fn names_of_sweeps_and_runs_are_told_apart() {
    let farm = Farm::start(1, 1);
    output(&farm, &["submit", "pig/smoke", "--name", "twice"]);
    output(&farm, &["submit", "pig/smoke", "--name", "twice", "--sweep", "seed=1..2"]);
    let refused = said(&farm, &["wait", "twice"], 2);
    assert!(refused.contains("twice/ for the sweep"), "{refused}");
    assert_eq!(json(&farm, &["wait", "twice/"])["runs"].as_array().unwrap().len(), 2);
    assert!(said(&farm, &["wait", "other/"], 2).contains("no sweep \"other/\""));
    let named = ["submit", "pig/smoke", "--sweep", "seed=1..2", "--name"];
    said(&farm, &[&named[..], &["last"]].concat(), 2);
    said(&farm, &["submit", "pig/smoke", "--name", "last/1"], 2);
    let long = "n".repeat(128);
    assert!(said(&farm, &[&named[..], &[&long]].concat(), 2).contains("at most 122"));
    json(&farm, &[&named[..], &[&long[..122]]].concat());
    let tetris = ["submit", "tetris-evaluate/smoke", "--name", "twice", "--sweep", "seed=5,6"];
    output(&farm, &tetris);
    assert!(said(&farm, &["wait", "twice/"], 2).contains("runs of pig and of tetris-evaluate"));
}

/// With `--reuse`, a finished run replaces a repeated computation of the same spec.
#[test]
fn a_run_that_is_done_is_reused_if_asked() {
    let farm = Farm::start(1, 1);
    let submit = |extra: &[&str]| json(&farm, &[&["submit", "pig/smoke"], extra].concat());
    let first = submit(&["--reuse"]);
    let id = first["run"].as_str().unwrap();
    output(&farm, &["wait", id]);
    let again = submit(&["--reuse"]);
    assert_eq!((&first["created"], &again["created"]), (&true.into(), &false.into()));
    assert_eq!(again["run"], id);
    assert_ne!(submit(&["--reuse", "--seed", "2"])["run"], id);
    assert_ne!(submit(&[])["run"], id);
    let waited = json(&farm, &["submit", "pig/smoke", "--reuse", "--wait"]);
    assert_eq!(waited["status"], "done");
}

/// Ctrl-C in the middle of a submission tells how to go on, and a run behind a thousand others is
/// found by its name.
#[test]
fn a_thousand_points_are_submitted_in_two_goes() {
    let farm = Farm::start(1, 0);
    let oldest = json(&farm, &["submit", "pig/smoke", "--name", "oldest"])["run"].clone();
    let submit = ["submit", "pig/smoke", "--sweep", "seed=1..1000", "--idempotency-key", "all"];
    let (url, _) = &farm.coordinators[0];
    let submit = [&submit[..], &["--coordinator", url]].concat();
    let mut first = Process::start("submit", &mut farm.hatchery(&submit));
    until("points are submitted", || {
        json(&farm, &["list"])["runs"].as_array().is_some_and(|runs| 1 < runs.len())
    });
    first.signal(Signal::INT);
    let (status, _) = first.wait(PATIENCE);
    assert_eq!(status.code(), Some(130), "{}", first.tail(9));
    assert!(first.tail(9).contains("repeat the command with --idempotency-key all"));
    let submitted = output(&farm, &submit);
    assert_eq!(submitted.lines().count(), 1001);
    assert_eq!(json(&farm, &["show", "oldest"])["run"], oldest);
    let unknown = farm.hatchery(&["show", "older", "--coordinator", url]).output().unwrap();
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("has no run \"older\""));
}
