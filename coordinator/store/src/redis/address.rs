//! The address of the server, and the client for it.

use std::fmt;

use redis::io::tcp::TcpSettings;
use redis::{
    Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisResult,
    TlsCertificates,
};

use super::PartDirectoryOptions;
use super::error::RedisFailure;
use crate::StoreError;

/// The address of a server, its certificates, and the place of parts.
#[derive(Clone)]
pub struct RedisOptions {
    url: String,
    /// The authorities to trust, in PEM.
    authorities: Option<Vec<u8>>,
    /// A certificate and its key, in PEM.
    identity: Option<(Vec<u8>, Vec<u8>)>,
    parts: Option<PartDirectoryOptions>,
}

impl fmt::Debug for RedisOptions {
    // The URL has the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisOptions").field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl RedisOptions {
    /// Returns the options for the server at `url`: `redis://[USER:PASSWORD@]HOST[:PORT][/DB]`, or
    /// `rediss://` for TLS with a certificate that a browser would take. The bytes of parts are in
    /// Redis, too.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self { url: url.to_owned(), authorities: None, identity: None, parts: None }
    }

    /// Trusts only these authorities (PEM), instead of the authorities of browsers.
    #[must_use]
    pub fn trusting(self, authorities: &[u8]) -> Self {
        Self { authorities: Some(authorities.to_owned()), ..self }
    }

    /// Shows the server a certificate, followed by its chain, with its key (PEM).
    #[must_use]
    pub fn showing(self, certificate: &[u8], key: &[u8]) -> Self {
        Self { identity: Some((certificate.to_owned(), key.to_owned())), ..self }
    }

    /// Puts the bytes of parts in a directory, which all coordinators share.
    #[must_use]
    pub fn with_parts_in(self, directory: PartDirectoryOptions) -> Self {
        Self { parts: Some(directory), ..self }
    }

    /// Returns the directory of the bytes of parts; `None` if they are in Redis.
    pub(super) fn parts(&self) -> Option<&PartDirectoryOptions> {
        self.parts.as_ref()
    }

    /// Checks the form of the URL, and that it has TLS if there are certificates.
    ///
    /// # Errors
    /// [`StoreError::Unsuitable`].
    pub fn check(&self) -> Result<(), StoreError> {
        self.connection().map(drop)
    }

    /// Returns the address, and whether it has TLS.
    fn connection(&self) -> Result<(ConnectionInfo, bool), StoreError> {
        let unsuitable = |what: &str| StoreError::Unsuitable {
            place: "the Redis URL".to_owned(),
            what: what.to_owned(),
        };
        // The error of the crate might show parts of the URL.
        let info = self.url.as_str().into_connection_info().map_err(|_| {
            unsuitable("it is not of the form redis://[USER:PASSWORD@]HOST[:PORT][/DB]")
        })?;
        let has_tls = matches!(info.addr(), ConnectionAddr::TcpTls { .. });
        if !has_tls && (self.authorities.is_some() || self.identity.is_some()) {
            return Err(unsuitable(
                "it begins with redis://, but certificates need TLS: write rediss://",
            ));
        }
        Ok((info, has_tls))
    }

    /// Returns a client for the server, and its address as it may be shown.
    pub(super) fn client(&self) -> Result<(Client, String), StoreError> {
        let (info, has_tls) = self.connection()?;
        let scheme = if has_tls { "rediss" } else { "redis" };
        let place = format!("{scheme}://{}/{}", info.addr(), info.redis_settings().db());
        if has_tls {
            // Whoever chose another one for this process before may keep it.
            rustls::crypto::ring::default_provider().install_default().ok();
        }
        let client = self.build(info).map_err(|error| RedisFailure::from(error).at(&place))?;
        Ok((client, place))
    }

    fn build(&self, info: ConnectionInfo) -> RedisResult<Client> {
        // Without it, small calls wait for the acknowledgment of the one before.
        let info = info.set_tcp_settings(TcpSettings::default().set_nodelay(true));
        if self.authorities.is_none() && self.identity.is_none() {
            return Client::open(info);
        }
        let client_tls = self.identity.clone();
        let client_tls =
            client_tls.map(|(client_cert, client_key)| ClientTlsConfig { client_cert, client_key });
        let root_cert = self.authorities.clone();
        Client::build_with_tls(info, TlsCertificates { client_tls, root_cert })
    }
}
