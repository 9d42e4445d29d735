//! A worker against a coordinator that the test scripts: real gRPC, real threads.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod beats;
mod fake_coordinator;
mod gated;
mod hostile;
mod jobs;
mod reconnect;
mod shutdown;

use std::sync::Arc;

use hatchery_proto::{PROOF_BYTES, WorkerProof};
use hatchery_test_redis::PATIENCE;
use hatchery_worker::{
    ExecutionMode, ReconnectPolicy, TcpDialer, WorkerConfig, WorkerError, run_worker,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::fake_coordinator::{FakeCoordinator, within_deadline};

/// A worker that runs in this process.
struct TestWorker {
    stop: watch::Sender<bool>,
    working: JoinHandle<Result<(), WorkerError>>,
}

impl TestWorker {
    fn start(config: WorkerConfig) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self {
            stop,
            working: tokio::spawn(run_worker(config, Arc::new(TcpDialer::default()), stopped)),
        }
    }

    async fn wait_for_end(self) -> Result<(), WorkerError> {
        within_deadline("the worker's end", self.working).await.unwrap()
    }
}

/// Returns the settings of a worker with this number of slots and these `coordinators`. Its trials
/// may take any time to end after they were cancelled: a busy machine may not run them meanwhile.
fn config(slots: u32, coordinators: &[&FakeCoordinator]) -> WorkerConfig {
    WorkerConfig {
        name: "test".to_owned(),
        slots,
        catalog: gated::CATALOG,
        endpoints: coordinators.iter().map(|coordinator| coordinator.endpoint.clone()).collect(),
        grace: PATIENCE,
        part_cache_bytes: hatchery_worker::PART_CACHE_BYTES,
        stuck_grace: PATIENCE,
        reconnect: ReconnectPolicy::Always,
        execution: ExecutionMode::Threads,
        proof: WorkerProof::new([1; PROOF_BYTES]),
        rng_seed: 1,
        #[cfg(feature = "faults")]
        fault: None,
        #[cfg(feature = "faults")]
        slowdown: None,
    }
}
