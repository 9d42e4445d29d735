//! A process of the farm, and its log.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use hatchery_test_redis::PATIENCE;

/// A running `hatchery`; killed when it is dropped.
pub(crate) struct Process {
    name: String,
    child: Child,
    said: Arc<Said>,
    stdout: Option<std::thread::JoinHandle<Vec<u8>>>,
}

/// The lines of standard error, with their times; shared with the thread that reads them.
#[derive(Default)]
struct Said {
    lines: Mutex<(Vec<(Instant, String)>, bool)>,
    more: Condvar,
}

impl Process {
    /// Starts `command`, which is called `name` in messages.
    pub(crate) fn start(name: &str, command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        let said = Arc::new(Said::default());
        let (stderr, keep) = (child.stderr.take().unwrap(), Arc::clone(&said));
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                keep.lines.lock().unwrap().0.push((Instant::now(), line));
                keep.more.notify_all();
            }
            keep.lines.lock().unwrap().1 = true;
            keep.more.notify_all();
        });
        let mut stdout = child.stdout.take().unwrap();
        let stdout = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What was written before the process was killed counts.
            stdout.read_to_end(&mut bytes).unwrap_or(0);
            bytes
        });
        Self { name: name.to_owned(), child, said, stdout: Some(stdout) }
    }

    /// The lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.said.lines.lock().unwrap().0.iter().map(|(_, line)| line.clone()).collect()
    }

    /// The lines since an instant, each with the instant when it was read.
    pub(crate) fn timed_lines_since(&self, from: Instant) -> Vec<(Instant, String)> {
        let lines = self.said.lines.lock().unwrap();
        lines.0.iter().filter(|(at, _)| from <= *at).cloned().collect()
    }

    /// The lines since `from`.
    pub(crate) fn lines_since(&self, from: Instant) -> Vec<String> {
        self.timed_lines_since(from).into_iter().map(|(_, line)| line).collect()
    }

    /// The first line since `from` that `wanted` takes, and when it came.
    pub(crate) fn wait_for(
        &self,
        from: Instant,
        within: Duration,
        wanted: impl Fn(&str) -> bool,
    ) -> (Instant, String) {
        let deadline = Instant::now() + within;
        let mut lines = self.said.lines.lock().unwrap();
        let mut seen = 0;
        loop {
            let found = lines.0[seen..].iter().find(|(at, line)| from <= *at && wanted(line));
            if let Some(found) = found {
                return found.clone();
            }
            seen = lines.0.len();
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || lines.1 {
                let all: Vec<_> = lines.0.iter().map(|(_, line)| line.clone()).collect();
                drop(lines);
                panic!(
                    "{} did not say what was waited for; it said:\n{}",
                    self.name,
                    all.join("\n")
                );
            }
            lines = self.said.more.wait_timeout(lines, left).unwrap().0;
        }
    }

    /// The last lines.
    pub(crate) fn tail(&self, n_lines: usize) -> String {
        let lines = self.lines();
        lines[lines.len().saturating_sub(n_lines)..].join("\n")
    }

    pub(crate) fn signal(&self, signal: Signal) {
        // A process that has ended already can't be told.
        kill_process(self.pid(), signal).unwrap_or(());
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Ends the process at once.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap_or(());
        self.child.wait().unwrap();
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until the process ends; its status and standard output.
    pub(crate) fn wait(&mut self, within: Duration) -> (ExitStatus, Vec<u8>) {
        self.try_wait(within).unwrap_or_else(|| {
            panic!("{} has not ended after {within:?}: {:#?}", self.name, self.lines())
        })
    }

    /// As [`wait`](Self::wait); a process that does not end in time is killed, and `None`.
    pub(crate) fn try_wait(&mut self, within: Duration) -> Option<(ExitStatus, Vec<u8>)> {
        let deadline = Instant::now() + within;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                let lines = self.said.lines.lock().unwrap();
                // What it said last may not have been read yet.
                drop(self.said.more.wait_while(lines, |(_, closed)| !*closed).unwrap());
                let stdout = self.stdout.take().map(|reader| reader.join().unwrap());
                return Some((status, stdout.unwrap_or_default()));
            }
            if deadline <= Instant::now() {
                self.kill();
                return None;
            }
            pause(Duration::from_millis(20));
        }
    }

    /// The memory of the process that is in use, in bytes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.status_bytes("VmRSS:")
    }

    /// The most memory of the process that was ever in use, in bytes.
    pub(crate) fn peak_memory_bytes(&self) -> u64 {
        self.status_bytes("VmHWM:")
    }

    /// The time that the process has had on cores, its ended threads included, without the time
    /// that it waited for a core.
    pub(crate) fn cpu_time(&self) -> Duration {
        cpu_time_of(self.child.id())
    }

    /// A size that the system keeps of the process.
    fn status_bytes(&self, name: &str) -> u64 {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        kib.unwrap_or(0) << 10
    }
}

/// The time that a process has had on cores.
pub(crate) fn cpu_time_of(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // The fields after the name: the times of the process and of the system for it are the 14th and
    // 15th of all, in hundredths of a second.
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let hundredths = fields.split(' ').skip(11).take(2).map(|field| field.parse::<u64>());
    Duration::from_millis(10 * hundredths.map(Result::unwrap).sum::<u64>())
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::CONT);
        self.child.kill().unwrap_or(());
        self.child.wait().map(|_| ()).unwrap_or(());
    }
}

/// Lets the fault that is being tested last; never to wait for something to happen.
pub(crate) fn pause(time: Duration) {
    std::thread::park_timeout(time);
}

/// The pauses between looks at a state that no process reports: the first, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Looks again and again until `look` finds something; the test fails with the returned state. The
/// looks become rarer, so that the cores are free for the awaited work.
pub(crate) fn find<T, E: fmt::Display>(mut look: impl FnMut() -> Result<T, E>) -> T {
    let (deadline, mut wait) = (Instant::now() + PATIENCE, FIRST_PAUSE);
    loop {
        match look() {
            Ok(found) => return found,
            Err(instead) => assert!(Instant::now() < deadline, "{instead}"),
        }
        std::thread::park_timeout(wait);
        wait = LONGEST_PAUSE.min(wait * 3 / 2);
    }
}

/// Waits for a state that no process reports.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    find(|| is_so().then_some(()).ok_or_else(|| format!("never: {what}")));
}
