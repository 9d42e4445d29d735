//! Workers that are killed, halted, drained, wrong, or many.

use std::collections::BTreeSet;
use std::time::Instant;

use rustix::process::Signal;

#[cfg(feature = "faults")]
use hatchery_test_redis::PATIENCE;

use crate::harness::LONG_RUN;
use crate::harness::{Farm, RUN, Work};
use crate::metrics;
use crate::process::until;

/// How many sessions ended for a reason.
fn n_ended(farm: &Farm, reason: &str) -> f64 {
    let address = metrics::address(&farm.coordinators[0].1, "serves metrics on http://");
    let (_, text) = metrics::get(&address, "/metrics").unwrap();
    let series = format!("hatchery_worker_sessions_ended_total{{reason=\"{reason}\"}}");
    metrics::value(&text, &series).unwrap()
}

/// The jobs that a worker was given, by these lines, and on which it had no verdict yet.
fn held(lines: &[String], worker: &str) -> BTreeSet<String> {
    let worker = format!("worker=\"{worker}\" ");
    let mut held = BTreeSet::new();
    for (what, job) in lines.iter().filter_map(|line| line.split_once(&worker)) {
        match job.split_once(" verdict=") {
            Some((job, _)) => _ = held.remove(job),
            None if what.contains(" assigned ") => _ = held.insert(job.to_owned()),
            None => {}
        }
    }
    held
}

/// Row 1: the coordinator notices a killed worker by its closed connection, not by its silence, and
/// other workers get its jobs.
#[test]
fn worker_killed() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(RUN);
    let begun = Instant::now() - PATIENCE;
    let mut n_passed_on = 0;
    for round in 1..=4_u8 {
        let (idx, name) = (usize::from(round - 1) % 2, format!("w{round}"));
        let says = |farm: &Farm, what: &str| {
            let line = format!("{what} worker=\"{name}\"");
            farm.coordinators[0].1.wait_for(begun, PATIENCE, |said| said.contains(&line)).1
        };
        says(&farm, "worker joined");
        if round == 1 {
            says(&farm, " assigned");
        }
        farm.workers[idx].kill();
        let left = says(&farm, "worker left");
        assert!(left.contains("goodbye=false"), "{left}");
        assert_eq!((n_ended(&farm, "lost"), n_ended(&farm, "silent")), (round.into(), 0.0));
        farm.replace_worker(idx);
        let passed_on = held(&farm.coordinators[0].1.lines(), &name);
        n_passed_on += passed_on.len();
        let others = [round + 1, round + 2].map(|number| format!("w{number}"));
        until("others have the jobs", || {
            let lines = farm.coordinators[0].1.lines();
            let with_others: BTreeSet<_> = others.iter().flat_map(|w| held(&lines, w)).collect();
            let has = |what: &str| lines.iter().any(|line| line.contains(what));
            let is_done = |job: &String| has(&format!("{job} verdict="));
            let is_fine = |job: &String| with_others.contains(job) || is_done(job);
            // A result that was on its way when its worker died is stored without a verdict.
            passed_on.iter().all(is_fine) || has("run done")
        });
    }
    assert!(0 < n_passed_on, "no worker had a job when it was killed");
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// Games with searches, and agents that learn from game to game.
#[test]
fn worker_killed_in_games_of_othello() {
    kill_a_worker(Work { preset: "othello-match/smoke", set: &["pairs=12"] });
}

/// Levels and play-outs, whose physics must be the same in every process.
#[test]
fn worker_killed_in_levels_of_birds() {
    kill_a_worker(Work { preset: "birds-adapt/smoke", set: &["replicates=6"] });
}

/// Games of cards, whose effects and agents must be the same in every process.
#[test]
fn worker_killed_in_matrices_of_othellonia() {
    kill_a_worker(Work { preset: "othellonia-matrix/smoke", set: &["pairs=600"] });
}

/// Kills one of two workers after the first result, and expects the digest of a run without faults.
fn kill_a_worker(work: Work) {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(work);
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    farm.workers[0].kill();
    farm.replace_worker(0);
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], work.digest());
}

/// Row 2: a worker that is silent is lost; its later messages change nothing.
#[test]
fn worker_halted() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(RUN);
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    let halted = Instant::now();
    farm.workers[0].signal(Signal::STOP);
    let (_, line) = coordinator.wait_for(halted, PATIENCE, |line| line.contains("worker left"));
    assert!(line.contains("worker=\"w1\"") && line.contains("goodbye=false"), "{line}");
    farm.workers[0].signal(Signal::CONT);
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// The number of workers that come and go, and the most bytes that each may leave behind.
const N_REPLACED: usize = 10;
const MAX_LEFT_BYTES: u64 = 2 << 20;

