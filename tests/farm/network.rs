//! Networks that swallow, delay and cut.

use std::time::{Duration, Instant};

use hatchery_test_redis::PATIENCE;

use crate::harness::{Farm, RUN};
use crate::process::pause;
use crate::proxy::Proxy;

/// Rows 12 and 13: both ends notice a connection that swallows bytes, in both directions or one;
/// the other coordinator serves.
#[test]
fn partition_between_worker_and_coordinator() {
    for (up, down) in [(true, true), (true, false), (false, true)] {
        let mut farm = Farm::start(2, 0);
        let url = |idx: usize| farm.coordinators[idx].0.trim_start_matches("http://").to_owned();
        let proxies = [Proxy::start(&url(0)), Proxy::start(&url(1))];
        let urls: Vec<_> = proxies.iter().map(|p| format!("http://{}", p.address())).collect();
        for _ in 0..2 {
            let worker = farm.worker(&urls, &[]);
            farm.workers.push(worker);
        }
        let submitted = farm.submit(RUN);
        let coordinator = farm.coordinator_that_says("worker joined");
        let broken = Instant::now();
        proxies.iter().for_each(|proxy| proxy.swallow(up, down));
        let (_, coordinator) = &farm.coordinators[coordinator];
        let (left, _) = coordinator.wait_for(broken, PATIENCE, |line| line.contains("worker left"));
        println!("noticed after {:?} ({up}, {down})", left - broken);
        proxies.iter().for_each(|proxy| proxy.swallow(false, false));
        let document = farm.finish(submitted);
        assert_eq!(document["digest"], RUN.digest(), "({up}, {down})");
    }
}

/// Row 14: a coordinator without its Redis leads no more, and comes back.
#[test]
fn partition_between_coordinator_and_redis() {
    let mut farm = Farm::start(1, 2);
    let proxy = Proxy::start(&format!("127.0.0.1:{}", farm.redis.port()));
    let cut_off = farm.coordinator("127.0.0.1:0", &format!("redis://{}/", proxy.address()));
    farm.coordinators.push(cut_off);
    let submitted = farm.submit(RUN);
    farm.leader();
    proxy.swallow(true, true);
    pause(Duration::from_secs(8));
    proxy.swallow(false, false);
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// Row 15: 200 ms there and back and 256 kbit/s: no lease is lost, no worker counts as gone.
#[test]
fn slow_network() {
    let mut farm = Farm::start(1, 0);
    let proxy = Proxy::start(farm.coordinators[0].0.trim_start_matches("http://"));
    proxy.slow_down(Duration::from_millis(100), 32_000);
    let urls = [format!("http://{}", proxy.address())];
    for _ in 0..2 {
        let worker = farm.worker(&urls, &[]);
        farm.workers.push(worker);
    }
    let submitted = farm.submit(RUN);
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
    let lines = farm.coordinators[0].1.lines();
    assert!(!lines.iter().any(|line| line.contains("worker left")), "{lines:#?}");
}

/// Row 16: connections that are reset every second.
#[test]
fn connections_reset() {
    let mut farm = Farm::start(1, 0);
    let proxy = Proxy::start(farm.coordinators[0].0.trim_start_matches("http://"));
    let urls = [format!("http://{}", proxy.address())];
    for _ in 0..2 {
        let worker = farm.worker(&urls, &[]);
        farm.workers.push(worker);
    }
    let mut submitted = farm.submit(RUN);
    for _ in 0..8 {
        pause(Duration::from_secs(1));
        proxy.cut();
        if !submitted.is_running() {
            break;
        }
    }
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}
