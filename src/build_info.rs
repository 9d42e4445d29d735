//! The source of this build, and the class of its machine.

use std::num::NonZeroUsize;

/// The version of hatchery.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that it was built from, if that was known.
pub(crate) const COMMIT: Option<&str> = option_env!("HATCHERY_COMMIT");

/// Returns the number of cores that this process may use.
pub(crate) fn available_cores() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    u32::try_from(cores).unwrap_or(1)
}
