//! The async runtime of a command.

use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::thread::available_parallelism;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::threads::check_own_threads;
use crate::error::CommandError;
use crate::signals::refuse_large_files;

/// The number of cores for each thread that serves connections: the other cores are for the store,
/// plans and folds.
const CORES_PER_IO_THREAD: usize = 2;

/// The most threads that serve connections: dispatch is one task.
const MAX_IO_THREADS: usize = 4;

/// Runs `act` to its end; other threads serve connections meanwhile. The process may open as many
/// files as the system allows.
pub(super) fn in_runtime(
    act: impl Future<Output = Result<(), CommandError>>,
) -> Result<(), CommandError> {
    raise_open_files();
    check_own_threads()?;
    let n_cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads((n_cores / CORES_PER_IO_THREAD).clamp(1, MAX_IO_THREADS))
        .enable_all()
        .build()
        .map_err(CommandError::set_up)?;
    runtime.block_on(async { refuse_large_files() });
    // In a box: the runtime's code for a future that it waits for is generated once.
    let act: Pin<Box<dyn Future<Output = _> + '_>> = Box::pin(act);
    let outcome = runtime.block_on(act);
    runtime.shutdown_timeout(Duration::ZERO);
    outcome
}

/// Raises the limit of open files as far as the process may: the usual 1,024 is for programs that
/// look at files one by one. A system that refuses leaves the limit as it is.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
}
