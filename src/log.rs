//! Where what happens is said: lines on standard error, and traces if somebody takes them.

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, registry};

use crate::cli::{Cli, LogFormat};
#[cfg(feature = "otel")]
use crate::traces::Traces;

/// A place where what happens is said.
pub(crate) type Place = Box<dyn Layer<Registry> + Send + Sync>;

/// What is said from its beginning to its end.
#[derive(Debug)]
pub(crate) struct Log {
    #[cfg(feature = "otel")]
    traces: Option<Traces>,
}

impl Log {
    /// Begins, once in a process.
    #[cfg(feature = "otel")]
    pub(crate) fn begin(cli: &Cli) -> Self {
        let traces = cli.role().map_or(Ok(None), Traces::of_variables);
        let place = traces.as_ref().ok().and_then(Option::as_ref).map(Traces::place);
        say_in([lines(cli)].into_iter().chain(place).collect());
        let traces = traces.unwrap_or_else(|error| {
            // Whoever set the variables may have meant other programs.
            tracing::warn!(error = &error as &dyn std::error::Error, "no traces are exported");
            None
        });
        Self { traces }
    }

    /// Begins, once in a process.
    #[cfg(not(feature = "otel"))]
    pub(crate) fn begin(cli: &Cli) -> Self {
        say_in(vec![lines(cli)]);
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

/// Has what happens said in these places from now on.
fn say_in(places: Vec<Place>) {
    registry().with(places).init();
}

/// Lines on standard error.
fn lines(cli: &Cli) -> Place {
    let filter =
        EnvFilter::try_from_env("HATCHERY_LOG").unwrap_or_else(|_| EnvFilter::new(cli.log_level()));
    let lines = fmt::layer().with_writer(std::io::stderr);
    match cli.log_format() {
        LogFormat::Human => lines.with_filter(filter).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_filter(filter).boxed(),
    }
}
