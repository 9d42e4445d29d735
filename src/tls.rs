//! TLS of servers and clients, from certificates and keys in files.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

use crate::access::secret;
use crate::error::{CommandError, UsageError};

/// The largest file of certificates: a chain, or a few authorities.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The protocol inside a TLS connection, which ALPN negotiates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppProtocol {
    Grpc,
    Http,
}

/// Returns the acceptor of a server with this certificate and key. If `clients` is given, only
/// clients with a certificate of that authority are accepted.
pub(crate) fn acceptor(
    certificate: &Path,
    key: &Path,
    clients: Option<&Path>,
    protocol: AppProtocol,
) -> Result<TlsAcceptor, CommandError> {
    let chain = certificates(certificate)?.1;
    let key = private_key(key)?.1;
    let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(CommandError::set_up)?;
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(path)?.1 {
                roots.add(authority).map_err(CommandError::set_up)?;
            }
            let provider = Arc::new(default_provider());
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let verifier = verifier.build().map_err(CommandError::set_up)?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let config = builder
        .with_single_cert(chain, key)
        .map_err(|source| UsageError::Certificate { path: certificate.to_owned(), source });
    let mut config = config?;
    config.alpn_protocols = match protocol {
        AppProtocol::Grpc => vec![b"h2".to_vec()],
        AppProtocol::Http => vec![b"http/1.1".to_vec()],
    };
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Returns the TLS settings of a client that trusts servers of `authorities`, by default of the
/// built-in web roots, and shows its own certificate (with its key) if it has one.
pub(crate) fn client(
    authorities: Option<&Path>,
    own: Option<(&Path, &Path)>,
) -> Result<ClientTlsConfig, CommandError> {
    let config = match authorities {
        Some(path) => {
            ClientTlsConfig::new().ca_certificate(Certificate::from_pem(certificates(path)?.0))
        }
        None => ClientTlsConfig::new().with_webpki_roots(),
    };
    let Some((certificate, key)) = own else { return Ok(config) };
    Ok(config.identity(Identity::from_pem(certificates(certificate)?.0, private_key(key)?.0)))
}

/// Reads the certificates in a file, at least one; returns its text as well.
fn certificates(path: &Path) -> Result<(Vec<u8>, Vec<CertificateDer<'static>>), CommandError> {
    let failed = |source| CommandError::File { path: path.to_owned(), action: "read", source };
    let mut pem = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAX_FILE_BYTES).read_to_end(&mut pem).map_err(failed)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok((pem, found)),
        _ => Err(UsageError::NoCertificate { path: path.to_owned() }.into()),
    }
}

/// Reads the private key in a file; returns its text as well.
fn private_key(path: &Path) -> Result<(Vec<u8>, PrivateKeyDer<'static>), CommandError> {
    let pem = secret::read(path)?;
    let key = PrivateKeyDer::from_pem_slice(&pem)
        .map_err(|_| UsageError::NoPrivateKey { path: path.to_owned() })?;
    Ok((pem, key))
}
