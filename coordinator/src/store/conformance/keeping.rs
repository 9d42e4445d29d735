//! The points about keeping: what was written is there, once, whole, and apart from the rest.

use hatchery_core::Digest;
use ulid::Ulid;

use super::Medium;
use super::call::{Answer, Call, Refusal};
use super::play::{ANN, Play, RUN, all, complete, next_generation};
use super::view::View;
use crate::store::{Lead, RunId, RunState, StoreError, Then, Verdict};

/// Point 1: what was acknowledged outlives the process.
pub(super) async fn acknowledged_writes_outlive_the_process(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let calls = [
        play.enqueue(0, 0, 4),
        complete(0, 0..3),
        Call::AppendEvent { run: RUN, event: b"event".to_vec() },
        play.fold(0, 1, Then::SameGeneration),
        complete(0, [3]),
        play.fold(0, 4, next_generation()),
        play.enqueue(1, 0, 2),
        complete(1, [0]),
        play.end(RunState::Failed { reason: "a worker lied".to_owned() }),
        play.reopen(),
        complete(1, [1]),
        play.fold(1, 2, Then::Done { record: b"the last".to_vec() }),
    ];
    for call in calls {
        play.ask(call.clone()).await;
        let before = play.view().await;
        play.restart().await;
        assert_eq!(play.view().await, before, "after {call:?} and a restart");
    }
    let position = play.position().await;
    assert_eq!((position.state, position.generation, position.folded), (RunState::Done, 1, 2));
}

/// Point 1: every call can be repeated, but for `lead`, `lease` and `append_event`.
pub(super) async fn repeats_change_nothing(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let create = Call::Create { run: RUN, record: b"another".to_vec(), checkpoint: b"2".to_vec() };
    let calls = [
        (create, Answer::Done),
        (play.enqueue(0, 0, 3), Answer::Done),
        (complete(0, 0..2), all(2, Verdict::Duplicate)),
        (play.fold(0, 1, Then::SameGeneration), Answer::Done),
        (complete(0, 0..3), all(3, Verdict::Duplicate)),
        (play.fold(0, 3, Then::SameGeneration), Answer::Done),
        (play.fold(0, 3, next_generation()), Answer::Done),
        (play.end(RunState::Cancelled), Answer::Done),
        (play.reopen(), Answer::Done),
        (play.enqueue(1, 0, 1), Answer::Done),
        (complete(1, [0]), all(1, Verdict::Duplicate)),
        (play.fold(1, 1, Then::Done { record: b"end".to_vec() }), Answer::Done),
    ];
    for (call, repeated) in calls {
        play.ask(call.clone()).await;
        let once = play.view().await;
        play.check(call.clone(), repeated).await;
        assert_eq!(play.view().await, once, "after {call:?} for the second time");
    }
    let View(runs) = play.view().await;
    let (_, run) = &runs[0];
    assert_eq!((run.record.as_slice(), run.position.revision), (b"record".as_slice(), 8));
}

/// Point 1: what is refused changes nothing, however far it got.
pub(super) async fn refused_calls_change_nothing(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 4)).await;
    play.check(complete(0, [0, 1, 3]), all(3, Verdict::Accepted)).await;
    // Jobs 0 and 1 could be folded, but 2 has no result.
    for then in [Then::SameGeneration, next_generation(), Then::Done { record: vec![] }] {
        play.refused(play.fold(0, 4, then), Refusal::OutOfStep).await;
    }
    play.done(play.fold(0, 2, Then::SameGeneration)).await;
    play.refused(play.fold(0, 1, Then::SameGeneration), Refusal::OutOfStep).await;
    play.refused(play.fold(0, 5, Then::SameGeneration), Refusal::OutOfStep).await;
    play.refused(play.fold(1, 0, Then::SameGeneration), Refusal::OutOfStep).await;
    play.refused(play.fold(0, 2, next_generation()), Refusal::OutOfStep).await;
    let Call::Fold { lead, mut fold } = play.fold(0, 2, Then::SameGeneration) else {
        unreachable!()
    };
    fold.checkpoint = b"another one for the same results".to_vec();
    play.refused(Call::Fold { lead, fold }, Refusal::OutOfStep).await;
    play.refused(play.end(RunState::Active), Refusal::OutOfStep).await;
    play.refused(play.end(RunState::Done), Refusal::OutOfStep).await;
}

