//! The points about jobs and their results: `enqueue`, `complete`, `results`, `jobs`.

use super::medium::Medium;
use super::play::{
    ANN, BEN, Play, RUN, WORKER, all, claim, complete, complete_by, ids, job, job_bytes, leased,
    next_generation, output,
};
use super::refusal::Refusal;
use crate::operation::{CompleteJobs, LeaseJobs, ReadJobs, ReadResults, TakeLead};
use crate::{AfterFold, JobId, JobResult, RunState, SteerAction, StoreVerdict, WorkerId};

/// Checks point 2: exactly one result for a job is accepted, and it stays.
pub(super) async fn one_result_is_accepted(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 3)).await;
    let twice_and_wrong = CompleteJobs {
        run: RUN,
        results: [b"right", b"right", b"wrong"]
            .map(|output| (job(0, 0), result(output, b"")))
            .to_vec(),
    };
    let verdicts = vec![StoreVerdict::Accepted, StoreVerdict::Duplicate, StoreVerdict::Mismatch];
    play.check(twice_and_wrong, verdicts).await;
    play.check(claim(0, b"wrong"), all(1, StoreVerdict::Mismatch)).await;
    play.check(claim(0, b"right"), all(1, StoreVerdict::Duplicate)).await;
    assert_eq!(play.outputs().await, [b"right"]);

    // The cost and the worker are kept, but say nothing about who is right.
    let again = |worker, cost| CompleteJobs {
        run: RUN,
        results: vec![(job(0, 1), JobResult { worker, ..result(&output(1), cost) })],
    };
    play.check(again(WORKER, b"1 s"), all(1, StoreVerdict::Accepted)).await;
    play.check(again(WORKER, b"2 s"), all(1, StoreVerdict::Duplicate)).await;
    play.check(again(WorkerId(WORKER.0 + 1), b"1 s"), all(1, StoreVerdict::Duplicate)).await;
    play.restart().await;
    play.check(again(WorkerId(0), b"3 s"), all(1, StoreVerdict::Duplicate)).await;
    let page = play
        .store()
        .execute(ReadResults { run: RUN, from: 1, most: 1 })
        .await
        .expect("the run is there");
    assert_eq!(page.results, [result(&output(1), b"1 s")]);

    // What is folded can't be compared any more.
    play.done(play.fold(0, 1, AfterFold::SameGeneration)).await;
    play.check(claim(0, b"right"), all(1, StoreVerdict::Duplicate)).await;
    play.check(claim(0, b"wrong"), all(1, StoreVerdict::Duplicate)).await;
}

fn result(output: &[u8], cost: &[u8]) -> JobResult {
    JobResult { worker: WORKER, output: output.to_owned(), cost: cost.to_owned(), parts: vec![] }
}

/// Checks point 2: of results that come at the same time, too, one is accepted.
pub(super) async fn one_of_several_at_once_is_accepted(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 8)).await;
    let (a, b, c, d) = tokio::join!(
        play.ask(complete(0, 0..8)),
        play.ask(complete(0, (0..8).rev())),
        play.ask(complete(0, 4..8)),
        play.ask(complete(0, 0..4)),
    );
    let verdicts = [a, b, c, d].into_iter().flatten();
    assert_eq!(verdicts.filter(|verdict| *verdict == StoreVerdict::Accepted).count(), 8);
    assert_eq!(play.outputs().await.len(), 8);
}

/// Checks point 2: a result of no job is unknown.
pub(super) async fn results_of_no_job_are_unknown(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.check(complete(0, [0]), all(1, StoreVerdict::Unknown)).await;
    play.done(play.enqueue(0, 0, 2)).await;
    play.check(complete(0, [2, u64::MAX]), all(2, StoreVerdict::Unknown)).await;
    play.check(complete(1, [0]), all(1, StoreVerdict::Unknown)).await;
    play.check(complete(0, [0, 1]), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 2, next_generation())).await;
    play.done(play.enqueue(1, 0, 2)).await;
    play.check(complete(0, [0]), all(1, StoreVerdict::Unknown)).await;
    assert!(play.outputs().await.is_empty());
    play.check(complete(1, []), all(0, StoreVerdict::Accepted)).await;
}

