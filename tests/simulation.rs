//! The farm in a simulated network and in virtual time: three coordinators and four workers, the
//! real session plane over a network that drops, holds and delays, processes that crash and come
//! back, and a store that is away now and then. The same seed gives the same history, so a failure
//! can be looked at as often as it takes:
//!
//! ```text
//!   HATCHERY_SIMULATION_SEED=17 cargo test --test simulation
//! ```
//!
//! `HATCHERY_SIMULATION_SEEDS=200` tries seeds 0 to 199.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "simulation/bounds.rs"]
mod bounds;
#[path = "farm/client.rs"]
#[expect(dead_code, reason = "workers that hold transfers say little")]
mod client;
#[path = "simulation/damage.rs"]
mod damage;
#[path = "simulation/faults.rs"]
mod faults;
#[path = "simulation/holders.rs"]
mod holders;
#[path = "simulation/long.rs"]
mod long;
#[path = "simulation/network.rs"]
mod network;
#[path = "simulation/scale.rs"]
mod scale;

use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hatchery_catalog::CATALOG;
use hatchery_coordinator::coordinator::CoordinatorConfig;
use hatchery_coordinator::run::record::Checkpoint;
use hatchery_coordinator::{ComputePool, Coordinator, RunScheduling, Submission};
use hatchery_core::erased::ConfiguredExperiment;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{Digest, RunSeed, reference};
use hatchery_proto::WorkerProof;
use hatchery_proto::v1::OnDead;
use hatchery_store::conformance::ModelStore;
use hatchery_store::membership::StoreChange;
use hatchery_store::operation::{
    CompleteJobs, EnqueueAndLease, FoldResults, LeaseJobs, ReadCheckpoint, ReadEvents,
    ReadPosition, ReadResults, RenewLeases,
};
use hatchery_store::{
    CoordinatorId, RunId, RunPosition, RunState, Store, StoreAnswer, StoreBackend, StoreCall,
    StoreError,
};
use hatchery_worker::{ExecutionMode, ReconnectPolicy, STUCK_GRACE, run_worker};
use prost::Message;
use tokio::sync::broadcast;
use turmoil::Sim;

use faults::{LineSpeed, Nemesis, ValueSize, WorkerMix};
use network::{PORT, SlowDialer, TurmoilDialer, serve};

const COORDINATORS: [&str; 3] = ["c0", "c1", "c2"];
const WORKERS: [&str; 4] = ["w0", "w1", "w2", "w3"];

/// How long a run may take in virtual time, faults included.
const LONGEST: Duration = Duration::from_secs(1200);

/// The longest time that a run may be without a new result, although faults last up to 15 seconds
/// each, and several at the same time.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The variable that is set in the process of a test that runs alone.
const ALONE: &str = "HATCHERY_SIMULATION_ALONE";

/// How long a slow machine pauses every half second of virtual time.
const STANDSTILL: Duration = Duration::from_millis(20);

/// The time that a trial is meant to take.
const PER_TRIAL: Duration = Duration::from_millis(20);

/// A run whose parts and results are too large for a message of the session.
const LARGE_VALUES: &[&str] = &[
    "trials=12",
    "generations=4",
    "shared_bytes=300000",
    "parts=4",
    "part_bytes=1000000",
    "new_parts=1",
    "tally_bytes=600000",
];

/// The trials of a generation of such a run, and of another run.
const N_LARGE_TRIALS: u64 = 13;
const N_TRIALS: u64 = 600;

/// Seeds of histories that once stood still: the workers of one coordinator failed a job and kept
/// the only slot of the run.
#[cfg(feature = "faults")]
const STOOD_STILL: [u64; 1] = [16];

/// How many seeds are tried unless the environment says otherwise.
const SEEDS: u64 = 12;

/// The simulated run, with some hundred jobs.
struct Run {
    id: RunId,
    document: SpecDocument,
    procedure: Box<dyn ConfiguredExperiment>,
    digest: String,
}

impl Run {
    fn new(seed: u64) -> Self {
        Self::with_games(seed, 600)
    }

    fn with_large_values(seed: u64) -> Self {
        Self::of("burn/smoke", &[LARGE_VALUES, &[&format!("seed={seed}")]].concat())
    }

    fn with_games(seed: u64, n_games: u32) -> Self {
        Self::of("pig/smoke", &[&format!("games={n_games}"), &format!("seed={seed}")])
    }

