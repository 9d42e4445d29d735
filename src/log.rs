//! Logging: lines on standard error, and traces if a collector is configured.

use clap::ValueEnum;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, registry};

use crate::environment::variable;
use crate::terminal::{LogStream, escape_line, print_status};
#[cfg(feature = "otel")]
use crate::traces::TraceExport;

/// The variable with the filter of lines.
const VARIABLE: &str = "HATCHERY_LOG";

/// The libraries that describe every frame and every connection: only their errors are logged,
/// unless `HATCHERY_LOG` names such a crate.
const QUIET: &str = "h2=error,hyper=error,hyper_util=error";

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
    let given = variable(VARIABLE).map(|given| given.to_string_lossy().into_owned());
    if let Some(part) = given.as_deref().and_then(bad_part) {
        let part = escape_line(part);
        print_status(&format!(
            "warning: {VARIABLE} is not used: {part:?} is not like info or hatchery_worker=debug"
        ));
    }
    let filter = filter(given.as_deref(), config.level);
    let lines = fmt::layer().with_writer(|| LogStream);
    match config.format {
        LogFormat::Human => lines.with_filter(filter).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_filter(filter).boxed(),
    }
}

/// Returns the part of a filter that is wrong, if any.
fn bad_part(given: &str) -> Option<&str> {
    EnvFilter::try_new(given).is_err().then(|| {
        // A comma may also be within a part.
        let mut parts = given.split(',');
        parts.find(|part| EnvFilter::try_new(part).is_err()).unwrap_or(given)
    })
}

/// Returns the filter of lines: `given`, or else `level`.
fn filter(given: Option<&str>, level: &str) -> EnvFilter {
    // A later directive replaces an earlier one of the same target.
    let quiet = |directives: &str| EnvFilter::try_new(format!("{QUIET},{directives}"));
    given.and_then(|given| quiet(given).ok()).or_else(|| quiet(level).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use tracing::Level;
    use tracing::subscriber::with_default;

    use super::*;

    #[test]
    fn the_libraries_of_connections_are_quiet_unless_they_are_named() {
        let logs = |given, level| {
            with_default(registry().with(filter(given, level)), || {
                [
                    tracing::enabled!(target: "hatchery", Level::INFO),
                    tracing::enabled!(target: "h2::codec", Level::INFO),
                    tracing::enabled!(target: "hyper::proto", Level::DEBUG),
                ]
            })
        };
        assert_eq!(logs(None, "info"), [true, false, false]);
        assert_eq!(logs(None, "error"), [false, false, false]);
        assert_eq!(logs(Some("debug"), "info"), [true, false, false]);
        assert_eq!(logs(Some("debug,hyper=debug"), "info"), [true, false, true]);
        assert_eq!(logs(Some("no=such=filter"), "info"), [true, false, false]);
    }
}
