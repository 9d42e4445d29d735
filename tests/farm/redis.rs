//! A Redis that is killed, halted, full, or cut back.

use std::time::{Duration, Instant};

use hatchery_test_redis::{PATIENCE, Redis};

use crate::harness::{Farm, LONG_RUN, RUN, Work, hatchery};
use crate::process::{Process, pause, until};
use crate::proxy::Proxy;
use crate::verbs::{json, output};

/// Row 6: the run continues; results that Redis loses, if any, are computed again.
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

/// Row 7: a power cut loses the last writes; the farm computes lost results again, maybe in other
/// jobs, and no result counts twice.
#[test]
fn redis_cut_back() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(LONG_RUN);
    farm.wait_for_progress();
    for share in [50, 4, 2] {
        // Half a transaction at the end of the file is gone once the file is rewritten.
        farm.wait_until_rewritten();
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

/// A client that asks for a list while Redis halts gets the list once Redis continues.
#[test]
fn redis_halted_beside_a_list() {
    let farm = Farm::start(1, 0);
    let (url, coordinator) = &farm.coordinators[0];
    farm.redis.stop().unwrap();
    let halted = Instant::now();
    let mut list = Process::start("list", &mut farm.hatchery(&["list", "--coordinator", url]));
    let unanswered = |line: &str| line.contains("a request failed with the store");
    coordinator.wait_for(halted, PATIENCE, unanswered);
    farm.redis.cont().unwrap();
    let (status, _) = list.wait(PATIENCE);
    assert!(status.success(), "{status}: {}", list.tail(5));
}

/// Row 8: calls that free memory succeed, calls that need memory wait.
#[test]
fn redis_out_of_memory() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(RUN);
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    farm.redis.cli(&["CONFIG", "SET", "maxmemory", "1mb"]).unwrap();
    let full = Instant::now();
    coordinator.wait_for(full, PATIENCE, |line| line.contains("memory"));
    let run = json(&farm, &["list"])["runs"][0]["run"].as_str().unwrap().to_owned();
    // It goes on until something of its own has to grow.
    let reason = || json(&farm, &["explain", &run])["reasons"][0].clone();
    until("the store is the reason", || reason()["kind"] == "store");
    let reason = reason();
    let text = reason["text"].as_str().unwrap();
    assert!(text.starts_with("the farm's store is full, for "), "{text}");
    assert_eq!(json(&farm, &["show", &run])["waiting_for"].as_str().unwrap()[..24], text[..24]);
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
    assert_eq!(status.code(), Some(3), "{:#?}", submitted.lines());
    assert!(farm.coordinators[0].1.is_running());
}

/// Row 9: while the disk is full, nothing is written; then the run continues, and Redis starts
/// again with the file that it has. Redis 7.0 leaves a hole in it unless it is rewritten.
#[test]
fn redis_disk_full() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(LONG_RUN);
    farm.wait_for_progress();
    let full = Instant::now();
    farm.redis.fill_disk(100).unwrap();
    let (_, coordinator) = &farm.coordinators[0];
    coordinator.wait_for(full, PATIENCE, |line| line.contains("MISCONF"));
    farm.redis.free_disk().unwrap();
    let (_, coordinator) = &farm.coordinators[0];
    // The rewriting of the server's start may end late enough to be taken for the one that counts.
    let (repaired, _) = coordinator
        .wait_for(full, PATIENCE, |line| line.contains("could not write its append-only file"));
    coordinator.wait_for(repaired, PATIENCE, |line| line.contains("has rewritten its append-only"));
    farm.wait_for_progress();
    farm.redis.wait_until_written().unwrap();
    farm.redis.restart().unwrap();
    let (document, _) = farm.finish_after_redis(submitted);
    assert_eq!(document["digest"], LONG_RUN.digest());
}

/// A coordinator that starts while Redis loads its data waits until the data is loaded.
#[test]
fn redis_loading_at_the_start() {
    let mut farm = Farm::start(0, 0);
    // While it loads, Redis looks at its connections after each kilobyte, so after each value.
    let fill = "local kilobyte = string.rep('x', 1100) \
                for i = 1, 20000 do redis.call('SET', 'filler:' .. i, kilobyte) end";
    farm.redis.cli(&["EVAL", fill, "0"]).unwrap();
    farm.redis.wait_until_written().unwrap();
    farm.redis.restart_slowly(Duration::from_millis(1)).unwrap();
    let begun = Instant::now();
    let redis = farm.redis.url();
    let args = ["coordinator", "--listen", "127.0.0.1:0", "--redis", &redis];
    let coordinator = Process::start("coordinator", &mut farm.hatchery(&args));
    coordinator.wait_for(begun, PATIENCE, |line| line.contains("which loads its data"));
    farm.redis.end_loading().unwrap();
    coordinator.wait_for(begun, PATIENCE, |line| line.contains("listens on http://"));
}

