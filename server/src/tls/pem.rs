//! Certificates and keys in PEM format.

use std::fs::File;
use std::path::Path;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::credential_file::{open_regular, read_at_most, without_mark};
use crate::error::{CredentialError, ServerError};

/// The largest file of certificates: a chain, or a few authorities.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Reads the text of a file of certificates.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ServerError> {
    let failed = |source| ServerError::File { path: path.to_owned(), action: "read", source };
    read_opened(path, &File::open(path).map_err(failed)?)
}

/// Reads the text of a file of certificates that is read again and again.
pub(crate) fn read_regular(path: &Path) -> Result<Vec<u8>, ServerError> {
    read_opened(path, &open_regular(path)?)
}

fn read_opened(path: &Path, file: &File) -> Result<Vec<u8>, ServerError> {
    let text = read_at_most(path, file, MAX_FILE_BYTES)?;
    Ok(without_mark(path, &text)?.to_vec())
}

/// Returns the certificates in the text of the file at `path`, at least one.
pub(crate) fn certificates(
    path: &Path,
    text: &[u8],
) -> Result<Vec<CertificateDer<'static>>, CredentialError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(CredentialError::NoCertificate { path: path.to_owned() }),
    }
}

/// Returns the private key in the text of the file at `path`.
pub(crate) fn private_key(
    path: &Path,
    text: &[u8],
) -> Result<PrivateKeyDer<'static>, CredentialError> {
    check_decrypted(path, text)?;
    PrivateKeyDer::from_pem_slice(text)
        .map_err(|_| CredentialError::NoPrivateKey { path: path.to_owned() })
}

/// The words that mark an encrypted key, as PKCS #8 and as openssl wrote keys before.
const ENCRYPTED: [&[u8]; 2] = [b"-----BEGIN ENCRYPTED PRIVATE KEY", b"Proc-Type: 4,ENCRYPTED"];

/// Checks that no private key in the text of the file at `path` is encrypted.
pub(crate) fn check_decrypted(path: &Path, text: &[u8]) -> Result<(), CredentialError> {
    let has = |words: &[u8]| text.windows(words.len()).any(|window| window == words);
    match ENCRYPTED.into_iter().any(has) {
        true => Err(CredentialError::EncryptedKey { path: path.to_owned() }),
        false => Ok(()),
    }
}

/// Returns the time after which a certificate is not valid any more, in seconds since 1970; `None`
/// if the certificate cannot be parsed.
pub(crate) fn expires_unix_s(certificate: &CertificateDer<'_>) -> Option<i64> {
    validity_unix_s(certificate).map(|(_, expires)| expires)
}

/// Returns the times between which a certificate is valid, in seconds since 1970; `None` if the
/// certificate cannot be parsed.
pub(crate) fn validity_unix_s(certificate: &CertificateDer<'_>) -> Option<(i64, i64)> {
    let (_, parsed) = X509Certificate::from_der(certificate).ok()?;
    let validity = parsed.validity();
    Some((validity.not_before.timestamp(), validity.not_after.timestamp()))
}
