//! Who may come in to a coordinator.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hatchery_coordinator::Coordinator;
use tokio_rustls::TlsAcceptor;

use super::metrics::MetricsArgs;
use crate::access::Guard;
use crate::failure::Failure;
use crate::observe;
use crate::server::{Gate, Refusals, Terms, Tls, Tokens};
use crate::tls::{self, Speaks};

/// Who may come in.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Certificates and tokens")]
pub(super) struct SecureArgs {
    /// The server's certificate, and those of who signed it, in PEM
    #[arg(long, value_name = "FILE", env = "HATCHERY_TLS_CERT", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its key, in PEM
    #[arg(long, value_name = "FILE", env = "HATCHERY_TLS_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Let only those in who have a certificate of this authority, besides a token
    #[arg(long, value_name = "FILE", env = "HATCHERY_CLIENT_CA", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// The tokens of those who may come, as `hatchery token` makes them; read again when it changes
    #[arg(long, value_name = "FILE", env = "HATCHERY_TOKENS")]
    tokens: Option<PathBuf>,
    /// Let everybody do everything who gets there, from other machines too
    #[arg(long, env = "HATCHERY_OPEN_TO_EVERYONE", conflicts_with = "tokens")]
    open_to_everyone: bool,
}

/// What was read of the files that are given.
pub(super) struct Security {
    grpc: Option<TlsAcceptor>,
    http: Option<TlsAcceptor>,
    guard: Option<Guard>,
}

impl SecureArgs {
    /// Whether connections are encrypted.
    pub(super) fn has_tls(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// Refuses what would let in who is not meant, or show a token to a network.
    pub(super) fn check(&self, listen: SocketAddr, metrics: MetricsArgs) -> Result<(), Failure> {
        let beyond = !listen.ip().is_loopback();
        let usage = |text: String| Err(Failure::Usage(text));
        if beyond && self.tokens.is_none() && !self.open_to_everyone {
            return usage(format!(
                "--listen {listen} is open to other machines: give --tokens with --tls-cert and \
                 --tls-key, or say --open-to-everyone"
            ));
        }
        if beyond && self.tokens.is_some() && !self.has_tls() {
            return usage(format!(
                "--listen {listen}: plain TCP is accepted on loopback only, as tokens could be read \
                 on the way: give --tls-cert and --tls-key"
            ));
        }
        if metrics.is_guarded() && (self.tokens.is_none() || !self.has_tls()) {
            return usage(
                "--metrics is open to other machines: give --tokens with --tls-cert and --tls-key, \
                 or say --metrics-open"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Reads the files.
    pub(super) fn open(&self) -> Result<Security, Failure> {
        let acceptor = |clients: Option<&PathBuf>, speaks| {
            let pair = self.tls_cert.as_ref().zip(self.tls_key.as_ref());
            let clients = clients.map(PathBuf::as_path);
            pair.map(|(cert, key)| tls::acceptor(cert, key, clients, speaks)).transpose()
        };
        Ok(Security {
            grpc: acceptor(self.client_ca.as_ref(), Speaks::Grpc)?,
            // Who scrapes has a token, and no certificate.
            http: acceptor(None, Speaks::Http)?,
            guard: self.tokens.clone().map(Guard::start).transpose()?,
        })
    }
}

impl Security {
    /// What connections to `coordinator` have to keep to, what stands before its services, and who
    /// may see its metrics.
    pub(super) fn install(
        self,
        coordinator: &Coordinator,
        metrics: MetricsArgs,
    ) -> (Terms, Option<Gate>, observe::Door) {
        let refusals = Arc::new(Refusals::new(coordinator.clone()));
        let tls = |acceptor| Tls { acceptor, refusals: Arc::clone(&refusals) };
        let Self { grpc, http, guard } = self;
        let tokens = if guard.is_some() { Tokens::Needed } else { Tokens::Not };
        let door = match (guard.clone(), http) {
            (Some(guard), Some(http)) if metrics.is_guarded() => {
                observe::Door::Guarded { guard, tls: tls(http) }
            }
            _ => observe::Door::Open,
        };
        let terms = Terms::coordinator(grpc.map(tls), tokens);
        let gate = guard.map(|guard| Gate::new(guard, refusals));
        (terms, gate, door)
    }
}