    /// A run of a preset with these assignments.
    fn of(preset: &str, set: &[&str]) -> Self {
        let preset = CATALOG.preset(preset).unwrap();
        let mut document = SpecDocument::parse("simulation", preset.text.as_bytes()).unwrap();
        for assignment in set {
            document = document.set(assignment).unwrap();
        }
        let head = document.head().unwrap();
        let (experiment, seed) = (CATALOG.find(&head.experiment).unwrap(), head.seed);
        let procedure = experiment.configure(&document).unwrap();
        let digest = reference::run(experiment, procedure.as_ref(), seed).unwrap().digest;
        let id = RunId(ulid::Ulid(u128::from(seed) + 1));
        Self { id, document, procedure, digest: digest.to_string() }
    }

    fn submission(&self) -> Submission {
        let head = self.document.head().unwrap();
        let seed = RunSeed::new(&head.experiment, head.seed).generation(0);
        Submission {
            version: CATALOG.find(&head.experiment).unwrap().version(),
            experiment: head.experiment,
            seed: head.seed,
            params: self.procedure.canonical_params(),
            beginning: self.procedure.begin(&seed, &[]).unwrap(),
            first_plan: None,
            spec: self.document.text().to_owned(),
            name: "simulation".to_owned(),
            on_dead: OnDead::Fail,
            skip_ppm: 0,
            stall_ms: 0,
            scheduling: RunScheduling::default(),
        }
    }
}

/// A handle of the store that records its calls with their times.
#[derive(Debug)]
struct RecordedStore {
    store: ModelStore,
    name: &'static str,
    history: Arc<Mutex<String>>,
}

#[tonic::async_trait]
impl StoreBackend for RecordedStore {
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError> {
        let what = match &call {
            StoreCall::LeaseJobs(LeaseJobs { most, .. }) => format!("lease {most}"),
            StoreCall::EnqueueAndLease(EnqueueAndLease { enqueue, .. }) => {
                format!("enqueue {} from {}", enqueue.jobs.len(), enqueue.first_index)
            }
            StoreCall::RenewLeases(RenewLeases { jobs, .. }) => format!("renew {jobs:?}"),
            StoreCall::CompleteJobs(CompleteJobs { results, .. }) => {
                format!("complete {:?}", results.iter().map(|(job, _)| job).collect::<Vec<_>>())
            }
            StoreCall::FoldResults(FoldResults { fold, .. }) => format!("fold to {}", fold.folded),
            StoreCall::TakeLead(_) => "lead".to_owned(),
            // Others hold the real time, or follow from these.
            _ => String::new(),
        };
        let answer = self.store.ask(call);
        if !what.is_empty() {
            let at = turmoil::sim_elapsed().unwrap_or_default();
            let mut history = self.history.lock().unwrap();
            writeln!(history, "{at:?} {}: {what}, {}", self.name, answer.is_ok()).unwrap();
        }
        answer
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.store.changes()
    }
}

fn coordinator(
    sim: &mut Sim<'_>,
    idx: usize,
    seed: u64,
    mix: WorkerMix,
    store: &ModelStore,
    history: &Arc<Mutex<String>>,
) {
    let (store, history) = (store.another(), Arc::clone(history));
    let starts = AtomicU64::new(0);
    sim.host(COORDINATORS[idx], move || {
        let starts = u128::from(starts.fetch_add(1, Ordering::Relaxed));
        let incarnation = (u128::from(seed) << 64) + ((idx as u128 + 1) << 32) + starts;
        let store = Store::new(RecordedStore {
            store: store.another(),
            name: COORDINATORS[idx],
            history: Arc::clone(&history),
        });
        async move {
            let config = CoordinatorConfig {
                endpoint: format!("http://{}:{PORT}", COORDINATORS[idx]),
                compute_pool: ComputePool::Inline,
                incarnation: CoordinatorId(incarnation),
                ..CoordinatorConfig::default()
            };
            let audit_ppm = match mix {
                WorkerMix::Good => config.audit_ppm,
                WorkerMix::Mixed => 1_000_000,
            };
            let config = CoordinatorConfig { audit_ppm, ..config };
            let coordinator = loop {
                match Coordinator::start(store.clone(), CATALOG, config.clone()).await {
                    Ok(coordinator) => break coordinator,
                    // As a process that is started again and again until its store answers.
                    Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
                }
            };
            coordinator.serve_all().await;
            serve(coordinator.worker_service()).await
        }
    });
}

fn worker(sim: &mut Sim<'_>, idx: usize, seed: u64, mix: WorkerMix) {
    worker_on(sim, idx, seed, mix, LineSpeed::Quick);
}

