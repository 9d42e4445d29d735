//! The points about runs: their leaders, their generations and their end.

use super::medium::Medium;
use super::play::{
    ANN, BEN, Play, RUN, WORKER, all, claim, complete, complete_by, job, job_bytes, leased,
    leased_job, next_generation,
};
use super::refusal::Refusal;
use crate::operation::{
    AddAttempt, FoldResults, LeaseJobs, ParkJob, ReadCheckpoint, ReadGenerations, TakeLead,
};
use crate::{
    AfterFold, AttemptId, AttemptedJob, FencingNonce, FencingToken, LeaderToken, RunState,
    SteerAction, StoreVerdict, WorkerId,
};

/// Checks point 3: only the last leader writes.
pub(super) async fn only_the_last_leader_writes(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 2)).await;
    play.check(complete(0, [0]), all(1, StoreVerdict::Accepted)).await;
    let led = play.store().execute(TakeLead { run: RUN }).await.expect("the run is there");
    assert_eq!(led.position, play.position().await);
    assert_eq!((led.checkpoint, led.table), (b"checkpoint".to_vec(), b"table to 2".to_vec()));
    let invented = LeaderToken {
        run: RUN,
        token: FencingToken { nonce: FencingNonce(led.lead.token.nonce.0 ^ 1), ..led.lead.token },
    };
    for stale in [play.lead, invented] {
        assert_ne!(stale, led.lead);
        play.lead = stale;
        for _ in 0..2 {
            play.refused(play.enqueue(0, 2, 1), Refusal::Fenced).await;
            play.refused(play.enqueue(0, 0, 1), Refusal::Fenced).await;
            play.refused(play.fold(0, 1, AfterFold::SameGeneration), Refusal::Fenced).await;
            play.refused(play.skip(&[1]), Refusal::Fenced).await;
            play.refused(play.disown(WORKER), Refusal::Fenced).await;
            play.refused(play.rewind(0, b"checkpoint"), Refusal::Fenced).await;
            play.refused(play.pause(), Refusal::Fenced).await;
            play.refused(play.standing(), Refusal::Fenced).await;
            play.refused(play.fail("why"), Refusal::Fenced).await;
            play.restart().await;
        }
    }
    play.lead = led.lead;
    play.check(play.standing(), play.position().await).await;
    play.done(play.fold(0, 1, AfterFold::SameGeneration)).await;
    // Those who compute need no lead, and neither do people.
    play.check(complete(0, [1]), all(1, StoreVerdict::Accepted)).await;
    play.steer(SteerAction::Pause, RunState::Paused).await;
}

/// Checks point 6: `fold` removes exactly the jobs that it folds.
pub(super) async fn fold_removes_what_it_folds(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 6)).await;
    play.check(complete(0, [0, 1, 2, 3, 5]), all(5, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 2, AfterFold::SameGeneration)).await;
    play.restart().await;
    assert_eq!(play.outputs().await, [b"output 2", b"output 3"]);
    play.check(claim(2, b"wrong"), all(1, StoreVerdict::Mismatch)).await;
    assert_eq!(play.lease(ANN, 9).await, [4]);
    play.check(claim(4, b"output 4"), all(1, StoreVerdict::Accepted)).await;
    assert_eq!(play.outputs().await.len(), 4);
    let position = play.position().await;
    assert_eq!((position.folded, position.cursor, position.revision), (2, 6, 2));
    let checkpoint =
        play.store().execute(ReadCheckpoint { run: RUN }).await.expect("the run is there");
    assert_eq!(checkpoint, b"checkpoint 0.2");
}

