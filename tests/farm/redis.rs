//! A Redis that is killed, halted, full, or cut back.

use std::time::{Duration, Instant};

use crate::harness::{Farm, LONG_RUN, PATIENCE, RUN};
use crate::process::pause;

/// Row 6: the run goes on; what Redis takes back, if anything, is computed again.
#[test]
fn redis_killed() {
    let mut farm = Farm::start(2, 2);
    let submitted = farm.submit(LONG_RUN);
    for _ in 0..3 {
        farm.wait_for_progress();
        farm.redis.kill().unwrap();
        pause(Duration::from_millis(700));
        farm.redis.restart().unwrap();
        pause(Duration::from_millis(1500));
    }
    let (document, n_taken_back) = farm.finish_after_redis(submitted);
    println!("{n_taken_back} acknowledged results were taken back by Redis");
    assert_eq!(document["digest"], LONG_RUN.digest());
}

/// Row 7: a power cut takes back what was written last; it is computed again, in other jobs maybe,
/// and nothing of it counts twice.
#[test]
fn redis_cut_back() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(LONG_RUN);
    farm.wait_for_progress();
    for share in [50, 4, 2] {
        // The run itself stays: a cut takes a share of what is written from now on.
        let begun = farm.redis.n_written().unwrap();
        pause(Duration::from_secs(1));
        farm.redis.kill().unwrap();
        let since = farm.redis.n_written().unwrap().saturating_sub(begun);
        farm.redis.cut(since / share).unwrap();
        farm.redis.restart().unwrap();
        farm.wait_for_progress();
    }
    // What was confirmed can be taken back, so it may be confirmed again.
    let document = farm.result(submitted);
    assert_eq!(document["digest"], LONG_RUN.digest());
}

/// Row 8: what drains goes on, what grows waits.
#[test]
fn redis_out_of_memory() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(RUN);
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    farm.redis.cli(&["CONFIG", "SET", "maxmemory", "1mb"]).unwrap();
    let full = Instant::now();
    coordinator.wait_for(full, PATIENCE, |line| line.contains("memory"));
    farm.redis.cli(&["CONFIG", "SET", "maxmemory", "0"]).unwrap();
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// Row 10: calls give up after their deadline, and repeating them changes nothing.
#[test]
fn redis_halted() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(RUN);
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    farm.redis.stop().unwrap();
    pause(Duration::from_secs(10));
    farm.redis.cont().unwrap();
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// Row 11: a run that is gone is gone, and nothing crashes over it.
#[test]
fn redis_flushed() {
    let mut farm = Farm::start(1, 1);
    let mut submitted = farm.submit(RUN);
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    let flushed = Instant::now();
    farm.redis.cli(&["FLUSHALL"]).unwrap();
    coordinator.wait_for(flushed, PATIENCE, |line| line.contains("run is gone"));
    let (status, _) = submitted.wait(PATIENCE);
    assert!(!status.success(), "{:#?}", submitted.lines());
    assert!(farm.coordinators[0].1.is_running());
}
