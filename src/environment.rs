//! Inputs of the process besides its arguments: variables and randomness.

use std::ffi::OsString;

/// Returns the value of the environment variable `name`; an empty value counts as unset.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns a random seed, for jitter and the like: no result depends on it.
pub(crate) fn random_seed() -> u64 {
    let random = ulid::Ulid::generate().random() & u128::from(u64::MAX);
    u64::try_from(random).expect("64 bits")
}
