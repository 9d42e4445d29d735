//! A worker against a coordinator that does what the test says: real gRPC, real threads.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod fake;
mod hostile;
mod leaving;
mod sluice;
mod surviving;
mod working;

use std::sync::Arc;
use std::time::Duration;

use hatchery_worker::{
    ExecutionMode, ReconnectPolicy, TcpDialer, WorkerConfig, WorkerError, run_worker,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::fake::{Fake, soon};

/// A worker in this process.
struct Worker {
    stop: watch::Sender<bool>,
    working: JoinHandle<Result<(), WorkerError>>,
}

impl Worker {
    fn start(config: WorkerConfig) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self {
            stop,
            working: tokio::spawn(run_worker(config, Arc::new(TcpDialer::default()), stopped)),
        }
    }

    async fn ended(self) -> Result<(), WorkerError> {
        soon("the worker's end", self.working).await.unwrap()
    }
}

/// A worker with `slots` that knows `fakes`.
fn config(slots: u32, fakes: &[&Fake]) -> WorkerConfig {
    WorkerConfig {
        name: "test".to_owned(),
        slots,
        catalog: sluice::CATALOG,
        endpoints: fakes.iter().map(|fake| fake.endpoint.clone()).collect(),
        grace: fake::DEADLINE,
        stuck_grace: Duration::from_millis(50),
        reconnect: ReconnectPolicy::Always,
        execution: ExecutionMode::Threads,
        rng_seed: 1,
        #[cfg(feature = "faults")]
        fault: None,
    }
}
