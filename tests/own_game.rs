//! A game outside of this repository: the crate that `hatchery game new` makes, built as it is, on
//! one machine and on farms.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "own_game/build.rs"]
mod build;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use hatchery_test_redis::PATIENCE;
use serde_json::Value as Json;
use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const HATCHERY: &str = env!("CARGO_BIN_EXE_hatchery");

/// A program in a folder of its own.
fn command(program: impl AsRef<Path>, folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program.as_ref());
    command.current_dir(folder).args(args).env_remove("HATCHERY_LOG").stdin(Stdio::null());
    command
}

/// Runs a command that must succeed, and returns what it prints.
fn printed(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let said = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{command:?}: {said}");
    String::from_utf8(stdout).unwrap()
}

/// Runs a command that must fail with this code, and returns what it says.
fn refused(code: i32, command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(code), "{command:?}: {said}");
    assert!(stdout.is_empty(), "{command:?} prints {}", String::from_utf8_lossy(&stdout));
    said
}

/// The digest in the result of a finished run.
fn digest(result: &str) -> String {
    let result: Json = serde_json::from_str(result).unwrap();
    assert_eq!(result["status"], "done", "{result}");
    result["digest"].as_str().unwrap().to_owned()
}

/// A coordinator or a worker; killed when it is dropped.
struct Process {
    child: Child,
    lines: Box<dyn Iterator<Item = String>>,
}

impl Process {
    fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        Self { child, lines: Box::new(lines) }
    }

    /// Waits for a line with `words`, and returns it.
    fn wait_for(&mut self, words: &str) -> String {
        self.lines.find(|line| line.contains(words)).expect("the process says so before it ends")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect("the process can be killed");
    }
}

/// A coordinator with a store in a file and a worker, each of its own program.
struct Farm {
    folder: TempDir,
    url: String,
    _coordinator: Process,
    _worker: Process,
}

impl Farm {
    /// Starts the farm, and returns once the worker has a session.
    fn start(coordinator: &Path, worker: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let args = ["coordinator", "--listen", "127.0.0.1:0", "--store", "farm.redb"];
        let mut coordinator = Process::start(command(coordinator, folder.path(), &args));
        let line = coordinator.wait_for("listens on");
        let url = line.split_once("listens on ").unwrap().1.to_owned();
        let args = ["worker", "--coordinator", &url, "--slots", "2"];
        let mut worker = Process::start(command(worker, folder.path(), &args));
        worker.wait_for("connected");
        Self { folder, url, _coordinator: coordinator, _worker: worker }
    }

    /// A command of this program for people, such as `submit`.
    fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = command(program, self.folder.path(), args);
        command.env("HATCHERY_COORDINATOR", &self.url);
        command
    }

    /// Returns whether the worker announces the experiment, and whether the coordinator has it.
    fn announced_and_known(&self, experiment: &str) -> (bool, bool) {
        let workers = ["workers", "--output", "json"];
        let listed = printed(&mut self.command(Path::new(HATCHERY), &workers));
        let listed: Json = serde_json::from_str(&listed).unwrap();
        let has = |list: &Json| list.as_array().unwrap().contains(&experiment.into());
        (has(&listed["workers"][0]["experiments"]), has(&listed["experiments"]))
    }
}

/// Makes the crate `checkers` in a new folder.
fn new_crate() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let new = ["game", "new", "--crate", "checkers", "--hatchery", ROOT];
    let said = printed(&mut command(HATCHERY, folder.path(), &new));
    assert!(said.contains("cargo run --release -- run checkers/smoke"), "{said}");
    let path = folder.path().join("checkers");
    (folder, path)
}

#[test]
fn an_unchanged_crate_of_its_own_runs_here_and_on_farms() {
    let (folder, path) = new_crate();
    fs::create_dir(path.join("src/bin")).unwrap();
    fs::write(path.join("src/bin/other.rs"), OTHER_PROGRAM).unwrap();
    let build::BuiltCrate { program, other, tests } = build::build("checkers", &path);
    printed(&mut command(tests, &path, &[]));
    a_program_has_what_it_lists(&other, folder.path());

    let version = printed(&mut command(&program, folder.path(), &["--version"]));
    assert_eq!(version, format!("checkers (hatchery {})\n", env!("CARGO_PKG_VERSION")));
    let help = printed(&mut command(&program, folder.path(), &["--help"]));
    assert!(help.contains("Usage: checkers ") && help.contains("`checkers help VERB`"), "{help}");
    let listed = printed(&mut command(&program, folder.path(), &["experiments"]));
    assert!(listed.contains("  checkers/smoke") && listed.contains("  pig/smoke"), "{listed}");

    let run = ["run", "checkers/smoke", "--output", "json"];
    let here = digest(&printed(&mut command(&program, folder.path(), &run)));
    let submit = ["submit", "checkers/smoke", "--wait", "--output", "json"];

    let farm = Farm::start(&program, &program);
    assert_eq!(digest(&printed(&mut farm.command(&program, &submit))), here);
    assert_eq!(farm.announced_and_known("checkers@1"), (true, true));
    drop(farm);

    mixed_farms_say_what_they_lack(&program);
}

