//! The plane within one process, with an experiment that misbehaves: trials that panic or hang, and
//! workers that come and go.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "plane/fragile.rs"]
mod fragile;

use std::io;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hatchery_coordinator::coordinator::CoordinatorConfig;
use hatchery_coordinator::run::record::{AttemptKind, FailedAttempt, RunRecord};
use hatchery_coordinator::{
    Coordinator, Event, LeadError, OpenError, RetryPolicy, RunOutcome, RunScheduling, StampedEvent,
    Submission,
};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{RunSeed, reference};
use hatchery_proto::WorkerProof;
use hatchery_proto::v1::OnDead;
use hatchery_store::operation::{CreateRun, ReadDeadJobs, ReadEvents, ReadPosition};
use hatchery_store::{EmbeddedStore, RunId, RunState, SteerAction, Store, StoreError};
use hatchery_test_redis::PATIENCE;
use hatchery_worker::{ExecutionMode, PreconnectedDialer, STUCK_GRACE, WorkerError, run_worker};
use hyper_util::rt::TokioIo;
use prost::Message;
use tokio::sync::{MutexGuard, watch};
use tokio::task::{JoinHandle, JoinSet};
use tonic::transport::{Channel, Endpoint, Server};

use fragile::{BROKEN, CATALOG, N_FOLDED, TROUBLE};

/// How many workers there have been: each is another.
static N_WORKERS: AtomicU64 = AtomicU64::new(0);

const ENDPOINT: &str = "http://in-process";

struct Farm {
    coordinator: Coordinator,
    run: RunId,
    expected: String,
    _folder: tempfile::TempDir,
}

/// The reaction to a job that keeps failing, and the time after which a job counts as hanging.
#[derive(Clone, Copy)]
struct Policy {
    on_dead: OnDead,
    skip_ppm: u32,
    stall_ms: u64,
}

const FAIL: Policy = Policy { on_dead: OnDead::Fail, skip_ppm: 0, stall_ms: 0 };

/// A coordinator over a new store, with a run of the experiment in it.
async fn farm(trouble: &str, policy: Policy) -> Farm {
    farm_with(trouble, policy, None).await
}

/// The same, with jobs of at most `job_trials`.
async fn farm_with(trouble: &str, policy: Policy, job_trials: Option<NonZeroU64>) -> Farm {
    let filter = tracing_subscriber::EnvFilter::try_from_env("HATCHERY_LOG");
    // Whoever looks at a failure wants to read it; only the first call can set this up.
    filter.map(|f| tracing_subscriber::fmt().with_env_filter(f).try_init().ok()).ok();
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(&folder.path().join("run.redb")).unwrap();
    let retry_policy = RetryPolicy { errors: 2, lost: 5, timeouts: 2, workers: 2 };
    let config = CoordinatorConfig { retry_policy, job_trials, ..CoordinatorConfig::default() };
    let coordinator = Coordinator::start(Store::new(store), CATALOG, config).await.unwrap();
    let spec = format!("experiment = \"fragile\"\nseed = 1\n[params]\ntrouble = {trouble:?}\n");
    let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
    let experiment = CATALOG.find("fragile").unwrap();
    let procedure = experiment.configure(&document).unwrap();
    let run = RunId(ulid::Ulid::generate());
    let Policy { on_dead, skip_ppm, stall_ms } = policy;
    let submission = Submission {
        experiment: "fragile".to_owned(),
        version: 1,
        seed: 1,
        params: procedure.canonical_params(),
        beginning: procedure.begin(&RunSeed::new("fragile", 1).generation(0), &[]).unwrap(),
        first_plan: None,
        spec,
        name: "test".to_owned(),
        on_dead,
        skip_ppm,
        stall_ms,
        scheduling: RunScheduling::default(),
    };
    coordinator.submit(run, submission).await.unwrap();
    let expected = reference::run(experiment, procedure.as_ref(), 1).unwrap().digest.to_string();
    if trouble != "none" {
        BROKEN.store(true, Ordering::Relaxed);
    }
    Farm { coordinator, run, expected, _folder: folder }
}

/// The right to have trouble, which ends with the test: nothing hangs on.
struct Trouble<'a>(#[expect(dead_code, reason = "held")] MutexGuard<'a, ()>);

impl Drop for Trouble<'_> {
    fn drop(&mut self) {
        BROKEN.store(false, Ordering::Relaxed);
    }
}

async fn connect(coordinator: &Coordinator) -> Channel {
    let (client, server) = tokio::io::duplex(1 << 16);
    let incoming = tokio_stream::once(Ok::<_, io::Error>(server));
    let service = coordinator.worker_service();
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
    let mut client = Some(client);
    let connector = tower::service_fn(move |_| {
        let client = client.take().map(TokioIo::new);
        async move { client.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)) }
    });
    Endpoint::from_static(ENDPOINT).connect_with_connector(connector).await.unwrap()
}