fn worker_on(sim: &mut Sim<'_>, idx: usize, seed: u64, mix: WorkerMix, line: LineSpeed) {
    let starts = AtomicU64::new(0);
    sim.host(WORKERS[idx], move || {
        let starts = starts.fetch_add(1, Ordering::Relaxed);
        let rng_seed = seed * 1_000_000 + idx as u64 * 1000 + starts;
        async move {
            #[cfg(feature = "faults")]
            let config = hatchery_worker::WorkerConfig {
                fault: faults::fault_of(mix, seed, idx),
                ..worker_config(WORKERS[idx].to_owned(), rng_seed)
            };
            #[cfg(not(feature = "faults"))]
            let config = worker_config(WORKERS[idx].to_owned(), rng_seed);
            let (_stop, stopped) = tokio::sync::watch::channel(false);
            match line {
                LineSpeed::Slow => run_worker(config, Arc::new(SlowDialer), stopped).await?,
                LineSpeed::Quick => run_worker(config, Arc::new(TurmoilDialer), stopped).await?,
            }
            Ok(())
        }
    });
}

/// Returns the settings of a worker with two slots; each worker and start has an `rng_seed` of its
/// own, from which its id is derived.
fn worker_config(name: String, rng_seed: u64) -> hatchery_worker::WorkerConfig {
    hatchery_worker::WorkerConfig {
        name,
        slots: 2,
        catalog: CATALOG,
        endpoints: COORDINATORS.iter().map(|name| format!("http://{name}:{PORT}")).collect(),
        grace: Duration::from_secs(5),
        part_cache_bytes: hatchery_worker::PART_CACHE_BYTES,
        stuck_grace: STUCK_GRACE,
        reconnect: ReconnectPolicy::Always,
        execution: ExecutionMode::Inline { per_trial: PER_TRIAL, per_long_trial: PER_TRIAL },
        proof: WorkerProof::new(std::array::from_fn(|at| rng_seed.to_be_bytes()[at % 8])),
        rng_seed,
        #[cfg(feature = "faults")]
        fault: None,
        #[cfg(feature = "faults")]
        slowdown: None,
    }
}

/// The outcome of a simulation: the time of the run's end, the longest time without progress, the
/// digest, and the calls of the store.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    took: Duration,
    standstill: Duration,
    digest: String,
    n_events: usize,
    history: String,
}

/// How fast the machine is that simulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Machine {
    Usual,
    /// It pauses for a moment from time to time.
    Slow,
}

/// Writes the log that `HATCHERY_LOG` asks for, so that a failing seed can be looked at.
fn log_if_asked() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("HATCHERY_LOG");
    // Only the first call can set this up.
    filter
        .map(|f| tracing_subscriber::fmt().with_env_filter(f).with_test_writer().try_init().ok())
        .ok();
}

/// Simulates a run under the faults that `seed` says; checks everything but the digest.
fn simulate(seed: u64, mix: WorkerMix, machine: Machine) -> Outcome {
    log_if_asked();
    let values = faults::values_of(seed);
    let (run, n_trials) = match values {
        ValueSize::Small => (Run::new(seed), N_TRIALS),
        ValueSize::Large => (Run::with_large_values(seed), N_LARGE_TRIALS),
    };
    let store = ModelStore::new();
    store.set_time(Duration::ZERO);
    let history = Arc::new(Mutex::new(String::new()));
    let mut sim = bounds::sim(seed);
    for idx in 0..COORDINATORS.len() {
        coordinator(&mut sim, idx, seed, mix, &store, &history);
    }
    for idx in 0..WORKERS.len() {
        worker_on(&mut sim, idx, seed, mix, faults::line_of(seed, idx, mix, values));
    }
    let submission = run.submission();
    if values == ValueSize::Large {
        // The state names the part until the last generation.
        let part = submission.beginning.named.last().unwrap();
        holders::add(&mut sim, run.id, part.hash());
    }

    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    // Two of three runs have a limit, which leaves most workers idle.
    let most_slots = u32::try_from(seed % 3).ok().and_then(NonZeroU32::new);
    let scheduling = RunScheduling { most_slots, ..RunScheduling::default() };
    runtime.block_on(submit(&store, &run, Submission { scheduling, ..submission }));
    let unreadable = faults::clutter(seed, &store);
    let mut nemesis = Nemesis::new(seed, mix, &store);
    let position = |run| store.ask(ReadPosition { run }).unwrap();
    let is_failed = |run: &RunId| matches!(position(*run).state, RunState::Failed { .. });
    let (mut steps, mut progress) = (0_u64, ProgressWatch::default());
    loop {
        sim.step().unwrap_or_else(|error| panic!("{error}: {}", repeat(seed)));
        store.set_time(sim.elapsed());
        nemesis.act(&mut sim);
        steps += 1;
        if machine == Machine::Slow && steps.is_multiple_of(100) {
            std::thread::park_timeout(STANDSTILL);
        }
        // The store is asked now and then, and never while it is away.
        if steps.is_multiple_of(50) && !nemesis.store_is_down() {
            let position = position(run.id);
            match position.state {
                RunState::Done if unreadable.iter().all(is_failed) => break,
                RunState::Done => {}
                _ => progress.look(sim.elapsed(), &position, &store, run.id),
            }
        }
        assert!(sim.elapsed() < LONGEST, "not done after {LONGEST:?}: {}", repeat(seed));
    }
    nemesis.heal(&mut sim);
    let standstill = progress.longest;
    assert!(standstill <= LONGEST_WAIT, "no result for {standstill:?}: {}", repeat(seed));
    let checkpoint = store.ask(ReadCheckpoint { run: run.id }).unwrap();
    let checkpoint = Checkpoint::decode(checkpoint.as_slice()).unwrap();
    let page = store.ask(ReadResults { run: run.id, from: 0, most: usize::MAX }).unwrap();
    assert_eq!((page.n_unresolved, page.n_parked), (0, 0), "{}", repeat(seed));
    let n_trials = n_trials * u64::from(run.procedure.generations());
    assert_eq!(checkpoint.total.trials % n_trials.max(1), 0, "every trial once: {}", repeat(seed));
    let digest = Digest::from_bytes(&checkpoint.digest).unwrap().to_string();
    assert_eq!(digest, run.digest, "{}", repeat(seed));
    let n_events = store.ask(ReadEvents { run: run.id, from: 0 }).unwrap().len();
    let history = history.lock().unwrap().clone();
    Outcome { took: sim.elapsed(), standstill, digest, n_events, history }
}

