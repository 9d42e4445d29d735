//! Long trials that report their progress.

use std::sync::Arc;
use std::time::Duration;

use hatchery_catalog::CATALOG;
use hatchery_coordinator::Submission;
use hatchery_coordinator::run::record::CoordinatorAnnouncement;
use hatchery_proto::MIN_STALL;
use hatchery_store::conformance::ModelStore;
use hatchery_store::operation::{ListCoordinators, ReadCheckpoint, ReadPosition};
use hatchery_store::{CoordinatorId, RunState, Store};
use hatchery_worker::{ExecutionMode, WorkerConfig, run_worker};
use prost::Message;
use turmoil::Sim;

use crate::network::TurmoilDialer;
use crate::scale::coordinator;
use crate::{COORDINATORS, Checkpoint, Digest, LONGEST, Run, WORKERS, submit, worker_config};

/// A farm with one coordinator, and a run in its store.
struct LongFarm {
    sim: Sim<'static>,
    store: ModelStore,
    run: Run,
}

impl LongFarm {
    /// Starts `n_workers` with this number of slots, whose trials take the time of `execution`.
    fn start(run: Run, n_workers: usize, slots: u32, execution: ExecutionMode) -> Self {
        let store = ModelStore::new();
        store.set_time(Duration::ZERO);
        let mut sim = turmoil::Builder::new()
            .rng_seed(1)
            .simulation_duration(LONGEST)
            .tick_duration(Duration::from_millis(50))
            .tcp_capacity(4096)
            .build();
        let served = store.another();
        sim.host(COORDINATORS[0], move || {
            let store = Store::new(served.another());
            coordinator(COORDINATORS[0], CoordinatorId(2), store, CATALOG)
        });
        for (idx, name) in (1..).zip(&WORKERS[..n_workers]) {
            sim.host(*name, move || async move {
                let config =
                    WorkerConfig { slots, execution, ..worker_config((*name).to_owned(), idx) };
                let (_stop, stopped) = tokio::sync::watch::channel(false);
                run_worker(config, Arc::new(TurmoilDialer), stopped).await?;
                Ok(())
            });
        }
        let stall_ms = u64::try_from(MIN_STALL.as_millis()).unwrap();
        let submission = Submission { stall_ms, ..run.submission() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(submit(&store, &run, submission));
        Self { sim, store, run }
    }

    /// Runs until the run is done, and checks its digest; `look` is called after each step.
    fn finish(&mut self, mut look: impl FnMut(&ModelStore, Duration)) -> Duration {
        let id = self.run.id;
        let position = |store: &ModelStore| store.ask(ReadPosition { run: id }).unwrap();
        while position(&self.store).state == RunState::Active {
            self.sim.step().unwrap();
            self.store.set_time(self.sim.elapsed());
            look(&self.store, self.sim.elapsed());
        }
        assert_eq!(position(&self.store).state, RunState::Done);
        let checkpoint = self.store.ask(ReadCheckpoint { run: id }).unwrap();
        let checkpoint = Checkpoint::decode(checkpoint.as_slice()).unwrap();
        let digest = Digest::from_bytes(&checkpoint.digest).unwrap();
        assert_eq!(digest.to_string(), self.run.digest);
        self.sim.elapsed()
    }
}

/// No job counts as hanging while its trial beats, nor while it waits behind such a job.
#[test]
fn trials_of_two_minutes_do_not_hang() {
    // Ten times as long as a job may be silent.
    let per_trial = MIN_STALL.saturating_mul(10);
    let execution = ExecutionMode::Inline { per_trial, per_long_trial: per_trial };
    let mut farm = LongFarm::start(Run::with_games(1, 1), 1, 1, execution);
    let took = farm.finish(|_, _| {});
    assert!(per_trial * 2 < took, "the trials took {took:?} only");
}

/// A trial of a minute beside ten thousand trials of five milliseconds, on four slots at one worker
/// or at four workers. The long trial gets no second copy, there is progress all the time, and the
/// generation takes hardly longer than the long trial.
#[test]
fn a_long_trial_beside_short_ones() {
    const PER_LONG_TRIAL: Duration = Duration::from_secs(60);
    for (n_workers, slots) in [(1, 4), (4, 1)] {
        let run = Run::of("burn/smoke", &["trials=10000", "long_trials=1", "long_rounds=10"]);
        let per_trial = Duration::from_millis(5);
        let execution = ExecutionMode::Inline { per_trial, per_long_trial: PER_LONG_TRIAL };
        let mut farm = LongFarm::start(run, n_workers, slots, execution);
        let (mut last, mut standstill) = ((Duration::ZERO, 0), Duration::ZERO);
        let mut short_ones_over = None;
        let took = farm.finish(|store, now| {
            let all = store.ask(ListCoordinators).unwrap();
            let Some((_, bytes)) = all.first() else { return };
            let said = CoordinatorAnnouncement::decode(bytes.as_slice()).unwrap();
            let ([led], [run]) = (&said.led[..], &said.runs[..]) else { return };
            let live = led.progress.unwrap();
            let done_ppm = live.trials_done * 1_000_000 + run.in_progress_ppm;
            // Jobs at workers are counted once a second.
            if live.trials_done == 10_000
                && Duration::from_secs(2) < now - *short_ones_over.get_or_insert(now)
            {
                assert_eq!(run.at_workers, 1, "the long trial has a second copy at {now:?}");
            }
            // Before the first trial begins, a worker joins and is tested.
            if done_ppm == last.1 && done_ppm != 0 {
                standstill = standstill.max(now - last.0);
            } else {
                last = (now, done_ppm);
            }
        });
        assert!(standstill <= Duration::from_secs(3), "nothing got on for {standstill:?}");
        assert!(short_ones_over.is_some_and(|at| at * 2 < took), "{short_ones_over:?}, {took:?}");
        assert!(took <= PER_LONG_TRIAL.mul_f64(1.1), "the generation took {took:?}");
    }
}
