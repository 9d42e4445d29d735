//! The points about runs: who writes, how generations follow each other, how a run ends.

use hatchery_core::Digest;
use ulid::Ulid;

use super::Medium;
use super::call::{Answer, Call, Refusal};
use super::play::{ANN, Play, RUN, all, claim, complete, job_bytes, next_generation};
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

/// Point 3: only the last leader writes.
pub(super) async fn only_the_last_leader_writes(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 2)).await;
    play.check(complete(0, [0]), all(1, Verdict::Accepted)).await;
    let led = play.store().lead(RUN).await.expect("the run is there");
    assert_eq!(led.position, play.position().await);
    assert_eq!((led.checkpoint, led.table), (b"checkpoint".to_vec(), b"table to 2".to_vec()));
    let (counter, incarnation) = led.lead.token;
    let invented = Lead { run: RUN, token: (counter, incarnation ^ 1) };
    for stale in [play.lead.clone(), invented] {
        assert_ne!(stale, led.lead);
        play.lead = stale;
        for _ in 0..2 {
            play.refused(play.enqueue(0, 2, 1), Refusal::Fenced).await;
            play.refused(play.enqueue(0, 0, 1), Refusal::Fenced).await;
            play.refused(play.fold(0, 1, Then::SameGeneration), Refusal::Fenced).await;
            play.refused(play.end(RunState::Cancelled), Refusal::Fenced).await;
            play.refused(play.reopen(), Refusal::Fenced).await;
            play.restart().await;
        }
    }
    play.lead = led.lead;
    play.done(play.fold(0, 1, Then::SameGeneration)).await;
    // Those who compute need no lead.
    play.check(complete(0, [1]), all(1, Verdict::Accepted)).await;
}

/// Point 6: `fold` removes exactly what it folds.
pub(super) async fn fold_removes_what_it_folds(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 6)).await;
    play.check(complete(0, [0, 1, 2, 3, 5]), all(5, Verdict::Accepted)).await;
    play.done(play.fold(0, 2, Then::SameGeneration)).await;
    play.restart().await;
    assert_eq!(play.outputs().await, [b"output 2", b"output 3"]);
    play.check(claim(2, b"wrong"), all(1, Verdict::Mismatch)).await;
    assert_eq!(play.lease(ANN, 9).await, [4]);
    play.check(claim(4, b"output 4"), all(1, Verdict::Accepted)).await;
    assert_eq!(play.outputs().await.len(), 4);
    let position = play.position().await;
    assert_eq!((position.folded, position.cursor, position.revision), (2, 6, 2));
    let checkpoint = play.store().checkpoint(RUN).await.expect("the run is there");
    assert_eq!(checkpoint, b"checkpoint 0.2");
}

/// Point 6: the next generation begins when all jobs of this one are resolved, with none.
pub(super) async fn a_generation_ends_when_all_is_resolved(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 3)).await;
    play.check(complete(0, [0, 1]), all(2, Verdict::Accepted)).await;
    play.refused(play.fold(0, 2, next_generation()), Refusal::OutOfStep).await;
    play.refused(play.fold(0, 2, Then::Done { record: vec![] }), Refusal::OutOfStep).await;
    play.check(complete(0, [2]), all(1, Verdict::Accepted)).await;
    let turn = play.fold(0, 3, next_generation());
    play.done(turn.clone()).await;
    let position = play.position().await;
    assert_eq!((position.generation, position.cursor, position.folded), (1, 0, 0));
    assert!(play.outputs().await.is_empty());
    let led = play.store().lead(RUN).await.expect("the run is there");
    assert!(led.table.is_empty());
    play.lead = led.lead.clone();

    play.done(play.enqueue(1, 0, 2)).await;
    let Call::Fold { fold, .. } = turn else { unreachable!() };
    let before = play.view().await;
    play.done(Call::Fold { lead: led.lead, fold }).await;
    assert_eq!(play.view().await, before, "after a repeat that comes late");
    let leased = play.ask(Call::Lease { run: RUN, consumer: ANN, most: 1 }).await;
    assert!(matches!(leased, Answer::Leased(jobs) if jobs[0].1 == job_bytes(1, 0)));
    play.refused(play.fold(0, 0, next_generation()), Refusal::OutOfStep).await;

    // A generation without jobs is one too.
    play.check(complete(1, 0..2), all(2, Verdict::Accepted)).await;
    play.done(play.fold(1, 2, next_generation())).await;
    play.done(play.fold(2, 0, Then::NextGeneration { record: b"empty".to_vec() })).await;
    let records = play.store().generations(RUN, 1).await.expect("the run is there");
    assert_eq!(records, [b"record of a generation".as_slice(), b"empty"]);
    assert!(play.store().generations(RUN, 3).await.expect("the run is there").is_empty());
}

/// Point 7: an ended run hands out no job and takes no result.
pub(super) async fn an_ended_run_rests(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 3)).await;
    play.check(complete(0, [0]), all(1, Verdict::Accepted)).await;
    let failed = RunState::Failed { reason: "a reason, in UTF-8: ½".to_owned() };
    play.done(play.end(failed.clone())).await;
    assert_eq!(play.position().await.state, failed);
    assert!(play.lease(ANN, 9).await.is_empty());
    play.check(complete(0, 0..2), all(2, Verdict::Unknown)).await;
    play.refused(play.enqueue(0, 3, 1), Refusal::OutOfStep).await;
    play.refused(play.fold(0, 1, Then::SameGeneration), Refusal::OutOfStep).await;
    play.refused(play.end(RunState::Cancelled), Refusal::OutOfStep).await;
    play.done(Call::AppendEvent { run: RUN, event: b"it failed".to_vec() }).await;

    play.done(play.reopen()).await;
    play.check(complete(0, 1..3), all(2, Verdict::Accepted)).await;
    play.done(play.fold(0, 3, Then::Done { record: b"end".to_vec() })).await;
    assert!(play.lease(ANN, 9).await.is_empty());
    play.check(complete(0, 0..3), all(3, Verdict::Unknown)).await;
    play.refused(play.enqueue(0, 3, 1), Refusal::OutOfStep).await;
    play.refused(play.end(RunState::Cancelled), Refusal::OutOfStep).await;
    let before = play.view().await;
    play.done(play.reopen()).await;
    assert_eq!(play.view().await, before, "a run that is done stays so");
}

/// Point 7: a reopened run has everything it had.
pub(super) async fn a_reopened_run_goes_on(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 4)).await;
    assert_eq!(play.lease(ANN, 2).await, [0, 1]);
    play.check(complete(0, [0, 2]), all(2, Verdict::Accepted)).await;
    let results = play.outputs().await;
    play.done(play.end(RunState::Cancelled)).await;
    play.done(play.reopen()).await;
    assert_eq!(play.outputs().await, results);
    assert_eq!(play.lease(ANN, 9).await, [3], "1 is still leased");
    play.done(play.end(RunState::Cancelled)).await;
    play.restart().await;
    assert_eq!(play.position().await.state, RunState::Cancelled);
    play.done(play.reopen()).await;
    assert_eq!(play.lease(ANN, 9).await, [1, 3]);
    play.check(complete(0, [1, 3]), all(2, Verdict::Accepted)).await;
    play.done(play.fold(0, 4, next_generation())).await;
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