/// The longest time without any progress of a run.
#[derive(Default)]
struct ProgressWatch {
    /// The current generation, and the jobs that have results in it.
    place: (u32, u64),
    since: Duration,
    longest: Duration,
}

impl ProgressWatch {
    /// Looks at the time `now` how far the run is.
    fn look(&mut self, now: Duration, position: &RunPosition, store: &ModelStore, run: RunId) {
        let RunPosition { generation, folded, .. } = *position;
        let page = store.ask(ReadResults { run, from: folded, most: usize::MAX }).unwrap();
        let place = (generation, position.cursor - page.n_unresolved);
        self.longest = self.longest.max(now - self.since);
        if place != self.place {
            (self.place, self.since) = (place, now);
        }
    }
}

async fn submit(store: &ModelStore, run: &Run, submission: Submission) {
    let store = Store::new(store.another());
    let config = CoordinatorConfig {
        // A thread would take real time, and what is written before the end would depend on it.
        compute_pool: ComputePool::Inline,
        incarnation: CoordinatorId(1),
        ..CoordinatorConfig::default()
    };
    let coordinator = Coordinator::start(store, CATALOG, config).await.unwrap();
    coordinator.submit(run.id, submission).await.unwrap();
    coordinator.stop().await;
}

fn repeat(seed: u64) -> String {
    format!("repeat with HATCHERY_SIMULATION_SEED={seed} cargo test --test simulation")
}

fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match number("HATCHERY_SIMULATION_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("HATCHERY_SIMULATION_SEEDS").unwrap_or(SEEDS),
    }
}

#[test]
fn every_history_ends_with_the_same_digest() {
    let one = |seed| simulate(seed, WorkerMix::Good, Machine::Usual).standstill;
    let longest = seeds().map(one).max();
    println!("at most {longest:?} without a result");
}

/// With at least one good worker and every job audited, any mix of workers that fail, send
/// malformed results or lie ends with the same digest.
#[cfg(feature = "faults")]
#[test]
fn bad_workers_change_no_digest() {
    let one = |seed| simulate(seed, WorkerMix::Mixed, Machine::Usual).standstill;
    let longest = seeds().chain(STOOD_STILL).map(one).max();
    println!("at most {longest:?} without a result");
}

/// In a process of its own, as a seed is repeated by hand: beside other simulations in one process,
/// a history has been seen to differ in the order of two messages.
#[test]
fn a_seed_repeats_its_history() {
    if std::env::var_os(ALONE).is_none() {
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        alone.args(["a_seed_repeats_its_history", "--exact", "--nocapture"]).env(ALONE, "1");
        let output = alone.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let seed = seeds().start;
    let [usual, slow] =
        [Machine::Usual, Machine::Slow].map(|machine| simulate(seed, WorkerMix::Good, machine));
    let differ = usual.history.lines().zip(slow.history.lines()).find(|(one, other)| one != other);
    assert_eq!(differ, None, "{}", repeat(seed));
    assert_eq!(usual, slow);
}
