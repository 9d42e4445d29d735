//! The points about steering: runs that are paused, resumed or ended, and jobs that keep failing.

use super::medium::Medium;
use super::play::{
    ANN, BEN, Play, RUN, WORKER, all, complete, complete_by, ids, job, job_bytes, leased,
    next_generation,
};
use super::refusal::Refusal;
use crate::operation::{
    AddAttempt, AdoptJobs, AppendEvent, LeaseJobs, ParkJob, ReadDeadJobs, RenewLeases, RetryJobs,
    SteerRun,
};
use crate::{
    AfterFold, AttemptId, AttemptedJob, CoordinatorId, DeadJobRecord, JobId, MAX_ATTEMPTS,
    RunState, SteerAction, StoreVerdict,
};

/// Checks point 7: an ended run hands out no job and takes no result.
pub(super) async fn an_ended_run_rests(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 3)).await;
    play.check(complete(0, [0]), all(1, StoreVerdict::Accepted)).await;
    let reason = "a reason, in UTF-8: ½";
    let failed = RunState::Failed { reason: reason.to_owned() };
    play.done(play.fail(reason)).await;
    assert_eq!(play.position().await.state, failed);
    for state in [failed, RunState::Cancelled] {
        assert_eq!(play.position().await.state, state);
        assert!(play.lease(ANN, 9).await.is_empty());
        play.still(adopt(ANN, &[1]), leased(&[])).await;
        play.still(complete(0, 0..2), all(2, StoreVerdict::Unknown)).await;
        play.refused(play.enqueue(0, 3, 1), Refusal::OutOfStep).await;
        play.refused(play.fold(0, 1, AfterFold::SameGeneration), Refusal::OutOfStep).await;
        play.refused(play.fail("another reason"), Refusal::OutOfStep).await;
        play.done(AppendEvent { run: RUN, event: b"it ended".to_vec() }).await;
        play.steer(SteerAction::Resume, RunState::Active).await;
        play.steer(SteerAction::Cancel, RunState::Cancelled).await;
    }
    play.steer(SteerAction::Resume, RunState::Active).await;
    play.check(complete(0, 1..3), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 3, AfterFold::Done { record: b"end".to_vec() })).await;
    assert!(play.lease(ANN, 9).await.is_empty());
    play.check(complete(0, 0..3), all(3, StoreVerdict::Unknown)).await;
    play.refused(play.enqueue(0, 3, 1), Refusal::OutOfStep).await;
    play.refused(play.fail("too late"), Refusal::OutOfStep).await;
}

/// Checks point 7: a paused run hands out no job, but takes all that is under way.
pub(super) async fn a_paused_run_hands_out_nothing(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 4)).await;
    assert_eq!(play.lease(ANN, 2).await, [0, 1]);
    play.steer(SteerAction::Pause, RunState::Paused).await;
    assert!(play.lease(ANN, 9).await.is_empty());
    play.still(adopt(BEN, &[0, 2]), leased(&[])).await;
    let renew = RenewLeases { run: RUN, consumer: ANN, jobs: ids(0, &[0, 1]) };
    play.check(renew, vec![]).await;
    play.release(ANN, &[1]).await;
    play.check(complete(0, [0, 3]), all(2, StoreVerdict::Accepted)).await;
    play.done(play.enqueue(0, 4, 1)).await;
    play.done(play.fold(0, 1, AfterFold::SameGeneration)).await;
    assert_eq!(play.page().await.state, RunState::Paused);
    play.steer(SteerAction::Resume, RunState::Active).await;
    assert_eq!(play.lease(BEN, 9).await, [1, 2, 4]);

    play.steer(SteerAction::Pause, RunState::Paused).await;
    play.restart().await;
    assert_eq!(play.position().await.state, RunState::Paused);
    assert!(play.lease(ANN, 9).await.is_empty());
    play.check(complete(0, [1, 2, 4]), all(3, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 5, next_generation())).await;
    assert_eq!(play.position().await.state, RunState::Paused);
    // What was wrong before the pause may come to light now.
    play.done(play.fail("why")).await;
    play.steer(SteerAction::Resume, RunState::Active).await;
}