/// Row 30: sessions, consumers and memory do not grow with workers that come and go. The
/// coordinator needs the memory for the first workers anyway.
#[test]
fn workers_come_and_go() {
    let mut farm = Farm::start(1, 2);
    crate::operators::workers(&farm, |workers| workers.len() == 2);
    let submitted = farm.submit(RUN);
    let mut n_replaced = 0;
    let mut replace = |farm: &mut Farm| {
        for idx in (0..N_REPLACED).map(|n| n % 2) {
            farm.replace_worker(idx);
            n_replaced += 1;
            let joined = format!("worker joined worker=\"w{}\"", n_replaced + 2);
            let begun = Instant::now() - PATIENCE;
            let (_, coordinator) = &farm.coordinators[0];
            coordinator.wait_for(begun, PATIENCE, |line| line.contains(&joined));
            // Whoever completes nothing says nothing about a job that is lost again and again.
            if idx == 1 {
                farm.wait_for_progress();
            }
        }
        farm.coordinators[0].1.memory_bytes()
    };
    let before = replace(&mut farm);
    let grown = replace(&mut farm).saturating_sub(before);
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
    println!("{before} bytes, and {grown} more after {N_REPLACED} workers more");
    assert!(grown < N_REPLACED as u64 * MAX_LEFT_BYTES, "{grown} bytes are left of them");
    crate::operators::workers(&farm, |workers| workers.len() == 2);
    assert_eq!((n_ended(&farm, "lost"), n_ended(&farm, "silent")), (20.0, 0.0));
}

/// Row 31: a worker that is asked to end gives back the jobs that it has not begun, finishes the
/// rest, and leaves no work to be repeated.
#[test]
fn worker_drained() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(RUN);
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    let asked = Instant::now();
    farm.workers[0].signal(Signal::TERM);
    let (_, line) = coordinator.wait_for(asked, PATIENCE, |line| line.contains("worker left"));
    assert!(line.contains("goodbye=true") && line.contains("held=0"), "{line}");
    let (status, _) = farm.workers[0].wait(PATIENCE);
    assert!(status.success(), "{status}");
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// Starts a worker with a fault.
#[cfg(feature = "faults")]
fn faulty(farm: &Farm, name: &str, fault: &str) -> crate::process::Process {
    let url = &farm.coordinators[0].0;
    let mut worker =
        farm.hatchery(&["worker", "--slots", "1", "--name", name, "--coordinator", url]);
    crate::process::Process::start(name, worker.env("HATCHERY_FAULT_LIE", fault))
}

/// One worker computes right and the other worker fails every job, so no worker can give a second
/// opinion on the first result: the coordinator computes that job itself.
#[cfg(feature = "faults")]
#[test]
fn worker_fails_every_job() {
    let farm = Farm::start(1, 1);
    let broken = faulty(&farm, "broken", "fail");
    let submitted = farm.submit(RUN);
    assert_eq!(farm.result(submitted)["digest"], RUN.digest());
    drop(broken);
}

/// A worker that fails every job is paused as long as there are jobs, and the list of workers says
/// so.
#[cfg(feature = "faults")]
#[test]
fn worker_that_fails_every_job_is_paused() {
    let farm = Farm::start(1, 1);
    let broken = faulty(&farm, "broken", "fail");
    let mut submit = vec!["submit", LONG_RUN.preset];
    submit.extend(LONG_RUN.set.iter().flat_map(|assignment| ["--set", assignment]));
    let run = crate::verbs::json(&farm, &submit)["run"].as_str().unwrap().to_owned();
    crate::operators::workers(&farm, |workers| {
        workers.iter().any(|worker| worker["name"] == "broken" && worker["state"] == "paused")
    });
    crate::verbs::output(&farm, &["cancel", &run]);
    drop(broken);
}

/// A worker whose results are malformed is quarantined after the third that another completes. A
/// run may be done before the worker got its third job, so the test starts further runs until it
/// has.
#[cfg(feature = "faults")]
#[test]
fn worker_sends_malformed_results() {
    let farm = Farm::start(1, 2);
    let broken = faulty(&farm, "broken", "malform");
    let (_, coordinator) = &farm.coordinators[0];
    let begun = Instant::now();
    let line = loop {
        let submitted = farm.submit(RUN);
        assert_eq!(farm.result(submitted)["digest"], RUN.digest());
        let lines = coordinator.lines_since(begun);
        if let Some(line) = lines.into_iter().find(|line| line.contains("worker quarantined")) {
            break line;
        }
        let of_broken = coordinator.lines().into_iter().filter(|line| line.contains("broken"));
        assert!(
            begun.elapsed() < PATIENCE,
            "nobody is quarantined: {:#?}, and the worker says {}",
            of_broken.collect::<Vec<_>>(),
            broken.tail(50)
        );
    };
    assert!(line.contains("malformed"), "{line}");
    drop(broken);
}

/// Two workers that fail every job do not make a good job dead: the third completes it.
#[cfg(feature = "faults")]
#[test]
fn two_failing_workers_make_no_job_dead() {
    let mut farm = Farm::start(1, 0);
    let broken = [faulty(&farm, "broken", "fail"), faulty(&farm, "torn", "fail")];
    let submitted = farm.submit(RUN);
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("job failed"));
    farm.add_worker();
    let document = farm.result(submitted);
    assert_eq!(document["digest"], RUN.digest());
    drop(broken);
}

