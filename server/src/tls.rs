//! TLS of servers and clients, from certificates and keys in files.

pub(crate) mod pem;
mod server;

pub use server::TlsFiles;
pub(crate) use server::{AppProtocol, LoadedTls, ServerTls};

use std::path::Path;

use tonic::transport::{Certificate, ClientTlsConfig, Identity};

use crate::access::secret;
use crate::error::ServerError;

/// Returns the TLS settings of a client. The client trusts servers certified by `authorities`, by
/// default by the built-in web roots. It shows its own certificate (with its key) if it has one.
///
/// # Errors
///
/// Fails if a file cannot be used.
pub fn client_config(
    authorities: Option<&Path>,
    own: Option<(&Path, &Path)>,
) -> Result<ClientTlsConfig, ServerError> {
    let config = match authorities {
        Some(path) => {
            ClientTlsConfig::new().ca_certificate(Certificate::from_pem(certificates(path)?))
        }
        None => ClientTlsConfig::new().with_webpki_roots(),
    };
    let Some((certificate, key)) = own else { return Ok(config) };
    let (certificate, key) = (certificates(certificate)?, private_key(key)?);
    Ok(config.identity(Identity::from_pem(certificate, key)))
}

/// Returns the text of a file with certificates in PEM.
///
/// # Errors
///
/// Fails if the file cannot be read, or holds no certificate.
pub fn certificates(path: &Path) -> Result<Vec<u8>, ServerError> {
    let text = pem::read(path)?;
    pem::certificates(path, &text)?;
    Ok(text)
}

/// Returns the text of a file with a private key in PEM.
///
/// # Errors
///
/// Fails if the file cannot be read, if every user of the machine has access to it, or if it holds
/// no key.
pub fn private_key(path: &Path) -> Result<Vec<u8>, ServerError> {
    let text = secret::read(path)?;
    pem::private_key(path, &text)?;
    Ok(text)
}
