//! A farm in one process: a coordinator and a worker that talk through the gRPC service, over a
//! connection inside the process.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hatchery_catalog::CATALOG;
use hatchery_coordinator::Coordinator;
use hatchery_proto::WorkerProof;
use hatchery_store::Store;
use hatchery_worker::{
    ExecutionMode, PART_CACHE_BYTES, PreconnectedDialer, ReconnectPolicy, STUCK_GRACE,
    WorkerConfig, WorkerError, run_worker,
};
use hyper_util::rt::TokioIo;
use tokio::io::DuplexStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint, Server};
use tower::service_fn;

use crate::environment::{random_seed, secret_bytes};
use crate::error::CommandError;

/// The size of the connection's buffers.
const BUFFER_BYTES: usize = 256 << 10;

/// Gives a job up at its first failure: there is no other machine to try.
const AT_ONCE: hatchery_coordinator::RetryPolicy =
    hatchery_coordinator::RetryPolicy { errors: 1, lost: 1, timeouts: 1, workers: 1 };

/// The coordinator's address, which is never resolved: the connector has the connection.
const ENDPOINT: &str = "http://in-process";

/// A coordinator with one worker.
pub(crate) struct LocalFarm {
    pub(crate) coordinator: Coordinator,
    pub(crate) worker: JoinHandle<Result<(), WorkerError>>,
    stop: watch::Sender<bool>,
}

impl LocalFarm {
    /// Starts both on `store`; the worker runs `n_threads` trials at the same time. `stall` is the
    /// time without progress after which a job counts as hanging, if it is not to be the run's own.
    pub(crate) async fn start(
        store: Store,
        n_threads: u32,
        stall: Option<Duration>,
    ) -> Result<Self, CommandError> {
        let config = hatchery_coordinator::CoordinatorConfig {
            retry_policy: AT_ONCE,
            stall,
            ..Default::default()
        };
        let coordinator = Coordinator::start(store, CATALOG, config).await?;
        let channel = connect(&coordinator).await?;
        let (stop, stopped) = watch::channel(false);
        let config = WorkerConfig {
            name: "local".to_owned(),
            slots: n_threads,
            catalog: CATALOG,
            endpoints: vec![ENDPOINT.to_owned()],
            // An interrupted run does not wait for jobs: all results are in the store.
            grace: Duration::ZERO,
            part_cache_bytes: PART_CACHE_BYTES,
            stuck_grace: STUCK_GRACE,
            // There will never be another coordinator.
            reconnect: ReconnectPolicy::Never,
            execution: ExecutionMode::Threads,
            proof: WorkerProof::new(secret_bytes().map_err(CommandError::set_up)?),
            rng_seed: random_seed(),
            #[cfg(feature = "faults")]
            fault: None,
        };
        let worker =
            tokio::spawn(run_worker(config, Arc::new(PreconnectedDialer::new(channel)), stopped));
        Ok(Self { coordinator, worker, stop })
    }

    /// Stops the worker, which returns its unfinished jobs.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }
}

/// Serves one connection in this process, and returns its client end.
async fn connect(coordinator: &Coordinator) -> Result<Channel, CommandError> {
    let (client, server) = tokio::io::duplex(BUFFER_BYTES);
    let server = tokio_stream::once(Ok::<DuplexStream, io::Error>(server));
    let service = coordinator.worker_service();
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(server));
    let mut client = Some(client);
    let connector = service_fn(move |_| {
        let client = client.take().map(TokioIo::new);
        async move { client.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)) }
    });
    let endpoint = Endpoint::from_static(ENDPOINT);
    endpoint.connect_with_connector(connector).await.map_err(CommandError::set_up)
}
