//! Where a process that runs for long can be observed.

use std::net::SocketAddr;

use clap::Args;

use crate::failure::Failure;
use crate::observe::{self, Door, Observed, Server};
use crate::server::Listening;
use crate::terminal::print_status;

/// Where a process that runs for long can be observed.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct MetricsArgs {
    /// Where to serve /metrics, /healthz and /readyz over HTTP; port 0 takes any that is free
    /// [default: nowhere]
    #[arg(long, value_name = "ADDR", env = "HATCHERY_METRICS")]
    metrics: Option<SocketAddr>,
    /// Let everybody read the metrics who gets there, without a token and without TLS
    #[arg(long, env = "HATCHERY_METRICS_OPEN")]
    metrics_open: bool,
}

/// An address that is taken.
pub(super) struct Bound(Listening);

impl MetricsArgs {
    /// Whether only those may look who show a token.
    pub(super) fn is_guarded(self) -> bool {
        self.metrics.is_some_and(|address| !address.ip().is_loopback()) && !self.metrics_open
    }

    /// Takes the address, so that one that is in use ends the process before it begins.
    pub(super) async fn bind(self) -> Result<Option<Bound>, Failure> {
        match self.metrics {
            Some(address) => Ok(Some(Bound(Listening::bind(address).await?))),
            None => Ok(None),
        }
    }
}

impl Bound {
    /// Serves what is observed of a process in that role to those that the `door` lets in, until
    /// the answer is dropped.
    pub(super) fn serve(self, role: &str, door: Door, observed: impl Observed) -> Server {
        let Self(listening) = self;
        let scheme = match door {
            Door::Open => "http",
            Door::Guarded { .. } => "https",
        };
        print_status(&format!(
            "hatchery {role} serves metrics on {scheme}://{}",
            listening.address()
        ));
        observe::serve(listening, door, observed)
    }
}
