//! The points about leases: `lease`, `release`, `renew`, `adopt`.

use super::medium::Medium;
use super::play::{ANN, BEN, Play, RUN, all, complete, ids, job, leased, next_generation};
use super::refusal::Refusal;
use crate::operation::{AdoptJobs, EnqueueAndLease, ReleaseJobs, RenewLeases};
use crate::{CoordinatorId, JobId, RunState, SteerAction, StoreVerdict};

/// Checks point 5: `lease` hands out each READY job once, lowest index first.
pub(super) async fn lease_hands_out_each_job_once(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    assert!(play.lease(ANN, 9).await.is_empty());
    play.done(play.enqueue(0, 0, 12)).await;
    assert!(play.lease(ANN, 0).await.is_empty());
    assert_eq!(play.lease(ANN, 2).await, [0, 1]);
    assert_eq!(play.lease(BEN, 1).await, [2]);
    play.check(complete(0, [3, 1]), all(2, StoreVerdict::Accepted)).await;
    assert_eq!(play.lease(ANN, 2).await, [4, 5]);
    play.done(play.enqueue(0, 12, 1)).await;
    assert_eq!(play.lease(BEN, usize::MAX).await, [6, 7, 8, 9, 10, 11, 12]);
    assert!(play.lease(ANN, 9).await.is_empty());
}

/// Checks point 5: `lease` hands out each job once also to consumers that ask at the same time.
pub(super) async fn lease_to_several_at_once_hands_out_each_job_once(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 12)).await;
    let (a, b, c, done) = tokio::join!(
        play.lease(ANN, 4),
        play.lease(BEN, 4),
        play.lease(ANN, 4),
        play.ask(complete(0, 0..12)),
    );
    assert_eq!(done, all(12, StoreVerdict::Accepted));
    let mut leased = [a, b, c].concat();
    leased.sort_unstable();
    let n_leased = leased.len();
    leased.dedup();
    assert_eq!(leased.len(), n_leased);
    assert!(play.lease(ANN, 9).await.is_empty());
}

/// Checks point 5: only its holder can release a job; then it is leased again, lowest index first.
pub(super) async fn only_the_holder_releases(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 5)).await;
    assert_eq!(play.lease(ANN, 3).await, [0, 1, 2]);
    assert_eq!(play.lease(BEN, 1).await, [3]);
    play.release(BEN, &[0, 1, 2, 4, 5]).await;
    assert_eq!(play.lease(BEN, 9).await, [4]);
    play.release(ANN, &[2, 0, 0, 3]).await;
    play.release(ANN, &[0]).await;
    let other_generation = vec![job(1, 1), job(u32::MAX, 1)];
    play.done(ReleaseJobs { run: RUN, consumer: ANN, jobs: other_generation }).await;
    assert_eq!(play.lease(BEN, 1).await, [0]);
    assert_eq!(play.lease(BEN, 9).await, [2]);

    // A result from anyone ends the lease for good.
    play.check(complete(0, [1, 2, 3]), all(3, StoreVerdict::Accepted)).await;
    play.release(ANN, &[1]).await;
    play.release(BEN, &[2, 3]).await;
    assert!(play.lease(ANN, 9).await.is_empty());
}

/// Checks points 4 and 5: enqueued jobs can be leased in the same call, after jobs that were READY
/// before; but not in a paused run, and not if the write is refused.
pub(super) async fn what_is_enqueued_is_leased_at_once(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let feed = |first, n, most| EnqueueAndLease { most, ..play.enqueue(0, first, n) };
    play.check(feed(0, 3, 2), leased(&[0, 1])).await;
    play.release(ANN, &[0]).await;
    play.check(feed(3, 2, 3), leased(&[0, 2, 3])).await;
    play.still(feed(3, 2, 0), leased(&[])).await;
    play.check(feed(3, 2, 9), leased(&[4])).await;
    assert!(play.lease(BEN, 9).await.is_empty());

    let mut old = feed(5, 1, 1);
    old.lead.token.count += 1;
    play.refused(old, Refusal::Fenced).await;
    play.refused(feed(6, 1, 1), Refusal::OutOfStep).await;
    play.steer(SteerAction::Pause, RunState::Paused).await;
    play.check(feed(5, 1, 1), leased(&[])).await;
    play.steer(SteerAction::Resume, RunState::Active).await;
    assert_eq!(play.lease(BEN, 9).await, [5]);
}

