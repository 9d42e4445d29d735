//! The times that a farm takes to notice faults, and to obey commands. They are virtual, so no
//! bound depends on the machine; `tests/farm.rs` has the same faults in real processes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hatchery_catalog::CATALOG;
use hatchery_coordinator::coordinator::CoordinatorConfig;
use hatchery_coordinator::run::record::{AnnouncedWorker, CoordinatorAnnouncement};
use hatchery_coordinator::{
    ComputePool, ControlService, Coordinator, Event, RunScheduling, StampedEvent, Submission,
};
use hatchery_proto::v1::GetRunRequest;
use hatchery_proto::v1::control_server::Control;
use hatchery_store::conformance::ModelStore;
use hatchery_store::operation::{ListCoordinators, ReadClaim, ReadEvents, ReadPosition, SteerRun};
use hatchery_store::{CoordinatorId, RunState, SteerAction, Store};
use prost::Message;
use tonic::Request;
use turmoil::Sim;

use crate::faults::WorkerMix;
use crate::network::{PORT, serve};
use crate::{COORDINATORS, LONGEST, Run, WORKERS, coordinator, submit, worker};

/// After a leader has died, another coordinator leads within this time.
const TAKEOVER_LIMIT: Duration = Duration::from_secs(8);

/// A silent worker is given up within this time.
const SILENCE_LIMIT: Duration = Duration::from_secs(12);

/// A worker whose connection ends is given up within this time.
const GONE_LIMIT: Duration = Duration::from_secs(1);

/// After this time, no result of a paused or cancelled run is stored.
const STOP_LIMIT: Duration = Duration::from_secs(2);

/// After this time, coordinators have announced twice how many jobs their workers have.
const ANNOUNCE_LIMIT: Duration = Duration::from_secs(2);

/// A status is at most this far behind the work: two announcements, and messages on their way.
const STATUS_AGE_LIMIT: Duration = Duration::from_millis(2500);

/// Anything else happens within this time.
const SETTLE_LIMIT: Duration = Duration::from_secs(60);

/// A farm with a run that is in progress for minutes.
struct BusyFarm {
    sim: Sim<'static>,
    store: ModelStore,
    run: Run,
    /// The calls of the store.
    history: Arc<Mutex<String>>,
}

/// Creates a network that delays each message by 1 to 80 ms.
pub(crate) fn sim(seed: u64) -> Sim<'static> {
    turmoil::Builder::new()
        .rng_seed(seed)
        .simulation_duration(LONGEST)
        .tick_duration(Duration::from_millis(5))
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(80))
        .tcp_capacity(4096)
        .build()
}

impl BusyFarm {
    /// Starts a farm, and waits until it has results.
    fn start(seed: u64) -> Self {
        let (store, history) = (ModelStore::new(), Arc::default());
        store.set_time(Duration::ZERO);
        let mut sim = sim(seed);
        for idx in 0..COORDINATORS.len() {
            coordinator(&mut sim, idx, seed, WorkerMix::Good, &store, &history);
        }
        (0..WORKERS.len()).for_each(|idx| worker(&mut sim, idx, seed, WorkerMix::Good));
        let run = Run::with_games(seed, 4000);
        submit_to(&store, &run);
        let mut farm = Self { sim, store, run, history };
        farm.until(SETTLE_LIMIT, "a result", |farm| {
            farm.history.lock().unwrap().contains("complete")
        });
        farm
    }

    /// Runs until a condition holds, for at most `within`; returns the time that it took.
    fn until(&mut self, within: Duration, what: &str, is_so: impl Fn(&Self) -> bool) -> Duration {
        let begun = self.sim.elapsed();
        while !is_so(self) {
            self.sim.step().unwrap();
            self.store.set_time(self.sim.elapsed());
            let took = self.sim.elapsed() - begun;
            assert!(took <= within, "{what}: not within {within:?}");
        }
        self.sim.elapsed() - begun
    }

    /// Lets `time` pass.
    fn pass(&mut self, time: Duration) {
        let end = self.sim.elapsed() + time;
        self.until(time + SETTLE_LIMIT, "some time", |farm| end <= farm.sim.elapsed());
    }

    /// The coordinator that has the claim on the run.
    fn claimant(&self) -> Option<usize> {
        let claim = self.store.ask(ReadClaim { run: self.run.id }).unwrap()?;
        let idx = u32::try_from(claim.coordinator.0 >> 32 & u128::from(u32::MAX)).unwrap();
        idx.checked_sub(1).map(|idx| idx as usize)
    }

