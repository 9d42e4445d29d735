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
        if let Err(error) = files.check_validity(&texts) {
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
    let (names, read, first) = (files.names(), files.clone(), current.clone());
    // A new certificate is not read before it is valid, so that it is used from then on.
    let read = move || {
        let texts = read.read()?;
        match read.check_validity(&texts) {
            Err(
                early @ ServerError::Credential(CredentialError::CertificateNotYetValid { .. }),
            ) if texts != first => Err(early),
            _ => Ok(texts),
        }
    };
    let on_change = |found: Result<&TlsTexts, ServerError>| match found
        .and_then(|texts| files.check_validity(texts).and_then(|()| files.acceptors(texts)))
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
        () = follow_content(&names, read, current, on_change) => {}
    }
}

impl TlsFiles {
    /// Returns the paths of the files, for people.
    fn names(&self) -> String {
        let files = [Some(&self.certificate), Some(&self.key), self.client_ca.as_ref()];
        let names: Vec<_> = files.iter().flatten().map(|path| path.display().to_string()).collect();
        names.join(", ")
    }

    fn read(&self) -> Result<TlsTexts, ServerError> {
        Ok(TlsTexts {
            certificate: pem::read_regular(&self.certificate)?,
            key: secret::read_regular(&self.key)?,
            client_ca: self.client_ca.as_deref().map(pem::read_regular).transpose()?,
        })
    }

    /// Checks that the certificate is valid now: it has begun, and has not expired.
    fn check_validity(&self, texts: &TlsTexts) -> Result<(), ServerError> {
        let path = self.certificate.clone();
        let chain = pem::certificates(&path, &texts.certificate)?;
        let validity = chain.first().and_then(pem::validity_unix_s).unwrap_or_default();
        let [begins, expires] = <[i64; 2]>::from(validity)
            .map(|unix_s| UNIX_EPOCH + Duration::from_secs(unix_s.try_into().unwrap_or(0)));
        let now = SystemTime::now();
        if expires <= now {
            let expired = humantime::format_rfc3339_seconds(expires).to_string();
            return Err(CredentialError::CertificateExpired { path, expired }.into());
        }
        if now < begins {
            let begins = humantime::format_rfc3339_seconds(begins).to_string();
            return Err(CredentialError::CertificateNotYetValid { path, begins }.into());
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use rcgen::{CertificateParams, KeyPair, date_time_ymd};
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use tokio::sync::mpsc;

    use super::*;
    use crate::reload::RELOAD_INTERVAL;

    /// Writes a certificate that is valid between these times, in seconds since 1970, and its key.
    fn certify(files: &TlsFiles, [from_s, until_s]: [u64; 2]) {
        let epoch = date_time_ymd(1970, 1, 1);
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_before = epoch + Duration::from_secs(from_s);
        params.not_after = epoch + Duration::from_secs(until_s);
        fs::write(&files.key, key.serialize_pem()).unwrap();
        fs::set_permissions(&files.key, Permissions::from_mode(0o600)).unwrap();
        fs::write(&files.certificate, params.self_signed(&key).unwrap().pem()).unwrap();
    }

    fn files(folder: &Path) -> TlsFiles {
        let [certificate, key] = ["server.pem", "server.key"].map(|name| folder.join(name));
        TlsFiles { certificate, key, client_ca: None }
    }

    /// Returns the current time, in seconds since 1970.
    fn now_s() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
    }

    const YEAR_S: u64 = 365 * 24 * 60 * 60;

    /// Returns when certificates are valid that have expired, and that are not valid yet.
    fn never_valid_now() -> [[u64; 2]; 2] {
        let now_s = now_s();
        [[now_s - 2 * YEAR_S, now_s - YEAR_S], [now_s + YEAR_S, now_s + 2 * YEAR_S]]
    }

    #[tokio::test(start_paused = true)]
    async fn a_certificate_that_is_not_valid_now_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let [from_s, until_s] = [now_s() - YEAR_S, now_s() + YEAR_S];
        certify(&files, [from_s, until_s]);
        let (publisher, mut expiries) = mpsc::unbounded_channel();
        let set_expiry = move |unix_s| publisher.send(u64::try_from(unix_s).unwrap()).unwrap();
        let tls = LoadedTls::load(files.clone()).unwrap().follow(set_expiry);
        assert_eq!(expiries.recv().await, Some(until_s));
        for validity in never_valid_now() {
            certify(&files, validity);
            tokio::time::sleep(10 * RELOAD_INTERVAL).await;
            let replaced = expiries.try_recv();
            assert!(replaced.is_err(), "{validity:?}: {replaced:?}");
        }
        certify(&files, [from_s, until_s + 1]);
        assert_eq!(expiries.recv().await, Some(until_s + 1));
        // A certificate that comes early is used once it is valid.
        certify(&files, [now_s() + 2, until_s + 2]);
        assert_eq!(expiries.recv().await, Some(until_s + 2));
        drop(tls);
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let good = files(folder.path());
        certify(&good, [now_s() - YEAR_S, now_s() + YEAR_S]);
        let good = TlsFiles { client_ca: Some(good.certificate.clone()), ..good };
        assert!(LoadedTls::load(good.clone()).is_ok());
        for bad in [
            TlsFiles { certificate: pipe.clone(), ..good.clone() },
            TlsFiles { key: pipe.clone(), ..good.clone() },
            TlsFiles { client_ca: Some(pipe), ..good },
        ] {
            let said = LoadedTls::load(bad).err().unwrap().to_string();
            assert!(said.ends_with("pipe is a pipe, but must be a regular file"), "{said}");
        }
    }

    /// The clock of the machine may be the one that is wrong.
    #[test]
    fn a_certificate_that_is_not_valid_now_is_taken_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        for validity in never_valid_now() {
            certify(&files, validity);
            let loaded = LoadedTls::load(files.clone()).unwrap();
            assert!(files.check_validity(&loaded.texts).is_err(), "{validity:?}");
        }
    }
}
