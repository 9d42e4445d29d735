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

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use rcgen::{KeyPair, generate_simple_self_signed};

    use super::*;

    #[test]
    fn an_encrypted_key_is_named_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.key");
        fs::write(&path, KeyPair::generate().unwrap().serialize_pem()).unwrap();
        for args in [
            &["pkey", "-in", "own.key", "-aes256", "-passout", "pass:x", "-out", "new.key"][..],
            &["ec", "-in", "own.key", "-aes256", "-passout", "pass:x", "-out", "old.key"],
            &["genrsa", "-aes256", "-passout", "pass:x", "-traditional", "-out", "rsa.key", "2048"],
        ] {
            let made = Command::new("openssl").current_dir(folder.path()).args(args).output();
            assert!(made.unwrap().status.success(), "{args:?}");
        }
        for (name, expected) in [
            ("own.key", None),
            ("new.key", Some("is encrypted: decrypt it first, as with `openssl pkey -in ")),
            ("old.key", Some("is encrypted: decrypt it first, as with `openssl pkey -in ")),
            ("rsa.key", Some("is encrypted: decrypt it first, as with `openssl pkey -in ")),
        ] {
            let path = folder.path().join(name);
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            let said = private_key(&path).err().map(|error| error.to_string());
            match (expected, &said) {
                (None, None) => {}
                (Some(words), Some(said)) if said.contains(words) => {}
                _ => panic!("{name}: {said:?}"),
            }
        }
    }

    #[test]
    fn a_mark_in_front_of_a_text_is_no_part_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let [path, key] = ["own.pem", "own.key"].map(|name| folder.path().join(name));
        let own = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(&path, format!("\u{feff}{}", own.cert.pem())).unwrap();
        fs::write(&key, format!("\u{feff}{}", own.signing_key.serialize_pem())).unwrap();
        fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
        assert!(certificates(&path).unwrap().starts_with(b"-----BEGIN"));
        assert!(private_key(&key).unwrap().starts_with(b"-----BEGIN"));
    }
}
