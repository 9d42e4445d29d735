//! The health of a coordinator, for gRPC health checks.

use std::time::Duration;

use hatchery_coordinator::Coordinator;
use tokio::sync::watch;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

/// The interval between checks of the coordinator.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// The largest request: the name of a service. Everyone may send one.
const MAX_REQUEST_BYTES: usize = 1 << 10;

/// The names with a health: the whole server, and each service.
const SERVICES: [&str; 3] = ["", "hatchery.v1.WorkerPlane", "hatchery.v1.Control"];

/// Reports the health of a coordinator: not serving until it is watched.
#[derive(Clone, Debug)]
pub struct HealthMonitor(HealthReporter);

impl HealthMonitor {
    /// Creates a monitor that reports "not serving".
    pub async fn new() -> Self {
        let health = Self(HealthReporter::new());
        health.set(ServingStatus::NotServing).await;
        health
    }

    /// Returns the gRPC service.
    pub(crate) fn service(&self) -> HealthServer<HealthService> {
        HealthServer::new(HealthService::from_health_reporter(self.0.clone()))
            .max_decoding_message_size(MAX_REQUEST_BYTES)
    }

    /// Reports whether the store answers, until the coordinator drains.
    pub async fn watch(&self, coordinator: Coordinator, mut draining: watch::Receiver<bool>) {
        let mut ticks = tokio::time::interval(CHECK_INTERVAL);
        let mut reported = None;
        loop {
            tokio::select! {
                // The sender is dropped at the end of the process only.
                _ = draining.wait_for(|&draining| draining) => break,
                _ = ticks.tick() => {}
            }
            let ready = coordinator.is_ready();
            if reported.replace(ready) != Some(ready) {
                tracing::info!(ready, "health changed");
                let status = match ready {
                    true => ServingStatus::Serving,
                    false => ServingStatus::NotServing,
                };
                self.set(status).await;
            }
        }
        self.set(ServingStatus::NotServing).await;
    }

    async fn set(&self, status: ServingStatus) {
        for service in SERVICES {
            self.0.set_service_status(service, status).await;
        }
    }
}
