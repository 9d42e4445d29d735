//! A store whose process is killed has everything that was acknowledged.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::{env, io};

use hatchery_store::conformance::View;
use hatchery_store::{EmbeddedStore, Store, StoreError};

use super::media::Disk;
use super::script;

/// The path of the child's store, and the number of its first call.
const PATH: &str = "HATCHERY_TEST_STORE";
const FIRST: &str = "HATCHERY_TEST_FIRST_CALL";

/// After how many acknowledged calls each child is killed: where exactly, chance decides.
const KILLS: [usize; 14] = [1, 1, 2, 3, 1, 5, 8, 1, 13, 21, 2, 34, 55, 1];

/// No test, but the process that the tests below start: makes calls, and prints their numbers.
#[tokio::test]
async fn child() {
    let (Ok(path), Ok(first)) = (env::var(PATH), env::var(FIRST)) else { return };
    let store =
        EmbeddedStore::open(Path::new(&path)).map(Store::new).expect("the store can be opened");
    let lead = script::begin(&store).await.expect("the run is there");
    for step in first.parse().expect("it is a number").. {
        let answer = store.execute(script::call(step, lead)).await;
        let word = if answer.is_ok() { "done" } else { "failed" };
        // The runner of tests leaves a line of its own unfinished.
        writeln!(io::stdout(), "\n{word} {step}").expect("the parent reads on");
        if answer.is_err() {
            return;
        }
    }
}

/// The arguments that make this binary the child.
const AS_CHILD: [&str; 3] = ["--exact", "embedded::crash::child", "--nocapture"];

fn start(mut command: Command, path: &Path, first: u64) -> (Child, BufReader<ChildStdout>) {
    command.env(PATH, path).env(FIRST, first.to_string()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("this binary can be started");
    let stdout = child.stdout.take().expect("it is piped");
    (child, BufReader::new(stdout))
}

/// The next word of the child, or `None` after its end.
fn next_word(stdout: &mut BufReader<ChildStdout>) -> Option<String> {
    stdout.lines().map_while(Result::ok).find_map(|line| {
        let (word, _) = line.split_once(' ')?;
        ["done", "failed"].contains(&word).then(|| word.to_owned())
    })
}

/// The number of calls in the store: the acknowledged calls, and at most one more.
async fn n_calls(store: &Store, n_acknowledged: u64) -> u64 {
    let view = View::of(store).await.expect("the store can be read");
    (n_acknowledged..=n_acknowledged + 1)
        .find(|n| view == script::view_after(*n))
        .unwrap_or_else(|| panic!("{n_acknowledged} calls were acknowledged, but it has {view:?}"))
}

#[tokio::test]
async fn a_killed_process_loses_nothing() {
    let disk = Disk::default();
    let mut first = 0;
    for n_before_kill in KILLS {
        let mut command = Command::new(env::current_exe().expect("this binary is somewhere"));
        command.args(AS_CHILD);
        let (mut child, mut stdout) = start(command, &disk.path(), first);
        for _ in 0..n_before_kill {
            assert_eq!(next_word(&mut stdout).as_deref(), Some("done"));
        }
        let second = EmbeddedStore::open(&disk.path());
        assert!(matches!(second, Err(StoreError::Locked { .. })), "{second:?}");
        child.kill().expect("it runs");
        let mut n_acknowledged = first + n_before_kill as u64;
        while next_word(&mut stdout).is_some() {
            n_acknowledged += 1;
        }
        child.wait().expect("it was started");
        let store =
            EmbeddedStore::open(&disk.path()).map(Store::new).expect("the store can be opened");
        first = n_calls(&store, n_acknowledged).await;
    }
}

/// A file that may not grow beyond some size: as good as a full disk, and needs no rights.
#[cfg(unix)]
#[tokio::test]
async fn a_real_write_error_loses_nothing() {
    let disk = Disk::default();
    let mut command = Command::new("sh");
    let script = "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"";
    // Room for the 1 MiB with which redb begins. Shells differ on the unit: 512 or 1024 bytes.
    let n_blocks = "2200";
    command.args(["-c", script, "sh", n_blocks]);
    command.arg(env::current_exe().expect("this binary is somewhere")).args(AS_CHILD);
    let (mut child, mut stdout) = start(command, &disk.path(), 0);
    let mut n_acknowledged = 0;
    while let Some(word) = next_word(&mut stdout) {
        if word == "failed" {
            child.wait().expect("it was started");
            let store =
                EmbeddedStore::open(&disk.path()).map(Store::new).expect("the store can be opened");
            n_calls(&store, n_acknowledged).await;
            return;
        }
        n_acknowledged += 1;
    }
    panic!("after {n_acknowledged} calls the child ended without an error");
}
