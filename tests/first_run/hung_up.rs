//! A terminal that goes away, which the processes in it are told by SIGHUP.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::{LONG, hatchery, scratch};

/// Starts `hatchery` as `env` with `signals` starts it, sends SIGHUP after a line of standard error
/// with `begun` in it, and returns the exit code and the lines after it.
fn hung_up(signals: &str, folder: &Path, args: &[&str], begun: &str) -> (Option<i32>, String) {
    let program = hatchery(folder, args);
    let mut command = Command::new("env");
    command.arg(signals).arg(program.get_program()).args(program.get_args());
    command.current_dir(folder).env_remove("HATCHERY_LOG").stdin(Stdio::null());
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.contains(begun)).unwrap_or_else(|| panic!("{begun} comes"));
    // `env` has become the process itself.
    kill_process(Pid::from_child(&process), Signal::HUP).unwrap();
    let said = lines.collect::<Vec<_>>().join("\n");
    (process.wait().unwrap().code(), said)
}

#[test]
fn a_terminal_that_goes_away_stops_like_any_signal() {
    let folder = scratch();
    let check = |args: &[&str], begun: &str, code: i32, expected: &str| {
        let (ended, said) = hung_up("--default-signal=HUP", folder.path(), args, begun);
        assert_eq!(ended, Some(code), "{args:?}: {said}");
        assert!(said.contains(expected), "{args:?}: {said}");
    };
    let run = [&LONG[..], &["--out", "run"]].concat();
    check(&run, "generation", 130, "continue with: hatchery run");
    let coordinator = ["coordinator", "--store", "store", "--listen", "127.0.0.1:0"];
    check(&coordinator, "listens on", 0, "draining: ");
    // Port 1 of this machine has no listener.
    let worker = ["worker", "--coordinator", "http://127.0.0.1:1", "--slots", "1"];
    check(&worker, "cannot reach", 0, "drained");
}

#[test]
fn nohup_keeps_a_run_going() {
    let folder = scratch();
    let run = [&LONG[..], &["--out", "run"]].concat();
    let (code, said) = hung_up("--ignore-signal=HUP", folder.path(), &run, "generation");
    assert_eq!(code, Some(0), "{said}");
}
