//! A farm in a scratch folder: Redis, coordinators, workers, and runs of known outcome.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use hatchery_test_redis::{PATIENCE, Redis};
use rustix::process::Signal;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::history::History;
use crate::process::{Process, find, until};
use crate::references;

/// A run that takes some seconds, so that there is time for faults.
pub(crate) const RUN: Work = Work { preset: "pig/quick", set: &[GAMES] };

/// A run that takes three times as long, for several faults one after the other.
pub(crate) const LONG_RUN: Work = Work {
    preset: "pig/quick",
    set: &[LONG_GAMES, "hold_at=[14,16,18,19,20,21,22,23,24,25,27,30]"],
};

/// The slowdown of workers that are built with faults: a game of pig takes ten times as long as it
/// computes, so a run takes its time and leaves the cores to other tests.
const SLOWDOWN: (&str, &str) = ("HATCHERY_FAULT_SLOW", "pig:10");
#[cfg(feature = "faults")]
const GAMES: &str = "games=40000";
#[cfg(feature = "faults")]
const LONG_GAMES: &str = "games=100000";
#[cfg(not(feature = "faults"))]
const GAMES: &str = "games=400000";
#[cfg(not(feature = "faults"))]
const LONG_GAMES: &str = "games=1000000";

/// The spec to run: a preset and the changes to it.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    pub(crate) preset: &'static str,
    pub(crate) set: &'static [&'static str],
}

impl Work {
    /// The digest that the plainest way to run gives.
    pub(crate) fn digest(self) -> String {
        references::digest(self.preset, self.set)
    }
}

/// A process that reaches others through a proxy, by its place in the farm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ProxiedProcess {
    /// A coordinator on its way to Redis.
    Coordinator(usize),
    /// A worker on its way to the coordinators.
    Worker(usize),
}

/// A farm; all its processes end with it.
pub(crate) struct Farm {
    pub(crate) redis: Redis,
    pub(crate) coordinators: Vec<(String, Process)>,
    pub(crate) workers: Vec<Process>,
    /// Environment variables for every process that is started from now on.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// The addresses of the proxies through which these processes reach Redis or the coordinators.
    pub(crate) proxied: BTreeMap<ProxiedProcess, Vec<String>>,
    /// Coordinators that are started from now on may open 1,024 files, which is the usual limit.
    pub(crate) has_few_files: bool,
    n_workers: usize,
    /// The coordinator that led a run to its end and was started again since.
    ended: Option<usize>,
    history: History,
    folder: TempDir,
}

impl Farm {
    /// Starts a Redis with `n_coordinators`, and `n_workers` that have the addresses of all
    /// coordinators.
    pub(crate) fn start(n_coordinators: usize, n_workers: usize) -> Self {
        let redis = Redis::start().unwrap();
        let mut farm = Self {
            redis,
            coordinators: Vec::new(),
            workers: Vec::new(),
            variables: Vec::new(),
            proxied: BTreeMap::new(),
            has_few_files: false,
            n_workers: 0,
            ended: None,
            history: History::default(),
            folder: tempfile::tempdir().unwrap(),
        };
        (0..n_coordinators).for_each(|_| farm.add_coordinator());
        (0..n_workers).for_each(|_| farm.add_worker());
        farm
    }

