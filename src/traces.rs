//! Export of traces over OTLP, enabled by `OTEL_EXPORTER_OTLP_ENDPOINT`.
//!
//! Threads of their own queue and export spans. A failure costs spans and nothing else. A full
//! queue drops spans, a collector that does not answer causes a warning from time to time, and the
//! process waits for the collector only for a moment when it ends.

mod dropped_spans;

use std::sync::Arc;
use std::time::Duration;

use hatchery_worker::host_name;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithTonicConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::timeout;
use tonic::transport::ClientTlsConfig;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::{Layer, Registry};

use crate::environment::variable;
use dropped_spans::DroppedSpans;

/// The longest time for an export, including the connection: the default of
/// `OTEL_BSP_EXPORT_TIMEOUT` in the specification.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(30);

/// The longest time that the end of the process waits for the last spans.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// The variables for the endpoint: the signal's variable first, as in the specification.
const ENDPOINT: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// The variables for the protocol.
const PROTOCOL: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];

/// An error that prevents the export although an endpoint is set.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TraceExportError {
    #[error("{variable} is {found:?}, but only grpc is supported")]
    Protocol { variable: &'static str, found: String },
    #[error("cannot start a thread for the export of traces")]
    Threads(#[source] std::io::Error),
    #[error("cannot use the settings for the export of traces")]
    Settings(#[source] ExporterBuildError),
}

/// The export of a process's traces.
#[derive(Debug)]
pub(crate) struct TraceExport {
    provider: SdkTracerProvider,
    runtime: Runtime,
    dropped_spans: Arc<DroppedSpans>,
}

impl TraceExport {
    /// Returns the export that the environment asks for, if any, of a process with this role.
    pub(crate) fn from_environment(role: &str) -> Result<Option<Self>, TraceExportError> {
        let disabled = text("OTEL_SDK_DISABLED").is_some_and(|v| v.eq_ignore_ascii_case("true"));
        if disabled || ENDPOINT.into_iter().find_map(text).is_none() {
            return Ok(None);
        }
        let protocol = PROTOCOL.into_iter().find_map(|name| Some((name, text(name)?)));
        if let Some((variable, found)) = protocol.filter(|(_, found)| found != "grpc") {
            return Err(TraceExportError::Protocol { variable, found });
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("traces")
            .enable_all()
            .build()
            .map_err(TraceExportError::Threads)?;
        let exporter = {
            // The runtime drives the exporter's connection.
            let _runtime = runtime.enter();
            let tls = ClientTlsConfig::new().with_enabled_roots();
            let exporter = SpanExporter::builder().with_tonic().with_tls_config(tls).build();
            exporter.map_err(TraceExportError::Settings)?
        };
        let dropped_spans = Arc::new(DroppedSpans::default());
        let exporter = TimedExporter {
            exporter: Arc::new(exporter),
            runtime: runtime.handle().clone(),
            dropped_spans: Arc::clone(&dropped_spans),
        };
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource(role))
            .build();
        Ok(Some(Self { provider, runtime, dropped_spans }))
    }

    /// Returns the layer that collects the spans of hatchery's own crates.
    pub(crate) fn layer(&self) -> impl Layer<Registry> + Send + Sync + use<> {
        let ours = |metadata: &tracing::Metadata<'_>| {
            metadata.is_span() && metadata.target().starts_with("hatchery_")
        };
        // Spans are never entered, so their busy time and thread mean nothing.
        OpenTelemetryLayer::new(self.provider.tracer("hatchery"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(ours).with_max_level_hint(LevelFilter::DEBUG))
    }

    /// Exports the remaining spans, as far as that is possible at once.
    pub(crate) fn shut_down(self) {
        let Self { provider, runtime, dropped_spans } = self;
        if let Err(error) = provider.shutdown_with_timeout(FLUSH_TIMEOUT) {
            dropped_spans.report(0, &error);
        }
        runtime.shutdown_background();
    }
}

/// Returns the attributes of this process; the environment may override them.
fn resource(role: &str) -> Resource {
    let own = [
        KeyValue::new("service.name", format!("hatchery-{role}")),
        KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
        KeyValue::new("host.name", host_name()),
        KeyValue::new("process.pid", i64::from(std::process::id())),
    ];
    let resource = Resource::builder_empty()
        .with_attributes(own)
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_detector(Box::new(EnvResourceDetector::new()));
    match text("OTEL_SERVICE_NAME") {
        Some(name) => resource.with_service_name(name).build(),
        None => resource.build(),
    }
}

/// Returns the value of an environment variable as text.
fn text(name: &str) -> Option<String> {
    variable(name).map(|value| value.to_string_lossy().into_owned())
}

/// An exporter with a timeout, which reports the spans that it drops.
#[derive(Debug)]
struct TimedExporter {
    exporter: Arc<SpanExporter>,
    /// The runtime that exports: the thread that asks for an export has no timer.
    runtime: Handle,
    dropped_spans: Arc<DroppedSpans>,
}

impl opentelemetry_sdk::trace::SpanExporter for TimedExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let (exporter, n_spans) = (Arc::clone(&self.exporter), batch.len());
        let exporting = self.runtime.spawn(async move {
            let exported = timeout(EXPORT_TIMEOUT, exporter.export(batch)).await;
            exported.unwrap_or(Err(OTelSdkError::Timeout(EXPORT_TIMEOUT)))
        });
        let exported = exporting.await;
        let exported =
            exported.unwrap_or_else(|error| Err(OTelSdkError::InternalFailure(error.to_string())));
        if let Err(error) = &exported {
            self.dropped_spans.report(n_spans, error);
        }
        exported
    }

    fn set_resource(&mut self, resource: &Resource) {
        let exporter = Arc::get_mut(&mut self.exporter);
        exporter.expect("the resource is set before the first export").set_resource(resource);
    }
}