/// With `--wait-for-store`, a coordinator waits for a Redis that does not answer, but not for a
/// Redis that does not accept its login or its database number.
#[test]
fn redis_missing_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut redis = Redis::start().unwrap();
    let (begun, url) = (Instant::now(), redis.url());
    let coordinator = |redis: &str| {
        let args = ["coordinator", "--listen", "127.0.0.1:0", "--redis", redis];
        let args = [&args[..], &["--wait-for-store", "600s"]].concat();
        Process::start("coordinator", &mut hatchery(folder.path(), &args))
    };
    let mut denied = coordinator(&format!("{url}/9999"));
    let (status, _) = denied.wait(PATIENCE);
    assert_eq!(status.code(), Some(10), "{:#?}", denied.lines());
    denied.wait_for(begun, PATIENCE, |line| line.contains("database"));
    redis.cli(&["CONFIG", "SET", "requirepass", "secret"]).unwrap();
    for login in ["", ":wrong@"] {
        let mut denied = coordinator(&url.replace("redis://", &format!("redis://{login}")));
        let (status, _) = denied.wait(PATIENCE);
        assert_eq!(status.code(), Some(10), "{login} {:#?}", denied.lines());
    }
    redis.kill().unwrap();
    let waiting = coordinator(&url);
    waiting.wait_for(begun, PATIENCE, |line| line.contains("does not answer yet"));
    redis.restart().unwrap();
    waiting.wait_for(begun, PATIENCE, |line| line.contains("listens on http://"));
}

/// The most writes that a server which has become a replica refuses: calls on their way when the
/// first refusal arrives, after which the coordinator leaves the replica.
const MAX_REFUSED: u32 = 50;

/// A master is handed over while clients stay connected to it: they leave it and find the new
/// master.
#[test]
fn redis_handed_over() {
    let mut farm = Farm::start(0, 0);
    let heir = Redis::start().unwrap();
    let proxy = Proxy::start(&format!("127.0.0.1:{}", farm.redis.port()));
    let url = format!("redis://{}/", proxy.address());
    let coordinator = farm.coordinator("127.0.0.1:0", &url);
    farm.coordinators.push(coordinator);
    (0..2).for_each(|_| farm.add_worker());
    let [old_port, new_port] = [&farm.redis, &heir].map(|redis| redis.port().to_string());
    heir.cli(&["REPLICAOF", "127.0.0.1", &old_port]).unwrap();
    until("the heir follows", || heir.info("master_link_status").unwrap() == "up");
    let submitted = farm.submit(LONG_RUN);
    farm.wait_for_progress();
    // Nothing is written until it is a replica, and no longer than it takes to become one.
    farm.redis.cli(&["CLIENT", "PAUSE", "600000", "WRITE"]).unwrap();
    let offset = |redis: &Redis, field: &str| redis.info(field).unwrap().parse::<u64>().unwrap();
    let written = offset(&farm.redis, "master_repl_offset");
    until("the heir has what was written", || written <= offset(&heir, "slave_repl_offset"));
    heir.cli(&["REPLICAOF", "NO", "ONE"]).unwrap();
    proxy.redirect(&format!("127.0.0.1:{new_port}"));
    let handed_over = Instant::now();
    farm.redis.cli(&["REPLICAOF", "127.0.0.1", &new_port]).unwrap();
    farm.redis.cli(&["CLIENT", "UNPAUSE"]).unwrap();
    let (_, coordinator) = &farm.coordinators[0];
    let confirmed = |line: &str| line.contains("verdict=Accepted");
    let (left, _) =
        coordinator.wait_for(handed_over, PATIENCE, |line| line.contains("become a replica"));
    let (resumed, _) = coordinator.wait_for(left, PATIENCE, confirmed);
    let refused = farm.redis.info("errorstat_READONLY").unwrap();
    println!("work went on after {:?}; refused: {refused}", resumed - handed_over);
    let n_refused = refused.strip_prefix("count=").map_or(0, |n| n.parse::<u32>().unwrap());
    assert!((1..=MAX_REFUSED).contains(&n_refused), "{n_refused} writes were refused");
    let document = farm.result(submitted);
    assert_eq!(document["digest"], LONG_RUN.digest());
}

