//! A farm in a scratch folder: Redis, coordinators, workers, and runs of known outcome.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use hatchery_catalog::CATALOG;
use hatchery_core::reference;
use hatchery_core::spec::SpecDocument;
use hatchery_test_redis::Redis;
use rustix::process::Signal;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::history::History;
use crate::process::Process;

/// How long anything may take that is sure to happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A run that takes some seconds, so that there is time for faults.
pub(crate) const RUN: Work = Work { preset: "pig/quick", set: &["games=400000"] };

/// A run that takes three times as long, for several faults one after the other.
pub(crate) const LONG_RUN: Work = Work {
    preset: "pig/quick",
    set: &["games=1000000", "hold_at=[14,16,18,19,20,21,22,23,24,25,27,30]"],
};

/// What is run: a preset and what is changed in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Work {
    pub(crate) preset: &'static str,
    pub(crate) set: &'static [&'static str],
}

impl Work {
    /// The digest that the plainest way to run gives; computed once, since many tests ask for the
    /// same.
    pub(crate) fn digest(self) -> String {
        static KNOWN: Mutex<BTreeMap<Work, Arc<OnceLock<String>>>> = Mutex::new(BTreeMap::new());
        let known = Arc::clone(KNOWN.lock().unwrap().entry(self).or_default());
        known.get_or_init(|| self.reference_digest()).clone()
    }

    fn reference_digest(self) -> String {
        let text = CATALOG.preset(self.preset).unwrap().text;
        let mut document = SpecDocument::parse(self.preset, text.as_bytes()).unwrap();
        for assignment in self.set {
            document = document.set(assignment).unwrap();
        }
        let head = document.head().unwrap();
        let experiment = CATALOG.find(&head.experiment).unwrap();
        let procedure = experiment.configure(&document).unwrap();
        reference::run(experiment, procedure.as_ref(), head.seed).unwrap().digest.to_string()
    }
}

/// A farm; all its processes end with it.
pub(crate) struct Farm {
    pub(crate) redis: Redis,
    pub(crate) coordinators: Vec<(String, Process)>,
    pub(crate) workers: Vec<Process>,
    /// Variables of the environment of all that is started from now on.
    pub(crate) variables: Vec<(&'static str, String)>,
    n_workers: usize,
    history: History,
    folder: TempDir,
}

impl Farm {
    /// A Redis with `n_coordinators`, and `n_workers` that know all of them.
    pub(crate) fn start(n_coordinators: usize, n_workers: usize) -> Self {
        let redis = Redis::start().unwrap();
        let mut farm = Self {
            redis,
            coordinators: Vec::new(),
            workers: Vec::new(),
            variables: Vec::new(),
            n_workers: 0,
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
        let (url, process) = self.coordinator("127.0.0.1:0", &self.redis.url());
        self.coordinators.push((url, process));
    }

    /// A coordinator that listens at `address` and uses the Redis at `redis`; returns when it is
    /// ready.
    pub(crate) fn coordinator(&self, address: &str, redis: &str) -> (String, Process) {
        let args = ["coordinator", "--listen", address, "--redis", redis];
        let process = Process::start("coordinator", &mut self.hatchery(&args));
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
        self.history.take_in(&self.coordinators[idx].1);
        self.coordinators[idx] = self.coordinator(&address, &self.redis.url());
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
        let urls: Vec<_> = self.coordinators.iter().map(|(url, _)| url.clone()).collect();
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
        let urls: Vec<_> = self.coordinators.iter().map(|(url, _)| url.clone()).collect();
        self.workers[idx] = self.worker(&urls, &[]);
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

    /// The result document of what was submitted; every invariant is checked on the way.
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

    /// The result document of what was submitted, where results may be taken back: then a job can
    /// be confirmed more than once.
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

    /// What the coordinators said last.
    fn said(&self) -> String {
        let said = self.coordinators.iter().map(|(_, coordinator)| coordinator.tail(60));
        said.collect::<Vec<_>>().join("\n-- next coordinator --\n")
    }

    /// How many results were confirmed so far.
    pub(crate) fn n_confirmed(&self) -> usize {
        self.history.n_confirmed()
    }

    /// Waits until some coordinator confirms a result.
    pub(crate) fn wait_for_progress(&self) {
        let begun = Instant::now();
        let confirmed = |line: &String| line.contains("verdict=Accepted");
        while !self.coordinators.iter().any(|(_, c)| c.lines_since(begun).iter().any(confirmed)) {
            if PATIENCE < begun.elapsed() {
                panic!("nothing is confirmed\n{}", self.said());
            }
            crate::process::pause(Duration::from_millis(20));
        }
    }

    /// Returns the coordinator that leads: of those that do, the last that said so.
    pub(crate) fn leader(&self) -> usize {
        const LEADS: &str = "leading run";
        const LEAVES: &str = "another coordinator leads the run";
        loop {
            self.coordinator_that_says(LEADS);
            // Two can begin at the same moment: the one without the claim leaves at once, and may
            // be the one that said so last.
            crate::process::pause(Duration::from_millis(100));
            let is_either = |line: &&String| line.contains(LEADS) || line.contains(LEAVES);
            let last = |process: &Process| {
                let lines = process.lines();
                let last = lines.iter().rev().find(is_either);
                last.filter(|line| line.contains(LEADS)).cloned()
            };
            let leading = self.coordinators.iter().enumerate();
            let leading = leading.filter_map(|(idx, (_, process))| Some((last(process)?, idx)));
            if let Some((_, idx)) = leading.max() {
                return idx;
            }
        }
    }

    /// Waits until a coordinator says `words`; of several, the one that said so last.
    pub(crate) fn coordinator_that_says(&self, words: &str) -> usize {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let said = |process: &Process| {
                process.lines().iter().rev().find(|line| line.contains(words)).cloned()
            };
            let newest = self.coordinators.iter().enumerate();
            let newest = newest.filter_map(|(idx, (_, process))| Some((said(process)?, idx)));
            if let Some((_, idx)) = newest.max() {
                return idx;
            }
            assert!(Instant::now() < deadline, "nobody says {words:?}");
            crate::process::pause(Duration::from_millis(20));
        }
    }
}

/// The binary with the arguments, in a folder.
pub(crate) fn hatchery(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hatchery"));
    command.current_dir(folder).args(args);
    command.env(
        "HATCHERY_LOG",
        "info,hatchery_coordinator=debug,hatchery_store=debug,hatchery_worker=debug",
    );
    command
}
