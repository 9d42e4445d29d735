//! Everything at once: three coordinators, four workers, and a Redis, killed and started again at
//! random, handed over to a replica and back, beside bad workers and the faults of other farms,
//! until the run is done.

#[path = "chaos/field.rs"]
mod field;

use std::time::{Duration, Instant};

use hatchery_core::{RunSeed, StreamRng};
use hatchery_test_redis::{PATIENCE, Redis};
use rustix::process::Signal;

use crate::harness::{Farm, LONG_RUN, Work};
#[cfg(feature = "faults")]
use crate::history::BAD_WORKER;
#[cfg(feature = "faults")]
use crate::process::Process;
use crate::process::{pause, until};

use field::FieldFaults;

/// How long chaos lasts in a normal test; `HATCHERY_SOAK_MINUTES` makes it longer.
const SECONDS: u64 = 25;

/// A run whose state and trials have parts.
const WITH_PARTS: Work = Work {
    preset: "burn/smoke",
    set: &["trials=40", "parts=2", "part_bytes=300000", "new_parts=1", "tally_bytes=100000"],
};

/// Says how far the latest run is: its state, its place, and its results and jobs in the store.
const PLACE: &str = "
local run = redis.call('ZRANGE', 'ht:runs', -1, -1)[1]
if not run then return '' end
local key = 'ht:{' .. run .. '}:'
local ctl = redis.call('HGETALL', key .. 'ctl')
return run .. table.concat(ctl, ' ') .. ' ' .. redis.call('HLEN', key .. 'res')
  .. ' ' .. redis.call('XLEN', key .. 'q')";

struct Chaos {
    farm: Farm,
    rng: StreamRng,
    /// A replica of the farm's Redis, to which it is handed over for a while.
    heir: Redis,
    /// A worker that fails, sends malformed results or sends wrong results, each in turn.
    #[cfg(feature = "faults")]
    bad: Option<Process>,
    faults: FaultCounts,
    field: FieldFaults,
    progress: ProgressWatch,
}

/// The number of faults by kind.
#[derive(Clone, Copy, Default)]
struct FaultCounts {
    workers: u32,
    coordinators: u32,
    redis: u32,
    halts: u32,
    handovers: u32,
    bad_workers: u32,
}

impl FaultCounts {
    /// How often Redis may have lost acknowledged writes.
    fn n_redis(self) -> u32 {
        self.redis + self.handovers
    }
}

/// The longest time without progress.
struct ProgressWatch {
    place: String,
    since: Instant,
    longest: Duration,
}

impl Chaos {
    fn start() -> Self {
        let mut farm = Farm::start(0, 0);
        // Only then does one good worker suffice for the right digest.
        farm.variables.push(("HATCHERY_AUDIT_PPM", "1000000".to_owned()));
        let field = FieldFaults::start(&mut farm);
        let heir = Redis::start().unwrap();
        heir.cli(&["REPLICAOF", "127.0.0.1", &farm.redis.port().to_string()]).unwrap();
        let rng = RunSeed::new("chaos", 1).generation(0).stream("faults");
        let progress =
            ProgressWatch { place: String::new(), since: Instant::now(), longest: Duration::ZERO };
        Self {
            farm,
            rng,
            heir,
            #[cfg(feature = "faults")]
            bad: None,
            faults: FaultCounts::default(),
            field,
            progress,
        }
    }

    fn below(&mut self, n: u32) -> usize {
        (self.rng.next_u32() % n) as usize
    }

    fn strike(&mut self) {
        match self.below(17) {
            0..5 => {
                let idx = self.below(4);
                self.farm.replace_worker(idx);
                self.faults.workers += 1;
            }
            5..8 => {
                let idx = self.below(3);
                self.farm.restart_coordinator(idx);
                self.faults.coordinators += 1;
            }
            8 => {
                self.farm.wait_until_rewritten();
                self.farm.redis.kill().unwrap();
                pause(Duration::from_millis(300));
                self.farm.redis.restart().unwrap();
                self.faults.redis += 1;
            }
            9 => {
                let idx = self.below(3);
                self.farm.coordinators[idx].1.signal(Signal::STOP);
                pause(Duration::from_millis(1500));
                self.farm.coordinators[idx].1.signal(Signal::CONT);
                self.faults.halts += 1;
            }
            10 => self.hand_over(),
            11..15 => self.field.strike(&self.farm, &mut self.rng),
            _ => self.replace_bad_worker(),
        }
    }

