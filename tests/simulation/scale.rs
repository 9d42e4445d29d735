//! Many workers and a run with one job: the calls of the store do not grow with the workers, but
//! for the size of announcements.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hatchery_catalog::CATALOG;
use hatchery_coordinator::coordinator::CoordinatorConfig;
use hatchery_coordinator::run::record::CoordinatorAnnouncement;
use hatchery_coordinator::{ComputePool, Coordinator};
use hatchery_core::Catalog;
use hatchery_store::conformance::ModelStore;
use hatchery_store::membership::StoreChange;
use hatchery_store::operation::{ListCoordinators, ReadPosition};
use hatchery_store::{
    CoordinatorId, RunState, Store, StoreAnswer, StoreBackend, StoreCall, StoreError,
};
use prost::Message;
use tokio::sync::broadcast;
use turmoil::Sim;

use crate::network::{PORT, TurmoilDialer, serve};
use crate::{COORDINATORS, Run, submit, worker_config};

/// The number of workers; `HATCHERY_SIMULATION_WORKERS` changes it.
const N_WORKERS: usize = 200;

/// The workers of a host. Each has a connection of its own.
const WORKERS_PER_HOST: usize = 100;

/// The virtual time for which an idle farm is watched, in seconds.
const WATCHED_S: u16 = 20;

/// The virtual time until all workers are connected, and until a job is done.
const LONGEST: Duration = Duration::from_secs(120);

/// The virtual time until all workers have joined, for any number of workers.
const JOINED: Duration = Duration::from_secs(5);

/// The steps of the simulation between two looks at the store, because a look decodes every
/// worker's announcement.
const STEPS_BETWEEN_LOOKS: usize = 10;

/// The most calls of the store by an idle coordinator in a second, whatever the number of workers.
const MAX_IDLE_CALLS: f64 = 8.0;

/// The most bytes of an announcement for each worker.
const MAX_WORKER_BYTES: usize = 200;

/// The calls of the store.
#[derive(Clone, Copy, Debug, Default)]
struct StoreUsage {
    n_calls: u32,
    /// Bytes of announcements, written and read.
    n_announced_bytes: usize,
}

/// A handle of the store that counts.
#[derive(Debug)]
struct CountedStore {
    store: ModelStore,
    usage: Arc<Mutex<StoreUsage>>,
}

#[tonic::async_trait]
impl StoreBackend for CountedStore {
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError> {
        let written = match &call {
            StoreCall::AnnounceCoordinator(call) => call.announcement.len(),
            _ => 0,
        };
        let answer = self.store.ask(call);
        let read = match &answer {
            Ok(StoreAnswer::ListCoordinators(all)) => {
                all.iter().map(|(_, bytes)| bytes.len()).sum()
            }
            _ => 0,
        };
        let mut usage = self.usage.lock().unwrap();
        usage.n_calls += 1;
        usage.n_announced_bytes += written + read;
        answer
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.store.changes()
    }
}

/// A farm of many workers.
struct ManyWorkers {
    sim: Sim<'static>,
    store: ModelStore,
    usage: Arc<Mutex<StoreUsage>>,
}

impl ManyWorkers {
    fn start(n_workers: usize) -> Self {
        let store = ModelStore::new();
        store.set_time(Duration::ZERO);
        let usage = Arc::default();
        let mut sim = turmoil::Builder::new()
            .rng_seed(1)
            .simulation_duration(Duration::from_secs(3600))
            .tick_duration(Duration::from_millis(10))
            .tcp_capacity(4096)
            .build();
        for (idx, name) in (1_u128..).zip(COORDINATORS) {
            let (store, usage) = (store.another(), Arc::clone(&usage));
            sim.host(name, move || {
                let store = CountedStore { store: store.another(), usage: Arc::clone(&usage) };
                coordinator(name, CoordinatorId(idx), Store::new(store), CATALOG)
            });
        }
        for begin in (0..n_workers).step_by(WORKERS_PER_HOST) {
            let workers = begin..n_workers.min(begin + WORKERS_PER_HOST);
            sim.host(format!("m{begin}"), move || workers_of_host(workers.clone()));
        }
        Self { sim, store, usage }
    }

