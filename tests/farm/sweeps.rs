//! Sweeps on a farm: a name stands for all runs.

use std::fs;

use crate::harness::Farm;
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

/// Runs that are in progress are cancelled together, and the sweep then counts as not done.
#[test]
fn a_sweep_is_cancelled_by_its_name() {
    let farm = Farm::start(1, 1);
    let submit = ["submit", "pig/quick", "--set", "games=1000000", "--name", "all/night"];
    let submitted = output(&farm, &[&submit[..], &["--sweep", "seed=1..3"]].concat());
    assert_eq!(submitted.lines().last(), Some("sweep all-night"));
    output(&farm, &["pause", "all-night"]);
    let cancelled = json(&farm, &["cancel", "all-night"]);
    assert_eq!(cancelled["runs"].as_array().unwrap().len(), 3);
    let url = farm.coordinators[0].0.clone();
    let waited = farm.hatchery(&["wait", "all-night", "--coordinator", &url]).output().unwrap();
    let said = String::from_utf8_lossy(&waited.stderr).into_owned();
    assert_eq!(waited.status.code(), Some(3), "{said}");
    assert!(said.contains("3 of 3 runs did not end well; seed=1: cancelled"), "{said}");
}

/// A run that is done takes the place of the same one again, for whoever asks for that.
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
