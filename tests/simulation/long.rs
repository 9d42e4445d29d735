//! Trials that take long, and say that they get on.

use std::sync::Arc;
use std::time::Duration;

use hatchery_coordinator::Submission;
use hatchery_proto::MIN_STALL;
use hatchery_store::conformance::ModelStore;
use hatchery_store::operation::{ReadCheckpoint, ReadPosition};
use hatchery_store::{CoordinatorId, RunState, Store};
use hatchery_worker::{ExecutionMode, WorkerConfig, run_worker};
use prost::Message;

use crate::network::TurmoilDialer;
use crate::scale::coordinator;
use crate::{COORDINATORS, Checkpoint, Digest, LONGEST, Run, WORKERS, submit, worker_config};

/// The time that a trial takes: ten times as long as a job may be silent.
const PER_TRIAL: Duration = MIN_STALL.saturating_mul(10);

/// No job counts as hanging while its trial beats, nor while it waits behind one that does.
#[test]
fn trials_of_two_minutes_do_not_hang() {
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
        coordinator(COORDINATORS[0], CoordinatorId(2), Store::new(served.another()))
    });
    sim.host(WORKERS[0], || async {
        let config = WorkerConfig {
            slots: 1,
            execution: ExecutionMode::Inline { per_trial: PER_TRIAL },
            ..worker_config(WORKERS[0].to_owned(), 1)
        };
        let (_stop, stopped) = tokio::sync::watch::channel(false);
        run_worker(config, Arc::new(TurmoilDialer), stopped).await?;
        Ok(())
    });
    let run = Run::with_games(1, 1);
    let stall_ms = u64::try_from(MIN_STALL.as_millis()).unwrap();
    let submission = Submission { stall_ms, ..run.submission() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(submit(&store, &run, submission));
    let position = || store.ask(ReadPosition { run: run.id }).unwrap();
    while position().state == RunState::Active {
        sim.step().unwrap();
        store.set_time(sim.elapsed());
    }
    assert_eq!(position().state, RunState::Done);
    assert!(PER_TRIAL * 2 < sim.elapsed(), "the trials took {:?} only", sim.elapsed());
    let checkpoint = store.ask(ReadCheckpoint { run: run.id }).unwrap();
    let checkpoint = Checkpoint::decode(checkpoint.as_slice()).unwrap();
    assert_eq!(Digest::from_bytes(&checkpoint.digest).unwrap().to_string(), run.digest);
}
