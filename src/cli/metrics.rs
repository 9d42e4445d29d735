//! The arguments for the admin server of a coordinator or worker.

use std::net::SocketAddr;

use clap::Args;
use hatchery_server::http::{self, HttpAccess, HttpServer, MonitoredProcess};
use hatchery_server::{BoundListener, MetricsAccess};

use crate::error::CommandError;
use crate::terminal::print_status;

/// Metrics and health over HTTP.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Metrics and health")]
pub(super) struct MetricsArgs {
    /// Serve /metrics, /healthz and /readyz over HTTP on this address; port 0 picks a free port
    #[arg(long, value_name = "ADDR", env = "HATCHERY_METRICS")]
    metrics: Option<SocketAddr>,
    /// Serve metrics without TLS or a token to everyone who can connect
    #[arg(long, env = "HATCHERY_METRICS_OPEN")]
    metrics_open: bool,
}

/// A bound address for the admin server.
pub(super) struct MetricsListener(BoundListener);

impl MetricsArgs {
    /// Returns the clients that may read the metrics.
    pub(super) fn access(self) -> MetricsAccess {
        let is_remote = self.metrics.is_some_and(|address| !address.ip().is_loopback());
        match is_remote && !self.metrics_open {
            true => MetricsAccess::TokenHolders,
            false => MetricsAccess::Everyone,
        }
    }

    /// Returns true if clients must show a token.
    pub(super) fn need_token(self) -> bool {
        self.access() == MetricsAccess::TokenHolders
    }

    /// Binds the address, so that an address in use ends the process before it starts its work.
    pub(super) async fn bind(self) -> Result<Option<MetricsListener>, CommandError> {
        match self.metrics {
            Some(address) => Ok(Some(MetricsListener(BoundListener::bind(address).await?))),
            None => Ok(None),
        }
    }
}

impl MetricsListener {
    /// Serves `process`, which has this role, to the clients that `access` allows, until the
    /// returned server is dropped.
    pub(super) fn serve(
        self,
        role: &str,
        access: HttpAccess,
        process: impl MonitoredProcess,
    ) -> HttpServer {
        let Self(listener) = self;
        let (scheme, address) = (access.scheme(), listener.address());
        print_status(&format!("hatchery {role} serves metrics on {scheme}://{address}"));
        http::serve(listener, access, http::monitoring(process))
    }
}