/// Checks point 7: `steer` makes the changes that it says, from the states that it says.
pub(super) async fn steer_makes_the_changes_it_says(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let failed = || RunState::Failed { reason: "why".to_owned() };
    let steps = [
        (SteerAction::Resume, RunState::Active),
        (SteerAction::Pause, RunState::Paused),
        (SteerAction::Pause, RunState::Paused),
        (SteerAction::Cancel, RunState::Cancelled),
        (SteerAction::Cancel, RunState::Cancelled),
        (SteerAction::Pause, RunState::Cancelled),
        (SteerAction::Resume, RunState::Active),
        (SteerAction::Cancel, RunState::Cancelled),
        (SteerAction::Resume, RunState::Active),
        (SteerAction::Pause, RunState::Paused),
        (SteerAction::Resume, RunState::Active),
    ];
    for (steer, state) in steps {
        play.steer(steer, state).await;
    }
    assert_eq!(play.position().await.revision, 0, "a person is no leader");
    play.done(play.fail("why")).await;
    play.steer(SteerAction::Pause, failed()).await;
    play.steer(SteerAction::Cancel, failed()).await;
    play.steer(SteerAction::Resume, RunState::Active).await;
    play.done(play.fold(0, 0, AfterFold::Done { record: vec![] })).await;
    for steer in [SteerAction::Resume, SteerAction::Pause, SteerAction::Cancel] {
        play.still(SteerRun { run: RUN, steer }, RunState::Done).await;
    }
}

/// Checks point 7: a resumed run has everything it had.
pub(super) async fn a_resumed_run_goes_on(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 5)).await;
    assert_eq!(play.lease(ANN, 3).await, [0, 1, 2]);
    play.check(complete(0, [0, 3]), all(2, StoreVerdict::Accepted)).await;
    play.park(ANN, 2).await;
    let before = play.page().await;
    for end in [SteerAction::Cancel, SteerAction::Pause] {
        play.ask(SteerRun { run: RUN, steer: end }).await;
        play.steer(SteerAction::Resume, RunState::Active).await;
        assert_eq!(play.page().await, before, "after {end:?}");
    }
    play.done(play.fail("why")).await;
    play.steer(SteerAction::Resume, RunState::Active).await;
    assert_eq!(play.page().await, before);
    assert_eq!(play.lease(ANN, 9).await, [4], "1 is still leased, 2 still parked");
    play.steer(SteerAction::Cancel, RunState::Cancelled).await;
    play.restart().await;
    assert_eq!(play.position().await.state, RunState::Cancelled);
    play.steer(SteerAction::Resume, RunState::Active).await;
    assert_eq!(play.lease(ANN, 9).await, [1, 4]);
    play.check(complete(0, [1, 2, 4]), all(3, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 5, next_generation())).await;
}

/// Checks point 8: a PARKED job is unresolved, is assigned to no worker, and becomes READY by
/// `retry` alone.
pub(super) async fn a_parked_job_waits_for_retry(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 6)).await;
    assert_eq!(play.lease(ANN, 4).await, [0, 1, 2, 3]);
    assert_eq!(play.lease(BEN, 1).await, [4]);
    // Only its holder parks a job: these are READY, another's, not there, of another generation.
    for index in [5, 4, 6] {
        play.park(ANN, index).await;
    }
    play.done(ParkJob { run: RUN, consumer: ANN, job: job(1, 0) }).await;
    assert_eq!(play.counts().await, (6, 0));
    let attempt =
        AddAttempt { run: RUN, job: job(0, 3), id: AttemptId(1), attempt: b"it fell".to_vec() };
    play.ask(attempt).await;
    for index in [3, 1, 1] {
        play.park(ANN, index).await;
    }
    let shown = |index, attempts: &[&[u8]]| DeadJobRecord {
        job: job(0, index),
        bytes: job_bytes(0, index),
        attempts: attempts.iter().map(|attempt| attempt.to_vec()).collect(),
    };
    let both = vec![shown(1, &[]), shown(3, &[b"it fell"])];
    play.check(parked(0, 9), both.clone()).await;
    assert_eq!(play.counts().await, (6, 2));
    play.release(ANN, &[1, 3]).await;
    play.still(adopt(BEN, &[1, 3]), leased(&[])).await;
    play.restart().await;
    play.check(parked(0, usize::MAX), both).await;
    assert_eq!(play.lease(ANN, 9).await, [0, 2, 4, 5], "1 and 3 are parked");

    play.check(parked(0, 1), vec![shown(1, &[])]).await;
    play.check(parked(0, 0), vec![]).await;
    play.check(parked(2, 9), vec![shown(3, &[b"it fell"])]).await;
    play.still(retry(vec![job(1, 3), job(0, 0), job(0, 6)]), 0).await;
    play.check(retry(ids(0, &[3, 2, 3])), 1).await;
    assert_eq!(play.counts().await, (6, 1));
    assert_eq!(play.lease(BEN, 9).await, [3]);
    play.park(BEN, 3).await;
    play.check(parked(3, 9), vec![shown(3, &[])]).await;
    assert_eq!(play.position().await.revision, 1, "only a leader raises it");
}

