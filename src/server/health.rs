//! Whether a coordinator can be used, as gRPC health checks ask.

use std::time::Duration;

use hatchery_coordinator::Coordinator;
use tokio::sync::watch;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

/// How often it is looked whether the coordinator can be used.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The most bytes of a question: everybody may ask, and asks for the name of a service.
const MAX_QUESTION_BYTES: usize = 1 << 10;

/// The names that are answered for: the whole, and each service.
const SERVICES: [&str; 3] = ["", "hatchery.v1.WorkerPlane", "hatchery.v1.Control"];

/// The health of a coordinator; not serving until it is watched.
#[derive(Clone, Debug)]
pub(crate) struct Health(HealthReporter);

impl Health {
    /// One that does not serve yet.
    pub(crate) async fn new() -> Self {
        let health = Self(HealthReporter::new());
        health.set(ServingStatus::NotServing).await;
        health
    }

    /// What a gRPC server serves.
    pub(crate) fn service(&self) -> HealthServer<HealthService> {
        HealthServer::new(HealthService::from_health_reporter(self.0.clone()))
            .max_decoding_message_size(MAX_QUESTION_BYTES)
    }

    /// Says again and again whether the store answers, until the coordinator drains.
    pub(crate) async fn watch(
        &self,
        coordinator: Coordinator,
        mut draining: watch::Receiver<bool>,
    ) {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        let mut was = None;
        loop {
            tokio::select! {
                // The sender is gone with the verb, and the process with it.
                _ = draining.wait_for(|&draining| draining) => break,
                _ = looks.tick() => {}
            }
            let ready = coordinator.is_ready();
            if was.replace(ready) != Some(ready) {
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
