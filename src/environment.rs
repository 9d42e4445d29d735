//! Inputs of the process besides its arguments: variables and randomness.

use std::ffi::OsString;

/// The system has no source of randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random bytes")]
pub(crate) struct NoRandomBytes;

/// Returns the value of the environment variable `name`; an empty variable counts as unset.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns a random seed, for jitter and the like: no result depends on it.
pub(crate) fn random_seed() -> u64 {
    let random = ulid::Ulid::generate().random() & u128::from(u64::MAX);
    u64::try_from(random).expect("64 bits")
}

/// Returns `N` unpredictable random bytes, for secrets.
///
/// # Errors
///
/// Fails if the system gives no random bytes.
pub(crate) fn secret_bytes<const N: usize>() -> Result<[u8; N], NoRandomBytes> {
    let mut bytes = [0; N];
    let random = rustls::crypto::ring::default_provider().secure_random;
    random.fill(&mut bytes).map_err(|_| NoRandomBytes)?;
    Ok(bytes)
}