/// The environment of a coordinator that audits all jobs. A worker's first job is a single trial,
/// about which a lie may be right by chance: then it is trusted until an audit.
#[cfg(feature = "faults")]
const AUDIT_ALL: (&str, &str) = ("HATCHERY_AUDIT_PPM", "1000000");

/// Row 24: a worker that sends wrong results, at once or after it is trusted, is caught and
/// quarantined, and none of its results counts.
#[cfg(feature = "faults")]
#[test]
fn worker_lies() {
    use crate::process::Process;

    for lie in ["always", "after:6"] {
        let mut farm = Farm::start(0, 0);
        farm.variables = vec![(AUDIT_ALL.0, AUDIT_ALL.1.to_owned())];
        farm.add_coordinator();
        (0..2).for_each(|_| farm.add_worker());
        let url = farm.coordinators[0].0.clone();
        let mut liar =
            farm.hatchery(&["worker", "--slots", "1", "--name", "liar", "--coordinator", &url]);
        let liar = Process::start("liar", liar.env("HATCHERY_FAULT_LIE", lie));
        let submitted = farm.submit(RUN);
        let document = farm.result(submitted);
        assert_eq!(document["digest"], RUN.digest(), "with a worker that lies {lie}");
        let (_, coordinator) = &farm.coordinators[0];
        let begun = Instant::now() - PATIENCE;
        coordinator.wait_for(begun, PATIENCE, |line| line.contains("worker quarantined"));
        drop(liar);
    }
}

/// No worker checks the only worker of a farm, but `hatchery verify` computes its results again and
/// finds the wrong ones.
#[cfg(feature = "faults")]
#[test]
fn the_results_of_the_only_worker_are_verified_elsewhere() {
    let farm = Farm::start(1, 0);
    let liar = faulty(&farm, "liar", "always");
    let submitted = farm.submit(RUN);
    let document = farm.result(submitted);
    assert_ne!(document["digest"], RUN.digest());
    drop(liar);
    let url = farm.coordinators[0].0.clone();
    let run = document["run"].as_str().unwrap();
    let verify = ["verify", run, "--sample", "100%", "--output", "json", "--coordinator", &url];
    let verified = farm.hatchery(&verify).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stderr);
    assert_eq!(verified.status.code(), Some(14), "{said}");
    let verified: serde_json::Value = serde_json::from_slice(&verified.stdout).unwrap();
    assert_eq!((&verified["run"], &verified["digest"]), (&document["run"], &document["digest"]));
    assert_eq!((&verified["jobs"], &verified["unkept_jobs"]), (&document["jobs"], &0.into()));
    assert_eq!(verified["sampled_jobs"], verified["jobs"]);
    assert_eq!(verified["trials"], document["trials"]);
    let mismatches = verified["mismatches"].as_array().unwrap();
    // A lie about a few trials may be right by chance.
    assert!(verified["jobs"].as_u64().unwrap() / 2 < mismatches.len() as u64, "{verified}");
    let first = &mismatches[0];
    assert!(first["generation"] == 0 && first["job"].is_u64(), "{first}");
    assert_eq!(first["workers"].as_array().unwrap().len(), 1, "{first}");
    let what = first["what"].as_str().unwrap();
    assert!(what.contains(" here, but ") && what.ends_with(" in the run"), "{what}");
    assert!(said.contains(what), "{said}");
}

/// Two workers on the same host that compute the same wrong results agree with each other. Where
/// they count as one opinion, the coordinator computes their first results itself.
#[cfg(feature = "faults")]
#[test]
fn workers_of_one_host_lie_alike() {
    use crate::process::Process;

    let mut farm = Farm::start(0, 0);
    let by_host = ("HATCHERY_OPINIONS_BY", "host");
    farm.variables = [by_host, AUDIT_ALL].map(|(name, value)| (name, value.to_owned())).into();
    farm.add_coordinator();
    let url = farm.coordinators[0].0.clone();
    let liars = ["liar-1", "liar-2"].map(|name| {
        let args = ["worker", "--slots", "1", "--name", name, "--coordinator", &url];
        Process::start(name, farm.hatchery(&args).env("HATCHERY_FAULT_LIE", "always"))
    });
    let coordinator = &farm.coordinators[0].1;
    let begun = Instant::now() - PATIENCE;
    for name in ["liar-1", "liar-2"] {
        let joined = format!("worker joined worker=\"{name}\"");
        coordinator.wait_for(begun, PATIENCE, |line| line.contains(&joined));
    }
    let submitted = farm.submit(RUN);
    for name in ["liar-1", "liar-2"] {
        let wrong = format!("worker {name} reported a wrong result");
        coordinator.wait_for(begun, PATIENCE, |line| line.contains(&wrong));
    }
    farm.add_worker();
    let document = farm.result(submitted);
    assert_eq!(document["digest"], RUN.digest());
    drop(liars);
}