/// A run whose data is damaged counts as failed and can be deleted; other runs go on.
#[test]
fn redis_damages_one_run() {
    let mut farm = Farm::start(1, 1);
    let (damaged, other) = (Work { preset: "pig/smoke", set: &[] }, RUN);
    let submitted = farm.submit(damaged);
    let run = farm.finish(submitted)["run"].as_str().unwrap().to_owned();
    let key = format!("ht:{{{run}}}:ctl");
    farm.redis.cli(&["DEL", &key]).unwrap();
    farm.redis.cli(&["SET", &key, "junk"]).unwrap();
    let submitted = farm.submit(other);
    assert_eq!(farm.finish(submitted)["digest"], other.digest());
    let shown = json(&farm, &["list"])["runs"].clone();
    let shown = shown.as_array().unwrap().iter().find(|shown| shown["run"] == *run).unwrap();
    assert_eq!(shown["state"], "failed", "{shown}");
    output(&farm, &["delete", &run]);
    assert_eq!(json(&farm, &["list"])["runs"].as_array().unwrap().len(), 1);
}

/// An entry of a queue is ahead of its run, as half a transaction after a power cut leaves it: the
/// generation begins anew.
#[test]
fn redis_has_an_entry_ahead_of_its_run() {
    let farm = Farm::start(1, 1);
    let submitted = farm.submit(LONG_RUN);
    farm.wait_for_progress();
    let run = json(&farm, &["list"])["runs"][0]["run"].as_str().unwrap().to_owned();
    let added = farm.redis.cli(&["XADD", &format!("ht:{{{run}}}:q"), "1000000-1", "j", "junk"]);
    assert_eq!(added.unwrap(), "1000000-1\n");
    // Results of the generation are confirmed again.
    assert_eq!(farm.result(submitted)["digest"], LONG_RUN.digest());
    let (_, coordinator) = &farm.coordinators[0];
    let lines = coordinator.lines();
    assert!(lines.iter().any(|line| line.contains("the generation begins anew")), "{lines:#?}");
}

/// Redis starts again with a clock that was set back by an hour: what a coordinator that is gone
/// held for seconds would hold for an hour.
#[test]
fn redis_clock_is_set_back() {
    let mut farm = Farm::start(1, 1);
    let submitted = farm.submit(LONG_RUN);
    farm.wait_for_progress();
    farm.coordinators[0].1.kill();
    let hold = "for _, key in ipairs(redis.call('KEYS', 'ht:*')) do \
                  if redis.call('PTTL', key) > 0 then redis.call('PEXPIRE', key, 3600000) end \
                end \
                return redis.call('PTTL', KEYS[1])";
    let run = farm.redis.cli(&["ZRANGE", "ht:runs", "0", "0"]).unwrap();
    let claim = format!("ht:{{{}}}:claim", run.trim());
    let held_ms = farm.redis.cli(&["EVAL", hold, "1", &claim]).unwrap();
    assert!(60_000 < held_ms.trim().parse::<i64>().unwrap(), "{held_ms}");
    farm.restart_coordinator(0);
    assert_eq!(farm.finish(submitted)["digest"], LONG_RUN.digest());
}

/// A user of Redis loses a permission for a while: no script is left half done, and work goes on
/// once the permission is back.
#[test]
fn redis_refuses_commands_for_a_while() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(LONG_RUN);
    let refused = |farm: &Farm| farm.redis.info("errorstat_ERR").unwrap();
    for command in ["xadd", "xclaim", "set", "hset", "hincrby", "xack", "xtrim", "rpush"] {
        farm.wait_for_progress();
        let run = |command: &[&str]| farm.redis.cli(command).unwrap();
        let before = refused(&farm);
        run(&["ACL", "SETUSER", "default", &format!("-{command}")]);
        until(&format!("{command} is refused"), || refused(&farm) != before);
        run(&["ACL", "SETUSER", "default", "+@all"]);
    }
    assert_eq!(farm.finish(submitted)["digest"], LONG_RUN.digest());
}
