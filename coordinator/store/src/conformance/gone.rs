//! The points about missing runs: never created, or deleted.

use hatchery_core::{Digest, Part};
use ulid::Ulid;

use super::medium::Medium;
use super::play::{ANN, BEN, Play, RUN, WORKER, all, complete, job};
use super::refusal::Refusal;
use crate::operation::{
    AddAttempt, AdoptJobs, AppendEvent, ClaimRun, CompleteJobs, CreateRun, DeleteRun,
    EnqueueAndLease, FindParts, FinishPart, LeaseJobs, ListRuns, ParkJob, ReadCheckpoint,
    ReadClaim, ReadDeadJobs, ReadEvents, ReadGenerations, ReadJobs, ReadPart, ReadPosition,
    ReadRecord, ReadResults, ReleaseJobs, RenewLeases, RetryJobs, SteerRun, TakeLead, WritePart,
};
use crate::{
    AfterFold, AttemptId, AttemptedJob, EnqueueBatch, RunId, SteerAction, StoreCall, StoreVerdict,
};

/// Checks that all operations on a missing run return an error.
pub(super) async fn a_missing_run_is_an_error(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let run = RunId(Ulid(7));
    play.lead.run = run;
    for call in calls_on(&play, run) {
        play.refused(call, Refusal::NoRun).await;
    }
    let hash = Digest::of(b"");
    play.check(ReadPart { run, hash, index: 0 }, None).await;
    play.check(FindParts { run, parts: vec![hash] }, vec![None]).await;
    play.done(DeleteRun { run }).await;
}

/// Returns all operations that need an existing run.
fn calls_on(play: &Play<'_>, run: RunId) -> [StoreCall; 28] {
    [
        TakeLead { run }.into(),
        play.enqueue(0, 0, 1).into(),
        LeaseJobs { run, consumer: ANN, most: 1 }.into(),
        ReleaseJobs { run, consumer: ANN, jobs: vec![] }.into(),
        RenewLeases { run, consumer: ANN, jobs: vec![] }.into(),
        AdoptJobs { run, consumer: ANN, jobs: vec![] }.into(),
        AddAttempt { run, job: job(0, 0), id: AttemptId(0), attempt: vec![] }.into(),
        ParkJob { run, consumer: ANN, job: job(0, 0) }.into(),
        RetryJobs { run, jobs: vec![] }.into(),
        CompleteJobs { run, results: vec![] }.into(),
        play.fold(0, 0, AfterFold::SameGeneration).into(),
        play.skip(&[]).into(),
        play.pause().into(),
        play.standing().into(),
        play.disown(WORKER).into(),
        play.rewind(0, b"").into(),
        play.fail("why").into(),
        SteerRun { run, steer: SteerAction::Pause }.into(),
        SteerRun { run, steer: SteerAction::Resume }.into(),
        AppendEvent { run, event: vec![] }.into(),
        ReadRecord { run }.into(),
        ReadPosition { run }.into(),
        ReadCheckpoint { run }.into(),
        ReadJobs { run, jobs: vec![] }.into(),
        ReadDeadJobs { run, from: 0, most: 1 }.into(),
        ReadResults { run, from: 0, most: 1 }.into(),
        ReadGenerations { run, from: 0 }.into(),
        ReadEvents { run, from: 0 }.into(),
    ]
}

/// Checks that nothing is left of a deleted run, and that other runs stay.
pub(super) async fn a_deleted_run_is_gone(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let other = RunId(Ulid(RUN.0.0 + 1));
    let create = CreateRun {
        run: other,
        record: vec![],
        checkpoint: vec![],
        summary: vec![],
        parts: vec![],
    };
    play.check(create, true).await;
    let lead = play.store().execute(TakeLead { run: other }).await.expect("the run is there").lead;
    let enqueue = EnqueueBatch { parts: vec![b"its".to_vec()], ..EnqueueBatch::default() };
    play.done(EnqueueAndLease { lead, enqueue, consumer: ANN, most: 0 }).await;
    fill(&play).await;
    play.done(DeleteRun { run: RUN }).await;
    for _ in 0..2 {
        play.still(DeleteRun { run: RUN }, ()).await;
        for call in calls_on(&play, RUN) {
            play.refused(call, Refusal::NoRun).await;
        }
        check_no_parts(&play).await;
        assert_eq!(play.store().execute(ListRuns).await.expect("a store can be read"), [other]);
        play.restart().await;
    }
    let part = ReadPart { run: other, hash: Digest::of(b"its"), index: 0 };
    play.check(part, Some(b"its".to_vec())).await;
}

