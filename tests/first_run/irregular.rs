//! Pipes and devices in the place of the files of a run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::{output, result, scratch, text};

fn make_pipe(path: &Path) {
    fs::remove_file(path).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn nothing_waits_for_a_pipe_in_the_place_of_a_store() {
    let folder = scratch();
    let folder = folder.path();
    result(folder, &["run", "pig/smoke", "--out", "run", "--output", "json"]);
    make_pipe(&folder.join("run/run.redb"));
    fs::remove_file(folder.join("run/result.json")).unwrap();
    let resume = ["run", "pig/smoke", "--out", "run", "--resume"];
    for args in [&["show", "run"][..], &["wait", "run"], &["verify", "run"], &resume] {
        let output = output(folder, args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {said}");
        assert!(said.contains("cannot open run/run.redb"), "{args:?}: {said}");
        assert!(said.contains("it is a pipe, but a regular file is needed"), "{args:?}: {said}");
    }
}

#[test]
fn no_result_is_read_from_a_pipe_or_a_device() {
    let folder = scratch();
    let folder = folder.path();
    let run = ["run", "pig/smoke", "--out", "run", "--output", "json"];
    let digest = result(folder, &run)["digest"].clone();
    let path = folder.join("run/result.json");
    make_pipe(&path);
    let devices: [&dyn Fn(); 2] = [&|| (), &|| {
        fs::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
    }];
    for place in devices {
        place();
        // The store has the result, too.
        assert_eq!(result(folder, &["show", "run", "--output", "json"])["digest"], digest);
        assert!(output(folder, &["list"]).status.success());
        // A folder without a store may be one that `fetch` wrote.
        fs::create_dir_all(folder.join("fetched")).unwrap();
        fs::rename(&path, folder.join("fetched/result.json")).unwrap();
        let said = text(&output(folder, &["report", "fetched"]).stderr);
        assert!(said.contains("fetched"), "{said}");
        fs::rename(folder.join("fetched/result.json"), &path).unwrap();
    }
    assert!(output(folder, &["report", "run"]).status.success());
}
