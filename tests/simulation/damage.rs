//! Runs whose stored data is damaged, beside a run that goes on.

use hatchery_store::operation::{CreateRun, QuarantineWorker, SteerRun};
use hatchery_store::{SteerAction, StoreOperation as _, WorkerId};

use super::*;

/// The time in which the good run must be done.
const DONE_LIMIT: Duration = Duration::from_secs(300);

/// A store whose data of one run is damaged, as one operation finds out.
#[derive(Debug)]
struct DamagedStore {
    store: ModelStore,
    run: RunId,
    operation: &'static str,
    /// The names of all calls.
    calls: Arc<Mutex<Vec<&'static str>>>,
}

#[tonic::async_trait]
impl StoreBackend for DamagedStore {
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError> {
        self.calls.lock().unwrap().push(call.name());
        if call.run() == Some(self.run) && call.name() == self.operation {
            return Err(StoreError::RunDamaged { run: self.run, what: "it is junk".to_owned() });
        }
        self.store.ask(call)
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.store.changes()
    }
}

/// Has a farm with one coordinator compute the run, until it is done.
fn until_done(store: &ModelStore, good: &Run, bad: RunId, operation: &'static str) -> Calls {
    let (mut sim, calls) = (bounds::sim(1), Calls::default());
    let (shared, names) = (store.another(), Arc::clone(&calls));
    sim.host(COORDINATORS[0], move || {
        let (store, calls) = (shared.another(), Arc::clone(&names));
        let store = Store::new(DamagedStore { store, run: bad, operation, calls });
        async move {
            let config = CoordinatorConfig {
                endpoint: format!("http://{}:{PORT}", COORDINATORS[0]),
                compute_pool: ComputePool::Inline,
                incarnation: CoordinatorId(7),
                ..CoordinatorConfig::default()
            };
            let coordinator = Coordinator::start(store, CATALOG, config).await?;
            coordinator.serve_all().await;
            let watched = coordinator.clone();
            tokio::spawn(async move {
                let mut ticks = tokio::time::interval(Duration::from_secs(1));
                loop {
                    ticks.tick().await;
                    assert!(watched.store_outage().is_none(), "damage of a run is no outage");
                }
            });
            serve(coordinator.worker_service()).await
        }
    });
    (0..2).for_each(|idx| worker(&mut sim, idx, 1, WorkerMix::Good));
    let is_done = || store.ask(ReadPosition { run: good.id }).unwrap().state == RunState::Done;
    while !is_done() {
        sim.step().unwrap();
        store.set_time(sim.elapsed());
        assert!(sim.elapsed() < DONE_LIMIT, "the other run waits for a run with a bad {operation}");
    }
    calls
}

type Calls = Arc<Mutex<Vec<&'static str>>>;

/// A store with two runs: the first one comes first in all lists.
fn two_runs() -> (ModelStore, [Run; 2]) {
    let store = ModelStore::new();
    store.set_time(Duration::ZERO);
    let runs = [1, 2].map(Run::new);
    runs.iter().for_each(|run| bounds::submit_to(&store, run));
    (store, runs)
}

/// Wherever the damage is found.
#[test]
fn a_damaged_run_fails_by_its_name_and_the_others_go_on() {
    for operation in ["record", "checkpoint", "lead", "claim", "enqueue_and_lease", "results"] {
        let (store, [bad, good]) = two_runs();
        until_done(&store, &good, bad.id, operation);
        let state = store.ask(ReadPosition { run: bad.id }).unwrap().state;
        match state {
            RunState::Failed { reason } => {
                let name = bad.id.to_string();
                assert!(reason.contains(&name) && reason.contains("new run"), "{reason}");
            }
            // Nobody can fail it, or nobody reads what is damaged.
            state => {
                let is_left = ["lead", "checkpoint"].contains(&operation);
                assert!(is_left, "{state:?} with a bad {operation}");
            }
        }
    }
}

/// Records of a later or an earlier time that no build can decode.
#[test]
fn a_run_with_a_record_of_junk_fails_by_its_name() {
    let (store, [_, good]) = two_runs();
    let run = RunId(ulid::Ulid(0));
    let (record, checkpoint) = (vec![0xff; 20], vec![0xff; 20]);
    let create = CreateRun { run, record, checkpoint, summary: vec![0xff; 20], parts: vec![] };
    store.ask(create).unwrap();
    until_done(&store, &good, run, "none");
    let state = store.ask(ReadPosition { run }).unwrap().state;
    assert!(
        matches!(&state, RunState::Failed { reason } if reason.contains("new run")),
        "{state:?}"
    );
}

/// Returns the number of calls that a run makes beside quarantined workers.
fn n_calls(n_quarantined: u128) -> (usize, usize) {
    let (store, [other, good]) = two_runs();
    store.ask(SteerRun { run: other.id, steer: SteerAction::Cancel }).unwrap();
    for worker in 1..=n_quarantined {
        let (worker, reason) = (WorkerId(worker << 64), "it lied".to_owned());
        store.ask(QuarantineWorker { worker, reason }).unwrap();
    }
    let calls = until_done(&store, &good, other.id, "none");
    let calls = calls.lock().unwrap();
    let count = |name| calls.iter().filter(|call| **call == name).count();
    (count("disown"), count("fold") + count("find_quarantined"))
}

#[test]
fn a_commit_costs_the_same_beside_thousands_of_quarantined_workers() {
    let (few, many) = (n_calls(1), n_calls(3000));
    assert_eq!(few.1, many.1);
    assert!(many.0 <= few.0 + 1, "{} invalidations, and {}", few.0, many.0);
}