/// Checks point 6: the next generation begins when all jobs of this one are resolved, with none.
pub(super) async fn a_generation_ends_when_all_is_resolved(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 3)).await;
    play.check(complete(0, [0, 1]), all(2, StoreVerdict::Accepted)).await;
    play.refused(play.fold(0, 2, next_generation()), Refusal::OutOfStep).await;
    play.refused(play.fold(0, 2, AfterFold::Done { record: vec![] }), Refusal::OutOfStep).await;
    play.check(complete(0, [2]), all(1, StoreVerdict::Accepted)).await;
    let turn = play.fold(0, 3, next_generation());
    play.done(turn.clone()).await;
    let position = play.position().await;
    assert_eq!((position.generation, position.cursor, position.folded), (1, 0, 0));
    assert!(play.outputs().await.is_empty());
    let led = play.store().execute(TakeLead { run: RUN }).await.expect("the run is there");
    assert!(led.table.is_empty());
    play.lead = led.lead;

    play.done(play.enqueue(1, 0, 2)).await;
    let before = play.view().await;
    play.done(FoldResults { lead: led.lead, ..turn }).await;
    assert_eq!(play.view().await, before, "after a repeat that comes late");
    let leased = play.ask(LeaseJobs { run: RUN, consumer: ANN, most: 1 }).await;
    assert_eq!(leased[0].bytes, job_bytes(1, 0));
    play.refused(play.fold(0, 0, next_generation()), Refusal::OutOfStep).await;

    // A generation without jobs is one too.
    play.check(complete(1, 0..2), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(1, 2, next_generation())).await;
    play.done(play.fold(2, 0, AfterFold::NextGeneration { record: b"empty".to_vec() })).await;
    let records = play
        .store()
        .execute(ReadGenerations { run: RUN, from: 1 })
        .await
        .expect("the run is there");
    assert_eq!(records, [b"record of a generation".as_slice(), b"empty"]);
    assert!(
        play.store()
            .execute(ReadGenerations { run: RUN, from: 3 })
            .await
            .expect("the run is there")
            .is_empty()
    );
}

/// Checks point 9: `disown` makes a worker's DONE jobs READY again.
pub(super) async fn disown_takes_back_what_a_worker_did(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 8)).await;
    assert_eq!(play.lease(ANN, 3).await, [0, 1, 2]);
    play.check(complete_by(BEN.into(), 0, [0, 2, 4, 7]), all(4, StoreVerdict::Accepted)).await;
    play.check(complete_by(ANN.into(), 0, [1, 3]), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 1, AfterFold::SameGeneration)).await;
    let revision = play.position().await.revision;
    play.still(play.disown(WorkerId(BEN.0 - 1)), vec![]).await;
    play.restart().await;
    play.check(play.disown(BEN.into()), vec![(BEN.into(), 3)]).await;
    assert_eq!(play.position().await.revision, revision + 1);
    play.still(play.disown(BEN.into()), vec![]).await;
    assert_eq!(play.outputs().await, [b"output 1"]);
    assert_eq!(play.counts().await, (5, 0));
    play.restart().await;
    assert_eq!(play.outputs().await, [b"output 1"]);

    // They are as jobs that never had a result; only 0 is folded for good.
    play.check(LeaseJobs { run: RUN, consumer: ANN, most: 2 }, leased(&[2, 4])).await;
    play.check(claim(2, b"another output"), all(1, StoreVerdict::Accepted)).await;
    play.check(claim(2, b"output 2"), all(1, StoreVerdict::Mismatch)).await;
    play.release(ANN, &[4]).await;
    assert_eq!(play.lease(BEN, 9).await, [4, 5, 6, 7]);
    let tried = AddAttempt { run: RUN, job: job(0, 4), id: AttemptId(1), attempt: vec![1] };
    play.check(tried, AttemptedJob::Unresolved(vec![vec![1]])).await;
    play.check(complete(0, 4..8), all(4, StoreVerdict::Accepted)).await;

    // In the same process, while some are leased and others are not yet; in a run that rests too.
    play.done(play.enqueue(0, 8, 3)).await;
    assert_eq!(play.lease(ANN, 1).await, [8]);
    play.check(complete_by(BEN.into(), 0, [10, 8]), all(2, StoreVerdict::Accepted)).await;
    play.steer(SteerAction::Cancel, RunState::Cancelled).await;
    play.check(play.disown(BEN.into()), vec![(BEN.into(), 2)]).await;
    play.steer(SteerAction::Resume, RunState::Active).await;
    assert_eq!(play.lease(ANN, 9).await, [8, 9, 10]);
    play.check(complete(0, 8..11), all(3, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 11, next_generation())).await;
    play.still(play.disown(WORKER), vec![]).await;
}

