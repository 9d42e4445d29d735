//! Where a process that runs for long can be observed.

use std::net::SocketAddr;

use clap::Args;

use super::say;
use crate::failure::Failure;
use crate::observe::{self, Listening, Observed, Server};

/// Where a process that runs for long can be observed.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct MetricsArgs {
    /// Where to serve /metrics, /healthz and /readyz over HTTP; port 0 takes any that is free
    /// [default: nowhere]
    #[arg(long, value_name = "ADDR", env = "HATCHERY_METRICS")]
    metrics: Option<SocketAddr>,
}

/// An address that is taken.
pub(super) struct Bound(Listening);

impl MetricsArgs {
    /// Takes the address, so that one that is in use ends the process before it begins.
    pub(super) async fn bind(self) -> Result<Option<Bound>, Failure> {
        match self.metrics {
            Some(address) => Ok(Some(Bound(Listening::bind(address).await?))),
            None => Ok(None),
        }
    }
}

impl Bound {
    /// Serves what is observed of a process in that role, until the answer is dropped.
    pub(super) fn serve(self, role: &str, observed: impl Observed) -> Server {
        let Self(listening) = self;
        say(&format!("hatchery {role} serves metrics on http://{}", listening.address()));
        observe::serve(listening, observed)
    }
}
