//! Runs of this machine that other processes wait for, pause, resume, cancel and fetch.

use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value as Json;

use crate::local::{first_run_folder, read_json, run_folder, start, wait, wait_for_files};
use crate::{hatchery, output, result, scratch, text};

/// Starts `hatchery wait last`.
fn start_wait(folder: &Path) -> Child {
    let mut command = hatchery(folder, &["wait", "last", "--output", "json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Checks the exit code of a command and its message on standard error.
fn check_refused(folder: &Path, args: &[&str], code: i32, parts: &[&str]) {
    let refused = output(folder, args);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(code), "{args:?}: {said}");
    assert!(parts.iter().all(|part| said.contains(part)), "{args:?}: {said}");
}

fn state(folder: &Path) -> Json {
    result(folder, &["show", "last", "--output", "json"])["state"].clone()
}

#[test]
fn a_run_is_paused_resumed_and_cancelled_by_others() {
    let folder = scratch();
    let folder = folder.path();
    let mut run = start(folder);
    let run_folder = wait_for_files(folder);
    let waiting = start_wait(folder);
    let paused = output(folder, &["pause", "last"]);
    assert!(text(&paused.stdout).contains(" is paused"), "{}", text(&paused.stderr));
    assert_eq!(state(folder), "paused");
    assert_eq!(result(folder, &["resume", "last", "--output", "json"])["state"], "active");
    let generation =
        || result(folder, &["show", "last", "--output", "json"])["generation"].as_u64();
    let before = generation();
    wait("another generation", || (before < generation()).then_some(()));
    let cancelled = output(folder, &["stop", "last"]);
    assert!(text(&cancelled.stdout).contains(" is cancelled"), "{}", text(&cancelled.stderr));

    let waited = waiting.wait_with_output().unwrap();
    assert_eq!(waited.status.code(), Some(5), "{}", text(&waited.stderr));
    let end: Json = serde_json::from_slice(&waited.stdout).unwrap();
    let document = read_json(&run_folder.join("result.json")).unwrap();
    assert_eq!((&end["state"], &document["status"]), (&"cancelled".into(), &"cancelled".into()));
    assert!(!run_folder.join("control.sock").exists(), "the files are complete");
    assert_eq!(run.wait().unwrap().code(), Some(5));
    check_refused(folder, &["wait", "last"], 5, &["was cancelled", "--resume"]);
    let remedies = ["not in progress, it is cancelled", "hatchery run runs/", "rm -r runs/"];
    for verb in ["cancel", "pause", "resume"] {
        check_refused(folder, &[verb, "last"], 2, &remedies);
    }

    let path = run_folder.to_str().unwrap();
    let again = ["run", "tetris-evolve/quick", "--resume", "--out", path];
    let mut again = hatchery(folder, &again);
    let mut run = again.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait("an answer", || output(folder, &["cancel", path]).status.success().then_some(()));
    assert_eq!(run.wait().unwrap().code(), Some(5));
}

#[test]
fn a_run_that_is_waited_for_has_its_files() {
    let folder = scratch();
    let folder = folder.path();
    let mut run = hatchery(folder, &["run", "tetris-evolve/smoke"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait("a run", || first_run_folder(folder)?.join("spec.toml").exists().then_some(()));
    let done = result(folder, &["wait", "last", "--output", "json"]);
    assert_eq!(done["state"], "done", "{done}");
    let document = read_json(&run_folder(folder).join("result.json")).unwrap();
    assert_eq!((&document["status"], &document["digest"]), (&"done".into(), &done["digest"]));
    assert!(run.wait().unwrap().success());
    let again = output(folder, &["wait", "last"]);
    assert!(again.status.success() && text(&again.stdout).contains("done"));
    check_refused(folder, &["cancel", "last"], 2, &["it is done", "its results are in runs/"]);
}

#[test]
fn a_run_whose_process_is_killed_is_not_waited_for_any_more() {
    let folder = scratch();
    let folder = folder.path();
    let mut run = start(folder);
    wait_for_files(folder);
    let waiting = start_wait(folder);
    run.kill().unwrap();
    run.wait().unwrap();
    let waited = waiting.wait_with_output().unwrap();
    let said = text(&waited.stderr);
    assert_eq!(waited.status.code(), Some(3), "{said}");
    assert!(said.contains("the run was interrupted"), "{said}");
    check_refused(folder, &["wait", "last"], 3, &["continue with: hatchery run runs/"]);
}

#[test]
fn a_run_of_this_machine_is_copied() {
    let folder = scratch();
    let folder = folder.path();
    let ran = result(folder, &["run", "pig/smoke", "--output", "json"]);
    let run_folder = run_folder(folder);
    let path = run_folder.strip_prefix(folder).unwrap().to_str().unwrap();
    for args in [&["fetch", "last"][..], &["fetch", "last", "--out", path]] {
        let fetched = output(folder, args);
        let said = text(&fetched.stderr);
        assert!(fetched.status.success() && said.contains("its files are in runs/"), "{said}");
        assert!(text(&fetched.stdout).contains(ran["digest"].as_str().unwrap()));
    }
    assert_eq!(std::fs::read_dir(folder.join("runs")).unwrap().count(), 1, "nothing is written");
    for _ in 0..2 {
        let fetched = result(folder, &["fetch", "last", "--out", "copy", "--output", "json"]);
        assert_eq!(fetched, ran);
    }
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.retain(|name| name != "run.redb");
        names.sort();
        names
    };
    assert_eq!(names(&folder.join("copy")), names(&run_folder));
    assert!(!folder.join("copy/run.redb").exists());
    result(folder, &["run", "pig/smoke", "--output", "json"]);
    check_refused(folder, &["fetch", "last", "--out", "copy"], 2, &["copy is not empty"]);

    let other = scratch();
    let folder = other.path();
    let mut run = start(folder);
    wait_for_files(folder);
    let fetched = result(folder, &["fetch", "last", "--out", "copy", "--output", "json"]);
    assert_eq!(fetched["status"], "unfinished");
    assert_eq!(read_json(&folder.join("copy/result.json")), Some(fetched));
    run.kill().unwrap();
    run.wait().unwrap();
}
