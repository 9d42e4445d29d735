//! The threads of a command that talks to a farm or is one.

use std::future::Future;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::failure::Failure;

/// Of how many cores one is for messages: the others are for the store, and for plans and folds.
const CORES_PER_IO_THREAD: usize = 2;

/// How many threads serve connections at most: dispatch is one task.
const MOST_IO_THREADS: usize = 4;

/// Waits for what `act` comes to. Connections are served beside it.
pub(super) fn in_runtime(act: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let n_cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads((n_cores / CORES_PER_IO_THREAD).clamp(1, MOST_IO_THREADS))
        .enable_all()
        .build()
        .map_err(|error| Failure::SetUp(Box::new(error)))?;
    let outcome = runtime.block_on(act);
    runtime.shutdown_timeout(Duration::ZERO);
    outcome
}