/// Checks point 8: the leader gives a result to a PARKED job of an active run, and to no other job.
pub(super) async fn a_leader_skips_what_is_parked(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 6)).await;
    assert_eq!(play.lease(ANN, 4).await, [0, 1, 2, 3]);
    for index in [0, 1, 3] {
        play.park(ANN, index).await;
    }
    let attempt =
        AddAttempt { run: RUN, job: job(0, 1), id: AttemptId(1), attempt: b"it fell".to_vec() };
    play.ask(attempt.clone()).await;
    play.check(complete(0, [4]), all(1, StoreVerdict::Accepted)).await;
    // LEASED, DONE, READY, not there.
    play.still(play.skip(&[2, 4, 5, 6]), ()).await;
    play.done(play.skip(&[1, 2, 0, 1])).await;
    assert_eq!((play.counts().await, play.position().await.revision), ((3, 1), 2));
    play.restart().await;
    play.still(play.skip(&[0, 1]), ()).await;
    assert_eq!(play.outputs().await, [b"skipped", b"skipped"]);
    play.check(attempt, AttemptedJob::Skipped).await;
    play.check(complete(0, [0]), all(1, StoreVerdict::Mismatch)).await;

    play.steer(SteerAction::Cancel, RunState::Cancelled).await;
    play.still(play.skip(&[3]), ()).await;
    play.steer(SteerAction::Resume, RunState::Active).await;
    play.steer(SteerAction::Pause, RunState::Paused).await;
    play.done(play.skip(&[3])).await;
    play.check(complete(0, [2, 5]), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 6, next_generation())).await;
    play.done(play.enqueue(1, 0, 1)).await;
    play.still(play.skip(&[0]), ()).await;
}

/// Checks point 3: a leader pauses a run that is active, and no other.
pub(super) async fn a_leader_pauses(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 1)).await;
    play.done(play.pause()).await;
    assert_eq!(play.position().await.state, RunState::Paused);
    assert_eq!(play.position().await.revision, 2);
    play.restart().await;
    play.still(play.pause(), ()).await;
    assert!(play.lease(ANN, 9).await.is_empty());
    play.steer(SteerAction::Resume, RunState::Active).await;
    assert_eq!(play.lease(ANN, 9).await, [0]);
    play.steer(SteerAction::Cancel, RunState::Cancelled).await;
    play.still(play.pause(), ()).await;
}

/// Checks point 8: a result for a PARKED job is taken as for any other.
pub(super) async fn a_parked_job_takes_results(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 2)).await;
    assert_eq!(play.lease(ANN, 2).await, [0, 1]);
    play.park(ANN, 0).await;
    play.park(ANN, 1).await;
    play.refused(play.fold(0, 1, AfterFold::SameGeneration), Refusal::OutOfStep).await;
    play.check(complete(0, [0]), all(1, StoreVerdict::Accepted)).await;
    assert_eq!(play.counts().await, (1, 1));
    play.refused(play.fold(0, 1, next_generation()), Refusal::OutOfStep).await;
    play.refused(play.fold(0, 2, next_generation()), Refusal::OutOfStep).await;
    play.still(retry(ids(0, &[0])), 0).await;
    play.check(complete(0, [1]), all(1, StoreVerdict::Accepted)).await;
    play.check(parked(0, 9), vec![]).await;
    play.done(play.fold(0, 2, next_generation())).await;
    play.done(play.enqueue(1, 0, 2)).await;
    play.restart().await;
    assert_eq!(play.counts().await, (2, 0));
    assert_eq!(play.lease(BEN, 9).await, [0, 1]);
}