/// Runs are apart, also those whose ids are neighbors, and sort by their ids.
pub(super) async fn runs_do_not_mix(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let [before, after] = [RUN.0.0 - 1, RUN.0.0 + 1].map(|id| RunId(Ulid(id)));
    for run in [after, before] {
        play.done(Call::Create { run, record: vec![], checkpoint: vec![] }).await;
        play.done(Call::AppendEvent { run, event: b"of another run".to_vec() }).await;
    }
    assert_eq!(play.store().runs().await.expect("a store can be read"), [before, RUN, after]);
    let others =
        |View(runs): View| -> Vec<_> { runs.into_iter().filter(|(id, _)| *id != RUN).collect() };
    let apart = others(play.view().await);
    play.done(play.enqueue(0, 0, 3)).await;
    play.check(complete(0, 0..3), all(3, Verdict::Accepted)).await;
    play.done(play.fold(0, 1, Then::SameGeneration)).await;
    for event in [b"one", b"two"] {
        play.done(Call::AppendEvent { run: RUN, event: event.to_vec() }).await;
    }
    assert_eq!(others(play.view().await), apart);
    let store = play.store();
    assert_eq!(store.events(RUN, 0).await.expect("the run is there"), [b"one", b"two"]);
    assert_eq!(store.events(RUN, 1).await.expect("the run is there"), [b"two"]);
    assert!(store.events(RUN, 2).await.expect("the run is there").is_empty());
    let theirs = store.lead(after).await.expect("the run is there").lead;
    let ours = Call::Reopen { lead: Lead { run: RUN, ..theirs } };
    play.refused(ours, Refusal::Fenced).await;
}

/// All operations on a run that is not there say so.
pub(super) async fn a_missing_run_is_an_error(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let run = RunId(Ulid(7));
    play.lead.run = run;
    let calls = [
        Call::Lead { run },
        play.enqueue(0, 0, 1),
        Call::Lease { run, consumer: ANN, most: 1 },
        Call::Release { run, consumer: ANN, jobs: vec![] },
        Call::Complete { run, results: vec![] },
        play.fold(0, 0, Then::SameGeneration),
        play.end(RunState::Cancelled),
        play.reopen(),
        Call::AppendEvent { run, event: vec![] },
    ];
    for call in calls {
        play.refused(call, Refusal::NoRun).await;
    }
    let store = play.store();
    let answers = [
        store.record(run).await.map(drop),
        store.position(run).await.map(drop),
        store.checkpoint(run).await.map(drop),
        store.results(run, 0, 1).await.map(drop),
        store.generations(run, 0).await.map(drop),
        store.events(run, 0).await.map(drop),
    ];
    for answer in answers {
        assert!(matches!(answer, Err(StoreError::NoRun { run: missing }) if missing == run));
    }
}

/// Blobs are found by their hash, and by no other.
pub(super) async fn blobs_are_found_by_their_hash(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    for blob in [b"".as_slice(), b"a blob", b"a blob"] {
        let put = Call::PutBlob { blob: blob.to_owned() };
        play.check(put, Answer::Hash(Digest::of(blob))).await;
    }
    play.restart().await;
    for (blob, found) in [(b"".as_slice(), true), (b"a blob", true), (b"another", false)] {
        let kept = play.store().blob(Digest::of(blob)).await.expect("a store can be read");
        assert_eq!(kept.as_deref(), found.then_some(blob));
    }
}

/// Bytes come back as they went in: none, a zero, more than a page holds.
pub(super) async fn bytes_of_any_size_come_back(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let large: Vec<u8> = (0..1_000_003_u32).map(|i| i.to_le_bytes()[1]).collect();
    for event in [vec![], vec![0], large.clone()] {
        play.done(Call::AppendEvent { run: RUN, event }).await;
    }
    let put = Call::PutBlob { blob: large.clone() };
    play.check(put, Answer::Hash(Digest::of(&large))).await;
    play.restart().await;
    let events = play.store().events(RUN, 0).await.expect("the run is there");
    assert!(events == [vec![], vec![0], large.clone()]);
    let blob = play.store().blob(Digest::of(&large)).await.expect("a store can be read");
    assert!(blob == Some(large));
}
