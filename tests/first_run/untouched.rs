//! Commands that read a run at rest change nothing in its folder, and need no right to.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use crate::local::{read_json, wait};
use crate::upgrade::write_folder;
use crate::{LONG, hatchery, output, printed, result, scratch, text};

/// Takes from root the capabilities that let root write anywhere.
const POWERLESS: [&str; 2] = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"];

type Files = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

/// Adds everything below `folder` to `files`: folders as files without bytes.
fn add_files(folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_folder = path.is_dir();
        let bytes = if is_folder { Vec::new() } else { fs::read(&path).unwrap_or_default() };
        let modified = fs::symlink_metadata(&path).unwrap().modified().unwrap();
        if is_folder {
            add_files(&path, files);
        }
        files.insert(path, (bytes, modified));
    }
}

fn files(folder: &Path) -> Files {
    let mut files = Files::new();
    add_files(folder, &mut files);
    files
}

/// Lets nobody write below `folder`, or its owner again.
fn protect(folder: &Path, is_protected: bool) {
    let mode =
        |folder: u32, file: u32| move |path: &Path| if path.is_dir() { folder } else { file };
    let (read, write) = (mode(0o555, 0o444), mode(0o755, 0o644));
    for path in files(folder).keys().map(PathBuf::as_path).chain([folder]) {
        let mode = if is_protected { read(path) } else { write(path) };
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
}

/// Returns the command of `hatchery`, which permissions bind even if this process is root's.
fn bound(folder: &Path, args: &[&str]) -> Command {
    let plain = hatchery(folder, args);
    let probe = Command::new(POWERLESS[0]).args([POWERLESS[1], "true"]).output();
    if !rustix::process::geteuid().is_root() || !probe.is_ok_and(|it| it.status.success()) {
        return plain;
    }
    let mut command = Command::new(POWERLESS[0]);
    command.arg(POWERLESS[1]).arg(plain.get_program()).args(args).current_dir(folder);
    command.env_remove("HATCHERY_LOG").stdin(Stdio::null());
    command
}

/// Runs all commands at once, and returns their outputs once all have succeeded.
fn all_at_once(folder: &Path, commands: &[&[&str]]) -> Vec<String> {
    let start = |args: &&[&str]| {
        bound(folder, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let started: Vec<Child> = commands.iter().map(start).collect();
    let ended = started.into_iter().zip(commands).map(|(child, args)| {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    });
    ended.collect()
}

/// Kills a run without mercy once it has folded a generation.
fn kill_run(folder: &Path, out: &str) {
    let args = [&LONG[..], &["--out", out, "--output", "quiet"]].concat();
    let mut run = hatchery(folder, &args).spawn().unwrap();
    wait("a generation in the files", || {
        let generations = read_json(&folder.join(out).join("result.json"))?["generations"].as_u64();
        (generations != Some(0)).then_some(())
    });
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn runs_at_rest_are_read_without_writing() {
    let scratch = scratch();
    let folder = scratch.path();
    result(folder, &["run", "pig/smoke", "--out", "runs/done", "--output", "json"]);
    kill_run(folder, "runs/killed");
    kill_run(folder, "runs/without-files");
    fs::remove_file(folder.join("runs/without-files/result.json")).unwrap();
    write_folder(&folder.join("runs/old"));
    protect(&folder.join("runs"), true);
    let before = files(&folder.join("runs"));
    for run in ["done", "killed", "without-files", "old"] {
        let read = [
            &["verify", run][..],
            &["replay", run, "0/0/0"],
            &["show", run],
            &["report", run, "--out", "-"],
            &["fetch", run],
            if run == "old" { &["fetch", run, "--output", "json"] } else { &["plot", run] },
        ];
        let outputs = all_at_once(folder, &read);
        assert!(outputs.iter().all(|it| !it.is_empty()), "{run}: {outputs:?}");
        let other = if run == "done" { "killed" } else { "done" };
        let listed = all_at_once(folder, &[&["list"], &["report", run, other, "--out", "-"]]);
        assert!(listed[0].contains("pig"), "{listed:?}");
        let after = files(&folder.join("runs"));
        let is_changed = |path: &&PathBuf| before.get(*path) != after.get(*path);
        let changed: Vec<_> = after.keys().filter(is_changed).collect();
        assert!(changed.is_empty() && after.len() == before.len(), "{run}: {changed:?}");
    }
    protect(&folder.join("runs"), false);
}

#[test]
fn a_report_is_written_where_it_can_be_and_names_out_elsewhere() {
    let scratch = scratch();
    let folder = scratch.path();
    result(folder, &["run", "pig/smoke", "--out", "run", "--output", "json"]);
    let report = folder.join("run/report.html");
    fs::remove_file(&report).unwrap();
    let mut before = files(folder);
    printed(folder, &["report", "run"]);
    let mut after = files(folder);
    assert!(after.remove(&report).is_some());
    // The time of the folder itself.
    for files in [&mut before, &mut after] {
        files.remove(&folder.join("run"));
    }
    assert!(before == after, "nothing else was written");

    protect(&folder.join("run"), true);
    let mut refused = bound(folder, &["report", "run"]).output().unwrap();
    protect(&folder.join("run"), false);
    if refused.status.success() {
        // Nothing binds this process but a folder in place of the file.
        fs::create_dir(folder.join("run/report.html.part")).unwrap();
        refused = output(folder, &["report", "run"]);
    }
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("cannot write run/report.html: give --out FILE"), "{said}");
    printed(folder, &["report", "run", "--out", "mine.html"]);
}