/// Checks point 8: attempts are kept by their ids, up to a limit, until the job is DONE or retried.
pub(super) async fn attempts_are_kept(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let attempt = |job, id| {
        let attempt = format!("attempt {id}").into_bytes();
        AddAttempt { run: RUN, job, id: AttemptId(id), attempt }
    };
    let text = |id: &u128| format!("attempt {id}").into_bytes();
    let tried = |ids: &[u128]| AttemptedJob::Unresolved(ids.iter().map(text).collect());
    let by_worker = || AttemptedJob::Completed(WORKER);
    play.done(play.enqueue(0, 0, 3)).await;
    // Both sides of 2 to the power of 64, where half a number would not do.
    let late = u128::MAX - 1;
    play.check(attempt(job(0, 0), late), tried(&[late])).await;
    play.check(attempt(job(0, 0), 256), tried(&[256, late])).await;
    play.check(attempt(job(0, 0), 3), tried(&[3, 256, late])).await;
    let other =
        AddAttempt { run: RUN, job: job(0, 0), id: AttemptId(256), attempt: b"other".to_vec() };
    play.check(other, tried(&[3, 256, late])).await;
    play.restart().await;
    play.check(attempt(job(0, 0), 3), tried(&[3, 256, late])).await;
    play.check(attempt(job(0, 1), 7), tried(&[7])).await;
    for nowhere in [job(0, 3), job(1, 0), job(u32::MAX, u64::MAX)] {
        play.still(attempt(nowhere, 1), AttemptedJob::Gone).await;
    }

    let most: Vec<_> = (10..).take(MAX_ATTEMPTS).collect();
    for id in &most {
        play.ask(attempt(job(0, 2), *id)).await;
    }
    play.check(attempt(job(0, 2), 1), tried(&most)).await;
    play.check(attempt(job(0, 2), 11), tried(&most)).await;

    // Gone when the job is DONE, and when its generation is over.
    play.check(complete(0, [0]), all(1, StoreVerdict::Accepted)).await;
    play.still(attempt(job(0, 0), 8), by_worker()).await;
    play.check(complete(0, [1, 2]), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 1, AfterFold::SameGeneration)).await;
    play.still(attempt(job(0, 0), 8), by_worker()).await;
    play.done(play.fold(0, 3, next_generation())).await;
    play.still(attempt(job(0, 1), 8), by_worker()).await;
    play.done(play.enqueue(1, 0, 3)).await;
    for index in 0..3 {
        play.check(attempt(job(1, index), 9), tried(&[9])).await;
    }

    // And when the job is retried: once more from the beginning.
    play.ask(LeaseJobs { run: RUN, consumer: ANN, most: 1 }).await;
    play.done(ParkJob { run: RUN, consumer: ANN, job: job(1, 0) }).await;
    play.check(attempt(job(1, 0), 5), tried(&[5, 9])).await;
    play.check(retry(vec![job(1, 0)]), 1).await;
    play.check(attempt(job(1, 0), 6), tried(&[6])).await;
}

/// Checks point 8: the store names who resolved a job that somebody had failed, until the
/// generation after the job's ends, or the run is done or rewound.
pub(super) async fn the_resolver_of_a_failed_job_is_named(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let failed = |generation, index| AddAttempt {
        run: RUN,
        job: job(generation, index),
        id: AttemptId(1),
        attempt: b"it fell".to_vec(),
    };
    let by = |worker: CoordinatorId| AttemptedJob::Completed(worker.into());
    play.done(play.enqueue(0, 0, 4)).await;
    for index in 0..3 {
        play.ask(failed(0, index)).await;
    }
    assert_eq!(play.lease(ANN, 1).await, [0]);
    play.park(ANN, 0).await;
    play.done(play.skip(&[0])).await;
    play.check(complete_by(ANN.into(), 0, [1, 3]), all(2, StoreVerdict::Accepted)).await;
    play.check(complete_by(BEN.into(), 0, [2]), all(1, StoreVerdict::Accepted)).await;
    for folded in [0, 3] {
        if folded != 0 {
            play.done(play.fold(0, folded, AfterFold::SameGeneration)).await;
        }
        play.still(failed(0, 0), AttemptedJob::Skipped).await;
        play.still(failed(0, 1), by(ANN)).await;
        play.still(failed(0, 2), by(BEN)).await;
        play.still(failed(0, 3), by(ANN)).await;
        play.restart().await;
    }
    play.done(play.fold(0, 4, next_generation())).await;
    play.done(play.enqueue(1, 0, 2)).await;
    play.still(failed(0, 0), AttemptedJob::Skipped).await;
    play.still(failed(0, 2), by(BEN)).await;
    // Nobody had failed it when it was folded.
    play.still(failed(0, 3), AttemptedJob::Gone).await;

    // A result that is invalidated has resolved nothing.
    play.ask(failed(1, 0)).await;
    play.check(complete_by(BEN.into(), 1, [0, 1]), all(2, StoreVerdict::Accepted)).await;
    play.still(failed(1, 0), by(BEN)).await;
    play.check(play.disown(BEN.into()), vec![(BEN.into(), 2)]).await;
    play.check(failed(1, 0), AttemptedJob::Unresolved(vec![b"it fell".to_vec()])).await;
    play.check(complete_by(ANN.into(), 1, [0, 1]), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(1, 2, next_generation())).await;
    play.still(failed(0, 2), AttemptedJob::Gone).await;
    play.still(failed(1, 0), by(ANN)).await;
    play.done(play.rewind(0, b"at 0")).await;
    for generation in 0..2 {
        play.still(failed(generation, 0), AttemptedJob::Gone).await;
    }
}

fn adopt(consumer: CoordinatorId, indices: &[u64]) -> AdoptJobs {
    AdoptJobs { run: RUN, consumer, jobs: ids(0, indices) }
}

fn retry(jobs: Vec<JobId>) -> RetryJobs {
    RetryJobs { run: RUN, jobs }
}

fn parked(from: u64, most: usize) -> ReadDeadJobs {
    ReadDeadJobs { run: RUN, from, most }
}
