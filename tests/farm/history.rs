//! The history of a farm, and the check that it obeys the rules.

use std::collections::BTreeMap;

use hatchery_test_redis::Redis;

use crate::process::Process;

/// Which results were confirmed, by run and job.
#[derive(Default)]
pub(crate) struct History {
    confirmed: BTreeMap<(String, String), u32>,
    seen: BTreeMap<u32, usize>,
}

impl History {
    /// Adds the lines that a coordinator has logged since the last time.
    pub(crate) fn take_in(&mut self, coordinator: &Process) {
        let lines = coordinator.lines();
        let pid = u32::try_from(coordinator.pid().as_raw_nonzero().get()).unwrap();
        let seen = self.seen.insert(pid, lines.len()).unwrap_or(0);
        for line in &lines[seen..] {
            if let Some(confirmed) = confirmed(line) {
                *self.confirmed.entry(confirmed).or_default() += 1;
            }
        }
    }

    /// A confirmed result is the job's result for good: if a job's result was confirmed twice, a
    /// result was lost, or an effect happened twice.
    pub(crate) fn check(&self, run: &str) {
        let of_run = self.confirmed.iter().filter(|((of, _), _)| of == run);
        let twice: Vec<_> = of_run.clone().filter(|&(_, &times)| 1 < times).collect();
        assert!(twice.is_empty(), "confirmed more than once: {twice:?}");
        assert!(0 < of_run.count(), "nothing was confirmed in run {run}: is the log read right?");
    }

    /// How many results of a run were confirmed more than once, because Redis had acknowledged and
    /// then lost them. With `appendfsync everysec` it postpones a write by up to two seconds while
    /// the disk is slow, and a kill in that time takes the write back.
    pub(crate) fn n_taken_back(&self, run: &str) -> usize {
        self.confirmed.iter().filter(|((of, _), times)| of == run && 1 < **times).count()
    }

    /// How many results were confirmed.
    pub(crate) fn n_confirmed(&self) -> usize {
        self.confirmed.len()
    }
}

/// The name of a worker that computes nothing right. Only reports of failures are accepted from it.
pub(crate) const BAD_WORKER: &str = "bad";

/// The run and the job of a line that says that a result was accepted.
fn confirmed(line: &str) -> Option<(String, String)> {
    if !line.contains("verdict=Accepted") || line.contains(&format!("worker=\"{BAD_WORKER}\"")) {
        return None;
    }
    let (_, rest) = line.split_once("run=")?;
    let (run, rest) = rest.split_once(' ')?;
    let (_, job) = rest.split_once("generation=")?;
    let (job, _) = job.split_once(" verdict=")?;
    Some((run.to_owned(), job.to_owned()))
}

/// A run that has ended leaves nothing behind: no job, no lease, no result, no attempt.
pub(crate) fn check_store(redis: &Redis, run: &str) {
    let key = |name: &str| format!("ht:{{{run}}}:{name}");
    let ask = |command: &[&str]| redis.cli(command).unwrap().trim().to_owned();
    assert_eq!(ask(&["XLEN", &key("q")]), "0", "jobs are left");
    assert_eq!(ask(&["HLEN", &key("res")]), "0", "results are left");
    assert_eq!(ask(&["HLEN", &key("att")]), "0", "attempts are left");
    assert_eq!(ask(&["EXISTS", &key("dead")]), "0", "parked jobs are left");
    let pending = ask(&["XPENDING", &key("q"), "w"]);
    assert!(pending.starts_with('0') || pending.contains("NOGROUP"), "leases: {pending}");
}

#[test]
fn a_result_confirmed_twice_is_noticed() {
    let line = |job: u32| {
        format!("DEBUG verdict worker=\"w\" run=01R generation=0 job={job} verdict=Accepted")
    };
    let mut history = History::default();
    for line in [line(1), line(2)] {
        *history.confirmed.entry(confirmed(&line).unwrap()).or_default() += 1;
    }
    history.check("01R");
    assert_eq!(history.n_confirmed(), 2);
    *history.confirmed.entry(confirmed(&line(1)).unwrap()).or_default() += 1;
    assert!(std::panic::catch_unwind(|| history.check("01R")).is_err());
}
