//! Where what happens is said: lines on standard error, and traces if somebody takes them.

use clap::ValueEnum;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, registry};

#[cfg(feature = "otel")]
use crate::traces::Traces;

/// A layer that writes or exports what happens.
type LogLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// How logs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line for people.
    Human,
    /// One JSON object a line, its fields at the top.
    Json,
}

/// What a process logs, and as what it exports traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogConfig {
    pub(crate) format: LogFormat,
    /// The level unless `HATCHERY_LOG` sets one.
    pub(crate) level: &'static str,
    /// The part of the process in a farm; only a process with a part in one exports traces.
    #[cfg(feature = "otel")]
    pub(crate) role: Option<&'static str>,
}

/// What is said from its beginning to its end.
#[derive(Debug)]
pub(crate) struct Log {
    #[cfg(feature = "otel")]
    traces: Option<Traces>,
}

impl Log {
    /// Begins, once in a process.
    #[cfg(feature = "otel")]
    pub(crate) fn begin(config: LogConfig) -> Self {
        let traces = config.role.map_or(Ok(None), Traces::of_variables);
        let layer =
            traces.as_ref().ok().and_then(Option::as_ref).map(|traces| traces.layer().boxed());
        install([lines(config)].into_iter().chain(layer).collect());
        let traces = traces.unwrap_or_else(|error| {
            // Whoever set the variables may have meant other programs.
            tracing::warn!(error = &error as &dyn std::error::Error, "no traces are exported");
            None
        });
        Self { traces }
    }

    /// Begins, once in a process.
    #[cfg(not(feature = "otel"))]
    pub(crate) fn begin(config: LogConfig) -> Self {
        install(vec![lines(config)]);
        Self {}
    }

    /// Ends; what was not exported yet has a moment to be.
    pub(crate) fn end(self) {
        #[cfg(feature = "otel")]
        if let Some(traces) = self.traces {
            traces.end();
        }
    }
}

/// Sends what happens to these layers from now on.
fn install(layers: Vec<LogLayer>) {
    registry().with(layers).init();
}

/// Lines on standard error.
fn lines(config: LogConfig) -> LogLayer {
    let filter =
        EnvFilter::try_from_env("HATCHERY_LOG").unwrap_or_else(|_| EnvFilter::new(config.level));
    let lines = fmt::layer().with_writer(std::io::stderr);
    match config.format {
        LogFormat::Human => lines.with_filter(filter).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_filter(filter).boxed(),
    }
}
