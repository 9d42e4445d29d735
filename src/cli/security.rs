//! The arguments for access to a coordinator.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use hatchery_server::{LoadedSecurity, TlsFiles};

use super::metrics::MetricsArgs;
use crate::error::{CommandError, UsageError};

/// Certificates and tokens of a coordinator.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "TLS and access")]
pub(super) struct SecurityArgs {
    /// Server certificate, followed by its chain (PEM); reloaded when it changes
    #[arg(long, value_name = "FILE", env = "HATCHERY_TLS_CERT", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the server certificate (PEM); reloaded when it changes
    #[arg(long, value_name = "FILE", env = "HATCHERY_TLS_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Require client certificates signed by this CA (PEM), besides a token; reloaded when it
    /// changes
    #[arg(long, value_name = "FILE", env = "HATCHERY_CLIENT_CA", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// Token file, as written by `hatchery token`; reloaded when it changes
    #[arg(long, value_name = "FILE", env = "HATCHERY_TOKENS")]
    tokens: Option<PathBuf>,
    /// Allow every call to everyone who can connect, even from other machines
    #[arg(long, env = "HATCHERY_OPEN_TO_EVERYONE", conflicts_with = "tokens")]
    open_to_everyone: bool,
}

impl SecurityArgs {
    /// Returns true if connections are encrypted.
    pub(super) fn has_tls(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// Checks that only an explicit flag opens the coordinator to everyone, and that no token
    /// crosses a network in the clear.
    ///
    /// # Errors
    ///
    /// Names the flags that are missing.
    pub(super) fn check(&self, listen: SocketAddr, metrics: MetricsArgs) -> Result<(), UsageError> {
        let is_remote = !listen.ip().is_loopback();
        if is_remote && self.tokens.is_none() && !self.open_to_everyone {
            return Err(UsageError::OpenListener { address: listen });
        }
        if is_remote && self.tokens.is_some() && !self.has_tls() {
            return Err(UsageError::PlainListener { address: listen });
        }
        if metrics.need_token() && (self.tokens.is_none() || !self.has_tls()) {
            return Err(UsageError::OpenCoordinatorMetrics);
        }
        Ok(())
    }

    /// Reads the given files.
    pub(super) fn open(&self) -> Result<LoadedSecurity, CommandError> {
        let pair = self.tls_cert.clone().zip(self.tls_key.clone());
        let client_ca = self.client_ca.clone();
        let files = pair.map(|(certificate, key)| TlsFiles { certificate, key, client_ca });
        Ok(LoadedSecurity::open(files, self.tokens.clone())?)
    }
}
