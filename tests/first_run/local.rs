//! Runs of this machine as other processes see them: in progress, interrupted, killed and done.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value as Json;

use hatchery_test_redis::PATIENCE;

use crate::terminal::PseudoTerminal;
use crate::{hatchery, output, refused, result, scratch, text};

/// Starts a long run with many generations.
pub(crate) fn start(folder: &Path) -> Child {
    start_with(folder, &[])
}

/// Starts that run with more arguments.
fn start_with(folder: &Path, more: &[&str]) -> Child {
    let args = [&["run", "tetris-evolve/quick", "--threads", "1"], more].concat();
    hatchery(folder, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Returns the first value that `look` gives.
pub(crate) fn wait<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(begun.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// Returns the only run folder below `runs/`.
pub(crate) fn run_folder(folder: &Path) -> PathBuf {
    first_run_folder(folder).expect("a run has begun")
}

/// Returns the first run folder below `runs/`, once there is one.
pub(crate) fn first_run_folder(folder: &Path) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(folder.join("runs")).ok()?;
    Some(entries.next()?.unwrap().path())
}

pub(crate) fn read_json(path: &Path) -> Option<Json> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Waits until files show that a generation was folded, and returns the run's folder.
pub(crate) fn wait_for_files(folder: &Path) -> PathBuf {
    wait("a generation in the files", || {
        let run = first_run_folder(folder)?;
        let generations = read_json(&run.join("result.json"))?["generations"].as_u64();
        (generations != Some(0)).then_some(run)
    })
}

/// A process that is stopped for longer than a coordinator waits for a message finds its own worker
/// silent. Nothing but the time that passes does that.
#[test]
fn a_run_that_is_stopped_for_a_while_goes_on() {
    const SILENCE: Duration = Duration::from_millis(10_500);
    let folder = scratch();
    let folder = folder.path();
    let mut run = start_with(folder, &["--set", "generations=5"]);
    wait_for_files(folder);
    kill_process(Pid::from_child(&run), Signal::STOP).unwrap();
    std::thread::sleep(SILENCE);
    kill_process(Pid::from_child(&run), Signal::CONT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(0));
}

#[test]
fn a_run_in_progress_can_be_looked_at() {
    let folder = scratch();
    let folder = folder.path();
    let mut run = start(folder);
    let run_folder = wait_for_files(folder);
    let read = |name: &str| std::fs::read_to_string(run_folder.join(name)).unwrap();
    assert_eq!(read_json(&run_folder.join("result.json")).unwrap()["status"], "unfinished");
    assert!(2 <= read("generations.csv").lines().count(), "a header and a generation");
    assert!(read("events.jsonl").starts_with("{\"unix_ms\":"));

    let shown = result(folder, &["show", "last", "--output", "json"]);
    assert_eq!((&shown["state"], &shown["slots"]), (&"active".into(), &1.into()), "{shown}");
    assert!(1 <= shown["generation"].as_u64().unwrap(), "{shown}");
    assert_eq!(shown["trials"], 1000, "of the current generation: {shown}");
    let listed = result(folder, &["list", "--output", "json"]);
    assert_eq!(listed["runs"][0]["run"], shown["run"]);
    assert_eq!(listed["runs"][0]["state"], "active");
    // What is only in the store comes from the process that has it open.
    for args in [&["verify", "last"][..], &["replay", "last", "0/0/0", "--frames", "1..1"]] {
        let output = output(folder, args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    }
    let again = ["run", "tetris-evolve/quick", "--resume", "--out", run_folder.to_str().unwrap()];
    for again in [&again[..], &again[..3]] {
        let said = refused(folder, again);
        assert!(said.contains("is in progress in another process"), "{said}");
    }

    let watch = ["watch", "last", "--output", "json"];
    let mut watch = hatchery(folder, &watch);
    let mut watch = watch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);
    let first: Json = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!(first["event"]["event"], "run_led", "{first}");
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let last: Json = serde_json::from_str(&lines.last().unwrap()).unwrap();
    assert_eq!(last["status"]["state"], "interrupted", "{last}");
    let watched = watch.wait_with_output().unwrap();
    let said = text(&watched.stderr);
    assert_eq!(watched.status.code(), Some(3), "{said}");
    assert!(said.contains("the run was interrupted"), "{said}");

    let document = read_json(&run_folder.join("result.json")).unwrap();
    let rows = read("generations.csv").lines().count() as u64 - 1;
    assert_eq!(document["generations"], rows, "the files are of the last generation");
    assert!(!run_folder.join("control.sock").exists());
    let shown = output(folder, &["show", "last"]);
    assert!(text(&shown.stdout).contains("interrupted"), "{}", text(&shown.stdout));
    assert!(text(&shown.stderr).contains("continue with: hatchery run runs/"));
}

/// No line of the list is wider than the terminal, and the list's name for a run selects the run.
#[test]
fn a_list_fits_the_terminal() {
    let folder = scratch();
    let run = result(folder.path(), &["run", "tetris-evolve/smoke", "--output", "json"]);
    let id = run["run"].as_str().unwrap();
    for columns in [40, 80, 200] {
        let list = hatchery(folder.path(), &["list"]);
        let mut terminal = PseudoTerminal::start(&list, (columns, 24));
        let shown = terminal.last_words();
        let widest = shown.lines().map(|line| line.trim_end().chars().count()).max();
        assert!(widest <= Some(usize::from(columns)), "{columns}: {shown}");
        assert!(shown.contains(&id[18..]) && shown.contains("tetris-evolve-smoke"), "{shown}");
    }
    let shown = result(folder.path(), &["show", &id[18..], "--output", "json"]);
    assert_eq!(shown["run"], id);
}

/// Ctrl-C ends a command that follows a run; its line of progress is not drawn again.
#[test]
fn nothing_is_drawn_after_an_interrupt() {
    let folder = scratch();
    let mut run = start(folder.path());
    wait_for_files(folder.path());
    let watch = hatchery(folder.path(), &["watch", "last"]);
    let mut terminal = PseudoTerminal::start(&watch, (80, 24));
    terminal.wait_for("generation ");
    terminal.press("\u{3}");
    terminal.wait_for("error: interrupted");
    let rest = terminal.last_words();
    assert!(!rest.contains("generation"), "{rest:?}");
    assert_eq!(terminal.end(), Some(130));
    run.kill().unwrap();
    run.wait().unwrap();
}

/// SIGTERM ends commands on a terminal that is halted: a run, whose line of progress is due all the
/// time, and a command that follows the run.
#[test]
fn a_halted_terminal_holds_up_no_signal() {
    let folder = scratch();
    let run = hatchery(folder.path(), &["run", "tetris-evolve/quick", "--threads", "1"]);
    let mut run = PseudoTerminal::start(&run, (80, 24));
    wait_for_files(folder.path());
    let watch = hatchery(folder.path(), &["watch", "last"]);
    let mut watch = PseudoTerminal::start(&watch, (80, 24));
    for terminal in [&mut watch, &mut run] {
        terminal.wait_for("generation ");
        terminal.halt();
        terminal.terminate();
    }
    assert_eq!([watch.end(), run.end()], [Some(130); 2]);
}

#[test]
fn exhibits_are_there_while_a_run_goes_on() {
    let folder = scratch();
    let folder = folder.path();
    let set = ["generations=1000", "rounds=1000000", "parts=2", "part_bytes=100000"];
    let set = set.iter().flat_map(|param| ["--set", param]);
    let args: Vec<_> = ["run", "burn/smoke"].into_iter().chain(set).collect();
    let mut run = hatchery(folder, &args);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let run_folder = wait_for_files(folder);
    let check = || {
        let document = read_json(&run_folder.join("result.json")).unwrap();
        let exhibits = document["exhibits"].as_array().unwrap();
        assert!(!exhibits.is_empty(), "{document}");
        for exhibit in exhibits {
            assert!(run_folder.join(exhibit["path"].as_str().unwrap()).exists(), "{exhibit}");
        }
        document
    };
    assert_eq!(check()["status"], "unfinished");
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert_eq!(check()["status"], "unfinished");
}

#[test]
fn a_killed_run_is_interrupted() {
    let folder = scratch();
    let folder = folder.path();
    let mut run = start(folder);
    let run_folder = wait_for_files(folder);
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(run_folder.join("control.sock").exists(), "a socket that nobody serves");
    let listed = result(folder, &["list", "--output", "json"]);
    assert_eq!(listed["runs"][0]["state"], "interrupted", "{listed}");
    assert!(listed["runs"][0]["measure"]["value"].is_f64(), "{listed}");
    let watched = output(folder, &["watch", "last"]);
    assert_eq!(watched.status.code(), Some(3), "{}", text(&watched.stderr));
    // Killed before its first files: its store tells.
    std::fs::remove_file(run_folder.join("result.json")).unwrap();
    let shown = result(folder, &["show", "last", "--output", "json"]);
    assert_eq!(shown["state"], "interrupted");
    assert!(1 <= shown["generation"].as_u64().unwrap(), "{shown}");
}

#[test]
fn runs_of_this_machine_are_listed_and_named() {
    let folder = scratch();
    let folder = folder.path();
    let empty = output(folder, &["list"]);
    assert!(empty.status.success() && text(&empty.stderr).contains("no runs below runs/"));
    let json = |args: &[&str]| result(folder, &[args, &["--output", "json"]].concat());
    let run = || json(&["run", "pig/smoke"])["run"].as_str().unwrap().to_owned();
    let ids = [run(), run()];
    let other = json(&["run", "burn/smoke", "--out", "runs/mine"])["run"].clone();
    let listed = |args: &[&str]| {
        let listed = json(&[&["list"], args].concat());
        assert_eq!(listed["schema"], "hatchery.runs/1");
        let runs = listed["runs"].as_array().unwrap().iter();
        runs.map(|run| run["run"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = [ids[0].clone(), ids[1].clone(), other.as_str().unwrap().to_owned()];
    assert_eq!(listed(&[]), all);
    assert_eq!(listed(&["--most", "1"]), all[2..]);
    assert_eq!(listed(&["--order", "oldest-first", "--most", "2"]), all[..2]);
    assert_eq!(listed(&["--experiment", "pig", "--state", "done"]), ids);
    assert_eq!(listed(&["--state", "interrupted"]), [""; 0]);

    let found = "The player that holds at 20 points took the fewest turns";
    let table = text(&output(folder, &["list"]).stdout);
    assert_eq!(table.matches(found).count(), 2, "{table}");
    let shown = text(&output(folder, &["show", &ids[0]]).stdout);
    let [title, _, summary] = [0, 1, 2].map(|at| shown.lines().nth(at).unwrap_or_default());
    assert_eq!(title, "Pig: at how many points should a turn end?", "{shown}");
    assert!(summary.starts_with(found), "{shown}");

    let short = ids[0][20..].to_lowercase();
    let name = format!("pig-smoke-{short}");
    for selector in [&ids[0], &ids[0][..20], &ids[0][18..], &short[..4], &name] {
        assert_eq!(json(&["show", selector])["run"], ids[0], "{selector}");
        let replay = output(folder, &["replay", selector, "0/0/0"]);
        assert!(replay.status.success(), "{selector}: {}", text(&replay.stderr));
    }
    assert_eq!(json(&["show", "last"])["run"], other);
    assert_eq!(json(&["show", "burn-smoke"])["run"], other);
    for selector in ["pig-smoke", &ids[0][..4]] {
        let refused = output(folder, &["verify", selector]);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("runs match") && said.contains(&name), "{said}");
    }
    let unknown = text(&output(folder, &["show", "nothing"]).stderr);
    assert!(unknown.contains("no run \"nothing\"") && unknown.contains(&name), "{unknown}");
    let watched = output(folder, &["watch", &name]);
    assert!(watched.status.success() && text(&watched.stdout).contains("done"));
}

#[test]
fn a_result_says_when_and_where_it_was_computed() {
    let folder = scratch();
    let document = result(folder.path(), &["run", "pig/smoke", "--output", "json"]);
    let time = |field: &str| document[field].as_u64().unwrap();
    assert!(time("started_unix_ms") <= time("ended_unix_ms"), "{document}");
    assert_eq!(document["name"], "pig-smoke");
    assert_eq!(document["hatchery"], env!("CARGO_PKG_VERSION"));
    let host = &document["host"];
    assert!(1 <= host["cores"].as_u64().unwrap(), "{host}");
    assert_eq!(host["operating_system"], std::env::consts::OS);
    assert_eq!(host.as_object().unwrap().len(), 3, "nothing tells which machine it was: {host}");
    // A build without a repository does not know it.
    let commit = document["commit"].as_str();
    let is_hash = |commit: &str| commit.chars().all(|c| c.is_ascii_hexdigit());
    assert!(commit.is_none_or(is_hash), "{document}");
}