    /// The folder that commands run in.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The binary with the arguments, in the farm's folder.
    pub(crate) fn hatchery(&self, args: &[&str]) -> Command {
        let mut command = hatchery(self.folder.path(), args);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts one more coordinator on a free port.
    pub(crate) fn add_coordinator(&mut self) {
        let redis = self.redis_of(self.coordinators.len());
        let (url, process) = self.coordinator("127.0.0.1:0", &redis);
        self.coordinators.push((url, process));
    }

    /// The address of Redis for coordinator `idx`.
    fn redis_of(&self, idx: usize) -> String {
        let proxied = self.proxied.get(&ProxiedProcess::Coordinator(idx));
        proxied.map_or_else(|| self.redis.url(), |urls| urls[0].clone())
    }

    /// The addresses of the coordinators for worker `idx`.
    fn coordinators_of(&self, idx: usize) -> Vec<String> {
        let urls = || self.coordinators.iter().map(|(url, _)| url.clone()).collect();
        self.proxied.get(&ProxiedProcess::Worker(idx)).cloned().unwrap_or_else(urls)
    }

    /// A coordinator that listens at `address`, uses the Redis at `redis` and exports its metrics;
    /// returns when it is ready.
    pub(crate) fn coordinator(&self, address: &str, redis: &str) -> (String, Process) {
        let args = ["coordinator", "--listen", address, "--redis", redis];
        let args = [&args[..], &["--metrics", "127.0.0.1:0"]].concat();
        let mut command = self.hatchery(&args);
        if self.has_few_files {
            command = with_few_files(&command);
        }
        self.ready_coordinator(&mut command)
    }

    /// Starts a coordinator by `command`; returns when it is ready.
    pub(crate) fn ready_coordinator(&self, command: &mut Command) -> (String, Process) {
        let process = Process::start("coordinator", command);
        let (_, line) = process.wait_for(Instant::now() - PATIENCE, PATIENCE, |line| {
            line.contains("listens on http://")
        });
        let (_, url) = line.split_once("listens on ").unwrap();
        (url.trim().to_owned(), process)
    }

    /// Starts coordinator `idx` again where it was.
    pub(crate) fn restart_coordinator(&mut self, idx: usize) {
        let address = self.coordinators[idx].0.trim_start_matches("http://").to_owned();
        self.coordinators[idx].1.kill();
        self.ended = self.ended_at();
        self.history.take_in(&self.coordinators[idx].1);
        self.coordinators[idx] = self.coordinator(&address, &self.redis_of(idx));
    }

    /// Lets coordinator `idx` end, and starts another where it was.
    pub(crate) fn replace_coordinator_gently(&mut self, idx: usize) {
        self.coordinators[idx].1.signal(Signal::TERM);
        let (status, _) = self.coordinators[idx].1.wait(PATIENCE);
        assert!(status.success(), "{status}");
        self.restart_coordinator(idx);
    }

    /// Starts one more worker, with one slot.
    pub(crate) fn add_worker(&mut self) {
        let urls = self.coordinators_of(self.workers.len());
        let worker = self.worker(&urls, &[]);
        self.workers.push(worker);
    }

    /// A worker of the coordinators at `urls`, with one slot unless `more` arguments say otherwise.
    pub(crate) fn worker(&mut self, urls: &[String], more: &[&str]) -> Process {
        self.n_workers += 1;
        let name = format!("w{}", self.n_workers);
        let mut args = vec!["worker", "--name", &name];
        if !more.contains(&"--slots") {
            args.extend(["--slots", "1"]);
        }
        args.extend(urls.iter().flat_map(|url| ["--coordinator", url]));
        args.extend(more);
        Process::start(&name, &mut self.hatchery(&args))
    }

    /// Kills worker `idx` and starts another in its place.
    pub(crate) fn replace_worker(&mut self, idx: usize) {
        self.workers[idx].kill();
        self.workers[idx] = self.worker(&self.coordinators_of(idx), &[]);
    }

    /// Lets worker `idx` end, and starts another in its place.
    pub(crate) fn replace_worker_gently(&mut self, idx: usize) {
        self.workers[idx].signal(Signal::TERM);
        let (status, _) = self.workers[idx].wait(PATIENCE);
        assert!(status.success(), "{status}");
        self.replace_worker(idx);
    }

    /// Submits `work` and follows it.
    pub(crate) fn submit(&self, work: Work) -> Process {
        let mut args = vec!["submit", work.preset, "--wait", "--output", "json"];
        args.extend(work.set.iter().flat_map(|assignment| ["--set", assignment]));
        args.extend(self.coordinators.iter().flat_map(|(url, _)| ["--coordinator", url]));
        Process::start("submit", &mut self.hatchery(&args))
    }

    /// The result document of the submitted run; every invariant is checked on the way.
    pub(crate) fn finish(&mut self, submitted: Process) -> Json {
        let document = self.result(submitted);
        self.check(document["run"].as_str().unwrap());
        document
    }

    /// As [`finish`](Self::finish), after Redis was killed; says how many results it took back.
    pub(crate) fn finish_after_redis(&mut self, submitted: Process) -> (Json, usize) {
        let document = self.result(submitted);
        for (_, coordinator) in &self.coordinators {
            self.history.take_in(coordinator);
        }
        let n_taken_back = self.history.n_taken_back(document["run"].as_str().unwrap());
        (document, n_taken_back)
    }

    /// The result document of the submitted run, where Redis may lose results: then a job can be
    /// confirmed more than once.
    pub(crate) fn result(&self, mut submitted: Process) -> Json {
        let ended = submitted.try_wait(PATIENCE);
        let Some((_, stdout)) = ended.filter(|(status, _)| status.success()) else {
            panic!("not done: {:#?}\n{}", submitted.lines(), self.said());
        };
        let document: Json = serde_json::from_slice(&stdout).unwrap();
        crate::history::check_store(&self.redis, document["run"].as_str().unwrap());
        document
    }

    /// Checks what must hold when a run has ended, whatever happened before.
    pub(crate) fn check(&mut self, run: &str) {
        for (_, coordinator) in &self.coordinators {
            self.history.take_in(coordinator);
        }
        self.history.check(run);
        crate::history::check_store(&self.redis, run);
    }

    /// The last lines of the coordinators' logs.
    fn said(&self) -> String {
        let said = self.coordinators.iter().map(|(_, coordinator)| coordinator.tail(60));
        said.collect::<Vec<_>>().join("\n-- next coordinator --\n")
    }

    /// What the coordinators have confirmed so far.
    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// Waits until Redis has rewritten its append-only file since its start, or since its disk was
    /// full: until then it may not start again with the file.
    pub(crate) fn wait_until_rewritten(&self) {
        until("the append-only file is rewritten", || {
            let start = self.redis.info("run_id").unwrap();
            self.redis.cli(&["GET", "ht:tidied"]).unwrap().trim() == start
        });
    }

    /// Waits until some coordinator confirms a result. A run that is over meanwhile has had it.
    pub(crate) fn wait_for_progress(&self) {
        let begun = Instant::now();
        let confirmed = |line: &String| line.contains("verdict=Accepted");
        until("a result is confirmed", || {
            self.coordinators.iter().any(|(_, c)| c.lines_since(begun).iter().any(confirmed))
                || self.ended_at().is_some()
        });
    }

    /// The coordinator that led a run to its end, if one has.
    pub(crate) fn ended_at(&self) -> Option<usize> {
        let is_end = |line: &String| line.contains("run done");
        let ended =
            self.coordinators.iter().position(|(_, process)| process.lines().iter().any(is_end));
        ended.or(self.ended)
    }

    /// The run that was created last; `None` while there is none.
    pub(crate) fn last_run(&self) -> Option<String> {
        let last = self.redis.cli(&["ZRANGE", "ht:runs", "-1", "-1"]).unwrap();
        Some(last.trim().to_owned()).filter(|run| !run.is_empty())
    }

    /// The id of the coordinator that has the claim on the last run, and the time in ms for which
    /// that holds unless it is renewed: a claim outlives its coordinator for a while.
    pub(crate) fn claim(&self) -> Option<(String, i64)> {
        let claim = format!("ht:{{{}}}:claim", self.last_run()?);
        let left_ms = self.redis.cli(&["PTTL", &claim]).unwrap().trim().parse().unwrap();
        let id = self.redis.cli(&["GETRANGE", &claim, "0", "31"]).unwrap().trim().to_owned();
        (!id.is_empty()).then_some((id, left_ms))
    }

    /// Returns the coordinator with this id, as long as its announcement still exists. A
    /// coordinator that was killed and started again has the same place in the farm, and another
    /// id.
    fn coordinator_of(&self, id: &str) -> Option<usize> {
        let announced = self.redis.cli(&["GET", &format!("ht:c:{id}")]).unwrap();
        self.coordinators.iter().position(|(url, _)| announced.contains(url.as_str()))
    }

    /// Waits until a coordinator has the claim on the last run and leads it, and returns this
    /// coordinator. If the run is over, returns the coordinator that led the run to its end.
    pub(crate) fn leader(&self) -> usize {
        // In the log of this process: the one before it, which was killed, has another.
        let leads = |line: &String| line.contains("leading run");
        let has_led = |&idx: &usize| self.coordinators[idx].1.lines().iter().any(leads);
        find(|| {
            let claimant = self.claim().and_then(|(id, _)| self.coordinator_of(&id));
            let leader = claimant.filter(has_led).or_else(|| self.ended_at());
            leader.ok_or_else(|| format!("nobody leads\n{}", self.said()))
        })
    }

    /// Waits until a coordinator says `words`; of several, the coordinator that logged it last.
    pub(crate) fn coordinator_that_says(&self, words: &str) -> usize {
        let said = |process: &Process| {
            process.lines().iter().rev().find(|line| line.contains(words)).cloned()
        };
        find(|| {
            let newest = self.coordinators.iter().enumerate();
            let newest = newest.filter_map(|(idx, (_, process))| Some((said(process)?, idx)));
            newest.max().map(|(_, idx)| idx).ok_or_else(|| format!("nobody says {words:?}"))
        })
    }
}

/// The binary with the arguments, in a folder.
pub(crate) fn hatchery(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hatchery"));
    command.current_dir(folder).args(args).envs([SLOWDOWN]);
    command.env(
        "HATCHERY_LOG",
        "info,hatchery_coordinator=debug,hatchery_store=debug,hatchery_worker=debug",
    );
    command
}

/// The command of a process that may open 1,024 files, whatever it asks for.
fn with_few_files(command: &Command) -> Command {
    let mut limited = Command::new("prlimit");
    limited.arg("--nofile=1024:1024").arg(command.get_program()).args(command.get_args());
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    limited
}