/// Checks point 9: `rewind` goes back to the beginning of a generation, as if nothing had come
/// after it.
pub(super) async fn rewind_goes_back(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 2)).await;
    play.check(complete(0, 0..2), all(2, StoreVerdict::Accepted)).await;
    let record = |n: u8| AfterFold::NextGeneration { record: vec![n] };
    play.done(play.fold(0, 2, record(0))).await;
    play.done(play.fold(1, 0, record(1))).await;
    play.done(play.enqueue(2, 0, 4)).await;
    play.ask(LeaseJobs { run: RUN, consumer: ANN, most: 3 }).await;
    play.check(complete(2, 0..2), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(2, 1, AfterFold::SameGeneration)).await;
    let try_it = |id| AddAttempt { run: RUN, job: job(1, 3), id: AttemptId(id), attempt: vec![3] };
    play.ask(AddAttempt { run: RUN, job: job(2, 3), id: AttemptId(1), attempt: vec![2] }).await;
    play.done(ParkJob { run: RUN, consumer: ANN, job: job(2, 2) }).await;

    play.refused(play.rewind(3, b"later"), Refusal::OutOfStep).await;
    let revision = play.position().await.revision;
    play.done(play.rewind(1, b"at 1")).await;
    for _ in 0..2 {
        let position = play.position().await;
        assert_eq!((position.generation, position.cursor, position.folded), (1, 0, 0));
        assert_eq!((position.state, position.revision), (RunState::Active, revision + 1));
        assert_eq!((play.outputs().await.len(), play.counts().await), (0, (0, 0)));
        let records = play
            .store()
            .execute(ReadGenerations { run: RUN, from: 0 })
            .await
            .expect("the run is there");
        assert_eq!(records, [vec![0]]);
        let led = play.store().execute(TakeLead { run: RUN }).await.expect("the run is there");
        assert_eq!((led.checkpoint, led.table), (b"at 1".to_vec(), vec![]));
        play.lead = led.lead;
        play.still(play.rewind(1, b"at 1"), ()).await;
        play.restart().await;
    }

    // The generation is as new.
    play.check(complete(1, [0]), all(1, StoreVerdict::Unknown)).await;
    play.check(complete(2, [1]), all(1, StoreVerdict::Unknown)).await;
    play.done(play.enqueue(1, 0, 4)).await;
    play.check(try_it(2), AttemptedJob::Unresolved(vec![vec![3]])).await;
    let all_four = (0..4).map(|index| leased_job(1, index)).collect();
    play.check(LeaseJobs { run: RUN, consumer: BEN, most: 9 }, all_four).await;
    play.check(complete(1, 0..4), all(4, StoreVerdict::Accepted)).await;
    play.done(play.fold(1, 4, record(7))).await;
    let records = play
        .store()
        .execute(ReadGenerations { run: RUN, from: 0 })
        .await
        .expect("the run is there");
    assert_eq!(records, [[0], [7]]);
}

/// Checks point 9: `rewind` also goes to the beginning of the current generation, with leases and
/// all; but only in an active run.
pub(super) async fn rewind_is_for_active_runs(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.still(play.rewind(0, b"checkpoint"), ()).await;
    play.done(play.rewind(0, b"a better one")).await;
    play.done(play.enqueue(0, 0, 3)).await;
    assert_eq!(play.lease(ANN, 2).await, [0, 1]);
    play.done(play.rewind(0, b"a better one")).await;
    assert_eq!(play.position().await.revision, 3);
    play.done(play.enqueue(0, 0, 2)).await;
    play.release(ANN, &[0]).await;
    assert_eq!(play.lease(BEN, 9).await, [0, 1]);
    for (steer, state) in
        [(SteerAction::Pause, RunState::Paused), (SteerAction::Cancel, RunState::Cancelled)]
    {
        play.steer(steer, state).await;
        play.refused(play.rewind(0, b"the best one"), Refusal::OutOfStep).await;
    }
    play.steer(SteerAction::Resume, RunState::Active).await;
    play.check(complete(0, 0..2), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 2, AfterFold::Done { record: b"end".to_vec() })).await;
    play.refused(play.rewind(0, b"a better one"), Refusal::OutOfStep).await;
}
