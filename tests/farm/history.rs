//! The history of a farm, and the check that it obeys the rules.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_test_redis::Redis;

use crate::process::Process;

/// Which results were confirmed, by run and job, and why results are computed again.
#[derive(Default)]
pub(crate) struct History {
    confirmed: BTreeMap<(String, String), u32>,
    /// The generations to which runs were rewound, since the bad worker had contributed to them.
    rewinds: BTreeMap<String, Vec<u32>>,
    /// The ids of the bad worker's processes, which a coordinator logs when they join.
    bad: BTreeSet<String>,
    /// The lines that say why results are computed again.
    reasons: Vec<String>,
    seen: BTreeMap<u32, usize>,
}

impl History {
    /// Adds the lines that a coordinator has logged since the last time.
    pub(crate) fn take_in(&mut self, coordinator: &Process) {
        let lines = coordinator.lines();
        let pid = u32::try_from(coordinator.pid().as_raw_nonzero().get()).unwrap();
        let seen = self.seen.insert(pid, lines.len()).unwrap_or(0);
        lines[seen..].iter().for_each(|line| self.add(line));
    }

    fn add(&mut self, line: &str) {
        if let Some(confirmed) = confirmed(line) {
            *self.confirmed.entry(confirmed).or_default() += 1;
        }
        if let Some((run, generation)) = rewound(line) {
            self.rewinds.entry(run).or_default().push(generation);
        }
        if line.contains("worker joined") && line.contains(&is_bad()) {
            self.bad.extend(field(line, "id="));
        }
        if WHY_AGAIN.iter().any(|why| line.contains(why)) {
            self.reasons.push(line.to_owned());
        }
    }

    /// A confirmed result is the job's result for good: if a job's result was confirmed twice, a
    /// result was lost, or an effect happened twice. The exception is a run that is rewound to a
    /// generation to which a quarantined worker had contributed, and no good worker is quarantined.
    pub(crate) fn check(&self, run: &str) {
        let mut quarantined = self.reasons.iter().filter(|line| line.contains(QUARANTINED));
        let good = quarantined
            .find(|line| !field(line, "worker=").is_some_and(|worker| self.bad.contains(&worker)));
        assert!(good.is_none(), "a good worker is quarantined: {good:?}");
        let reasons = &self.reasons;
        let twice: Vec<_> = self.more_than_once(run).collect();
        assert!(twice.is_empty(), "confirmed more than once: {twice:?}; {reasons:#?}");
        let n_confirmed = self.confirmed.keys().filter(|(of, _)| of == run).count();
        assert!(0 < n_confirmed, "nothing was confirmed in run {run}: is the log read right?");
    }

    /// How many results of a run were confirmed more than once, because Redis had acknowledged and
    /// then lost them. With `appendfsync everysec` it postpones a write by up to two seconds while
    /// the disk is slow, and a kill in that time takes the write back.
    pub(crate) fn n_taken_back(&self, run: &str) -> usize {
        self.more_than_once(run).count()
    }

    /// The jobs of a run with more confirmed results than the run's rewinds explain.
    fn more_than_once(&self, run: &str) -> impl Iterator<Item = (&str, u32)> {
        let rewinds = self.rewinds.get(run).map_or(&[][..], Vec::as_slice);
        let of_run = self.confirmed.iter().filter(move |((of, _), _)| of == run);
        of_run.filter_map(move |((_, job), &times)| {
            let (generation, _) = job.split_once(' ')?;
            let generation: u32 = generation.parse().expect("a job begins with its generation");
            let n_rewinds = rewinds.iter().filter(|&&to| to <= generation).count();
            (n_rewinds + 1 < times as usize).then_some((job.as_str(), times))
        })
    }

    /// How often a run was rewound because of a quarantined worker.
    pub(crate) fn n_rewinds(&self) -> usize {
        self.rewinds.values().map(Vec::len).sum()
    }

    /// How many results were confirmed.
    pub(crate) fn n_confirmed(&self) -> usize {
        self.confirmed.len()
    }
}

/// The words of a line that says that a worker is quarantined.
const QUARANTINED: &str = "worker quarantined";

/// The words of lines that say why results are computed again.
const WHY_AGAIN: [&str; 5] =
    [QUARANTINED, "rewound", "rolled back", "recomputing jobs", "a result of an earlier cut"];

/// The run that was rewound because of a quarantined worker, and the generation where it begins
/// again.
fn rewound(line: &str) -> Option<(String, u32)> {
    if !line.contains("rewound: a quarantined worker contributed") {
        return None;
    }
    Some((field(line, "run=")?, field(line, "generation=")?.parse().ok()?))
}

/// The value of a line's field, which is called `name`, such as `run=`.
fn field(line: &str, name: &str) -> Option<String> {
    let words = line.split(' ');
    words.filter_map(|word| word.strip_prefix(name)).next().map(str::to_owned)
}

/// The field of a line that is about the bad worker.
fn is_bad() -> String {
    format!("worker=\"{BAD_WORKER}\"")
}

/// The name of a worker that computes nothing right. Only reports of failures are accepted from it.
pub(crate) const BAD_WORKER: &str = "bad";

/// The run and the job of a line that says that a result was accepted.
fn confirmed(line: &str) -> Option<(String, String)> {
    if !line.contains("verdict=Accepted") || line.contains(&is_bad()) {
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
    let confirm = |generation: u32, job: u32| {
        let place = format!("run=01R generation={generation} job={job}");
        format!("DEBUG verdict worker=\"w\" {place} verdict=Accepted")
    };
    let refused = |history: &History| std::panic::catch_unwind(|| history.check("01R")).is_err();
    let mut history = History::default();
    for line in [confirm(0, 1), confirm(1, 2)] {
        history.add(&line);
    }
    history.check("01R");
    assert_eq!(history.n_confirmed(), 2);
    history.add(&confirm(1, 2));
    assert!(refused(&history));
    history.add("WARN rewound: a quarantined worker contributed run=01R generation=1 tainted=1");
    history.check("01R");
    history.add(&confirm(0, 1));
    assert!(refused(&history));
}

#[test]
fn a_quarantined_good_worker_is_noticed() {
    let line = |id: u32| format!("ERROR worker quarantined worker={id} reason=\"lies\"");
    let mut history = History::default();
    history.add("DEBUG verdict worker=\"w\" run=01R generation=0 job=1 verdict=Accepted");
    history.add(&format!("INFO worker joined {} id=7 slots=1", is_bad()));
    history.add(&line(7));
    history.check("01R");
    history.add(&line(8));
    assert!(std::panic::catch_unwind(|| history.check("01R")).is_err());
}
