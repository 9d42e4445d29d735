//! Constants of the map file format, which errors name too.

/// The value of the key `format`.
pub(super) const FORMAT: &str = "hatchery-catan-map";

/// The value of the key `version`.
pub(super) const VERSION: u64 = 1;

/// The longest name, which must fit above a picture.
pub(super) const MAX_NAME_CHARS: usize = 80;

/// The longest certificate: that of a panel has some 500 characters for each of at most ten agents.
pub(super) const MAX_CERTIFICATE_CHARS: usize = 8_000;
