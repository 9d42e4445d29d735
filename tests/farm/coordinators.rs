//! Coordinators that are killed, halted and drained.

use std::time::Instant;

use rustix::process::Signal;

use hatchery_test_redis::PATIENCE;

use crate::harness::{Farm, LONG_RUN, RUN};
use crate::process::until;

/// Row 3: workers wait for the only coordinator to come back, and bring their results.
#[test]
fn only_coordinator_killed() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(RUN);
    for _ in 0..3 {
        let (_, coordinator) = &farm.coordinators[0];
        coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
        farm.restart_coordinator(0);
    }
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// The longest that a claim holds after its coordinator has died; the other coordinators wait for
/// its end.
const CLAIM_MS: i64 = 6000;

/// Row 4: another coordinator leads once the claim of the dead one is over.
#[test]
fn leader_killed() {
    let mut farm = Farm::start(3, 3);
    let submitted = farm.submit(LONG_RUN);
    for _ in 0..2 {
        let leader = farm.leader();
        let killed = Instant::now();
        farm.coordinators[leader].1.kill();
        let left_ms = farm.claim().map_or(0, |(_, left_ms)| left_ms);
        assert!(left_ms <= CLAIM_MS, "the claim holds for {left_ms} ms more");
        let leads = |line: &String| line.contains("leading run");
        let others = [1, 2].map(|n| &farm.coordinators[(leader + n) % 3].1);
        let is_led = || others.iter().any(|other| other.lines_since(killed).iter().any(leads));
        until("another leads", || is_led() || farm.ended_at().is_some());
        println!("replaced after {:?}", killed.elapsed());
        farm.restart_coordinator(leader);
    }
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], LONG_RUN.digest());
}

/// Row 5: a leader is halted until another coordinator leads. After that the halted leader writes
/// nothing.
#[test]
fn leader_halted() {
    let mut farm = Farm::start(2, 2);
    let submitted = farm.submit(RUN);
    let leader = farm.leader();
    farm.coordinators[leader].1.signal(Signal::STOP);
    let (_, other) = &farm.coordinators[1 - leader];
    other.wait_for(Instant::now(), PATIENCE, |line| line.contains("leading run"));
    farm.coordinators[leader].1.signal(Signal::CONT);
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// Row 31, for all coordinators and workers in turn: they are replaced while a run is active. No
/// worker leaves with a job, so no job is computed again, and no result is lost.
#[test]
fn everybody_is_replaced_in_turn() {
    let mut farm = Farm::start(2, 2);
    let submitted = farm.submit(RUN);
    for idx in 0..2 {
        farm.wait_for_progress();
        farm.replace_coordinator_gently(idx);
        farm.wait_for_progress();
        let begun = Instant::now();
        farm.replace_worker_gently(idx);
        let name = format!("worker=\"w{}\"", idx + 1);
        let left = |line: &String| line.contains("worker left") && line.contains(&name);
        let lines = farm.coordinators.iter().flat_map(|(_, process)| process.lines_since(begun));
        let left: Vec<_> = lines.filter(left).collect();
        let is_clean = |line: &String| line.contains("goodbye=true") && line.contains("held=0");
        assert!(left.iter().all(is_clean), "{left:#?}");
    }
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// Row 31: a coordinator that is asked to end hands its workers and its lead to other coordinators.
/// It leaves no claim that they would have to wait for.
#[test]
fn coordinator_drained() {
    let mut farm = Farm::start(2, 2);
    let submitted = farm.submit(RUN);
    let leader = farm.leader();
    let (claimed, _) = farm.claim().expect("the leader has it");
    let asked = Instant::now();
    farm.coordinators[leader].1.signal(Signal::TERM);
    let (status, _) = farm.coordinators[leader].1.wait(PATIENCE);
    assert!(status.success(), "{status}");
    assert_ne!(farm.claim().map(|(id, _)| id), Some(claimed), "it keeps its claim");
    let lines = farm.coordinators[leader].1.lines();
    assert!(!lines.iter().any(|line| line.contains("not everything was returned")), "{lines:#?}");
    let (_, other) = &farm.coordinators[1 - leader];
    let (led, _) = other.wait_for(asked, PATIENCE, |line| line.contains("leading run"));
    println!("replaced after {:?}", led - asked);
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}
