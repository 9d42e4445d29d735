//! TLS and tokens of a coordinator, and the access that they give to its listeners.

use std::path::PathBuf;
use std::sync::Arc;

use hatchery_coordinator::Coordinator;

use crate::access::{AuthFailureLog, TokenFile};
use crate::error::ServerError;
use crate::grpc::{Authenticator, GrpcAccess};
use crate::http::HttpAccess;
use crate::listener::TlsHandshake;
use crate::tls::{AppProtocol, LoadedTls, TlsFiles};

/// The files of TLS and tokens, read once.
pub struct LoadedSecurity {
    tls: Option<LoadedTls>,
    token_file: Option<TokenFile>,
}

/// The clients that may read the metrics of a coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricsAccess {
    /// Everyone who can connect.
    Everyone,
    /// Holders of a token, over TLS; everyone, if the coordinator has no tokens or no TLS.
    TokenHolders,
}

impl LoadedSecurity {
    /// Reads the files of a certificate, if there is one, and the list of tokens at `tokens`.
    ///
    /// To be called in a runtime: the list of tokens is read again whenever it changes.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be used.
    pub fn open(tls: Option<TlsFiles>, tokens: Option<PathBuf>) -> Result<Self, ServerError> {
        Ok(Self {
            tls: tls.map(LoadedTls::load).transpose()?,
            token_file: tokens.map(TokenFile::start).transpose()?,
        })
    }

    /// Returns the access to the calls and to the metrics of `coordinator`. Its meters count the
    /// calls that are refused, and have the time when the first certificate expires.
    #[must_use]
    pub fn into_access(
        self,
        coordinator: &Coordinator,
        metrics: MetricsAccess,
    ) -> (GrpcAccess, HttpAccess) {
        let auth_failures = Arc::new(AuthFailureLog::new(coordinator.clone()));
        let Self { tls, token_file } = self;
        let tls = tls.map(|tls| {
            let coordinator = coordinator.clone();
            tls.follow(move |unix_s| coordinator.meters().sessions.set_certificate_expiry(unix_s))
        });
        let handshake = |protocol| {
            let (tls, auth_failures) = (tls.clone()?, Arc::clone(&auth_failures));
            Some(TlsHandshake { tls, protocol, auth_failures })
        };
        let http = match (token_file.clone(), handshake(AppProtocol::Http)) {
            (Some(token_file), Some(tls)) if metrics == MetricsAccess::TokenHolders => {
                HttpAccess::tokens(token_file, tls)
            }
            _ => HttpAccess::open(),
        };
        let tls = handshake(AppProtocol::Grpc);
        let authenticator = token_file.map(|file| Authenticator::new(file, auth_failures));
        (GrpcAccess { tls, authenticator }, http)
    }
}

impl std::fmt::Debug for LoadedSecurity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LoadedSecurity(..)")
    }
}