/// A program with the experiments of the crate alone, or with the same experiment twice.
const OTHER_PROGRAM: &str = "
    use std::process::ExitCode;

    fn main() -> ExitCode {
        let [checkers] = checkers::EXPERIMENTS;
        match std::env::var_os(\"TWICE\") {
            Some(_) => hatchery::main(&[checkers, checkers]),
            None => hatchery::main_without_catalog(&[checkers]),
        }
    }
";

fn a_program_has_what_it_lists(program: &Path, folder: &Path) {
    let alone = printed(&mut command(program, folder, &["experiments", "--output", "json"]));
    let alone: Json = serde_json::from_str(&alone).unwrap();
    let [experiment] = &alone["experiments"].as_array().unwrap()[..] else { panic!("{alone}") };
    assert_eq!(experiment["name"], "checkers");
    let said = refused(3, command(program, folder, &["--version"]).env("TWICE", "yes"));
    assert!(said.contains("other has two experiments called checkers"), "{said}");
}

/// A farm has an experiment only if its coordinator and a worker have it.
fn mixed_farms_say_what_they_lack(program: &Path) {
    let plain = Path::new(HATCHERY);
    let farm = Farm::start(plain, program);
    let refusal = refused(13, &mut farm.command(program, &["submit", "checkers/smoke"]));
    let unknown = "experiment is \"checkers\", but the coordinator's program has only ";
    assert!(refusal.contains(unknown), "{refusal}");
    let pig = ["submit", "pig/smoke", "--wait", "--output", "json"];
    digest(&printed(&mut farm.command(plain, &pig)));
    assert_eq!(farm.announced_and_known("checkers@1"), (true, false));
    drop(farm);

    let farm = Farm::start(program, plain);
    printed(&mut farm.command(program, &["submit", "checkers/smoke"]));
    let deadline = Instant::now() + PATIENCE;
    loop {
        let reason = printed(&mut farm.command(plain, &["explain", "last"]));
        if reason.contains("the only worker cannot compute checkers version 1") {
            break;
        }
        assert!(Instant::now() < deadline, "{reason}");
    }
}

#[test]
fn a_folder_with_files_stays_as_it_is() {
    let (folder, path) = new_crate();
    let before = fs::read_to_string(path.join("src/rules.rs")).unwrap();
    fs::write(path.join("src/rules.rs"), "mine").unwrap();
    let again = ["game", "new", "--crate", "checkers", "--hatchery", ROOT];
    let said = refused(2, &mut command(HATCHERY, folder.path(), &again));
    assert!(said.contains("checkers is not empty"), "{said}");
    assert_eq!(fs::read_to_string(path.join("src/rules.rs")).unwrap(), "mine");
    assert!(before.contains("pub fn turn"));
    let elsewhere = [&again[..4], &["--hatchery", "."]].concat();
    let said = refused(2, &mut command(HATCHERY, folder.path(), &elsewhere));
    assert!(said.contains("is no checkout of hatchery"), "{said}");
    let taken = ["game", "new", "--crate", "pig"];
    let said = refused(2, &mut command(HATCHERY, folder.path(), &taken));
    assert!(said.contains("hatchery has an experiment with this name"), "{said}");
}

/// The files of a checkout that list the games.
const LISTS: &[&str] = &[
    "Cargo.toml",
    "jobs/catalog/Cargo.toml",
    "jobs/catalog/src/lib.rs",
    "docs/ARCHITECTURE.md",
    "tests/architecture/layers.rs",
];

/// A folder with the files of this checkout that list the games.
fn checkout() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in LISTS {
        let copy = folder.path().join(file);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(Path::new(ROOT).join(file), copy).unwrap();
    }
    folder
}

#[test]
fn a_game_in_a_checkout_is_listed_everywhere() {
    let folder = checkout();
    let new = ["game", "new", "--crate", "tic-tac-toe"];
    let said = printed(&mut command(HATCHERY, &folder.path().join("docs"), &new));
    assert!(said.contains("jobs/tic-tac-toe is the crate of the game tic-tac-toe"), "{said}");
    for (file, line) in LISTS.iter().zip([
        "\nhatchery-tic-tac-toe = { path = \"jobs/tic-tac-toe\" }\n",
        "\nhatchery-tic-tac-toe.workspace = true\n",
        "\n    &hatchery_tic_tac_toe::EXPERIMENTS,\n",
        "`jobs/pig`, `jobs/tic-tac-toe`, ",
        "\n    (\"jobs/tic-tac-toe/src\", \"self experiment wire rules\"),\n",
    ]) {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        let before = fs::read_to_string(Path::new(ROOT).join(file)).unwrap();
        assert_eq!(text.matches(line).count(), 1, "{file}: {line:?}");
        assert!(!before.contains(line), "{file}: {line:?}");
        assert!(said.contains(file), "{file}: {said}");
    }
    let manifest = folder.path().join("jobs/tic-tac-toe/Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    assert!(manifest.contains("name = \"hatchery-tic-tac-toe\"\ndescription = "), "{manifest}");
    let experiment = folder.path().join("jobs/tic-tac-toe/src/experiment.rs");
    let experiment = fs::read_to_string(experiment).unwrap();
    assert!(experiment.contains("impl Experiment for TicTacToe {"), "{experiment}");
    let elsewhere = [&new[..], &["mine"]].concat();
    let said = refused(2, &mut command(HATCHERY, folder.path(), &elsewhere));
    assert!(said.contains("has the folder"), "{said}");
}