    /// Hands the farm's Redis over to its replica, and back two seconds later, while all are
    /// connected to it.
    fn hand_over(&mut self) {
        let Self { farm, heir, .. } = self;
        if heir.info("master_link_status").unwrap() != "up" {
            return;
        }
        fail_over(&farm.redis, heir);
        pause(Duration::from_secs(2));
        fail_over(heir, &farm.redis);
        self.faults.handovers += 1;
    }

    /// Starts a bad worker, replacing the previous one.
    fn replace_bad_worker(&mut self) {
        #[cfg(feature = "faults")]
        {
            let kinds = ["fail", "malform", "always", "after:3"];
            let kind = kinds[self.faults.bad_workers as usize % kinds.len()];
            self.bad = None;
            let mut args = vec!["worker", "--slots", "1", "--name", BAD_WORKER];
            args.extend(self.farm.coordinators.iter().flat_map(|(url, _)| ["--coordinator", url]));
            let mut worker = self.farm.hatchery(&args);
            let worker = worker.env("HATCHERY_FAULT_LIE", kind);
            self.bad = Some(Process::start(BAD_WORKER, worker));
        }
        self.faults.bad_workers += 1;
    }

    /// Looks at the run's progress: the run continues, whatever is struck. That it does not pause
    /// for long is tested in virtual time (`tests/simulation.rs`).
    fn watch(&mut self) {
        let now = Instant::now();
        // Redis may be away: then there is no progress.
        let place = self.farm.redis.cli(&["EVAL", PLACE, "0"]).unwrap_or_default();
        let Self { progress, .. } = self;
        if !place.is_empty() && place != progress.place {
            progress.longest = progress.longest.max(now - progress.since);
            (progress.place, progress.since) = (place, now);
        }
        let standstill = now - progress.since;
        assert!(standstill < PATIENCE, "no progress for {standstill:?}: {}", progress.place);
    }
}

/// Makes `replica`, which follows `master`, the master, and `master` its replica.
fn fail_over(master: &Redis, replica: &Redis) {
    until("the replica follows", || replica.info("master_link_status").unwrap() == "up");
    let port = replica.port().to_string();
    master.cli(&["FAILOVER", "TO", "127.0.0.1", &port]).unwrap();
    until("the master has stepped down", || master.info("role").unwrap() == "slave");
}

/// Rows 1 to 6 together, with bad workers and handovers: the same digest, nothing left behind, no
/// standstill, and no result confirmed twice unless Redis itself took it back.
#[test]
fn everything_killed_at_random() {
    let minutes = std::env::var("HATCHERY_SOAK_MINUTES").ok();
    let minutes = minutes.map(|minutes| minutes.parse::<u64>().expect("a number of minutes"));
    let until = Instant::now() + Duration::from_secs(minutes.map_or(SECONDS, |m| 60 * m));
    let mut chaos = Chaos::start();
    let works = [LONG_RUN, Work { preset: "tetris-evolve/smoke", set: &[] }, WITH_PARTS];
    let (mut n_runs, mut n_jobs, mut n_taken_back) = (0_u32, 0, 0);
    for work in works.into_iter().cycle() {
        let mut submitted = chaos.farm.submit(work);
        let n_redis = chaos.faults.n_redis();
        chaos.progress.since = Instant::now();
        while submitted.is_running() {
            let wait = chaos.below(1500) + 200;
            pause(Duration::from_millis(wait as u64));
            if Instant::now() < until {
                chaos.strike();
            }
            if submitted.is_running() {
                chaos.watch();
            }
        }
        let document = if n_redis == chaos.faults.n_redis() {
            chaos.farm.finish(submitted)
        } else {
            let (document, taken_back) = chaos.farm.finish_after_redis(submitted);
            n_taken_back += taken_back;
            document
        };
        assert_eq!(document["digest"], work.digest());
        n_runs += 1;
        n_jobs += document["jobs"].as_u64().unwrap();
        if until <= Instant::now() {
            break;
        }
    }
    let FaultCounts { workers, coordinators, redis, halts, handovers, bad_workers } = chaos.faults;
    let history = chaos.farm.history();
    let (n_confirmed, n_rewinds) = (history.n_confirmed(), history.n_rewinds());
    println!(
        "{n_runs} runs of {n_jobs} jobs, {n_confirmed} results confirmed, {n_taken_back} taken \
         back by a killed Redis; {workers} workers, {coordinators} coordinators and {redis} Redis \
         servers killed, {halts} coordinators halted, {handovers} handovers of Redis, \
         {bad_workers} bad workers, {n_rewinds} rewinds because of them, {}; at most {:.1?} \
         without progress",
        chaos.field, chaos.progress.longest
    );
}
