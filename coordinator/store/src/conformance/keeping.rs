//! The points about keeping: written data is kept once, whole, and separate from other data.

use hatchery_core::Digest;
use ulid::Ulid;

use super::medium::Medium;
use super::play::{ANN, Play, RUN, WORKER, all, complete, ids, job, leased, next_generation};
use super::refusal::Refusal;
use super::view::View;
use crate::operation::{
    AddAttempt, AdoptJobs, AppendEvent, ControlView, CreateRun, DeleteRun, DisownResults,
    FindLastRun, FindRun, ListRuns, ParkJob, QuarantineWorker, ReadEvents, RetryJobs, RunForKey,
    SteerRun, TakeLead,
};
use crate::{
    AfterFold, AttemptId, AttemptedJob, LeaderToken, RunId, RunState, SteerAction, StoreCall,
    StoreOperation, StoreVerdict, parts,
};

/// Checks point 1: acknowledged writes outlive the process.
pub(super) async fn acknowledged_writes_outlive_the_process(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let calls: [StoreCall; 21] = [
        play.enqueue(0, 0, 4).into(),
        complete(0, 0..3).into(),
        AppendEvent { run: RUN, event: b"event".to_vec() }.into(),
        play.fold(0, 1, AfterFold::SameGeneration).into(),
        QuarantineWorker { worker: WORKER, reason: "it lied".to_owned() }.into(),
        play.disown(WORKER).into(),
        complete(0, 1..3).into(),
        complete(0, [3]).into(),
        play.fold(0, 4, next_generation()).into(),
        play.enqueue(1, 0, 2).into(),
        complete(1, [0]).into(),
        play.fail("a worker lied").into(),
        SteerRun { run: RUN, steer: SteerAction::Resume }.into(),
        SteerRun { run: RUN, steer: SteerAction::Pause }.into(),
        complete(1, [1]).into(),
        play.fold(1, 2, next_generation()).into(),
        SteerRun { run: RUN, steer: SteerAction::Resume }.into(),
        play.rewind(1, b"checkpoint 1").into(),
        play.enqueue(1, 0, 1).into(),
        complete(1, [0]).into(),
        play.fold(1, 1, AfterFold::Done { record: b"the last".to_vec() }).into(),
    ];
    for call in calls {
        play.ask(call.clone()).await;
        let before = play.view().await;
        play.restart().await;
        assert_eq!(play.view().await, before, "after {call:?} and a restart");
    }
    let position = play.position().await;
    assert_eq!((position.state, position.generation, position.folded), (RunState::Done, 1, 1));
}

/// Checks point 1: every call can be repeated, but for `lead`, `lease` and `append_event`.
pub(super) async fn repeats_change_nothing(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let create = CreateRun {
        run: RUN,
        record: b"another".to_vec(),
        checkpoint: b"2".to_vec(),
        summary: vec![],
        parts: vec![b"a part".to_vec()],
    };
    let attempt = AddAttempt { run: RUN, job: job(0, 2), id: AttemptId(1), attempt: vec![1] };
    let steer = |steer| SteerRun { run: RUN, steer };
    let quarantine = QuarantineWorker { worker: WORKER, reason: "it lied".to_owned() };
    repeat(&play, create, false).await;
    repeat(&play, play.enqueue(0, 0, 3), leased(&[])).await;
    repeat(&play, complete(0, 0..2), all(2, StoreVerdict::Duplicate)).await;
    repeat(&play, attempt, AttemptedJob::Unresolved(vec![vec![1]])).await;
    repeat(&play, AdoptJobs { run: RUN, consumer: ANN, jobs: ids(0, &[2]) }, leased(&[2])).await;
    repeat(&play, ParkJob { run: RUN, consumer: ANN, job: job(0, 2) }, ()).await;
    repeat(&play, RetryJobs { run: RUN, jobs: ids(0, &[2]) }, 0).await;
    repeat(&play, play.fold(0, 1, AfterFold::SameGeneration), ()).await;
    repeat(&play, play.disown(WORKER), vec![]).await;
    repeat(&play, complete(0, 0..3), all(3, StoreVerdict::Duplicate)).await;
    repeat(&play, play.fold(0, 3, AfterFold::SameGeneration), ()).await;
    repeat(&play, play.fold(0, 3, next_generation()), ()).await;
    repeat(&play, steer(SteerAction::Pause), RunState::Paused).await;
    repeat(&play, play.fail("why"), ()).await;
    repeat(&play, steer(SteerAction::Resume), RunState::Active).await;
    repeat(&play, steer(SteerAction::Cancel), RunState::Cancelled).await;
    repeat(&play, steer(SteerAction::Resume), RunState::Active).await;
    repeat(&play, play.enqueue(1, 0, 1), leased(&[])).await;
    repeat(&play, play.rewind(0, b"checkpoint"), ()).await;
    repeat(&play, play.enqueue(0, 0, 1), leased(&[])).await;
    repeat(&play, complete(0, [0]), all(1, StoreVerdict::Duplicate)).await;
    repeat(&play, play.fold(0, 1, AfterFold::Done { record: b"end".to_vec() }), ()).await;
    repeat(&play, quarantine, ()).await;
    let (_, run) = &play.view().await.runs[0];
    assert_eq!((run.record.as_slice(), run.position.revision), (b"record".as_slice(), 10));
}

/// Executes an operation twice: the second time it answers `repeated`, and changes nothing.
async fn repeat<Op: StoreOperation>(play: &Play<'_>, operation: Op, repeated: Op::Answer) {
    play.ask(operation.clone()).await;
    play.still(operation, repeated).await;
}

