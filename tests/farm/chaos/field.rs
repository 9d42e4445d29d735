//! Faults at which other farms were reported to stand still, each for a few seconds: idle
//! connections that are cut or forgotten, a slow line, a full disk, clients that only hold
//! connections, and logs that nobody reads.

use std::fmt;
use std::time::Duration;

use hatchery_core::StreamRng;

use crate::harness::{Farm, ProxiedProcess};
use crate::overload::{allow_files, hold_connections};
use crate::process::pause;
use crate::proxy::Proxy;
use crate::unread::UnreadProcess;

/// The coordinator that reaches Redis, and the worker that reaches the coordinators, through
/// proxies.
const COORDINATOR: usize = 2;
const WORKER: usize = 3;

/// The clients that hold a connection each: more than a coordinator may open files.
const N_IDLE: usize = 1100;

/// The delay and the rate of the slow line.
const SLOW: (Duration, u64) = (Duration::from_millis(50), 200_000);

/// The faults, and what they need.
pub(super) struct FieldFaults {
    /// Before Redis.
    redis_line: Proxy,
    /// Before each coordinator.
    worker_lines: Vec<Proxy>,
    /// The worker whose log nobody reads.
    unread: Option<UnreadProcess>,
    counts: FieldCounts,
}

/// The number of faults by kind.
#[derive(Clone, Copy, Default)]
struct FieldCounts {
    cuts: u32,
    gaps: u32,
    slow_lines: u32,
    full_disks: u32,
    crowds: u32,
    unread_logs: u32,
}

impl FieldFaults {
    /// Starts three coordinators and four workers, one of each behind proxies.
    pub(super) fn start(farm: &mut Farm) -> Self {
        allow_files();
        farm.has_few_files = true;
        let redis_line = Proxy::start(&format!("127.0.0.1:{}", farm.redis.port()));
        let redis = vec![format!("redis://{}/", redis_line.address())];
        farm.proxied.insert(ProxiedProcess::Coordinator(COORDINATOR), redis);
        (0..=COORDINATOR).for_each(|_| farm.add_coordinator());
        let addresses = farm.coordinators.iter().map(|(url, _)| url.trim_start_matches("http://"));
        let worker_lines: Vec<_> = addresses.map(Proxy::start).collect();
        let urls = worker_lines.iter().map(|line| format!("http://{}", line.address()));
        farm.proxied.insert(ProxiedProcess::Worker(WORKER), urls.collect());
        (0..=WORKER).for_each(|_| farm.add_worker());
        Self { redis_line, worker_lines, unread: None, counts: FieldCounts::default() }
    }

    /// Has one of the faults, which is over when this returns, except the worker whose log nobody
    /// reads.
    pub(super) fn strike(&mut self, farm: &Farm, rng: &mut StreamRng) {
        match rng.next_u32() % 6 {
            0 => {
                self.redis_line.cut();
                self.worker_lines.iter().for_each(Proxy::cut);
                self.counts.cuts += 1;
            }
            1 => {
                // Nothing comes through, and then the connections are gone.
                self.redis_line.swallow(true, true);
                pause(Duration::from_secs(3));
                self.redis_line.cut();
                self.redis_line.swallow(false, false);
                self.counts.gaps += 1;
            }
            2 => {
                let (delay, rate) = SLOW;
                self.worker_lines.iter().for_each(|line| line.slow_down(delay, rate));
                pause(Duration::from_secs(4));
                self.worker_lines.iter().for_each(|line| line.slow_down(Duration::ZERO, 0));
                self.counts.slow_lines += 1;
            }
            3 => {
                farm.redis.fill_disk(100).unwrap();
                pause(Duration::from_secs(2));
                farm.redis.free_disk().unwrap();
                self.counts.full_disks += 1;
            }
            4 => {
                let address = farm.coordinators[0].0.trim_start_matches("http://");
                let connections = hold_connections(address, N_IDLE);
                pause(Duration::from_secs(1));
                drop(connections);
                self.counts.crowds += 1;
            }
            _ => {
                let mut args = vec!["worker", "--slots", "1", "--name", "unread"];
                args.extend(farm.coordinators.iter().flat_map(|(url, _)| ["--coordinator", url]));
                self.unread = None;
                self.unread = Some(UnreadProcess::start(&mut farm.hatchery(&args)));
                self.counts.unread_logs += 1;
            }
        }
    }
}

impl fmt::Display for FieldFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldCounts { cuts, gaps, slow_lines, full_disks, crowds, unread_logs } = self.counts;
        write!(
            f,
            "connections cut {cuts} times and forgotten {gaps} times, {slow_lines} slow lines, \
             {full_disks} full disks, {crowds} crowds of {N_IDLE} clients, {unread_logs} workers \
             with unread logs"
        )
    }
}
