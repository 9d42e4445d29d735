//! The binary as a person or a script uses it: real processes, real files, real kills.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[path = "first_run/clock.rs"]
mod clock;
#[path = "first_run/command_line.rs"]
mod command_line;
#[path = "first_run/comparisons.rs"]
mod comparisons;
#[path = "first_run/edges.rs"]
mod edges;
#[path = "first_run/files.rs"]
mod files;
#[cfg(target_os = "linux")]
#[path = "first_run/hung_up.rs"]
mod hung_up;
#[path = "first_run/inputs.rs"]
mod inputs;
#[path = "first_run/irregular.rs"]
mod irregular;
#[path = "first_run/local.rs"]
mod local;
#[path = "first_run/match_results.rs"]
mod match_results;
#[path = "first_run/played_replays.rs"]
mod played_replays;
#[path = "golden/references.rs"]
mod references;
#[path = "first_run/removed.rs"]
mod removed;
#[path = "first_run/replays.rs"]
mod replays;
#[path = "first_run/reports.rs"]
mod reports;
#[path = "first_run/steered.rs"]
mod steered;
#[path = "first_run/sweeps.rs"]
mod sweeps;
#[path = "first_run/terminal.rs"]
mod terminal;
#[path = "first_run/threads.rs"]
mod threads;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[path = "first_run/unlocked.rs"]
mod unlocked;
#[path = "first_run/untouched.rs"]
mod untouched;
#[path = "first_run/upgrade.rs"]
mod upgrade;
#[path = "first_run/variables.rs"]
mod variables;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hatchery_catalog::CATALOG;
use hatchery_core::spec::SpecDocument;
use serde_json::Value as Json;

/// A run of a few seconds, so that there is time to interrupt it.
const LONG: [&str; 4] = ["run", "pig/quick", "--set", "games=600000"];

fn hatchery(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hatchery"));
    command.current_dir(folder).args(args).env_remove("HATCHERY_LOG").stdin(Stdio::null());
    command
}

