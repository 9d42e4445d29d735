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
    let Some((certificate, key_path)) = own else { return Ok(config) };
    let key = secret::read(key_path)?;
    pem::private_key(key_path, &key)?;
    Ok(config.identity(Identity::from_pem(certificates(certificate)?, key)))
}

/// Returns the text of a file, which holds certificates.
fn certificates(path: &Path) -> Result<Vec<u8>, ServerError> {
    let text = pem::read(path)?;
    pem::certificates(path, &text)?;
    Ok(text)
}
