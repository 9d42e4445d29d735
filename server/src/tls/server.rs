//! TLS of a server, loaded again whenever its files change.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hatchery_core::error_chain;
use rustls::crypto::ring::default_provider;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::pem;
use crate::access::secret;
use crate::error::{CredentialError, ServerError};
use crate::reload::follow_content;

/// The protocol inside a TLS connection, which ALPN negotiates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppProtocol {
    Grpc,
    Http,
}

/// The files of a server's TLS.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, followed by its chain.
    pub certificate: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
    /// The authority of the certificates that gRPC clients must have, if they must have one.
    pub client_ca: Option<PathBuf>,
}

/// The texts of the files. The text of the key is secret.
#[derive(Clone, PartialEq, Eq)]
struct TlsTexts {
    certificate: Vec<u8>,
    key: Vec<u8>,
    client_ca: Option<Vec<u8>>,
}

/// The acceptors of new connections.
struct TlsAcceptors {
    grpc: TlsAcceptor,
    /// Without client certificates: scrapers show a token.
    http: TlsAcceptor,
    /// The time when the first certificate expires.
    expires_unix_s: i64,
}

/// The TLS of a server whose files were read once.
pub(crate) struct LoadedTls {
    files: TlsFiles,
    texts: TlsTexts,
    acceptors: TlsAcceptors,
}

/// The current TLS of a server. Clones share the TLS.
#[derive(Clone)]
pub(crate) struct ServerTls(watch::Receiver<TlsAcceptors>);

impl LoadedTls {
    /// Reads the files.
    pub(crate) fn load(files: TlsFiles) -> Result<Self, ServerError> {
        let texts = files.read()?;
        let acceptors = files.acceptors(&texts)?;
        // The clock of this machine may be the one that is wrong.
        if let Err(error) = files.check_expiry(&texts) {
            tracing::warn!(error = error_chain(&error), "clients will refuse this coordinator");
        }
        Ok(Self { files, texts, acceptors })
    }

    /// Reloads the files until all clones of the returned TLS are dropped. Calls `set_expiry`, now
    /// and after each change, with the time when the first certificate expires, in seconds since
    /// 1970.
    pub(crate) fn follow(self, set_expiry: impl Fn(i64) + Send + Sync + 'static) -> ServerTls {
        let Self { files, texts, acceptors } = self;
        set_expiry(acceptors.expires_unix_s);
        let (publisher, acceptors) = watch::channel(acceptors);
        tokio::spawn(reload(files, texts, publisher, set_expiry));
        ServerTls(acceptors)
    }
}

impl ServerTls {
    /// Returns the acceptor of the next connection.
    pub(crate) fn acceptor(&self, protocol: AppProtocol) -> TlsAcceptor {
        let acceptors = self.0.borrow();
        match protocol {
            AppProtocol::Grpc => acceptors.grpc.clone(),
            AppProtocol::Http => acceptors.http.clone(),
        }
    }
}

/// Publishes new acceptors whenever the texts of the files are no longer `current`. Files that
/// cannot be used change nothing.
async fn reload(
    files: TlsFiles,
    current: TlsTexts,
    publisher: watch::Sender<TlsAcceptors>,
    set_expiry: impl Fn(i64),
) {
    let read = files.clone();
    let on_change = |found: Result<&TlsTexts, ServerError>| match found
        .and_then(|texts| files.check_expiry(texts).and_then(|()| files.acceptors(texts)))
    {
        Ok(acceptors) => {
            let expires = Duration::from_secs(acceptors.expires_unix_s.try_into().unwrap_or(0));
            let expires = humantime::format_rfc3339_seconds(UNIX_EPOCH + expires);
            tracing::info!(%expires, "certificates reloaded");
            set_expiry(acceptors.expires_unix_s);
            publisher.send_replace(acceptors);
        }
        Err(error) => {
            let error = error_chain(&error);
            tracing::error!(error, "cannot use the new certificates; the previous ones stay");
        }
    };
    tokio::select! {
        () = publisher.closed() => {}
        () = follow_content(move || read.read(), current, on_change) => {}
    }
}

impl TlsFiles {
    fn read(&self) -> Result<TlsTexts, ServerError> {
        Ok(TlsTexts {
            certificate: pem::read(&self.certificate)?,
            key: secret::read(&self.key)?,
            client_ca: self.client_ca.as_deref().map(pem::read).transpose()?,
        })
    }

    /// Checks that the certificate has not expired.
    fn check_expiry(&self, texts: &TlsTexts) -> Result<(), ServerError> {
        let path = self.certificate.clone();
        let chain = pem::certificates(&path, &texts.certificate)?;
        let expires = chain.first().and_then(pem::expires_unix_s);
        let expires = expires.and_then(|unix_s| u64::try_from(unix_s).ok()).unwrap_or(0);
        let expires = UNIX_EPOCH + Duration::from_secs(expires);
        if SystemTime::now() < expires {
            return Ok(());
        }
        let expired = humantime::format_rfc3339_seconds(expires).to_string();
        Err(CredentialError::CertificateExpired { path, expired }.into())
    }

    fn acceptors(&self, texts: &TlsTexts) -> Result<TlsAcceptors, ServerError> {
        let mut clients = RootCertStore::empty();
        let mut certificates = pem::certificates(&self.certificate, &texts.certificate)?;
        for (path, text) in self.client_ca.iter().zip(&texts.client_ca) {
            let unusable =
                |source| CredentialError::ClientAuthority { path: path.to_owned(), source };
            for authority in pem::certificates(path, text)? {
                clients.add(authority.clone()).map_err(unusable)?;
                certificates.push(authority);
            }
        }
        let expires = certificates.iter().filter_map(pem::expires_unix_s).min();
        Ok(TlsAcceptors {
            grpc: self.acceptor(
                texts,
                self.client_ca.as_ref().map(|_| clients),
                AppProtocol::Grpc,
            )?,
            http: self.acceptor(texts, None, AppProtocol::Http)?,
            expires_unix_s: expires.unwrap_or(0),
        })
    }

    fn acceptor(
        &self,
        texts: &TlsTexts,
        clients: Option<RootCertStore>,
        protocol: AppProtocol,
    ) -> Result<TlsAcceptor, ServerError> {
        let chain = pem::certificates(&self.certificate, &texts.certificate)?;
        let key = pem::private_key(&self.key, &texts.key)?;
        let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()));
        let builder = builder.with_safe_default_protocol_versions().map_err(ServerError::set_up)?;
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(roots) => {
                let provider = Arc::new(default_provider());
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                let verifier = verifier.build().map_err(ServerError::set_up)?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let path = &self.certificate;
        let mut config = builder
            .with_single_cert(chain, key)
            .map_err(|source| CredentialError::Certificate { path: path.to_owned(), source })?;
        config.alpn_protocols = match protocol {
            AppProtocol::Grpc => vec![b"h2".to_vec()],
            AppProtocol::Http => vec![b"http/1.1".to_vec()],
        };
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}