/// A worker, and what ends it on purpose.
async fn worker(
    farm: &Farm,
    slots: u32,
) -> (JoinHandle<Result<(), WorkerError>>, watch::Sender<bool>) {
    let channel = connect(&farm.coordinator).await;
    let (stop, stopped) = watch::channel(false);
    let rng_seed = N_WORKERS.fetch_add(1, Ordering::Relaxed);
    let config = hatchery_worker::WorkerConfig {
        name: format!("w{slots}"),
        slots,
        catalog: CATALOG,
        endpoints: vec![ENDPOINT.to_owned()],
        grace: Duration::ZERO,
        part_cache_bytes: hatchery_worker::PART_CACHE_BYTES,
        stuck_grace: STUCK_GRACE,
        reconnect: hatchery_worker::ReconnectPolicy::Never,
        execution: ExecutionMode::Threads,
        proof: WorkerProof::new(std::array::from_fn(|at| rng_seed.to_be_bytes()[at % 8])),
        rng_seed,
        #[cfg(feature = "faults")]
        fault: None,
        #[cfg(feature = "faults")]
        slowdown: None,
    };
    (tokio::spawn(run_worker(config, Arc::new(PreconnectedDialer::new(channel)), stopped)), stop)
}

/// Waits for something that is sure to happen.
async fn within_patience<T>(what: &str, waiting: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{what} did not come"))
}

/// Leads the run to its end.
async fn drive(farm: &Farm) -> RunOutcome {
    let driving = farm.coordinator.serve_until_ended(farm.run);
    within_patience("the end of the run", driving).await.unwrap()
}

async fn events(farm: &Farm) -> Vec<Event> {
    let events =
        farm.coordinator.store().execute(ReadEvents { run: farm.run, from: 0 }).await.unwrap();
    events
        .iter()
        .map(|event| serde_json::from_slice::<StampedEvent>(event).unwrap().event)
        .collect()
}

async fn digest(farm: &Farm) -> String {
    let digest = events(farm).await.into_iter().rev().find_map(|event| match event {
        Event::RunDone { digest } => Some(digest),
        _ => None,
    });
    digest.expect("the run is done")
}

/// Waits until the run is in a state.
async fn wait_for(farm: &Farm, wanted: impl Fn(&RunState) -> bool) {
    let waiting = async {
        let mut polls = tokio::time::interval(Duration::from_millis(20));
        loop {
            let state = farm
                .coordinator
                .store()
                .execute(ReadPosition { run: farm.run })
                .await
                .unwrap()
                .state;
            if wanted(&state) {
                return;
            }
            polls.tick().await;
        }
    };
    within_patience("the state", waiting).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_names_the_trial_and_loses_nothing() {
    let _trouble = Trouble(TROUBLE.lock().await);
    let farm = farm("panic", FAIL).await;
    let (first, _stop) = worker(&farm, 2).await;
    let (second, _stop) = worker(&farm, 1).await;
    let ended = drive(&farm).await;
    let RunOutcome::Failed { reason } = ended else { panic!("it ended as {ended:?}") };
    assert!(reason.contains("panicked at tests/plane/fragile.rs:"), "{reason}");
    assert!(reason.ends_with("a bug in subject 1"), "{reason}");
    let failed = events(&farm).await.into_iter().find_map(|event| match event {
        Event::RunFailed { trial, .. } => trial,
        _ => None,
    });
    assert_eq!(failed.as_deref(), Some("0/1/17"));
    let parked = farm
        .coordinator
        .store()
        .execute(ReadDeadJobs { run: farm.run, from: 0, most: 10 })
        .await
        .unwrap();
    let attempts = parked[0].attempts.iter().map(|a| FailedAttempt::decode(a.as_slice()).unwrap());
    let workers: std::collections::BTreeSet<_> = attempts
        .inspect(|attempt| assert_eq!(attempt.kind(), AttemptKind::Error))
        .map(|attempt| attempt.worker)
        .collect();
    assert_eq!(workers.len(), 2, "it failed on two workers");

    // The bug is mended: the run goes on, and all that was done before counts.
    BROKEN.store(false, Ordering::Relaxed);
    farm.coordinator.steer(farm.run, SteerAction::Resume).await.unwrap();
    assert_eq!(drive(&farm).await, RunOutcome::Done);
    assert_eq!(digest(&farm).await, farm.expected);
    assert!(!first.is_finished() && !second.is_finished(), "a panic does not end the worker");
}

/// The runs cannot be done before they are cancelled, however late that is: their last fold does
/// not end.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_cancelled_at_any_moment_ends_as_cancelled() {
    let _trouble = Trouble(TROUBLE.lock().await);
    let mut farms = Vec::new();
    for _ in 0..40 {
        // The reference needs an end of its own.
        BROKEN.store(false, Ordering::Relaxed);
        farms.push(farm("slow_end", FAIL).await);
    }
    let mut runs: JoinSet<_> = farms.into_iter().zip(0..).map(cancelled_at).collect();
    while let Some(ended) = runs.join_next().await {
        assert_eq!(ended.unwrap(), RunOutcome::Cancelled);
    }
}

