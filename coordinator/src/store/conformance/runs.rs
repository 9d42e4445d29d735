//! The points about runs: who writes, how generations follow each other, how a run ends.

use super::Medium;
use super::call::{Answer, Call, Refusal};
use super::play::{ANN, Play, RUN, all, claim, complete, job_bytes, next_generation};
use crate::store::{Lead, RunState, Then, Verdict};

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
