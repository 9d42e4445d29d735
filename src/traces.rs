//! Traces over OTLP, where `OTEL_EXPORTER_OTLP_ENDPOINT` says so.
//!
//! Spans are queued and exported by threads of their own. What goes wrong with them costs the spans
//! and nothing else: a full queue drops them, a collector that does not answer is a warning now and
//! then, and the end of the process waits for it only for a moment.

mod losses;

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
use losses::Losses;

/// The longest that an export may take, be it for a connection that does not come about: what the
/// specification has for `OTEL_BSP_EXPORT_TIMEOUT`.
const EXPORT_WITHIN: Duration = Duration::from_secs(30);

/// The longest that the end of the process waits for the last spans.
const FLUSH_WITHIN: Duration = Duration::from_secs(2);

/// Where spans go: that of the signal first, as in the specification.
const ENDPOINT: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// In which protocol.
const PROTOCOL: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];

/// Why nothing is exported although an endpoint is given.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unexported {
    #[error("{variable} is {found:?}, but only grpc is there")]
    Protocol { variable: &'static str, found: String },
    #[error("no thread for the export of traces")]
    Threads(#[source] std::io::Error),
    #[error("the settings for the export of traces can't be used")]
    Settings(#[source] ExporterBuildError),
}

/// The export of a process's traces.
#[derive(Debug)]
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    runtime: Runtime,
    losses: Arc<Losses>,
}

impl Traces {
    /// The export that the environment asks for, if it does, of a process in that role.
    pub(crate) fn of_variables(role: &str) -> Result<Option<Self>, Unexported> {
        let disabled = text("OTEL_SDK_DISABLED").is_some_and(|v| v.eq_ignore_ascii_case("true"));
        if disabled || ENDPOINT.into_iter().find_map(text).is_none() {
            return Ok(None);
        }
        let protocol = PROTOCOL.into_iter().find_map(|name| Some((name, text(name)?)));
        if let Some((variable, found)) = protocol.filter(|(_, found)| found != "grpc") {
            return Err(Unexported::Protocol { variable, found });
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("traces")
            .enable_all()
            .build()
            .map_err(Unexported::Threads)?;
        let exporter = {
            // Where the connection is kept.
            let _runtime = runtime.enter();
            let tls = ClientTlsConfig::new().with_enabled_roots();
            let exporter = SpanExporter::builder().with_tonic().with_tls_config(tls).build();
            exporter.map_err(Unexported::Settings)?
        };
        let losses = Arc::new(Losses::default());
        let exporter = Exporter {
            exporter: Arc::new(exporter),
            runtime: runtime.handle().clone(),
            losses: Arc::clone(&losses),
        };
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource(role))
            .build();
        Ok(Some(Self { provider, runtime, losses }))
    }

    /// Returns the layer that takes spans of ours.
    pub(crate) fn layer(&self) -> impl Layer<Registry> + Send + Sync + use<> {
        let ours = |metadata: &tracing::Metadata<'_>| {
            metadata.is_span() && metadata.target().starts_with("hatchery_")
        };
        // Spans are never entered: how long they were is of no interest, nor is the thread.
        OpenTelemetryLayer::new(self.provider.tracer("hatchery"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(ours).with_max_level_hint(LevelFilter::DEBUG))
    }

    /// Exports what there still is, as far as that goes at once.
    pub(crate) fn end(self) {
        let Self { provider, runtime, losses } = self;
        if let Err(error) = provider.shutdown_with_timeout(FLUSH_WITHIN) {
            losses.tell(0, &error);
        }
        runtime.shutdown_background();
    }
}

/// What this process is, unless the environment says something else.
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

/// What an environment variable says, if anything.
fn text(name: &str) -> Option<String> {
    variable(name).map(|value| value.to_string_lossy().into_owned())
}

/// An exporter that ends in time, and says what is lost.
#[derive(Debug)]
struct Exporter {
    exporter: Arc<SpanExporter>,
    /// Where it runs: the thread that asks it to export has no clock to wait with.
    runtime: Handle,
    losses: Arc<Losses>,
}

impl opentelemetry_sdk::trace::SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let (exporter, n_spans) = (Arc::clone(&self.exporter), batch.len());
        let exporting = self.runtime.spawn(async move {
            let exported = timeout(EXPORT_WITHIN, exporter.export(batch)).await;
            exported.unwrap_or(Err(OTelSdkError::Timeout(EXPORT_WITHIN)))
        });
        let exported = exporting.await;
        let exported =
            exported.unwrap_or_else(|error| Err(OTelSdkError::InternalFailure(error.to_string())));
        if let Err(error) = &exported {
            self.losses.tell(n_spans, error);
        }
        exported
    }

    fn set_resource(&mut self, resource: &Resource) {
        let exporter = Arc::get_mut(&mut self.exporter);
        exporter.expect("it is set before the first export").set_resource(resource);
    }
}
