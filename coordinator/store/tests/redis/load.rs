//! The cost of a job.

use hatchery_store::StoreVerdict;
use hatchery_store::operation::CompleteJobs;
use hatchery_test_redis::Redis;

use super::play::{RUN, assert_all, begin, enqueue, farm, fold, results};

/// The most bytes of memory that a queued job may take besides its own 200.
const MOST_BYTES_PER_JOB: u64 = 400;

/// The most bytes that may be left of a job: noise, since an entry takes at least 40.
const MOST_BYTES_LEFT: u64 = 20;

/// Returns how many bytes of memory the server uses for data.
fn used(server: &Redis) -> u64 {
    let memory = server.cli(&["INFO", "memory"]).expect("redis-cli is installed");
    let used = memory.lines().find_map(|line| line.strip_prefix("used_memory_dataset:"));
    used.and_then(|digits| digits.trim().parse().ok()).expect("a server says what it uses")
}

#[tokio::test]
async fn a_queued_job_is_small_and_leaves_nothing_behind() {
    const N: u64 = 10_000;
    let (server, store) = farm().await;
    let lead = begin(&store).await;
    let (before, least) = (used(&server), server.bytes_of_keys().unwrap());
    for round in 0..3 {
        for first in (round * N..(round + 1) * N).step_by(1000) {
            store.execute(enqueue(lead, first, 1000)).await.unwrap();
        }
        let each = (used(&server) - before) / N;
        assert!(each < 200 + MOST_BYTES_PER_JOB, "{each} bytes");
        let queued = server.bytes_of_keys().unwrap() - least;
        assert!(200 * N <= queued, "{queued} bytes of keys for {N} jobs");
        let all = results(round * N..(round + 1) * N);
        assert_all(
            &store.execute(CompleteJobs { run: RUN, results: all }).await.unwrap(),
            StoreVerdict::Accepted,
        );
        store.execute(fold(lead, (round + 1) * N)).await.unwrap();
        let left = server.bytes_of_keys().unwrap() - least;
        assert!(left < MOST_BYTES_LEFT * N, "{left} bytes are left of {N} jobs");
    }
}
