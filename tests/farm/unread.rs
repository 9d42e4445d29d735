//! Outputs that nobody reads: a halted terminal, a full pipe, a log service that is stuck.

use std::io::Read;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::guarded::succeed;
use crate::harness::{Farm, Work};
use crate::process::{find, until};
use crate::terminal::PseudoTerminal;

/// A run whose log fills the buffer of a pipe, and the queue before it.
const WORK: Work = Work { preset: "pig/smoke", set: &["games=2000"] };

/// A run whose events fill the buffer of a pipe.
const EVENTS: Work = Work { preset: "tetris-evolve/smoke", set: &["generations=150"] };

/// The least that is in a full pipe: 64 KiB are 16 pages, which writes of several lines fill at
/// least half.
const FULL_BYTES: usize = 32_000;

/// A process whose standard error and standard output nobody reads; killed when it is dropped.
pub(crate) struct UnreadProcess(Child);

impl UnreadProcess {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::start_with_log(command, "debug")
    }

    fn start_with_log(command: &mut Command, filter: &str) -> Self {
        let command = command.stdin(Stdio::null()).env("HATCHERY_LOG", filter);
        Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Sends SIGTERM, and returns the exit code and what was on standard error and on standard
    /// output.
    fn end(self) -> (Option<i32>, [String; 2]) {
        kill_process(Pid::from_child(&self.0), Signal::TERM).unwrap();
        self.wait()
    }

    /// Waits for the end, and returns the same.
    fn wait(mut self) -> (Option<i32>, [String; 2]) {
        let mut status = None;
        until("the process ends", || {
            status = self.0.try_wait().unwrap();
            status.is_some()
        });
        let (mut said, mut shown) = (Vec::new(), Vec::new());
        self.0.stderr.take().unwrap().read_to_end(&mut said).unwrap();
        self.0.stdout.take().unwrap().read_to_end(&mut shown).unwrap();
        let texts = [said, shown].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (status.unwrap().code(), texts)
    }
}

impl Drop for UnreadProcess {
    fn drop(&mut self) {
        // It may have ended.
        self.0.kill().unwrap_or(());
        self.0.wait().unwrap();
    }
}

/// A coordinator and a worker do their work and leave in order, although nobody reads their logs.
#[test]
fn a_farm_whose_logs_nobody_reads() {
    let farm = Farm::start(0, 0);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (address, redis) = (free.to_string(), farm.redis.url());
    let args = ["coordinator", "--listen", &address, "--redis", &redis, "--job-trials", "4"];
    let coordinator = UnreadProcess::start(&mut farm.hatchery(&args));
    let url = format!("http://{address}");
    find(|| {
        let output = farm.hatchery(&["list", "--coordinator", &url]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.success().then_some(()).ok_or(said)
    });
    let worker = UnreadProcess::start(&mut farm.hatchery(&["worker", "--coordinator", &url]));
    let mut args = vec!["submit", WORK.preset, "--wait", "--output", "json", "--coordinator", &url];
    args.extend(WORK.set.iter().flat_map(|assignment| ["--set", assignment]));
    let document: serde_json::Value = serde_json::from_str(&succeed(&farm, &args)).unwrap();
    assert_eq!(document["digest"], WORK.digest().as_str());
    for (name, process) in [("worker", worker), ("coordinator", coordinator)] {
        let (code, [said, _]) = process.end();
        assert_eq!(code, Some(0), "{name}: {said}");
        assert!(FULL_BYTES <= said.len(), "the pipe of the {name} was not full: {}", said.len());
    }
}

/// A run of one machine ends although nobody reads its log.
#[test]
fn a_run_whose_log_nobody_reads() {
    let farm = Farm::start(0, 0);
    let mut args = vec!["run", WORK.preset, "--out", "run"];
    args.extend(WORK.set.iter().flat_map(|assignment| ["--set", assignment]));
    // Connections within the process log much.
    let log = "trace,h2=trace";
    let run = UnreadProcess::start_with_log(&mut farm.hatchery(&args), log);
    let (code, [said, _]) = run.wait();
    assert_eq!(code, Some(0), "{said}");
    assert!(FULL_BYTES <= said.len(), "the pipe was not full: {}", said.len());
    assert!(farm.path().join("run/result.json").exists());
}

/// `top` on a terminal that is halted ends at a signal.
#[test]
fn a_display_on_a_halted_terminal() {
    let farm = Farm::start(1, 0);
    let url = farm.coordinators[0].0.clone();
    let top = farm.hatchery(&["top", "--interval", "500ms", "--coordinator", &url]);
    let mut terminal = PseudoTerminal::start(&top, (100, 30));
    terminal.wait_for("0 unfinished runs");
    terminal.halt();
    // The display changes, so it is written anew.
    succeed(&farm, &["submit", "pig/smoke", "--coordinator", &url]);
    terminal.terminate();
    let code = terminal.end();
    // It depends on the moment whether the display was being written.
    assert!(matches!(code, Some(0 | 130)), "{code:?}");
}

/// `watch` into a pipe that nobody reads ends at a signal.
#[test]
fn a_pipe_that_nobody_reads() {
    let mut farm = Farm::start(1, 1);
    let url = farm.coordinators[0].0.clone();
    let run = farm.submit(EVENTS);
    let watch = ["watch", "last", "--output", "json", "--coordinator", &url];
    let watch = find(|| {
        farm.claim().map(drop).or_else(|| farm.ended_at().map(drop)).ok_or("there is no run")?;
        Ok::<_, &str>(UnreadProcess::start(&mut farm.hatchery(&watch)))
    });
    farm.finish(run);
    let (code, [said, shown]) = watch.end();
    assert!(matches!(code, Some(0 | 130)), "{code:?}: {said}");
    assert!(FULL_BYTES <= shown.len(), "the pipe was not full: {}", shown.len());
}
