//! The plane on one machine, with experiments that misbehave: a panicking trial, and a worker that
//! comes and goes.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hatchery_coordinator::{Coordinator, EmbeddedStore, Ended, Event, RunId, RunState, Submission};
use hatchery_core::spec::Document;
use hatchery_core::{
    AnyExperiment, Catalog, Draws, Exhibit, Experiment, Frames, GenerationSeed, Malformed, Measure,
    Plan, Preset, Refusal, Series, Step, StreamRng, Tally, Wire, Work, erased, reference,
};
use hatchery_worker::{Config, SessionError, serve};
use hyper_util::rt::TokioIo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint, Server};

/// Counts trials; trial 17 of subject 1 panics while `BROKEN` is set.
struct Fragile;

/// Only set by the test of a panic; other tests have sound subjects.
static BROKEN: AtomicBool = AtomicBool::new(false);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Spec {
    #[serde(default)]
    sound: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Subject {
    #[prost(uint32, tag = "1")]
    number: u32,
    #[prost(bool, tag = "2")]
    sound: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Draw {
    #[prost(uint32, repeated, tag = "1")]
    drawn: Vec<u32>,
}

impl Wire for Subject {
    type Message = Self;

    fn to_message(&self) -> Self {
        self.clone()
    }

    fn from_message(message: Self) -> Result<Self, Malformed> {
        Ok(message)
    }
}

impl Wire for Draw {
    type Message = Self;

    fn to_message(&self) -> Self {
        self.clone()
    }

    fn from_message(message: Self) -> Result<Self, Malformed> {
        Ok(message)
    }
}

impl Tally for Draw {
    fn absorb(&mut self, later: Self) {
        self.drawn.extend(later.drawn);
    }
}

impl Experiment for Fragile {
    const NAME: &'static str = "fragile";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "panics";
    const PRESETS: &'static [Preset] = &[];

    type Spec = Spec;
    type State = Vec<u32>;
    type Shared = ();
    type Subject = Subject;
    type Tally = Draw;

    fn generations(_: &Spec) -> u32 {
        2
    }

    fn begin(_: &Spec, _: &GenerationSeed) -> Result<Vec<u32>, Refusal> {
        Ok(Vec::new())
    }

    fn plan(spec: &Spec, _: &Vec<u32>) -> Plan<Self> {
        let subject = |number| Subject { number, sound: spec.sound };
        let series = (0..3).map(|number| Series { subject: subject(number), n_trials: 400 });
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn trial((): &(), subject: &Subject, mut rng: StreamRng) -> Draw {
        let drawn = rng.next_u32();
        let guilty = GenerationSeed::trial;
        let seed = hatchery_core::RunSeed::new("fragile", 1).generation(0);
        let chosen = guilty(&seed, Draws::PerSubject, 1, 17).next_u32() == drawn;
        let broken = !subject.sound && BROKEN.load(Ordering::Relaxed);
        assert!(!(broken && chosen), "a bug in subject {}", subject.number);
        Draw { drawn: vec![drawn] }
    }

    fn fold(
        _: &Spec,
        mut state: Vec<u32>,
        tallies: Vec<Draw>,
        _: &GenerationSeed,
    ) -> Step<Vec<u32>> {
        state.extend(tallies.iter().map(|tally| tally.drawn.iter().fold(0, |a, b| a ^ b)));
        if state.len() < 6 { Step::Continue(state) } else { Step::Done(state) }
    }

    fn work(draw: &Draw) -> Vec<Work> {
        vec![Work::new("draws", draw.drawn.len() as u64)]
    }

    fn measures(_: &Spec, _: &Vec<u32>) -> Vec<Measure> {
        Vec::new()
    }

    fn exhibits(_: &Spec, _: &Vec<u32>) -> Vec<Exhibit> {
        Vec::new()
    }

    fn narrate((): &(), _: &Subject, _: StreamRng, _: &mut Frames<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

const CATALOG: Catalog = Catalog(&[erased::<Fragile>()]);

struct Farm {
    coordinator: Coordinator,
    run: RunId,
    expected: String,
    _folder: tempfile::TempDir,
}

/// A coordinator over a new store, with a run of `Fragile` in it.
async fn farm(params: &str) -> Farm {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(&folder.path().join("run.redb")).unwrap();
    let coordinator = Coordinator::start(Arc::new(store), CATALOG);
    let spec = format!("experiment = \"fragile\"\nseed = 1\n[params]\n{params}\n");
    let document = Document::parse("test", spec.as_bytes()).unwrap();
    let experiment: &dyn AnyExperiment = CATALOG.find("fragile").unwrap();
    let procedure = experiment.procedure(&document).unwrap();
    let run = RunId(ulid::Ulid::generate());
    let submission = Submission {
        experiment: "fragile".to_owned(),
        version: 1,
        seed: 1,
        spec,
        name: "test".to_owned(),
    };
    coordinator.submit(run, submission, procedure.as_ref()).await.unwrap();
    let expected = reference::run(experiment, procedure.as_ref(), 1).unwrap().digest.to_string();
    Farm { coordinator, run, expected, _folder: folder }
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
    Endpoint::from_static("http://in-process").connect_with_connector(connector).await.unwrap()
}

/// A worker, and what ends it on purpose.
async fn worker(
    farm: &Farm,
    slots: u32,
) -> (JoinHandle<Result<(), SessionError>>, watch::Sender<bool>) {
    let channel = connect(&farm.coordinator).await;
    let (stop, stopped) = watch::channel(false);
    let config = Config { name: format!("w{slots}"), slots, catalog: CATALOG };
    (tokio::spawn(serve(channel, config, stopped)), stop)
}

/// Leads the run to its end, which must come within a minute.
async fn drive(farm: &Farm) -> Ended {
    let driving = farm.coordinator.drive(farm.run);
    let ended = tokio::time::timeout(Duration::from_secs(60), driving).await;
    ended.expect("the run ends within a minute").unwrap()
}

async fn digest(farm: &Farm) -> String {
    let events = farm.coordinator.store().events(farm.run, 0).await.unwrap();
    let last = events.iter().rev().find_map(|event| {
        match serde_json::from_slice::<hatchery_coordinator::Stamped>(event).unwrap().event {
            Event::RunDone { digest } => Some(digest),
            _ => None,
        }
    });
    last.expect("the run is done")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_names_the_trial_and_loses_nothing() {
    let farm = farm("").await;
    BROKEN.store(true, Ordering::Relaxed);
    let (worker, _stop) = worker(&farm, 2).await;
    let ended = drive(&farm).await;
    let Ended::Failed { reason } = ended else { panic!("it ended as {ended:?}") };
    assert!(reason.contains("panicked at tests/plane.rs:"), "{reason}");
    assert!(reason.ends_with("a bug in subject 1"), "{reason}");
    let position = farm.coordinator.store().position(farm.run).await.unwrap();
    assert!(matches!(position.state, RunState::Failed { .. }));
    let events = farm.coordinator.store().events(farm.run, 0).await.unwrap();
    let failed: serde_json::Value = serde_json::from_slice(events.last().unwrap()).unwrap();
    assert_eq!(failed["trial"], "0/1/17");

    // The bug is mended: the run goes on, and all that was done before counts.
    BROKEN.store(false, Ordering::Relaxed);
    assert_eq!(drive(&farm).await, Ended::Done);
    assert_eq!(digest(&farm).await, farm.expected);
    assert!(!worker.is_finished(), "a panic in a trial does not end the worker");
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_a_lost_worker_go_to_another() {
    let farm = farm("sound = true").await;
    let (lost, _stop) = worker(&farm, 3).await;
    let mut events = farm.coordinator.events();
    let driving = tokio::spawn({
        let (coordinator, run) = (farm.coordinator.clone(), farm.run);
        async move { coordinator.drive(run).await.unwrap() }
    });
    // Cut off without a goodbye as soon as it has brought something.
    while !matches!(events.recv().await.unwrap().event, Event::JobsDone { .. }) {}
    lost.abort();
    let (_worker, stop) = worker(&farm, 1).await;
    assert_eq!(driving.await.unwrap(), Ended::Done);
    assert_eq!(digest(&farm).await, farm.expected);
    stop.send_replace(true);
    farm.coordinator.drain().await;
}
