//! Logging: lines on standard error, and traces if a collector is configured.

use clap::ValueEnum;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, registry};

use crate::terminal::LogStream;
#[cfg(feature = "otel")]
use crate::traces::TraceExport;

/// A layer that writes or exports events and spans.
type LogLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people
    Human,
    /// One JSON object per line, with the fields at the top level
    Json,
}

/// The settings of the log outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogConfig {
    pub(crate) format: LogFormat,
    /// The level unless `HATCHERY_LOG` sets one.
    pub(crate) level: &'static str,
    /// The part of the process in a farm; only a process with a part in one exports traces.
    #[cfg(feature = "otel")]
    pub(crate) role: Option<&'static str>,
}

/// The outputs of the log, to be closed at the end of the process.
#[derive(Debug)]
pub(crate) struct LogOutputs {
    #[cfg(feature = "otel")]
    traces: Option<TraceExport>,
}

impl LogOutputs {
    /// Installs the outputs; to be called once.
    #[cfg(feature = "otel")]
    pub(crate) fn install(config: LogConfig) -> Self {
        let traces = config.role.map_or(Ok(None), TraceExport::from_environment);
        let layer =
            traces.as_ref().ok().and_then(Option::as_ref).map(|traces| traces.layer().boxed());
        set_layers([lines(config)].into_iter().chain(layer).collect());
        let traces = traces.unwrap_or_else(|error| {
            // The variables may be meant for other programs.
            tracing::warn!(error = &error as &dyn std::error::Error, "traces are not exported");
            None
        });
        Self { traces }
    }

    /// Installs the outputs; to be called once.
    #[cfg(not(feature = "otel"))]
    pub(crate) fn install(config: LogConfig) -> Self {
        set_layers(vec![lines(config)]);
        Self {}
    }

    /// Closes the outputs, after a moment for spans that are not exported yet.
    pub(crate) fn close(self) {
        #[cfg(feature = "otel")]
        if let Some(traces) = self.traces {
            traces.shut_down();
        }
    }
}

/// Sends events and spans to these layers.
fn set_layers(layers: Vec<LogLayer>) {
    registry().with(layers).init();
}

/// Returns the layer that writes lines on standard error.
fn lines(config: LogConfig) -> LogLayer {
    let filter =
        EnvFilter::try_from_env("HATCHERY_LOG").unwrap_or_else(|_| EnvFilter::new(config.level));
    let lines = fmt::layer().with_writer(|| LogStream);
    match config.format {
        LogFormat::Human => lines.with_filter(filter).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_filter(filter).boxed(),
    }
}
