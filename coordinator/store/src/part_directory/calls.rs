//! Calls of the file system, which may hang: each has a deadline, and there are few at a time.

use std::panic;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tracing::debug;

use super::error::DirectoryFailure;
use crate::StoreError;

/// The longest time of a call that moves no bytes, waiting for its turn included: a network file
/// system that takes over from another server needs less, and callers that try again should hear of
/// a hanging call.
pub(super) const CALL_DEADLINE: Duration = Duration::from_secs(10);

/// The rate at which a directory must take or give bytes; the deadline of a call grows with them.
const LEAST_BYTES_PER_SECOND: u64 = 1 << 20;

/// The most calls at a time: enough to keep a network file system busy. A hanging directory keeps
/// this many threads, out of the hundreds that the runtime has for blocking calls.
const MAX_CALLS: usize = 16;

/// The calls of a directory.
#[derive(Debug)]
pub(super) struct FileCalls {
    place: String,
    turns: Arc<Semaphore>,
}

impl FileCalls {
    /// Creates the calls of a directory that errors call `place`.
    pub(super) fn new(place: String) -> Self {
        Self { place, turns: Arc::new(Semaphore::new(MAX_CALLS)) }
    }

    /// Returns the directory in words.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Runs `work`, which moves `n_bytes`, where it may block. The work continues to its end even
    /// if the caller stops waiting, and keeps its turn until then.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        n_bytes: u64,
        work: impl FnOnce() -> Result<T, DirectoryFailure> + Send + 'static,
    ) -> Result<T, StoreError> {
        let within = CALL_DEADLINE + Duration::from_secs(n_bytes / LEAST_BYTES_PER_SECOND);
        let call = async {
            let turn = Arc::clone(&self.turns).acquire_owned().await;
            let turn = turn.expect("nobody closes the semaphore");
            spawn_blocking(move || {
                let _turn = turn;
                work()
            })
            .await
            // The task is cancelled only together with the runtime.
            .unwrap_or_else(|error| panic::resume_unwind(error.into_panic()))
        };
        let done = timeout(within, call).await;
        done.unwrap_or(Err(DirectoryFailure::NoAnswer { within }))
            .map_err(|failure| failure.at(&self.place))
    }

    /// Runs `work` sometime; no caller waits for it, and a failure does no harm.
    pub(super) fn run_unwatched(
        &self,
        work: impl FnOnce() -> Result<(), DirectoryFailure> + Send + 'static,
    ) {
        // Without a runtime the process is about to end.
        let Ok(runtime) = Handle::try_current() else { return };
        let (turns, place) = (Arc::clone(&self.turns), self.place.clone());
        runtime.spawn(async move {
            let Ok(turn) = turns.acquire_owned().await else { return };
            let work = spawn_blocking(move || {
                let _turn = turn;
                work()
            });
            if let Ok(Err(error)) = work.await {
                debug!(place, %error, "a file is left to the next sweep");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use super::*;

    /// The number that docs/REFERENCE.md has.
    #[tokio::test]
    async fn sixteen_calls_are_made_at_a_time() {
        let calls = FileCalls::new("there".to_owned());
        let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let (end, ended) = mpsc::channel::<()>();
        let ended = Arc::new(Mutex::new(ended));
        let call = || {
            let (begin, ended) = (begin.clone(), Arc::clone(&ended));
            calls.run_unwatched(move || {
                begin.send(()).unwrap();
                ended.lock().unwrap().recv().ok();
                Ok(())
            });
        };
        (0..16).for_each(|_| call());
        for _ in 0..16 {
            begun.recv().await.unwrap();
        }
        assert_eq!(calls.turns.available_permits(), 0);
        call();
        end.send(()).unwrap();
        begun.recv().await.expect("the next call begins when one has ended");
    }
}