fn output(folder: &Path, args: &[&str]) -> Output {
    hatchery(folder, args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The output of a command that succeeds.
fn printed(folder: &Path, args: &[&str]) -> String {
    let output = output(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The error message of a command that fails with exit code 2.
fn refused(folder: &Path, args: &[&str]) -> String {
    let output = output(folder, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
    text(&output.stderr)
}

/// The result document of a command that succeeds.
fn result(folder: &Path, args: &[&str]) -> Json {
    let output = output(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON document on standard output")
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn the_digest_is_the_same_on_any_number_of_threads() {
    let folder = scratch();
    for preset in ["pig/smoke", "tetris-evolve/smoke", "tetris-evaluate/smoke"] {
        let expected = references::digest(preset, &[]);
        for threads in ["1", "2", "7"] {
            let out = format!("{preset}-{threads}");
            let args = ["run", preset, "--threads", threads, "--out", &out, "--output", "json"];
            assert_eq!(result(folder.path(), &args)["digest"], expected, "{preset} on {threads}");
        }
    }
}

#[test]
fn a_killed_run_resumes_to_the_same_digest() {
    let folder = scratch();
    let resume = [&LONG[..], &["--out", "killed", "--resume", "--output", "json"]].concat();
    for n_lines in [0, 1, 1] {
        let mut run = hatchery(folder.path(), &resume).stderr(Stdio::piped()).spawn().unwrap();
        // A line of progress comes when the run is led.
        let lines = BufReader::new(run.stderr.take().unwrap()).lines();
        lines.take(n_lines).for_each(|line| assert!(line.unwrap().starts_with("generation")));
        run.kill().unwrap();
        run.wait().unwrap();
    }
    let document = result(folder.path(), &resume);
    assert_eq!(document["digest"], references::digest("pig/quick", &["games=600000"]));
    assert_eq!(document["trials"], 14 * 600_000, "every trial counts once");
    let again = result(folder.path(), &resume);
    assert_eq!(again, document, "a run that is done shows the same result again");
}

#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let folder = scratch();
    let args = [&LONG[..], &["--out", "it's mine", "--output", "quiet"]].concat();
    let args: Vec<_> = args.iter().map(|arg| if *arg == "quiet" { "json" } else { arg }).collect();
    let mut run = hatchery(folder.path(), &args);
    let mut run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(run.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let pid = rustix::process::Pid::from_child(&run);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let said: Vec<_> = stderr.lines().map(Result::unwrap).collect();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{said:?}");
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["status"], "unfinished");
    let resume = said.iter().find_map(|line| line.split_once("continue with: hatchery "));
    let (_, resume) = resume.unwrap_or_else(|| panic!("no resume command in {said:?}"));
    let script = format!("{} {resume} --output json", env!("CARGO_BIN_EXE_hatchery"));
    let resumed = Command::new("sh").current_dir(folder.path()).args(["-c", &script]).output();
    let document: Json = serde_json::from_slice(&resumed.unwrap().stdout).unwrap();
    assert_eq!(document["digest"], references::digest("pig/quick", &["games=600000"]));
}

#[test]
fn a_full_disk_ends_in_a_clear_error_and_loses_nothing() {
    let folder = scratch();
    // Files may not grow beyond 3,000 blocks: writes fail, whatever the signal for it does.
    let run = |limit: &str, signal: &str| {
        let script = format!(
            "{signal}; ulimit -f {limit}; exec {} run tetris-evaluate/smoke --set games=150000 \
             --set max_pieces=5 --out full --resume --output json",
            env!("CARGO_BIN_EXE_hatchery")
        );
        Command::new("sh").current_dir(folder.path()).args(["-c", &script]).output().unwrap()
    };
    for signal in ["trap '' XFSZ", "trap - XFSZ"] {
        let full = run("3000", signal);
        let said = text(&full.stderr);
        assert_eq!(full.status.code(), Some(3), "{signal}: {said}");
        assert!(said.contains("nothing that was finished is lost"), "{said}");
        assert!(said.contains("File too large"), "{said}");
        assert!(
            said.contains("continue with: hatchery run full/spec.toml --out full --resume"),
            "{said}"
        );
    }
    let resumed = run("unlimited", "true");
    let document: Json = serde_json::from_slice(&resumed.stdout).unwrap();
    let set = ["games=150000", "max_pieces=5"];
    assert_eq!(document["digest"], references::digest("tetris-evaluate/smoke", &set));
}

#[test]
fn a_damaged_store_is_named() {
    let folder = scratch();
    result(folder.path(), &["run", "pig/smoke", "--out", "run", "--output", "json"]);
    let store = folder.path().join("run/run.redb");
    let bytes = std::fs::read(&store).unwrap();
    for len in [0, 1, 100, 4096, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&store, &bytes[..len]).unwrap();
        let output = output(folder.path(), &["run", "pig/smoke", "--out", "run", "--resume"]);
        let said = text(&output.stderr);
        let code = output.status.code();
        // A file that was cut only where nothing is stored may still be whole.
        assert!(code == Some(0) || code == Some(3), "{len} bytes: {said}");
        assert!(code == Some(0) || said.contains("run/run.redb is corrupt"), "{len} bytes: {said}");
        assert!(!said.contains("panicked"), "{len} bytes: {said}");
    }
}

/// The messages of `hatchery run` about a spec, and its exit code.
fn refusal(spec: &[u8], set: &[&str]) -> String {
    let folder = scratch();
    std::fs::write(folder.path().join("my.toml"), spec).unwrap();
    let set: Vec<_> = set.iter().flat_map(|assignment| ["--set", assignment]).collect();
    let output = output(folder.path(), &[&["run", "my.toml"], &set[..]].concat());
    assert_eq!(output.status.code(), Some(13), "{}", text(&output.stderr));
    assert!(!folder.path().join("runs").exists(), "a refused spec leaves nothing behind");
    text(&output.stderr)
}

#[test]
fn bad_specs_say_where_and_what_would_be_right() {
    let spec = "experiment = \"pig\"\nseed = 1\n\n[params]\ngames = 0\nhold_at = [20]\n";
    let expected = "error: the spec is invalid\n\
                    my.toml:5:9: games is 0, but must be an integer from 1 to 1000000\n  \
                    |\n5 | games = 0\n  |         ^\n";
    assert_eq!(refusal(spec.as_bytes(), &[]), expected);
    let typo = spec.replace("games = 0", "gmaes = 5");
    let said = refusal(typo.as_bytes(), &[]);
    let expected = "my.toml:5:1: there is no gmaes; did you mean games? known are games, hold_at";
    assert!(said.contains(expected), "{said}");
    let text = spec.replace("games = 0", "games = \"many\"");
    let said = refusal(text.as_bytes(), &[]);
    assert!(said.contains("my.toml:5:9: games is \"many\""), "{said}");
    assert!(said.contains("an integer from 1 to 1000000"), "{said}");
    let other = spec.replace("pig", "pog");
    let said = refusal(other.as_bytes(), &[]);
    assert!(said.contains("my.toml:1:14: experiment is \"pog\", but must be one of"), "{said}");
    let misspelled = spec.replace("\"pig\"", "\"tetris-evolv\"");
    let said = refusal(misspelled.as_bytes(), &[]);
    assert!(said.contains("\"tetris-evolv\" (did you mean tetris-evolve?), but"), "{said}");
    let said = refusal(spec.as_bytes(), &["games=7", "hold_at=[101]"]);
    assert!(said.contains("hold_at=[101]: "), "{said}");
    refusal(&[0xff, 0xfe, 0x00, 0x9f, 0x12], &[]);
    refusal(b"\x00\x01\x02", &[]);
    refusal(&vec![b'['; 100_000], &[]);
}

#[test]
fn wrong_usage_has_its_own_exit_code() {
    let folder = scratch();
    result(folder.path(), &["run", "pig/smoke", "--out", "run", "--output", "json"]);
    let mine = folder.path().join("mine");
    std::fs::create_dir(&mine).unwrap();
    std::fs::write(mine.join("spec.toml"), "precious").unwrap();
    for args in [
        &["run", "pig/nosuch"][..],
        &["run", "pig/smoke", "--threads", "0"],
        &["run", "pig/smoke", "--out", "run"],
        &["run", "pig/quick", "--out", "run", "--resume"],
        &["run", "pig/smoke", "--out", "mine"],
        &["run", "pig/smoke", "--resume"],
        &["replay", "run", "9/0/0"],
        &["replay", "run", "0/99/0"],
        &["replay", "run", "0/0/99999"],
        &["replay", "run", "0/0/0", "--frames", "1000..1001"],
        &["replay", "run", "0/0/0", "--frames", "1000..1001", "--output", "json"],
        &["replay", "run", "0/0/0", "--frames", "1000..1001", "--output", "quiet"],
        &["replay", "run", "zero"],
        &["replay", "nosuch", "0/0/0"],
        &["nosuch"],
    ] {
        let output = output(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    assert_eq!(std::fs::read_to_string(mine.join("spec.toml")).unwrap(), "precious");
}

#[test]
fn a_preset_that_is_not_there_is_asked_back() {
    let folder = scratch();
    let asked_back = |name: &str| text(&output(folder.path(), &["run", name]).stderr);
    for (name, meant) in [
        ("tetris-evolve/quik", "did you mean tetris-evolve/quick? "),
        ("catan-balanse/quick", "did you mean catan-balance/quick? "),
        ("pig", "did you mean pig/quick or pig/smoke? "),
        ("pig/nothing-like-it", "did you mean pig/quick or pig/smoke? "),
        ("what", "preset; `hatchery experiments` lists all presets"),
    ] {
        let said = asked_back(name);
        assert!(said.contains(meant), "{name}: {said}");
    }
}

/// Verbs have the names that other tools give them, too.
#[test]
fn verbs_have_aliases() {
    let folder = scratch();
    for alias in ["ls", "status", "attach", "stop"] {
        let said = text(&output(folder.path(), &[alias, "--help"]).stdout);
        assert!(said.contains("Usage: hatchery "), "{alias}: {said}");
    }
}

#[test]
fn the_seed_is_an_option() {
    let folder = scratch();
    let digest = |args: &[&str]| {
        let args = [&["run", "pig/smoke", "--output", "json"], args].concat();
        result(folder.path(), &args)["digest"].clone()
    };
    assert_eq!(digest(&["--seed", "7"]), digest(&["--set", "seed=7"]));
    assert_ne!(digest(&["--seed", "7"]), digest(&[]));
}

#[test]
fn a_run_leaves_a_folder_to_attach_to_a_paper() {
    let folder = scratch();
    let args = ["run", "tetris-evolve/smoke", "--out", "run", "--output", "json"];
    let document = result(folder.path(), &args);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("run").join(name)).unwrap();
    assert_eq!(serde_json::from_str::<Json>(&read("result.json")).unwrap(), document);
    assert_eq!(read("generations.csv").lines().count(), 6, "a header and five generations");
    let events: Vec<Json> =
        read("events.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.last().unwrap()["event"], "run_done");
    assert_eq!(events.last().unwrap()["digest"], document["digest"]);
    assert!(folder.path().join("run/generations.parquet").exists());
    let champion: PathBuf = folder.path().join("run/exhibits/champion.toml");
    let champion = champion.to_str().unwrap();
    let evaluated = result(folder.path(), &["run", champion, "--output", "json"]);
    assert_eq!(evaluated["experiment"], "tetris-evaluate");
    let again = ["run", "run/spec.toml", "--out", "again", "--output", "json"];
    assert_eq!(result(folder.path(), &again)["digest"], document["digest"]);
}

#[test]
fn printed_specs_say_the_same_as_their_presets() {
    let folder = scratch();
    for path in CATALOG.preset_paths() {
        let printed = text(&output(folder.path(), &["spec", &path]).stdout);
        let document = SpecDocument::parse("printed", printed.as_bytes()).unwrap();
        let preset =
            SpecDocument::parse(&path, CATALOG.preset(&path).unwrap().text.as_bytes()).unwrap();
        assert_eq!(document.head(), preset.head());
        let experiment = CATALOG.find(&document.head().unwrap().experiment).unwrap();
        let params = |document| experiment.configure(document).unwrap().canonical_params();
        assert_eq!(params(&document), params(&preset), "{path}:\n{printed}");
    }
}

#[test]
fn experiments_and_completions_are_printed() {
    let folder = scratch();
    let listed = text(&output(folder.path(), &["experiments"]).stdout);
    for path in CATALOG.preset_paths() {
        assert!(listed.contains(&path), "{path} in {listed}");
    }
    let json = result(folder.path(), &["experiments", "--output", "json"]);
    assert_eq!(json["experiments"].as_array().unwrap().len(), CATALOG.experiments().count());
    for shell in ["bash", "zsh", "fish"] {
        let script = output(folder.path(), &["completions", shell]);
        assert!(script.status.success() && text(&script.stdout).contains("hatchery"));
    }
}