/// Cancels a run after `moment` reads of its position; a read takes about as long as a step of the
/// leader; returns its outcome.
async fn cancelled_at((farm, moment): (Farm, u32)) -> RunOutcome {
    let (_worker, _stop) = worker(&farm, 1).await;
    let cancelling = async {
        for _ in 0..moment {
            farm.coordinator.store().execute(ReadPosition { run: farm.run }).await.unwrap();
        }
        farm.coordinator.steer(farm.run, SteerAction::Cancel).await.unwrap();
    };
    let (ended, ()) = tokio::join!(drive(&farm), cancelling);
    ended
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_can_pause_over_a_job_that_keeps_failing() {
    let _trouble = Trouble(TROUBLE.lock().await);
    let farm = farm("panic", Policy { on_dead: OnDead::Pause, ..FAIL }).await;
    let (_first, _stop) = worker(&farm, 2).await;
    let (_second, _stop) = worker(&farm, 1).await;
    let driving = drive(&farm);
    let mending = async {
        wait_for(&farm, |state| *state == RunState::Paused).await;
        BROKEN.store(false, Ordering::Relaxed);
        farm.coordinator.steer(farm.run, SteerAction::Resume).await.unwrap();
    };
    let (ended, ()) = tokio::join!(driving, mending);
    assert_eq!(ended, RunOutcome::Done);
    assert_eq!(digest(&farm).await, farm.expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_can_go_on_without_trials_that_keep_failing() {
    let _trouble = Trouble(TROUBLE.lock().await);
    // A third of all trials may be missing: much more than a job has.
    let policy = Policy { on_dead: OnDead::Skip, skip_ppm: 333_333, ..FAIL };
    let farm = farm("panic", policy).await;
    let (_first, _stop) = worker(&farm, 2).await;
    let (_second, _stop) = worker(&farm, 1).await;
    assert_eq!(drive(&farm).await, RunOutcome::Done);
    let missing = events(&farm).await.into_iter().find_map(|event| match event {
        Event::TrialsMissing { trials, reason } => Some((trials, reason)),
        _ => None,
    });
    let (trials, reason) = missing.expect("it says what is missing");
    assert!(0 < trials && reason.contains("a bug in subject 1"), "{trials} trials: {reason}");
    assert_ne!(digest(&farm).await, farm.expected, "it is not the same result");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_fails_if_too_many_trials_are_missing() {
    let _trouble = Trouble(TROUBLE.lock().await);
    let farm = farm("panic", Policy { on_dead: OnDead::Skip, skip_ppm: 1, ..FAIL }).await;
    let (_first, _stop) = worker(&farm, 2).await;
    let (_second, _stop) = worker(&farm, 1).await;
    assert!(matches!(drive(&farm).await, RunOutcome::Failed { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_whose_trials_return_too_much_are_cut_smaller() {
    let _trouble = Trouble(TROUBLE.lock().await);
    let farm = farm_with("large_tallies", FAIL, NonZeroU64::new(4)).await;
    let (_first, _stop) = worker(&farm, 2).await;
    let (_second, _stop) = worker(&farm, 1).await;
    assert_eq!(drive(&farm).await, RunOutcome::Done);
    assert_eq!(digest(&farm).await, farm.expected);
    let smaller = events(&farm).await.into_iter().filter_map(|event| match event {
        Event::JobsTooLarge { generation, most_trials, reason } => {
            assert!(reason.contains("the tallies of a job have"), "{reason}");
            Some((generation, most_trials))
        }
        _ => None,
    });
    let smaller: Vec<_> = smaller.collect();
    assert!(smaller.is_sorted_by(|a, b| b.1 < a.1), "{smaller:?}");
    assert_eq!(smaller.last(), Some(&(0, 1)), "{smaller:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_that_hangs_is_given_up_on_two_workers() {
    let _trouble = Trouble(TROUBLE.lock().await);
    let farm = farm("hang", Policy { stall_ms: 500, ..FAIL }).await;
    let (_first, _stop) = worker(&farm, 2).await;
    let (_second, _stop) = worker(&farm, 2).await;
    let ended = drive(&farm).await;
    let RunOutcome::Failed { reason } = ended else { panic!("it ended as {ended:?}") };
    assert!(reason.contains("no progress"), "{reason}");
}

/// Waits until the run reports a long fold.
async fn wait_for_slow_fold(farm: &Farm) {
    let waiting = async {
        let mut polls = tokio::time::interval(Duration::from_millis(20));
        let is_told =
            |event: &Event| matches!(*event, Event::GenerationFolding { bytes, .. } if 0 < bytes);
        while !events(farm).await.iter().any(is_told) {
            polls.tick().await;
        }
    };
    within_patience("a slow fold", waiting).await;
}

/// Lets slow folds end, and waits until there are more than `n_folded`.
async fn end_fold(n_folded: u32) {
    BROKEN.store(false, Ordering::Relaxed);
    let mut polls = tokio::time::interval(Duration::from_millis(20));
    let ending = async {
        while N_FOLDED.load(Ordering::Relaxed) <= n_folded {
            polls.tick().await;
        }
    };
    within_patience("the end of the fold", ending).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_cancelled_while_it_is_folded_ends_at_once() {
    let _trouble = Trouble(TROUBLE.lock().await);
    let farm = farm("slow_fold", FAIL).await;
    let (_worker, _stop) = worker(&farm, 2).await;
    let cancelling = async {
        wait_for_slow_fold(&farm).await;
        farm.coordinator.steer(farm.run, SteerAction::Cancel).await.unwrap();
    };
    let n_folded = N_FOLDED.load(Ordering::Relaxed);
    let (ended, ()) = tokio::join!(drive(&farm), cancelling);
    assert_eq!(ended, RunOutcome::Cancelled);
    assert_eq!(N_FOLDED.load(Ordering::Relaxed), n_folded, "the fold goes on");
    end_fold(n_folded).await;
    let is_folded = |event: &Event| matches!(event, Event::GenerationFolded { .. });
    assert!(!events(&farm).await.iter().any(is_folded));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_paused_while_it_is_folded_waits_until_it_is_resumed() {
    let _trouble = Trouble(TROUBLE.lock().await);
    let farm = farm("slow_fold", FAIL).await;
    let (_worker, _stop) = worker(&farm, 2).await;
    let n_folded = N_FOLDED.load(Ordering::Relaxed);
    let pausing = async {
        wait_for_slow_fold(&farm).await;
        farm.coordinator.steer(farm.run, SteerAction::Pause).await.unwrap();
        end_fold(n_folded).await;
        let mut polls = tokio::time::interval(Duration::from_millis(20));
        for _ in 0..10 {
            polls.tick().await;
            let position = ReadPosition { run: farm.run };
            let position = farm.coordinator.store().execute(position).await.unwrap();
            assert_eq!((position.generation, position.state), (0, RunState::Paused));
        }
        farm.coordinator.steer(farm.run, SteerAction::Resume).await.unwrap();
    };
    let (ended, ()) = tokio::join!(drive(&farm), pausing);
    assert_eq!(ended, RunOutcome::Done);
    assert_eq!(digest(&farm).await, farm.expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_a_lost_worker_go_to_another() {
    let farm = farm("none", FAIL).await;
    let (lost, _stop) = worker(&farm, 3).await;
    let mut events = farm.coordinator.events();
    let driving = tokio::spawn({
        let (coordinator, run) = (farm.coordinator.clone(), farm.run);
        async move { coordinator.serve_until_ended(run).await.unwrap() }
    });
    // Cut off without a goodbye as soon as it has brought something.
    while !matches!(events.recv().await.unwrap().event, Event::JobsDone { .. }) {}
    lost.abort();
    let (_worker, stop) = worker(&farm, 1).await;
    assert_eq!(driving.await.unwrap(), RunOutcome::Done);
    assert_eq!(digest(&farm).await, farm.expected);
    stop.send_replace(true);
    farm.coordinator.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_cannot_be_led_is_not_waited_for() {
    let farm = farm("none", FAIL).await;
    let end_of = |run| farm.coordinator.serve_until_ended(run);
    let (missing, other) = (RunId(ulid::Ulid(1)), RunId(ulid::Ulid(2)));
    let error = end_of(missing).await.unwrap_err();
    assert!(matches!(error, LeadError::Store(StoreError::NoRun { .. })), "{error}");
    let record = RunRecord { experiment: "another".to_owned(), ..RunRecord::default() };
    farm.coordinator
        .store()
        .execute(CreateRun {
            run: other,
            record: record.encode_to_vec(),
            checkpoint: vec![],
            summary: vec![],
            parts: vec![],
        })
        .await
        .unwrap();
    for _ in 0..2 {
        let error = end_of(other).await.unwrap_err();
        assert!(matches!(error, LeadError::Open(OpenError::UnknownExperiment { .. })), "{error}");
    }
}