    /// Runs until `is_over`, and returns the virtual time that this took.
    fn run_until(&mut self, mut is_over: impl FnMut(&ModelStore) -> bool) -> Duration {
        let begun = self.sim.elapsed();
        while !is_over(&self.store) {
            for _ in 0..STEPS_BETWEEN_LOOKS {
                self.sim.step().unwrap();
                self.store.set_time(self.sim.elapsed());
            }
            assert!(self.sim.elapsed() - begun < LONGEST, "not over after {LONGEST:?}");
        }
        self.sim.elapsed() - begun
    }

    /// Runs for `time`, and returns the calls of the store meanwhile.
    fn watch(&mut self, time: Duration) -> StoreUsage {
        *self.usage.lock().unwrap() = StoreUsage::default();
        let until = self.sim.elapsed() + time;
        while self.sim.elapsed() < until {
            self.sim.step().unwrap();
            self.store.set_time(self.sim.elapsed());
        }
        *self.usage.lock().unwrap()
    }
}

pub(crate) async fn coordinator(
    name: &'static str,
    incarnation: CoordinatorId,
    store: Store,
    catalog: Catalog,
) -> turmoil::Result {
    let config = CoordinatorConfig {
        endpoint: format!("http://{name}:{PORT}"),
        compute_pool: ComputePool::Inline,
        incarnation,
        ..CoordinatorConfig::default()
    };
    let coordinator = Coordinator::start(store, catalog, config).await?;
    coordinator.serve_all().await;
    serve(coordinator.worker_service()).await
}

async fn workers_of_host(workers: std::ops::Range<usize>) -> turmoil::Result {
    let mut tasks = tokio::task::JoinSet::new();
    for idx in workers {
        tasks.spawn(async move {
            let config = worker_config(format!("w{idx}"), idx as u64 + 1);
            let (_stop, stopped) = tokio::sync::watch::channel(false);
            hatchery_worker::run_worker(config, Arc::new(TurmoilDialer), stopped).await
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// Returns the workers that the coordinators announce.
fn n_announced(store: &ModelStore) -> usize {
    let all = store.ask(ListCoordinators).unwrap_or_default();
    let workers = |(_, bytes): &(CoordinatorId, Vec<u8>)| {
        CoordinatorAnnouncement::decode(bytes.as_slice()).unwrap().workers.len()
    };
    all.iter().map(workers).sum()
}

#[test]
fn the_cost_of_many_workers_is_in_announcements_only() {
    let n_workers = std::env::var("HATCHERY_SIMULATION_WORKERS");
    let n_workers = n_workers.ok().and_then(|text| text.parse().ok()).unwrap_or(N_WORKERS);
    let mut farm = ManyWorkers::start(n_workers);
    let joined = farm.run_until(|store| n_announced(store) == n_workers);
    // Messages of the last to join.
    farm.watch(Duration::from_secs(5));
    let StoreUsage { n_calls, n_announced_bytes } =
        farm.watch(Duration::from_secs(WATCHED_S.into()));
    let n_idle = f64::from(n_calls) / f64::from(WATCHED_S) / COORDINATORS.len() as f64;
    // Each announcement is written once and read by all.
    let readings = usize::from(WATCHED_S) * (1 + COORDINATORS.len());
    let worker_bytes = n_announced_bytes / readings / n_workers;
    let run = Run::new(1);
    let submission = run.submission();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(submit(&farm.store, &run, submission));
    let id = run.id;
    let took = farm.run_until(|store| {
        store.ask(ReadPosition { run: id }).is_ok_and(|it| it.state == RunState::Done)
    });
    println!(
        "{n_workers} workers have joined after {joined:?}; {n_idle:.1} calls of the store a second \
         by each idle coordinator; {worker_bytes} bytes a second for each worker and reader; a run \
         was done after {took:?}"
    );
    assert!(joined <= JOINED, "the workers were in after {joined:?}");
    assert!(n_idle < MAX_IDLE_CALLS, "{n_idle:.1} calls a second by each coordinator");
    assert!(worker_bytes < MAX_WORKER_BYTES, "{worker_bytes} bytes a second for each worker");
}