    /// How often the run has had another leader.
    fn n_led(&self) -> usize {
        let events = self.store.ask(ReadEvents { run: self.run.id, from: 0 }).unwrap();
        let led = |bytes: &&Vec<u8>| {
            let event = serde_json::from_slice::<StampedEvent>(bytes).unwrap().event;
            matches!(event, Event::RunLed { .. })
        };
        events.iter().filter(led).count()
    }

    fn announced(&self) -> Vec<CoordinatorAnnouncement> {
        let all = self.store.ask(ListCoordinators).unwrap();
        let decode = |bytes: Vec<u8>| CoordinatorAnnouncement::decode(bytes.as_slice()).unwrap();
        all.into_iter().map(|(_, bytes)| decode(bytes)).collect()
    }

    /// The coordinator that says that it has a worker with this name, and jobs there.
    fn server_of(&self, name: &str) -> Option<String> {
        let has = |worker: &AnnouncedWorker| worker.name == name && 0 < worker.jobs;
        let mut all = self.announced().into_iter();
        Some(all.find(|it| it.workers.iter().any(has))?.endpoint)
    }

    /// True if the coordinator at this place reports a worker with this name.
    fn is_at(&self, name: &str, endpoint: &str) -> bool {
        let is_there = |it: &CoordinatorAnnouncement| {
            it.endpoint == endpoint && it.workers.iter().any(|worker| worker.name == name)
        };
        self.announced().iter().any(is_there)
    }

    /// The jobs of the run at workers.
    fn n_at_workers(&self) -> u32 {
        let all = self.announced();
        let runs = all.iter().flat_map(|it| &it.runs);
        runs.filter(|it| it.run == self.run.id.to_bytes()).map(|it| it.at_workers).sum()
    }
}

pub(crate) fn submit_to(store: &ModelStore, run: &Run) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    let submission = Submission { scheduling: RunScheduling::default(), ..run.submission() };
    runtime.block_on(submit(store, run, submission));
}

#[test]
fn another_coordinator_leads_when_the_leader_dies() {
    for seed in 0..4 {
        let mut farm = BusyFarm::start(seed);
        let (leader, n_led) = (farm.claimant().unwrap(), farm.n_led());
        farm.sim.crash(COORDINATORS[leader]);
        let took = farm.until(TAKEOVER_LIMIT, "another leader", |farm| n_led < farm.n_led());
        println!("seed {seed}: another coordinator leads after {took:?}");
        assert_ne!(farm.claimant(), Some(leader));
    }
}