/// Checks point 5: leases end with the process, or with the generation.
pub(super) async fn leases_end_with_the_process(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 3)).await;
    assert_eq!(play.lease(ANN, 2).await, [0, 1]);
    play.check(complete(0, [0]), all(1, StoreVerdict::Accepted)).await;
    play.restart().await;
    play.release(ANN, &[1]).await;
    assert_eq!(play.lease(BEN, 9).await, [1, 2]);
    play.check(complete(0, [1, 2]), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 3, next_generation())).await;
    play.done(play.enqueue(1, 0, 3)).await;
    play.release(BEN, &[1]).await;
    assert_eq!(play.lease(ANN, 9).await, [0, 1, 2]);
}

fn renew(consumer: CoordinatorId, jobs: Vec<JobId>) -> RenewLeases {
    RenewLeases { run: RUN, consumer, jobs }
}

fn adopt(consumer: CoordinatorId, jobs: Vec<JobId>) -> AdoptJobs {
    AdoptJobs { run: RUN, consumer, jobs }
}

/// Checks point 5: only its holder can renew a lease, and the answer names the leases that it no
/// longer holds.
pub(super) async fn renew_tells_what_is_lost(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 6)).await;
    assert_eq!(play.lease(ANN, 4).await, [0, 1, 2, 3]);
    assert_eq!(play.lease(BEN, 1).await, [4]);
    play.check(renew(ANN, ids(0, &[3, 0])), vec![]).await;
    play.check(renew(ANN, vec![]), vec![]).await;

    // Of somebody else, READY, not there, of another generation.
    let others = [ids(0, &[5, 4, 6, u64::MAX]), vec![job(1, 0), job(u32::MAX, 1)]].concat();
    play.check(renew(ANN, others.clone()), others).await;
    assert_eq!(play.lease(ANN, 9).await, [5], "a renewal leases nothing");

    play.release(ANN, &[0]).await;
    play.check(complete(0, [1]), all(1, StoreVerdict::Accepted)).await;
    play.park(ANN, 2).await;
    play.check(renew(ANN, ids(0, &[3, 2, 1, 0])), ids(0, &[2, 1, 0])).await;
    play.check(renew(BEN, ids(0, &[4, 3])), ids(0, &[3])).await;
}

/// Checks point 5: `adopt` takes over READY and LEASED jobs, from anyone, and nothing else.
pub(super) async fn adopt_takes_jobs_over(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 9)).await;
    assert_eq!(play.lease(ANN, 4).await, [0, 1, 2, 3]);
    play.check(complete(0, [1]), all(1, StoreVerdict::Accepted)).await;
    play.park(ANN, 2).await;
    // Leased to another, done, dead, ready, not there; then of other generations.
    play.check(adopt(BEN, ids(0, &[0, 1, 2, 6, 9, u64::MAX])), leased(&[0, 6])).await;
    play.check(adopt(BEN, vec![job(1, 3), job(u32::MAX, 4)]), leased(&[])).await;
    play.check(adopt(BEN, ids(0, &[6])), leased(&[6])).await;

    play.check(renew(ANN, ids(0, &[0, 3])), ids(0, &[0])).await;
    play.check(renew(BEN, ids(0, &[0, 6])), vec![]).await;
    play.release(ANN, &[0, 6]).await;
    assert_eq!(play.lease(ANN, 2).await, [4, 5]);
    assert_eq!(play.lease(ANN, 1).await, [7], "6 is adopted");
    play.release(BEN, &[6]).await;
    assert_eq!(play.lease(ANN, 9).await, [6, 8]);

    // A job that the process before this one had leased.
    play.restart().await;
    play.check(adopt(BEN, ids(0, &[3])), leased(&[3])).await;
    assert_eq!(play.lease(ANN, 9).await, [0, 4, 5, 6, 7, 8]);
    play.check(complete(0, [3]), all(1, StoreVerdict::Accepted)).await;
    play.check(adopt(BEN, ids(0, &[3])), leased(&[])).await;
}
