//! Secrets: made, read from files, and never shown.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::failure::Failure;

/// What every token begins with, so that one that leaks is found by those who look for such.
const PREFIX: &str = "hatchery_";

/// The random bytes of a token: nobody guesses them, so a fast hash protects them.
const SECRET_BYTES: usize = 32;

/// What the hash is for: it is of no use elsewhere.
const CONTEXT: &str = "hatchery 2026 hash of a token";

/// The largest file with a token or a key.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// Permissions of those who are neither the owner nor of the file's group.
const OTHERS: u32 = 0o007;

/// A token as its owner has it.
pub(crate) struct Secret(String);

/// A token as coordinators know it. Two of them are compared in constant time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct TokenId(blake3::Hash);

impl Secret {
    /// A new one.
    pub(crate) fn generate() -> Result<Self, Failure> {
        let mut bytes = [0; SECRET_BYTES];
        let random = rustls::crypto::ring::default_provider().secure_random;
        let filled = random.fill(&mut bytes);
        filled.map_err(|_| Failure::SetUp("the system gives no random bytes".into()))?;
        Ok(Self(format!("{PREFIX}{}", blake3::Hash::from_bytes(bytes).to_hex())))
    }

    /// The token that `text` is, if it is one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        let fits = digits.len() == 2 * SECRET_BYTES && digits.bytes().all(is_digit);
        fits.then(|| Self(text.to_owned()))
    }

    /// The token in a file.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = read(path)?;
        let text = std::str::from_utf8(&bytes).ok().and_then(|text| Self::parse(text.trim()));
        text.ok_or_else(|| Failure::Usage(format!("{} has no token in it", path.display())))
    }

    /// What coordinators know of it.
    pub(crate) fn id(&self) -> TokenId {
        let hasher = blake3::Hasher::new_derive_key(CONTEXT).update(self.0.as_bytes()).finalize();
        TokenId(hasher)
    }

    /// The token itself, to be shown to its owner or to a coordinator.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl TokenId {
    /// The id with these hexadecimal digits.
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

/// What is in a file that is secret. One that everybody on the machine can read is refused: of a
/// hundred workers nobody would read a warning.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |source| Failure::File { path: path.to_owned(), act: "read", source };
    let file = File::open(path).map_err(failed)?;
    let mode = file.metadata().map_err(failed)?.permissions().mode();
    if mode & OTHERS != 0 {
        return Err(Failure::Usage(format!(
            "{0} is secret, but everybody on this machine can use it: chmod o= {0}",
            path.display()
        )));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if MAX_FILE_BYTES < bytes.len() as u64 {
        return Err(Failure::Usage(format!(
            "{} has more than {MAX_FILE_BYTES} bytes",
            path.display()
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_secret_is_random_and_is_not_shown() {
        let (one, other) = (Secret::generate().unwrap(), Secret::generate().unwrap());
        assert!(one.id() != other.id());
        assert_eq!(Secret::parse(one.reveal()).unwrap().id(), one.id());
        assert_eq!(format!("{one:?}"), "Secret(..)");
        assert_eq!(TokenId::parse(&one.id().to_string()), Some(one.id()));
        let digits = one.reveal().trim_start_matches(PREFIX).to_owned();
        assert!(!one.id().to_string().contains(&digits));
        for wrong in ["", "hatchery_", &digits, &format!("{PREFIX}{digits}0"), "hatchery_é"] {
            assert!(Secret::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_secret_that_everybody_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let secret = Secret::generate().unwrap();
        fs::write(&path, format!("{}\n", secret.reveal())).unwrap();
        for (mode, taken) in [(0o600, true), (0o440, true), (0o644, false), (0o602, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            match Secret::read(&path) {
                Ok(read) => assert!(taken && read.id() == secret.id(), "{mode:o}"),
                Err(failure) => assert!(!taken && failure.exit_code() == 2, "{mode:o}"),
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, "hunter2").unwrap();
        let said = Secret::read(&path).unwrap_err().to_string();
        assert!(!said.contains("hunter2"), "{said}");
        fs::write(&path, vec![b'x'; 65 << 10]).unwrap();
        assert!(Secret::read(&path).is_err());
    }
}