/// Whatever swallows or holds messages, in both directions or one.
#[test]
fn a_worker_that_is_cut_off_is_given_up() {
    type Fault = fn(&mut Sim<'_>, &'static str, &'static str);
    let faults: [(&str, Fault); 4] = [
        ("both ways", |sim, worker, other| sim.partition(worker, other)),
        ("from the worker", |sim, worker, other| sim.partition_oneway(worker, other)),
        ("to the worker", |sim, worker, other| sim.partition_oneway(other, worker)),
        ("held", |sim, worker, other| sim.hold(worker, other)),
    ];
    for (seed, (what, fault)) in (0..).zip(faults) {
        let mut farm = BusyFarm::start(seed);
        farm.until(SETTLE_LIMIT, "a busy worker", |farm| farm.server_of("w0").is_some());
        let server = farm.server_of("w0").unwrap();
        COORDINATORS.iter().for_each(|other| fault(&mut farm.sim, "w0", other));
        let took = farm.until(SILENCE_LIMIT, what, |farm| !farm.is_at("w0", &server));
        println!("{what}: given up after {took:?}");
    }
}

#[test]
fn a_worker_that_dies_is_given_up_at_once() {
    for seed in 0..4 {
        let mut farm = BusyFarm::start(seed);
        farm.until(SETTLE_LIMIT, "a busy worker", |farm| farm.server_of("w0").is_some());
        let server = farm.server_of("w0").unwrap();
        farm.sim.crash("w0");
        let took = farm.until(GONE_LIMIT, "it is gone", |farm| !farm.is_at("w0", &server));
        println!("seed {seed}: given up after {took:?}");
    }
}

#[test]
fn a_run_that_is_paused_or_cancelled_is_computed_no_more() {
    for (seed, steer) in (0..).zip([SteerAction::Pause, SteerAction::Cancel]) {
        let mut farm = BusyFarm::start(seed);
        let run = farm.run.id;
        farm.until(SETTLE_LIMIT, "jobs at workers", |farm| 0 < farm.n_at_workers());
        farm.store.ask(SteerRun { run, steer }).unwrap();
        farm.pass(STOP_LIMIT);
        farm.history.lock().unwrap().clear();
        farm.until(ANNOUNCE_LIMIT, "no job at a worker", |farm| farm.n_at_workers() == 0);
        farm.pass(SILENCE_LIMIT);
        assert_eq!(farm.n_at_workers(), 0, "{steer:?}");
        let history = farm.history.lock().unwrap().clone();
        assert!(!history.contains("complete"), "{steer:?}: {history}");
        farm.store.ask(SteerRun { run, steer: SteerAction::Resume }).unwrap();
        farm.until(SETTLE_LIMIT, "jobs at workers", |farm| 0 < farm.n_at_workers());
    }
}

/// A coordinator's report, with its time.
#[derive(Clone, Copy, Debug)]
struct Said {
    at: Duration,
    idx: usize,
    /// The trials that it has counted, and the trials in the run's status.
    counted: u64,
    shown: u64,
}

/// The trials of the run that the coordinator has counted.
fn counted(coordinator: &Coordinator) -> u64 {
    let text = coordinator.meters().text();
    let series = "hatchery_units_completed_total{kind=\"pig\"} ";
    text.lines().find_map(|line| line.strip_prefix(series)).map_or(0, |n| n.parse().unwrap())
}

/// A coordinator that is asked for the status of the run ten times a second.
async fn observed(
    idx: usize,
    run: hatchery_store::RunId,
    store: Store,
    said: Arc<Mutex<Vec<Said>>>,
) -> turmoil::Result {
    let config = CoordinatorConfig {
        endpoint: format!("http://{}:{PORT}", COORDINATORS[idx]),
        compute_pool: ComputePool::Inline,
        incarnation: CoordinatorId(idx as u128 + 1),
        ..CoordinatorConfig::default()
    };
    let coordinator = Coordinator::start(store, CATALOG, config).await?;
    coordinator.serve_all().await;
    let service = ControlService::new(coordinator.clone());
    let observed = coordinator.clone();
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        loop {
            ticks.tick().await;
            let request = Request::new(GetRunRequest { run: run.to_string() });
            let shown = service.get_run(request).await.unwrap().into_inner().trials_total;
            let at = turmoil::sim_elapsed().unwrap();
            said.lock().unwrap().push(Said { at, idx, counted: counted(&observed), shown });
        }
    });
    serve(coordinator.worker_service()).await
}

/// Whichever coordinator leads the run, and wherever its workers are.
#[test]
fn a_status_is_never_far_behind_the_work() {
    let (store, said) = (ModelStore::new(), Arc::<Mutex<Vec<Said>>>::default());
    store.set_time(Duration::ZERO);
    let run = Run::with_games(1, 600);
    let mut sim = sim(1);
    for (idx, name) in COORDINATORS.into_iter().enumerate() {
        let (store, said, id) = (store.another(), Arc::clone(&said), run.id);
        sim.host(name, move || observed(idx, id, Store::new(store.another()), Arc::clone(&said)));
    }
    (0..WORKERS.len()).for_each(|idx| worker(&mut sim, idx, 1, WorkerMix::Good));
    submit_to(&store, &run);
    let is_done = || store.ask(ReadPosition { run: run.id }).unwrap().state == RunState::Done;
    while !is_done() {
        sim.step().unwrap();
        store.set_time(sim.elapsed());
    }

    let said = said.lock().unwrap();
    let counted_by = |until: Duration| {
        let by = |idx| said.iter().filter(move |it| it.idx == idx && it.at <= until);
        (0..COORDINATORS.len())
            .map(|idx| by(idx).next_back().map_or(0, |it| it.counted))
            .sum::<u64>()
    };
    let mut longest = Duration::ZERO;
    for Said { at, shown, .. } in said.iter().copied() {
        let age = (0..).map(|n| Duration::from_millis(50) * n);
        let mut age = age.take_while(|age| *age < at);
        let age = age.find(|age| counted_by(at - *age) <= shown).unwrap_or(at);
        longest = longest.max(age);
    }
    println!("a status is {longest:?} behind at most, in {} looks", said.len());
    assert!(longest <= STATUS_AGE_LIMIT, "a status is {longest:?} behind");
}
