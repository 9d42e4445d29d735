//! The shares of users and runs in a farm, as people see them. The dispatcher's own tests check
//! that shares are even within one place, that floors and caps hold, and that every run has a turn
//! (`dispatch/dispatcher/tests/fair.rs`, `dispatch/dispatcher/tests/shared.rs`).

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::harness::{Farm, RUN};
use crate::metrics;
use crate::process::until;
use crate::verbs::{json, kinds, output};

/// A farm with one worker of eight slots: sixteen places or more.
fn farm() -> Farm {
    let mut farm = Farm::start(1, 0);
    let url = farm.coordinators[0].0.clone();
    let worker = farm.worker(&[url], &["--slots", "8"]);
    farm.workers.push(worker);
    farm
}

fn submit(farm: &Farm, args: &[&str]) -> String {
    let submitted = json(farm, &[&["submit", RUN.preset][..], args].concat());
    submitted["run"].as_str().unwrap().to_owned()
}

/// Submits far more than is computed while a test lasts.
pub(crate) fn submit_endless(farm: &Farm, args: &[&str]) -> String {
    let hold_at = format!("hold_at={:?}", (1..=100).collect::<Vec<_>>());
    submit(farm, &[&["--set", "games=1000000", "--set", &hold_at], args].concat())
}

/// How many jobs are at workers, by run.
struct Held(BTreeMap<String, u64>);

impl Held {
    fn of(&self, run: &str) -> u64 {
        self.0.get(run).copied().unwrap_or_default()
    }

    fn all(&self) -> u64 {
        self.0.values().sum()
    }
}

/// Waits until workers have jobs as `wanted`.
fn wait_for(farm: &Farm, what: &str, wanted: impl Fn(&Held) -> bool) {
    until(what, || {
        let top = json(farm, &["top"]);
        let runs = top["runs"].as_array().unwrap().iter();
        let held = runs.map(|run| {
            let name = run["run"].as_str().unwrap().to_owned();
            (name, run["at_workers"].as_u64().unwrap())
        });
        wanted(&Held(held.collect()))
    });
}

/// A user with one run has half of the places beside a user with fifty, and is done while the fifty
/// runs continue.
#[test]
fn one_run_beside_fifty() {
    let mut farm = farm();
    let many: Vec<_> = (0..50).map(|_| submit_endless(&farm, &["--user", "many"])).collect();
    wait_for(&farm, "many have all places", |held| 16 <= held.all());
    let one = submit_endless(&farm, &["--user", "one"]);
    wait_for(&farm, "one has half of them", |held| held.all() <= 2 * held.of(&one) + 2);
    let share = kinds(&farm, &many[0]);
    assert!(["share", "running"].contains(&share[0].as_str()), "{share:?}");
    // Sixteen of them are led, two for each slot, and the others wait.
    assert_eq!(kinds(&farm, many.last().unwrap()), ["queued"]);
    let place = json(&farm, &["show", many.last().unwrap()])["queue_place"].as_u64();
    assert!(place.is_some_and(|place| 30 < place && place < 40), "{place:?}");
    output(&farm, &["cancel", &one]);
    let one = submit(&farm, &["--set", RUN.set[0], "--user", "one"]);
    let done = json(&farm, &["wait", &one]);
    assert_eq!(done["digest"], RUN.digest());
    farm.check(&one);
    let listed = json(&farm, &["list"]);
    let runs = listed["runs"].as_array().unwrap();
    assert!(many.iter().all(|run| {
        runs.iter().any(|other| other["run"] == run.as_str() && other["state"] == "active")
    }));
}

/// Idle slots stay idle, except the slots that the run may use.
#[test]
fn a_limited_run_uses_as_many_slots_as_it_may() {
    let (mut farm, coordinator) = metrics::coordinator();
    let url = farm.coordinators[0].0.clone();
    let worker = farm.worker(&[url], &["--slots", "6", "--metrics", "127.0.0.1:0"]);
    let address = metrics::address(&worker, "serves metrics on http://");
    farm.workers.push(worker);
    submit_endless(&farm, &["--slots", "2"]);
    let completed = "hatchery_jobs_completed_total{kind=\"pig\",outcome=\"accepted\"}";
    let is_used = Cell::new(false);
    metrics::wait_for(&coordinator, "/metrics", |_, text| {
        let (_, worker) = metrics::get(&address, "/metrics").unwrap();
        let busy = metrics::value(&worker, "hatchery_worker_slots{state=\"busy\"}");
        assert!(busy <= Some(2.0), "{worker}");
        is_used.set(is_used.get() || busy == Some(2.0));
        is_used.get() && Some(10.0) <= metrics::value(text, completed)
    });
}

/// A higher class goes first and a lower one keeps a tenth; a run has no more than its cap; and
/// `explain` says so.
#[test]
fn classes_and_caps() {
    let farm = farm();
    let low = submit_endless(&farm, &["--priority", "low"]);
    wait_for(&farm, "it has all places while it is alone", |held| 16 <= held.of(&low));
    let high = submit_endless(&farm, &["--priority", "high"]);
    let tenth = |held: &Held| (1..=held.all().div_ceil(10)).contains(&held.of(&low));
    wait_for(&farm, "the lower class keeps a tenth", |held| {
        16 <= held.all() && tenth(held) && held.of(&low) + held.of(&high) == held.all()
    });
    assert_eq!(kinds(&farm, &low), ["priority"]);
    assert_eq!(kinds(&farm, &high), ["running"]);
    let capped = submit_endless(&farm, &["--priority", "high", "--slots", "3"]);
    wait_for(&farm, "three run, and three wait", |held| held.of(&capped) == 6);
    assert_eq!(kinds(&farm, &capped), ["cap"]);
    let shown = json(&farm, &["show", &capped]);
    assert_eq!((&shown["most_slots"], &shown["priority"]), (&3.into(), &"high".into()));
}
