//! Files that are read again while the process runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{MissedTickBehavior, timeout};

use crate::error::{CredentialError, ServerError};

/// The interval between reads. A change takes effect when two reads in a row agree, about a second
/// later, so that a file that is half written hardly ever does.
pub(crate) const RELOAD_INTERVAL: Duration = Duration::from_millis(500);

/// The longest time for a read. A read that takes longer is given up: its file system hangs.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The most reads that hang at the same time. Each holds a thread, which cannot be ended.
const MAX_HANGING_READS: usize = 4;

/// Calls `read` again and again, and `on_change` with each new content once two reads in a row
/// agree on it. If a read fails or hangs after a successful read, `on_change` is called with its
/// error, which names `files`. Never returns.
pub(crate) async fn follow_content<C: Clone + PartialEq + Send + 'static>(
    files: &str,
    read: impl Fn() -> Result<C, ServerError> + Clone + Send + 'static,
    mut current: C,
    mut on_change: impl FnMut(Result<&C, ServerError>),
) {
    let mut ticks = tokio::time::interval(RELOAD_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let hanging = Arc::new(Semaphore::new(MAX_HANGING_READS));
    let mut last = Some(current.clone());
    loop {
        ticks.tick().await;
        let permit = Arc::clone(&hanging).acquire_owned().await;
        let read = read.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let found = read();
            drop(permit);
            found
        });
        let found = timeout(READ_TIMEOUT, reading).await.unwrap_or_else(|_| {
            let (files, timeout_s) = (files.to_owned(), READ_TIMEOUT.as_secs());
            Ok(Err(CredentialError::FileHangs { files, timeout_s }.into()))
        });
        let found = match found {
            Ok(Ok(found)) => Some(found),
            Ok(Err(error)) => {
                if last.is_some() {
                    on_change(Err(error));
                }
                None
            }
            Err(_) => None,
        };
        let settled = found == last;
        last = found;
        if let Some(content) = last.as_ref().filter(|content| settled && **content != current) {
            current = content.clone();
            on_change(Ok(&current));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Mutex, mpsc};

    use hatchery_core::error_chain;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    /// The first read hangs, the others find a new content.
    #[tokio::test(start_paused = true)]
    async fn a_read_that_hangs_is_reported_and_the_next_one_counts() {
        let (starts, mut started) = unbounded_channel();
        let (release, released) = mpsc::channel::<()>();
        let (n_reads, released) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(released)));
        let read = move || {
            let idx = n_reads.fetch_add(1, Ordering::Relaxed);
            starts.send(idx).unwrap_or_default();
            if idx == 0 {
                released.lock().unwrap().recv().unwrap_or_default();
            }
            Ok(idx.min(1))
        };
        let (changes, mut changed) = unbounded_channel();
        let on_change = move |found: Result<&usize, ServerError>| {
            let found = found.copied().map_err(|error| error_chain(&error));
            changes.send(found).unwrap();
        };
        let following = tokio::spawn(follow_content("tokens", read, 0, on_change));
        assert_eq!(started.recv().await, Some(0));
        tokio::time::advance(READ_TIMEOUT).await;
        let said = "tokens: no answer of the file system within 10 s";
        assert_eq!(changed.recv().await, Some(Err(said.to_owned())));
        assert_eq!(started.recv().await, Some(1));
        tokio::time::advance(RELOAD_INTERVAL).await;
        assert_eq!(started.recv().await, Some(2));
        assert_eq!(changed.recv().await, Some(Ok(1)));
        following.abort();
        drop(release);
    }
}
