//! The async runtime of a command.

use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::error::CommandError;

/// The number of cores for each thread that serves connections: the other cores are for the store,
/// plans and folds.
const CORES_PER_IO_THREAD: usize = 2;

/// The most threads that serve connections: dispatch is one task.
const MAX_IO_THREADS: usize = 4;

/// Runs `act` to its end; other threads serve connections meanwhile.
pub(super) fn in_runtime(
    act: impl Future<Output = Result<(), CommandError>>,
) -> Result<(), CommandError> {
    let n_cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads((n_cores / CORES_PER_IO_THREAD).clamp(1, MAX_IO_THREADS))
        .enable_all()
        .build()
        .map_err(CommandError::set_up)?;
    // In a box: the runtime's code for a future that it waits for is generated once.
    let act: Pin<Box<dyn Future<Output = _> + '_>> = Box::pin(act);
    let outcome = runtime.block_on(act);
    runtime.shutdown_timeout(Duration::ZERO);
    outcome
}
