//! The memory of large results while workers send them: a result takes as many bytes as the
//! coordinator has received, so results on slow lines take little.

use std::collections::BTreeMap;

use hatchery_proto::MAX_RESULT_BYTES;
use tokio::sync::watch;

/// The most bytes of all results, except for one more result: the largest one may always grow.
/// Otherwise many results could each wait for the memory of the others.
const MAX_SHARED_BYTES: usize = 7 * MAX_RESULT_BYTES;

/// The memory for the large results of all workers.
#[derive(Clone, Debug, Default)]
pub(super) struct ResultMemory(watch::Sender<ResultSizes>);

/// The number of received bytes of each result, by the order in which the results began.
#[derive(Debug, Default)]
struct ResultSizes {
    n_begun: u64,
    by_result: BTreeMap<u64, usize>,
}

/// The memory of one result. Dropping a space frees its memory.
#[derive(Debug)]
pub(super) struct ResultSpace {
    memory: ResultMemory,
    result: u64,
}

impl ResultMemory {
    /// Begins a result, which has no bytes yet.
    pub(super) fn begin(&self) -> ResultSpace {
        let mut result = 0;
        self.0.send_modify(|sizes| {
            sizes.n_begun += 1;
            result = sizes.n_begun;
            sizes.by_result.insert(result, 0);
        });
        ResultSpace { memory: self.clone(), result }
    }
}

impl ResultSpace {
    /// Takes `n_bytes` more if they are free now; returns whether they were.
    pub(super) fn try_grow(&self, n_bytes: usize) -> bool {
        self.memory.0.send_if_modified(|sizes| sizes.grow(self.result, n_bytes))
    }

    /// Takes `n_bytes` more as soon as they are free.
    pub(super) async fn grow(&self, n_bytes: usize) {
        let mut changes = self.memory.0.subscribe();
        while !self.try_grow(n_bytes) {
            changes.changed().await.expect("this space has a sender");
        }
    }
}

impl Drop for ResultSpace {
    fn drop(&mut self) {
        self.memory.0.send_modify(|sizes| _ = sizes.by_result.remove(&self.result));
    }
}

impl ResultSizes {
    /// Adds bytes to a result, if it may have them; returns whether it may.
    fn grow(&mut self, result: u64, n_bytes: usize) -> bool {
        let sum: usize = self.by_result.values().sum();
        let largest = self.by_result.iter().max_by_key(|&(_, n_bytes)| n_bytes);
        let is_largest = largest.is_some_and(|(&largest, _)| largest == result);
        let fits = is_largest || sum + n_bytes <= MAX_SHARED_BYTES;
        if fits {
            *self.by_result.entry(result).or_default() += n_bytes;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinSet;
    use tokio::time::{Duration, Instant, sleep, timeout};

    use super::*;

    const CHUNK: usize = MAX_RESULT_BYTES / 64;

    /// Receives a result of the most bytes, a chunk each second.
    async fn receive(memory: ResultMemory) {
        let space = memory.begin();
        for _ in 0..64 {
            sleep(Duration::from_secs(1)).await;
            space.grow(CHUNK).await;
            let sum: usize = memory.0.borrow().by_result.values().sum();
            assert!(sum <= MAX_SHARED_BYTES + MAX_RESULT_BYTES, "{sum} bytes");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn more_results_than_fit_all_end() {
        let (memory, mut results) = (ResultMemory::default(), JoinSet::new());
        (0..40).for_each(|_| _ = results.spawn(receive(memory.clone())));
        timeout(Duration::from_secs(3600), results.join_all()).await.expect("all end");
        assert!(memory.0.borrow().by_result.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn results_that_stop_in_the_middle_hold_up_no_others() {
        let memory = ResultMemory::default();
        let stopped: Vec<_> = (0..1000).map(|_| memory.begin()).collect();
        assert!(stopped.iter().all(|space| space.try_grow(2 * CHUNK / 10)));
        let begun = Instant::now();
        receive(memory).await;
        assert_eq!(begun.elapsed(), Duration::from_secs(64));
    }
}