/// Checks point 1: refused calls change nothing, however far they got.
pub(super) async fn refused_calls_change_nothing(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 4)).await;
    play.check(complete(0, [0, 1, 3]), all(3, StoreVerdict::Accepted)).await;
    // Jobs 0 and 1 could be folded, but 2 has no result.
    for then in [AfterFold::SameGeneration, next_generation(), AfterFold::Done { record: vec![] }] {
        play.refused(play.fold(0, 4, then), Refusal::OutOfStep).await;
    }
    play.done(play.fold(0, 2, AfterFold::SameGeneration)).await;
    play.refused(play.fold(0, 1, AfterFold::SameGeneration), Refusal::OutOfStep).await;
    play.refused(play.fold(0, 5, AfterFold::SameGeneration), Refusal::OutOfStep).await;
    play.refused(play.fold(1, 0, AfterFold::SameGeneration), Refusal::OutOfStep).await;
    play.refused(play.fold(0, 2, next_generation()), Refusal::OutOfStep).await;
    let mut other = play.fold(0, 2, AfterFold::SameGeneration);
    other.fold.checkpoint = b"another one for the same results".to_vec();
    play.refused(other, Refusal::OutOfStep).await;
    play.refused(play.rewind(1, b"not there yet"), Refusal::OutOfStep).await;
}

/// Checks that runs are separate, also runs with neighboring ids, and that they sort by their ids.
pub(super) async fn runs_do_not_mix(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let [before, after] = [RUN.0.0 - 1, RUN.0.0 + 1].map(|id| RunId(Ulid(id)));
    for run in [after, before] {
        let create =
            CreateRun { run, record: vec![], checkpoint: vec![], summary: vec![], parts: vec![] };
        play.check(create, true).await;
        play.done(AppendEvent { run, event: b"of another run".to_vec() }).await;
    }
    assert_eq!(
        play.store().execute(ListRuns).await.expect("a store can be read"),
        [before, RUN, after]
    );
    play.still(FindLastRun, Some(after)).await;
    let others =
        |view: View| -> Vec<_> { view.runs.into_iter().filter(|(id, _)| *id != RUN).collect() };
    let apart = others(play.view().await);
    play.done(play.enqueue(0, 0, 3)).await;
    play.check(complete(0, 0..3), all(3, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 1, AfterFold::SameGeneration)).await;
    for event in [b"one", b"two"] {
        play.done(AppendEvent { run: RUN, event: event.to_vec() }).await;
    }
    assert_eq!(others(play.view().await), apart);
    let store = play.store();
    assert_eq!(
        store.execute(ReadEvents { run: RUN, from: 0 }).await.expect("the run is there"),
        [b"one", b"two"]
    );
    assert_eq!(
        store.execute(ReadEvents { run: RUN, from: 1 }).await.expect("the run is there"),
        [b"two"]
    );
    assert!(
        store.execute(ReadEvents { run: RUN, from: 2 }).await.expect("the run is there").is_empty()
    );
    let theirs = store.execute(TakeLead { run: after }).await.expect("the run is there").lead;
    let lead = LeaderToken { run: RUN, ..theirs };
    play.refused(DisownResults { lead, workers: vec![WORKER] }, Refusal::Fenced).await;

    play.check(RetryJobs { run: after, jobs: ids(0, &[1]) }, 0).await;
    play.check(play.disown(WORKER), vec![(WORKER, 2)]).await;
    play.done(play.rewind(0, b"checkpoint")).await;
    play.steer(SteerAction::Pause, RunState::Paused).await;
    assert_eq!(others(play.view().await), apart);
}

/// Checks that a key means the run that was first given with it.
pub(super) async fn a_key_stands_for_one_run(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let run_for = |key: &[u8], run| RunForKey { key: Digest::of(key), run: RunId(Ulid(run)) };
    let found = |key: &[u8]| FindRun { key: Digest::of(key) };
    let run = |run| RunId(Ulid(run));
    play.still(found(b"a key"), None).await;
    play.still(run_for(b"a key", 5), run(5)).await;
    play.still(run_for(b"a key", 6), run(5)).await;
    play.check(run_for(b"another key", 6), run(6)).await;
    play.check(run_for(b"a third key", 6), run(6)).await;
    play.restart().await;
    play.check(run_for(b"a key", 7), run(5)).await;
    play.check(run_for(b"another key", 7), run(6)).await;
    play.still(found(b"a key"), Some(run(5))).await;
    play.done(DeleteRun { run: run(5) }).await;
    play.still(found(b"a key"), None).await;
    play.still(found(b"another key"), Some(run(6))).await;
}

/// Checks that bytes come back as they were written: none, a zero, more than a page holds.
pub(super) async fn bytes_of_any_size_come_back(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let large: Vec<u8> = (0..1_000_003_u32).map(|i| i.to_le_bytes()[1]).collect();
    for event in [vec![], vec![0], large.clone()] {
        play.done(AppendEvent { run: RUN, event }).await;
    }
    play.done(play.enqueue_with(0, 0, &[&large])).await;
    play.restart().await;
    let events =
        play.store().execute(ReadEvents { run: RUN, from: 0 }).await.expect("the run is there");
    assert!(events == [vec![], vec![0], large.clone()]);
    let view = play.store().view::<ControlView>();
    let part = parts::read_whole(view, RUN, Digest::of(&large)).await;
    assert!(part.expect("a store can be read").is_some_and(|part| part == large));
}
