//! Everything at once: three coordinators, four workers, and a Redis, all of them killed and
//! started again at random, until the run is done.

use std::time::{Duration, Instant};

use hatchery_core::{RunSeed, StreamRng};
use rustix::process::Signal;

use crate::harness::{Farm, LONG_RUN, Work};
use crate::process::pause;

/// How long chaos lasts in a normal test; `HATCHERY_SOAK_MINUTES` makes it longer.
const SECONDS: u64 = 25;

struct Chaos {
    farm: Farm,
    rng: StreamRng,
    n_faults: [u32; 4],
}

impl Chaos {
    fn strike(&mut self) {
        let below = |rng: &mut StreamRng, n: u32| (rng.next_u32() % n) as usize;
        match below(&mut self.rng, 10) {
            0..5 => {
                let idx = below(&mut self.rng, 4);
                self.farm.replace_worker(idx);
                self.n_faults[0] += 1;
            }
            5..8 => {
                let idx = below(&mut self.rng, 3);
                self.farm.restart_coordinator(idx);
                self.n_faults[1] += 1;
            }
            8 => {
                self.farm.redis.kill().unwrap();
                pause(Duration::from_millis(300));
                self.farm.redis.restart().unwrap();
                self.n_faults[2] += 1;
            }
            _ => {
                let idx = below(&mut self.rng, 3);
                self.farm.coordinators[idx].1.signal(Signal::STOP);
                pause(Duration::from_millis(1500));
                self.farm.coordinators[idx].1.signal(Signal::CONT);
                self.n_faults[3] += 1;
            }
        }
    }
}

/// Rows 1 to 6 together: the same digest, nothing left behind, and no result confirmed twice unless
/// Redis itself took it back.
#[test]
fn everything_killed_at_random() {
    let minutes = std::env::var("HATCHERY_SOAK_MINUTES").ok();
    let minutes = minutes.map(|minutes| minutes.parse::<u64>().expect("a number of minutes"));
    let until = Instant::now() + Duration::from_secs(minutes.map_or(SECONDS, |m| 60 * m));
    let rng = RunSeed::new("chaos", 1).generation(0).stream("faults");
    let mut chaos = Chaos { farm: Farm::start(3, 4), rng, n_faults: [0; 4] };
    let works = [LONG_RUN, Work { preset: "tetris-evolve/smoke", set: &[] }];
    let (mut n_runs, mut n_jobs, mut n_taken_back) = (0_u32, 0, 0);
    for work in works.into_iter().cycle() {
        let mut submitted = chaos.farm.submit(work);
        let n_redis = chaos.n_faults[2];
        while submitted.is_running() {
            pause(Duration::from_millis(u64::from(chaos.rng.next_u32() % 1500) + 200));
            if Instant::now() < until {
                chaos.strike();
            }
        }
        let document = if n_redis == chaos.n_faults[2] {
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
    let [workers, coordinators, redis, halts] = chaos.n_faults;
    let n_confirmed = chaos.farm.n_confirmed();
    println!(
        "{n_runs} runs of {n_jobs} jobs, {n_confirmed} results confirmed, {n_taken_back} taken \
         back by a killed Redis; {workers} workers, {coordinators} coordinators and {redis} Redis \
         servers killed, {halts} coordinators halted"
    );
}