/// Checks point 4: `enqueue` appends consecutive jobs at the cursor and leaves other jobs alone.
pub(super) async fn enqueue_appends_at_the_cursor(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.refused(play.enqueue(0, 1, 1), Refusal::OutOfStep).await;
    play.refused(play.enqueue(1, 0, 1), Refusal::OutOfStep).await;
    play.done(play.enqueue(0, 0, 2)).await;
    play.check(complete(0, [1]), all(1, StoreVerdict::Accepted)).await;

    // Two old jobs, of which one has a result, and one new one.
    let mut again = play.enqueue(0, 0, 3);
    again.enqueue.jobs[0] = b"another job".to_vec();
    play.done(again.clone()).await;
    assert_eq!((play.position().await.cursor, play.position().await.revision), (3, 2));

    // No new one: the table is kept too.
    again.enqueue.jobs.pop();
    again.enqueue.table = b"an older table".to_vec();
    play.done(again).await;
    assert_eq!((play.position().await.cursor, play.position().await.revision), (3, 2));
    play.restart().await;
    play.check(LeaseJobs { run: RUN, consumer: ANN, most: 9 }, leased(&[0, 2])).await;
    let led = play.store().execute(TakeLead { run: RUN }).await.expect("the run is there");
    assert_eq!(led.table, b"table to 3");
}

/// Checks that `results` returns the DONE jobs from an index on, and ends before the first job that
/// is not DONE.
pub(super) async fn results_end_before_the_first_gap(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 300)).await;
    // Both sides of 256, where an order of bytes would differ from that of numbers.
    play.check(complete(0, (1..299).rev()), all(298, StoreVerdict::Accepted)).await;
    let indices = async |from, most| {
        let page = play
            .store()
            .execute(ReadResults { run: RUN, from, most })
            .await
            .expect("the run is there");
        assert_eq!((page.n_unresolved, page.n_parked), play.counts().await);
        let outputs: Vec<_> = page.results.into_iter().map(|result| result.output).collect();
        let n = outputs.len() as u64;
        assert_eq!(outputs, (from..from + n).map(output).collect::<Vec<_>>());
        n
    };
    assert_eq!(indices(0, 9).await, 0);
    play.check(complete(0, [0]), all(1, StoreVerdict::Accepted)).await;
    assert_eq!(indices(0, usize::MAX).await, 299);
    assert_eq!(indices(0, 5).await, 5);
    assert_eq!(indices(0, 0).await, 0);
    assert_eq!(indices(290, 5).await, 5);
    assert_eq!(indices(290, 100).await, 9);
    assert_eq!(indices(299, 9).await, 0);
    assert_eq!(play.counts().await, (1, 0));
    play.steer(SteerAction::Cancel, RunState::Cancelled).await;
    assert_eq!(indices(0, 9).await, 9);
    assert_eq!(play.page().await.state, RunState::Cancelled);
    play.steer(SteerAction::Resume, RunState::Active).await;
    play.done(play.fold(0, 100, AfterFold::SameGeneration)).await;
    assert_eq!(indices(99, 9).await, 0);
    assert_eq!(indices(100, 300).await, 199);
}

/// Checks that the bytes of a job stay until it is folded, also when it is DONE.
pub(super) async fn bytes_are_there_until_the_fold(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let show = |jobs: Vec<JobId>| ReadJobs { run: RUN, jobs };
    let shown = |indices: &[Option<u64>]| {
        indices.iter().map(|index| index.map(|it| job_bytes(0, it))).collect()
    };
    play.done(play.enqueue(0, 0, 4)).await;
    play.check(show(vec![]), shown(&[])).await;
    assert_eq!(play.lease(ANN, 1).await, [0]);
    play.check(complete_by(BEN.into(), 0, [0, 2]), all(2, StoreVerdict::Accepted)).await;
    play.restart().await;
    let some = ids(0, &[3, 0, 4, 2, 3, u64::MAX]);
    let wanted = shown(&[Some(3), Some(0), None, Some(2), Some(3), None]);
    play.check(show(some), wanted).await;
    play.check(show(vec![job(1, 0), job(u32::MAX, 1)]), shown(&[None, None])).await;
    play.done(play.fold(0, 1, AfterFold::SameGeneration)).await;
    play.check(show(ids(0, &[0, 1])), shown(&[None, Some(1)])).await;
    play.check(complete(0, [1, 3]), all(2, StoreVerdict::Accepted)).await;
    play.done(play.fold(0, 4, next_generation())).await;
    play.check(show(ids(0, &[1, 3])), shown(&[None, None])).await;
}
