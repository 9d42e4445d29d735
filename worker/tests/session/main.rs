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

use hatchery_worker::{Config, Execution, Patience, TcpDial, WorkError, work};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::fake::{Fake, soon};

/// A worker in this process.
struct Worker {
    stop: watch::Sender<bool>,
    working: JoinHandle<Result<(), WorkError>>,
}

impl Worker {
    fn start(config: Config) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { stop, working: tokio::spawn(work(config, Arc::new(TcpDial::default()), stopped)) }
    }

    async fn ended(self) -> Result<(), WorkError> {
        soon("the worker's end", self.working).await.unwrap()
    }
}

/// A worker with `slots` that knows `fakes`.
fn config(slots: u32, fakes: &[&Fake]) -> Config {
    Config {
        name: "test".to_owned(),
        slots,
        catalog: sluice::CATALOG,
        endpoints: fakes.iter().map(|fake| fake.endpoint.clone()).collect(),
        grace: fake::DEADLINE,
        stuck_grace: Duration::from_millis(50),
        patience: Patience::Endless,
        execution: Execution::Threads,
        entropy: 1,
        #[cfg(feature = "faults")]
        lie: None,
    }
}