/// Checks that a run that is created again after its deletion has nothing of its former content.
pub(super) async fn a_deleted_run_can_be_made_again(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    fill(&play).await;
    play.done(DeleteRun { run: RUN }).await;
    let (record, checkpoint) = (b"new record".to_vec(), b"new".to_vec());
    let create = CreateRun { run: RUN, record, checkpoint, summary: vec![], parts: vec![] };
    play.check(create, true).await;
    check_no_parts(&play).await;
    play.refused(play.enqueue(0, 0, 1), Refusal::Fenced).await;
    play.refused(play.fail("why"), Refusal::Fenced).await;
    play.refused(play.rewind(0, b"new"), Refusal::Fenced).await;
    let led = play.store().execute(TakeLead { run: RUN }).await.expect("the run is there");
    assert_eq!((led.checkpoint, led.table), (b"new".to_vec(), vec![]));
    assert_eq!((led.position.revision, led.position.cursor), (0, 0));
    play.lead = led.lead;
    let (_, run) = &play.view().await.runs[0];
    assert_eq!(run.record, b"new record");
    assert!(run.events.is_empty() && run.generations.is_empty() && run.parked.is_empty());
    play.check(complete(1, [0]), all(1, StoreVerdict::Unknown)).await;
    let claimed = ReadClaim { run: RUN };
    play.check(claimed, None).await;

    play.done(play.fold(0, 0, AfterFold::NextGeneration { record: vec![] })).await;
    play.done(play.enqueue(1, 0, 4)).await;
    assert_eq!(play.counts().await, (4, 0));
    assert_eq!(play.lease(BEN, 9).await, [0, 1, 2, 3]);
    let attempt = AddAttempt { run: RUN, job: job(1, 2), id: AttemptId(2), attempt: vec![2] };
    play.check(attempt, AttemptedJob::Unresolved(vec![vec![2]])).await;
}

/// Writes the only chunk of a part that is not finished.
fn write_open() -> WritePart {
    WritePart { run: RUN, part: Part::of(b"open"), index: 0, chunk: b"open".to_vec() }
}

/// Checks that neither the whole part nor the other part exists.
async fn check_no_parts(play: &Play<'_>) {
    let hash = Digest::of(b"a part");
    play.check(ReadPart { run: RUN, hash, index: 0 }, None).await;
    play.check(FindParts { run: RUN, parts: vec![hash] }, vec![None]).await;
    play.check(FinishPart { run: RUN, part: Part::of(b"open") }, false).await;
}

/// Writes something of everything that a store has of a run: in generation 1, jobs that are DONE,
/// LEASED, PARKED and READY.
async fn fill(play: &Play<'_>) {
    play.done(play.enqueue_with(0, 0, &[b"a part"])).await;
    play.done(write_open()).await;
    play.done(play.fold(0, 0, AfterFold::NextGeneration { record: b"record".to_vec() })).await;
    play.done(play.enqueue(1, 0, 4)).await;
    play.ask(LeaseJobs { run: RUN, consumer: ANN, most: 3 }).await;
    play.check(complete(1, [0]), all(1, StoreVerdict::Accepted)).await;
    play.ask(AddAttempt { run: RUN, job: job(1, 2), id: AttemptId(1), attempt: vec![1] }).await;
    play.done(ParkJob { run: RUN, consumer: ANN, job: job(1, 2) }).await;
    play.done(AppendEvent { run: RUN, event: b"event".to_vec() }).await;
    let progress = b"half".to_vec();
    let claim = ClaimRun { run: RUN, coordinator: ANN, progress };
    play.check(claim, true).await;
    assert_eq!(play.counts().await, (3, 1));
}
