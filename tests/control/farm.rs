//! A coordinator with its service and, once it is wanted, a worker: all in this process.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hatchery_catalog::CATALOG;
use hatchery_coordinator::{ControlService, Coordinator, CoordinatorConfig};
use hatchery_core::reference;
use hatchery_core::spec::SpecDocument;
use hatchery_proto::{PROOF_BYTES, WorkerProof};
use hatchery_store::{EmbeddedStore, RunId, Store};
use hatchery_worker::{
    ExecutionMode, PreconnectedDialer, ReconnectPolicy, STUCK_GRACE, run_worker,
};
use hyper_util::rt::TokioIo;
use tokio::sync::watch;
use tonic::transport::{Endpoint, Server};

const ENDPOINT: &str = "http://in-process";

/// A coordinator over a store in a scratch folder.
pub(crate) struct Farm {
    pub(crate) coordinator: Coordinator,
    pub(crate) service: ControlService,
    stop: Mutex<Option<watch::Sender<bool>>>,
    _folder: tempfile::TempDir,
}

impl Farm {
    /// A coordinator that leads nothing yet.
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(&folder.path().join("store.redb")).unwrap();
        let coordinator =
            Coordinator::start(Store::new(store), CATALOG, CoordinatorConfig::default());
        let coordinator = coordinator.await.unwrap();
        let service = ControlService::new(coordinator.clone());
        Self { coordinator, service, stop: Mutex::default(), _folder: folder }
    }

    /// Leads all runs, and has a worker for them.
    pub(crate) async fn work(&self) {
        self.coordinator.serve_all().await;
        let (client, server) = tokio::io::duplex(1 << 16);
        let incoming = tokio_stream::once(Ok::<_, io::Error>(server));
        let service = self.coordinator.worker_service();
        tokio::spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
        let mut client = Some(client);
        let connector = tower::service_fn(move |_| {
            let client = client.take().map(TokioIo::new);
            async move { client.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)) }
        });
        let channel = Endpoint::from_static(ENDPOINT).connect_with_connector(connector).await;
        let config = hatchery_worker::WorkerConfig {
            name: "w".to_owned(),
            slots: 2,
            catalog: CATALOG,
            endpoints: vec![ENDPOINT.to_owned()],
            grace: Duration::ZERO,
            part_cache_bytes: hatchery_worker::PART_CACHE_BYTES,
            stuck_grace: STUCK_GRACE,
            reconnect: ReconnectPolicy::Never,
            execution: ExecutionMode::Threads,
            proof: WorkerProof::new([1; PROOF_BYTES]),
            rng_seed: 1,
            #[cfg(feature = "faults")]
            fault: None,
            #[cfg(feature = "faults")]
            slowdown: None,
        };
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(run_worker(
            config,
            Arc::new(PreconnectedDialer::new(channel.unwrap())),
            stopped,
        ));
        *self.stop.lock().unwrap() = Some(stop);
    }

    /// Lets the worker go.
    pub(crate) async fn stop(&self) {
        if let Some(stop) = self.stop.lock().unwrap().take() {
            stop.send_replace(true);
        }
        self.coordinator.stop().await;
    }
}

/// A spec of `experiment` with these parameters.
pub(crate) fn spec(experiment: &str, params: &str) -> String {
    format!("experiment = {experiment:?}\nseed = 1\n[params]\n{params}\n")
}

/// A spec of a game that is played quickly, in three generations.
pub(crate) fn pig(games: &str) -> String {
    spec("pig", &format!("hold_at = [5, 10, 15, 20, 25, 30, 40, 60]\n{games}"))
}

/// The result of a spec by the plainest way to run.
pub(crate) fn outcome(spec: &str) -> reference::ReferenceRun {
    let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
    let head = document.head().unwrap();
    let experiment = CATALOG.find(&head.experiment).unwrap();
    let procedure = experiment.configure(&document).unwrap();
    reference::run(experiment, procedure.as_ref(), head.seed).unwrap()
}

/// The id that `text` says.
pub(crate) fn id(text: &str) -> RunId {
    RunId(ulid::Ulid::from_string(text).unwrap())
}
