//! The folder of a run that is removed or moved while the run goes on.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::local::{read_json, wait};
use crate::references::digest as reference_digest;
use crate::{LONG, hatchery, output, result, scratch, text};

/// Starts a long run in `out`; returns when it has files.
fn start(folder: &Path, out: &str) -> Child {
    let args = [&LONG[..], &["--out", out]].concat();
    let mut run = hatchery(folder, &args);
    let run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait("files", || read_json(&folder.join(out).join("result.json")));
    run
}

/// Checks that the run has ended with an error that names its folder, and promises nothing.
fn check_end(run: Child, out: &str) {
    let output = run.wait_with_output().unwrap();
    let (said, shown) = (text(&output.stderr), text(&output.stdout));
    assert_eq!(output.status.code(), Some(3), "{said}");
    let expected = format!("error: {out} was removed, moved or replaced while its run went on");
    assert!(said.contains(&expected), "{said}");
    assert!(
        !said.contains("nothing that was finished is lost") && !said.contains("next:"),
        "{said}"
    );
    assert!(shown.is_empty(), "{shown}");
}

#[test]
fn a_run_whose_folder_is_removed_ends_with_an_error() {
    let scratch = scratch();
    let folder = scratch.path();
    let run = start(folder, "removed");
    // Files that are written meanwhile make it fail now and then.
    wait("the removal", || {
        fs::remove_dir_all(folder.join("removed")).unwrap_or(());
        (!folder.join("removed").exists()).then_some(())
    });
    check_end(run, "removed");
    assert!(!folder.join("removed").exists(), "nobody makes it again");

    // Another run takes its place.
    let run = start(folder, "replaced");
    fs::rename(folder.join("replaced"), folder.join("moved")).unwrap();
    result(folder, &["run", "pig/smoke", "--out", "replaced", "--output", "json"]);
    check_end(run, "replaced");
    let other = output(folder, &["verify", "replaced"]);
    assert!(other.status.success(), "{}", text(&other.stderr));
    let resume = [&LONG[..], &["--out", "moved", "--resume", "--output", "json"]].concat();
    let digest = reference_digest("pig/quick", &["games=600000"]);
    assert_eq!(result(folder, &resume)["digest"], digest, "nothing is lost where it was moved to");
}

/// The folder stays, but the file with the results is gone.
#[test]
fn a_run_whose_store_is_removed_ends_with_an_error() {
    let scratch = scratch();
    let folder = scratch.path();
    let run = start(folder, "run");
    fs::remove_file(folder.join("run/run.redb")).unwrap();
    check_end(run, "run");
}
