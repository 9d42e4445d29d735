//! Inputs of the process besides its arguments: variables, randomness, and the clock.

use std::ffi::OsString;
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the value of the environment variable `name`; an empty value counts as unset.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns whether the clock cannot be used for HTTP and TLS: the dates in responses and
/// certificates begin with 1970.
pub(crate) fn is_before_1970() -> bool {
    SystemTime::now() < UNIX_EPOCH
}

/// Returns a random seed, for jitter and the like: no result depends on it.
pub(crate) fn random_seed() -> u64 {
    let random = ulid::Ulid::generate().random() & u128::from(u64::MAX);
    u64::try_from(random).expect("64 bits")
}
