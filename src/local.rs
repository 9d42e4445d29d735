//! A farm in one process: a coordinator and a worker that talk through the gRPC service, over
//! connections inside the process.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hatchery_coordinator::{Coordinator, SelfTestPolicy, StampedEvent};
use hatchery_proto::WorkerProof;
use hatchery_server::random_bytes;
use hatchery_store::{EmbeddedStore, RoutedStore, RunId, Store};
use hatchery_worker::{
    DialError, Dialer, ExecutionMode, PART_CACHE_BYTES, ReconnectPolicy, STUCK_GRACE, WorkerConfig,
    WorkerError, run_worker,
};
use hyper_util::rt::TokioIo;
use tokio::io::DuplexStream;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Channel, Endpoint, Server};
use tower::service_fn;

use crate::environment::random_seed;
use crate::error::CommandError;
use crate::program::catalog;

/// The size of a connection's buffers.
const BUFFER_BYTES: usize = 256 << 10;

/// Gives a job up at its first failure: there is no other machine to try. A session may be lost: a
/// process that is stopped for a while, or starved by other processes, takes its own worker for
/// silent.
const AT_ONCE: hatchery_coordinator::RetryPolicy =
    hatchery_coordinator::RetryPolicy { errors: 1, lost: 100, timeouts: 1, workers: 1 };

/// The coordinator's address, which is never resolved: the dialer makes connections.
const ENDPOINT: &str = "http://in-process";

/// The time for the worker to return its jobs: all results are in the store already.
const WORKER_STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// A coordinator with one worker, for runs that have a store each.
pub(crate) struct LocalFarm {
    pub(crate) coordinator: Coordinator,
    pub(crate) worker: JoinHandle<Result<(), WorkerError>>,
    /// The events of the runs and the worker.
    pub(crate) events: broadcast::Receiver<StampedEvent>,
    /// The last event of the worker: that it joined, or that it left.
    pub(crate) worker_event: Option<StampedEvent>,
    runs: RoutedStore,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

impl LocalFarm {
    /// Starts a farm without runs, whose worker runs `n_threads` trials at the same time. `stall`
    /// is the time without progress after which a job counts as hanging, if it is not to be the
    /// run's own.
    pub(crate) async fn start(
        n_threads: u32,
        stall: Option<Duration>,
    ) -> Result<Self, CommandError> {
        let config = hatchery_coordinator::CoordinatorConfig {
            retry_policy: AT_ONCE,
            self_tests: SelfTestPolicy::SameBuild,
            stall,
            ..Default::default()
        };
        let runs = RoutedStore::new(Store::new(EmbeddedStore::in_memory()?));
        let coordinator = Coordinator::start(Store::new(runs.clone()), catalog(), config).await?;
        let events = coordinator.events();
        let (dialer, serving) = LocalDialer::new(&coordinator);
        let (stop, stopped) = watch::channel(false);
        let config = WorkerConfig {
            name: "local".to_owned(),
            slots: n_threads,
            catalog: catalog(),
            endpoints: vec![ENDPOINT.to_owned()],
            // An interrupted run does not wait for jobs: all results are in the store.
            grace: Duration::ZERO,
            part_cache_bytes: PART_CACHE_BYTES,
            stuck_grace: STUCK_GRACE,
            reconnect: ReconnectPolicy::Always,
            execution: ExecutionMode::Threads,
            proof: WorkerProof::new(random_bytes().map_err(CommandError::set_up)?),
            rng_seed: random_seed(),
            #[cfg(feature = "faults")]
            fault: None,
            #[cfg(feature = "faults")]
            slowdown: None,
        };
        let worker = tokio::spawn(run_worker(config, Arc::new(dialer), stopped));
        let worker_event = None;
        Ok(Self { coordinator, worker, events, worker_event, runs, stop, serving })
    }

    /// Adds the store of a run, which need not be created yet.
    pub(crate) fn add(&self, run: RunId, store: Store) {
        self.runs.insert(run, store);
    }

    /// Forgets a run, and drops its store.
    pub(crate) async fn remove(&self, run: RunId) {
        self.coordinator.forget(run).await;
        self.runs.remove(run).await;
    }

    /// Ends the worker, which returns its unfinished jobs. A trial that does not end is left to
    /// itself.
    pub(crate) async fn stop_worker(&mut self) {
        self.stop.send_replace(true);
        if !self.worker.is_finished()
            && tokio::time::timeout(WORKER_STOP_TIMEOUT, &mut self.worker).await.is_err()
        {
            tracing::warn!("the worker did not stop in time and is cut off");
            self.worker.abort();
        }
    }

    /// Ends the worker and the coordinator.
    pub(crate) async fn end(mut self) {
        self.coordinator.give_up().await;
        self.stop_worker().await;
        self.coordinator.stop().await;
        self.serving.abort();
    }
}

/// Connects the worker to the coordinator of this process, as often as it must.
struct LocalDialer {
    connections: mpsc::UnboundedSender<DuplexStream>,
}

impl LocalDialer {
    /// Creates a dialer to `coordinator`, and starts to serve its connections.
    fn new(coordinator: &Coordinator) -> (Self, JoinHandle<()>) {
        let (connections, incoming) = mpsc::unbounded_channel();
        let incoming = UnboundedReceiverStream::new(incoming).map(Ok::<DuplexStream, io::Error>);
        let service = coordinator.worker_service();
        let server = Server::builder().add_service(service).serve_with_incoming(incoming);
        let serving = tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::warn!(%error, "the worker cannot connect any more");
            }
        });
        (Self { connections }, serving)
    }
}

#[tonic::async_trait]
impl Dialer for LocalDialer {
    async fn dial(&self, _: &str) -> Result<Channel, DialError> {
        let unreachable = |source| DialError::Unreachable { endpoint: ENDPOINT.to_owned(), source };
        let closed = || io::Error::from(io::ErrorKind::NotConnected);
        let (client, server) = tokio::io::duplex(BUFFER_BYTES);
        self.connections.send(server).map_err(|_| unreachable(closed().into()))?;
        let mut client = Some(client);
        let connector = service_fn(move |_| {
            let client = client.take().map(TokioIo::new);
            async move { client.ok_or_else(closed) }
        });
        let channel = Endpoint::from_static(ENDPOINT).connect_with_connector(connector).await;
        channel.map_err(|error| unreachable(error.into()))
    }
}
