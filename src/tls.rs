//! Certificates and keys as files have them.

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
use crate::failure::Failure;

/// The largest file of certificates: a chain, or a few authorities.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// What is spoken over a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaks {
    Grpc,
    Http,
}

/// A server's certificate with its key, and who may come: only those with a certificate of
/// `clients`, if that is said.
pub(crate) fn acceptor(
    certificate: &Path,
    key: &Path,
    clients: Option<&Path>,
    speaks: Speaks,
) -> Result<TlsAcceptor, Failure> {
    let chain = certificates(certificate)?.1;
    let key = private_key(key)?.1;
    let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(unfit)?;
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(path)?.1 {
                roots.add(authority).map_err(unfit)?;
            }
            let provider = Arc::new(default_provider());
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let verifier = verifier.build().map_err(|error| Failure::SetUp(Box::new(error)))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let config = builder.with_single_cert(chain, key).map_err(|error| {
        Failure::Usage(format!("{} and its key are of no use: {error}", certificate.display()))
    });
    let mut config = config?;
    config.alpn_protocols = match speaks {
        Speaks::Grpc => vec![b"h2".to_vec()],
        Speaks::Http => vec![b"http/1.1".to_vec()],
    };
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// What a client trusts, and who it is: servers of the `authorities`, or of those that browsers
/// trust; with a certificate of its own if it has one.
pub(crate) fn client(
    authorities: Option<&Path>,
    own: Option<(&Path, &Path)>,
) -> Result<ClientTlsConfig, Failure> {
    let config = match authorities {
        Some(path) => {
            ClientTlsConfig::new().ca_certificate(Certificate::from_pem(certificates(path)?.0))
        }
        None => ClientTlsConfig::new().with_webpki_roots(),
    };
    let Some((certificate, key)) = own else { return Ok(config) };
    Ok(config.identity(Identity::from_pem(certificates(certificate)?.0, private_key(key)?.0)))
}

/// The certificates in a file: its text, and what it says. There is one at least.
fn certificates(path: &Path) -> Result<(Vec<u8>, Vec<CertificateDer<'static>>), Failure> {
    let failed = |source| Failure::File { path: path.to_owned(), act: "read", source };
    let mut pem = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAX_FILE_BYTES).read_to_end(&mut pem).map_err(failed)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok((pem, found)),
        _ => Err(Failure::Usage(format!("{} has no certificate in PEM in it", path.display()))),
    }
}

fn private_key(path: &Path) -> Result<(Vec<u8>, PrivateKeyDer<'static>), Failure> {
    let pem = secret::read(path)?;
    let key = PrivateKeyDer::from_pem_slice(&pem)
        .map_err(|_| Failure::Usage(format!("{} has no key in PEM in it", path.display())))?;
    Ok((pem, key))
}

fn unfit(error: rustls::Error) -> Failure {
    Failure::SetUp(Box::new(error))
}
