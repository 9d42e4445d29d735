//! The threads that the system gives this process: containers and users have a limit of them, and a
//! runtime that cannot start its threads panics or waits for ever.

use std::sync::RwLock;
use std::thread::{Builder, scope};

use crate::build_info::available_cores;
use crate::error::CommandError;

/// The threads that a process needs beside those that run trials: for connections, files, the log,
/// heartbeats, signals and keys.
const OWN_THREADS: u32 = 12;

/// The number of slots for each core above which a warning says that they only wait for each other.
const MAX_SLOTS_PER_CORE: u32 = 4;

/// The system gives a process too few threads.
#[derive(Debug, thiserror::Error)]
#[error(
    "the system gives this process {found} more threads, and at least {needed} are needed: raise \
     the limit of the user (ulimit -u), of the container (pids limit) or of the service \
     (TasksMax), or end other processes"
)]
struct TooFewThreads {
    found: u32,
    needed: u32,
}

/// Checks that the system gives this process the threads of its own.
///
/// # Errors
///
/// Fails if the system gives fewer.
pub(super) fn check_own_threads() -> Result<(), CommandError> {
    match available_threads(OWN_THREADS) {
        OWN_THREADS => Ok(()),
        found => Err(CommandError::set_up(TooFewThreads { found, needed: OWN_THREADS })),
    }
}

/// Returns how many of the `wanted` threads can run trials: all of them, unless the system refuses
/// threads. `warn` tells the user of threads that are refused, and of too many threads.
///
/// # Errors
///
/// Fails if there are too few threads for any trial.
pub(super) fn trial_threads(wanted: u32, warn: impl Fn(&str)) -> Result<u32, CommandError> {
    let n_cores = available_cores();
    if n_cores.saturating_mul(MAX_SLOTS_PER_CORE) < wanted {
        warn(&format!(
            "{wanted} trials are to run at the same time on {n_cores} cores: they wait for each \
             other, and each of them takes memory"
        ));
    }
    let found = available_threads(wanted.saturating_add(OWN_THREADS));
    match found.saturating_sub(OWN_THREADS) {
        0 => Err(CommandError::set_up(TooFewThreads { found, needed: OWN_THREADS + 1 })),
        n_threads if n_threads < wanted => {
            warn(&format!(
                "the system gives this process {found} threads, so that {n_threads} trials run at \
                 the same time instead of {wanted}"
            ));
            Ok(n_threads)
        }
        _ => Ok(wanted),
    }
}

/// Returns how many threads can be started now, up to `most`: they are started and end again.
fn available_threads(most: u32) -> u32 {
    let gate = RwLock::new(());
    scope(|scope| {
        let closed = gate.write();
        let pass = || drop(gate.read());
        let started = (0..most).take_while(|_| Builder::new().spawn_scoped(scope, pass).is_ok());
        let n_started = started.count();
        drop(closed);
        u32::try_from(n_started).unwrap_or(most)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_there_where_the_system_has_no_limit() {
        assert_eq!(available_threads(5), 5);
        let warned = std::cell::Cell::new(0);
        let warn = |_: &str| warned.set(warned.get() + 1);
        assert_eq!(trial_threads(1, warn).unwrap(), 1);
        assert_eq!(warned.get(), 0);
        let many = available_cores() * MAX_SLOTS_PER_CORE + 1;
        assert_eq!(trial_threads(many, warn).unwrap(), many);
        assert_eq!(warned.get(), 1);
    }
}
