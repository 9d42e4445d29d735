//! Secrets: generated, read from files, and never logged.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::credential_file::{open_regular, read_at_most, without_mark};
use crate::error::{CredentialError, ServerError};

/// The beginning of every token, so that tools that search for leaked secrets find it.
const PREFIX: &str = "hatchery_";

/// The number of random bytes of a token: too many to guess, so a fast hash protects them.
const SECRET_BYTES: usize = 32;

/// The context of the hash, which makes the hash useless anywhere else.
const CONTEXT: &str = "hatchery 2026 hash of a token";

/// The largest file with a token or a key.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// Permissions of users other than the owner and the file's group.
const OTHERS: u32 = 0o007;

/// A token as its owner has it: the secret itself.
pub struct TokenSecret(String);

/// A token as coordinators have it: its hash. Comparison takes constant time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenId(blake3::Hash);

/// The system has no source of randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random bytes")]
pub struct NoRandomBytes;

impl TokenSecret {
    /// Generates a token.
    ///
    /// # Errors
    ///
    /// Fails if the system gives no random bytes.
    pub fn generate() -> Result<Self, ServerError> {
        let bytes: [u8; SECRET_BYTES] = random_bytes().map_err(ServerError::set_up)?;
        Ok(Self(format!("{PREFIX}{}", blake3::Hash::from_bytes(bytes).to_hex())))
    }

    /// Parses a token.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        let fits = digits.len() == 2 * SECRET_BYTES && digits.bytes().all(is_digit);
        fits.then(|| Self(text.to_owned()))
    }

    /// Reads the token in the file at `path`.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, if every user of the machine has access to it, or if it
    /// holds no token.
    pub fn read(path: &Path) -> Result<Self, ServerError> {
        let bytes = read(path)?;
        let text = std::str::from_utf8(&bytes).ok().and_then(|text| Self::parse(text.trim()));
        text.ok_or_else(|| CredentialError::NoToken { path: path.to_owned() }.into())
    }

    /// Returns the hash of the token, which coordinators have in place of the token.
    pub fn id(&self) -> TokenId {
        let hasher = blake3::Hasher::new_derive_key(CONTEXT).update(self.0.as_bytes()).finalize();
        TokenId(hasher)
    }

    /// Returns the token itself, for its owner or a coordinator.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl TokenId {
    /// Parses the hexadecimal digits of a hash.
    pub(crate) fn parse(digits: &str) -> Option<Self> {
        blake3::Hash::from_hex(digits).ok().map(Self)
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl fmt::Debug for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenId({self})")
    }
}

/// Returns `N` random bytes that nobody can guess, for secrets.
///
/// # Errors
///
/// Fails if the system gives no random bytes.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], NoRandomBytes> {
    let mut bytes = [0; N];
    let random = rustls::crypto::ring::default_provider().secure_random;
    random.fill(&mut bytes).map_err(|_| NoRandomBytes)?;
    Ok(bytes)
}

/// Reads a secret file. A file that every user of the machine can access is refused: a warning
/// would get lost among the warnings of a hundred workers.
///
/// # Errors
///
/// Fails if the file cannot be read, is too large, or is open to every user of the machine.
pub fn read(path: &Path) -> Result<Vec<u8>, ServerError> {
    read_opened(path, &File::open(path).map_err(|source| not_read(path, source))?)
}

/// Reads a secret file that is read again and again.
pub(crate) fn read_regular(path: &Path) -> Result<Vec<u8>, ServerError> {
    read_opened(path, &open_regular(path)?)
}

fn read_opened(path: &Path, file: &File) -> Result<Vec<u8>, ServerError> {
    let failed = |source| not_read(path, source);
    let mode = file.metadata().map_err(failed)?.permissions().mode();
    if mode & OTHERS != 0 {
        return Err(CredentialError::AccessibleToOthers { path: path.to_owned() }.into());
    }
    let bytes = read_at_most(path, file, MAX_FILE_BYTES)?;
    Ok(without_mark(path, &bytes)?.to_vec())
}

fn not_read(path: &Path, source: io::Error) -> ServerError {
    ServerError::File { path: path.to_owned(), action: "read", source }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_secret_is_random_and_is_not_shown() {
        let (one, other) = (TokenSecret::generate().unwrap(), TokenSecret::generate().unwrap());
        assert!(one.id() != other.id());
        assert_eq!(TokenSecret::parse(one.reveal()).unwrap().id(), one.id());
        assert_eq!(format!("{one:?}"), "Secret(..)");
        assert_eq!(TokenId::parse(&one.id().to_string()), Some(one.id()));
        let digits = one.reveal().trim_start_matches(PREFIX).to_owned();
        assert!(!one.id().to_string().contains(&digits));
        for wrong in ["", "hatchery_", &digits, &format!("{PREFIX}{digits}0"), "hatchery_é"] {
            assert!(TokenSecret::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_secret_that_every_user_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let secret = TokenSecret::generate().unwrap();
        fs::write(&path, format!("{}\n", secret.reveal())).unwrap();
        for (mode, taken) in [(0o600, true), (0o440, true), (0o644, false), (0o602, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            match TokenSecret::read(&path) {
                Ok(read) => assert!(taken && read.id() == secret.id(), "{mode:o}"),
                Err(failure) => {
                    assert!(!taken && matches!(failure, ServerError::Credential(_)), "{mode:o}");
                }
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        for mark in ["\u{feff}", "\u{feff} \n"] {
            fs::write(&path, format!("{mark}{}\r\n", secret.reveal())).unwrap();
            assert_eq!(TokenSecret::read(&path).unwrap().id(), secret.id(), "{mark:?}");
        }
        let units = format!("\u{feff}{}", secret.reveal()).encode_utf16().collect::<Vec<_>>();
        fs::write(&path, units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<_>>())
            .unwrap();
        let said = TokenSecret::read(&path).unwrap_err().to_string();
        assert!(said.ends_with("token is UTF-16 text: save it as UTF-8"), "{said}");
        fs::write(&path, "hunter2").unwrap();
        let said = TokenSecret::read(&path).unwrap_err().to_string();
        assert!(!said.contains("hunter2"), "{said}");
        fs::write(&path, vec![b'x'; 65 << 10]).unwrap();
        assert!(TokenSecret::read(&path).is_err());
    }
}
