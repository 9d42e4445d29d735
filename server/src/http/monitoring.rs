//! Pages for scrapers, probes and autoscalers: `/metrics`, `/healthz`, `/readyz` and, of a
//! coordinator, `/desired_workers`.
//!
//! The pages change nothing and show no secret.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hatchery_coordinator::Coordinator;
use hatchery_meters::{MEDIA_TYPE, WorkerMeters};

use super::no_such_page;

/// A process whose metrics and health can be read.
pub trait MonitoredProcess: Send + Sync + 'static {
    /// Returns the metrics as OpenMetrics text.
    fn metrics(&self) -> String;
    /// Returns true if the process can do its work now.
    fn is_ready(&self) -> bool;
    /// Returns false if only another process could do its work.
    fn is_alive(&self) -> bool;
    /// Returns the number of workers that the farm should have; `None` for a process other than a
    /// coordinator.
    fn desired_workers(&self) -> Option<u32>;
}

impl MonitoredProcess for Coordinator {
    fn metrics(&self) -> String {
        self.meters().text()
    }

    fn is_ready(&self) -> bool {
        self.is_ready()
    }

    fn is_alive(&self) -> bool {
        self.is_alive()
    }

    fn desired_workers(&self) -> Option<u32> {
        Some(self.desired_workers())
    }
}

impl MonitoredProcess for Arc<WorkerMeters> {
    fn metrics(&self) -> String {
        self.text()
    }

    fn is_ready(&self) -> bool {
        self.is_in_session()
    }

    fn is_alive(&self) -> bool {
        true
    }

    fn desired_workers(&self) -> Option<u32> {
        None
    }
}

/// The process behind the pages.
type Process = State<Arc<dyn MonitoredProcess>>;

/// Returns the pages with the metrics and the health of `process`.
pub fn monitoring(process: impl MonitoredProcess) -> Router {
    let process: Arc<dyn MonitoredProcess> = Arc::new(process);
    Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(liveness))
        .route("/readyz", get(readiness))
        .route("/desired_workers", get(desired_workers))
        .with_state(process)
}

async fn metrics(State(process): Process) -> impl IntoResponse {
    ([(CONTENT_TYPE, MEDIA_TYPE)], process.metrics())
}

async fn liveness(State(process): Process) -> (StatusCode, &'static str) {
    match process.is_alive() {
        true => (StatusCode::OK, "alive\n"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "dead\n"),
    }
}

async fn readiness(State(process): Process) -> (StatusCode, &'static str) {
    match process.is_ready() {
        true => (StatusCode::OK, "ready\n"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
    }
}

async fn desired_workers(State(process): Process) -> Response {
    match process.desired_workers() {
        Some(n) => {
            let document = format!("{{\"desired_workers\":{n}}}\n");
            ([(CONTENT_TYPE, "application/json")], document).into_response()
        }
        None => no_such_page().await.into_response(),
    }
}
