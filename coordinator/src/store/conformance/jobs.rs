//! The points about jobs: `enqueue`, `lease`, `release`, `complete`, `results`.

use super::Medium;
use super::call::{Answer, Call, Refusal};
use super::play::{
    ANN, BEN, Play, RUN, all, claim, complete, job, job_bytes, next_generation, output,
};
use crate::store::{JobResult, RunState, Then, Verdict};

/// Point 2: of all results for a job one is accepted, and that one stays.
pub(super) async fn one_result_is_accepted(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 3)).await;
    let twice_and_wrong = Call::Complete {
        run: RUN,
        results: [b"right", b"right", b"wrong"]
            .map(|bytes| (job(0, 0), JobResult { output: bytes.to_vec(), cost: vec![] }))
            .to_vec(),
    };
    let verdicts = vec![Verdict::Accepted, Verdict::Duplicate, Verdict::Mismatch];
    play.check(twice_and_wrong, Answer::Verdicts(verdicts)).await;
    play.check(claim(0, b"wrong"), all(1, Verdict::Mismatch)).await;
    play.check(claim(0, b"right"), all(1, Verdict::Duplicate)).await;
    assert_eq!(play.outputs().await, [b"right"]);

    // The cost is kept, but says nothing about who is right.
    let costing = |cost: &[u8]| Call::Complete {
        run: RUN,
        results: vec![(job(0, 1), JobResult { output: output(1), cost: cost.to_vec() })],
    };
    play.check(costing(b"1 s"), all(1, Verdict::Accepted)).await;
    play.check(costing(b"2 s"), all(1, Verdict::Duplicate)).await;
    play.restart().await;
    play.check(costing(b"3 s"), all(1, Verdict::Duplicate)).await;
    let results = play.store().results(RUN, 1, 1).await.expect("the run is there");
    assert_eq!(results, [JobResult { output: output(1), cost: b"1 s".to_vec() }]);

    // What is folded can't be compared any more.
    play.done(play.fold(0, 1, Then::SameGeneration)).await;
    play.check(claim(0, b"right"), all(1, Verdict::Duplicate)).await;
    play.check(claim(0, b"wrong"), all(1, Verdict::Duplicate)).await;
}

/// Point 2: also of results that come at the same time.
pub(super) async fn one_of_several_at_once_is_accepted(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 8)).await;
    let (a, b, c, d) = tokio::join!(
        play.ask(complete(0, 0..8)),
        play.ask(complete(0, (0..8).rev())),
        play.ask(complete(0, 4..8)),
        play.ask(complete(0, 0..4)),
    );
    let verdicts = [a, b, c, d].into_iter().flat_map(|answer| match answer {
        Answer::Verdicts(verdicts) => verdicts,
        answer => panic!("results gave {answer:?}"),
    });
    assert_eq!(verdicts.filter(|verdict| *verdict == Verdict::Accepted).count(), 8);
    assert_eq!(play.outputs().await.len(), 8);
}

/// Point 2: a result of no job is unknown.
pub(super) async fn results_of_no_job_are_unknown(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.check(complete(0, [0]), all(1, Verdict::Unknown)).await;
    play.done(play.enqueue(0, 0, 2)).await;
    play.check(complete(0, [2, u64::MAX]), all(2, Verdict::Unknown)).await;
    play.check(complete(1, [0]), all(1, Verdict::Unknown)).await;
    play.check(complete(0, [0, 1]), all(2, Verdict::Accepted)).await;
    play.done(play.fold(0, 2, next_generation())).await;
    play.done(play.enqueue(1, 0, 2)).await;
    play.check(complete(0, [0]), all(1, Verdict::Unknown)).await;
    assert!(play.outputs().await.is_empty());
    play.check(complete(1, []), all(0, Verdict::Accepted)).await;
}

/// Point 4: `enqueue` appends consecutive jobs at the cursor and leaves others alone.
pub(super) async fn enqueue_appends_at_the_cursor(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.refused(play.enqueue(0, 1, 1), Refusal::OutOfStep).await;
    play.refused(play.enqueue(1, 0, 1), Refusal::OutOfStep).await;
    play.done(play.enqueue(0, 0, 2)).await;
    play.check(complete(0, [1]), all(1, Verdict::Accepted)).await;

    // Two old jobs, of which one has a result, and one new one.
    let Call::Enqueue { lead, mut enqueue } = play.enqueue(0, 0, 3) else { unreachable!() };
    enqueue.jobs[0] = b"another job".to_vec();
    play.done(Call::Enqueue { lead: lead.clone(), enqueue: enqueue.clone() }).await;
    assert_eq!((play.position().await.cursor, play.position().await.revision), (3, 2));

    // No new one: the table is kept too.
    enqueue.jobs.pop();
    enqueue.table = b"an older table".to_vec();
    play.done(Call::Enqueue { lead, enqueue }).await;
    assert_eq!((play.position().await.cursor, play.position().await.revision), (3, 2));
    play.restart().await;
    let leased = [0, 2].map(|index| (job(0, index), job_bytes(0, index))).to_vec();
    play.check(Call::Lease { run: RUN, consumer: ANN, most: 9 }, Answer::Leased(leased)).await;
    let led = play.store().lead(RUN).await.expect("the run is there");
    assert_eq!(led.table, b"table to 3");
}

/// Point 5: `lease` hands out each READY job once, lowest index first.
pub(super) async fn lease_hands_out_each_job_once(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    assert!(play.lease(ANN, 9).await.is_empty());
    play.done(play.enqueue(0, 0, 12)).await;
    assert!(play.lease(ANN, 0).await.is_empty());
    assert_eq!(play.lease(ANN, 2).await, [0, 1]);
    assert_eq!(play.lease(BEN, 1).await, [2]);
    play.check(complete(0, [3, 1]), all(2, Verdict::Accepted)).await;
    assert_eq!(play.lease(ANN, 2).await, [4, 5]);
    play.done(play.enqueue(0, 12, 1)).await;
    assert_eq!(play.lease(BEN, usize::MAX).await, [6, 7, 8, 9, 10, 11, 12]);
    assert!(play.lease(ANN, 9).await.is_empty());
}

/// Point 5: also to consumers that ask at the same time.
pub(super) async fn lease_to_several_at_once_hands_out_each_job_once(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 12)).await;
    let (a, b, c, done) = tokio::join!(
        play.lease(ANN, 4),
        play.lease(BEN, 4),
        play.lease(ANN, 4),
        play.ask(complete(0, 0..12)),
    );
    assert_eq!(done, all(12, Verdict::Accepted));
    let mut leased = [a, b, c].concat();
    leased.sort_unstable();
    let n_leased = leased.len();
    leased.dedup();
    assert_eq!(leased.len(), n_leased);
    assert!(play.lease(ANN, 9).await.is_empty());
}

/// Point 5: only its holder can release a job; then it is leased again, lowest index first.
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
    play.done(Call::Release { run: RUN, consumer: ANN, jobs: other_generation }).await;
    assert_eq!(play.lease(BEN, 1).await, [0]);
    assert_eq!(play.lease(BEN, 9).await, [2]);

    // A result from anyone ends the lease for good.
    play.check(complete(0, [1, 2, 3]), all(3, Verdict::Accepted)).await;
    play.release(ANN, &[1]).await;
    play.release(BEN, &[2, 3]).await;
    assert!(play.lease(ANN, 9).await.is_empty());
}

/// Point 5: leases end with the process, or with the generation.
pub(super) async fn leases_end_with_the_process(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 3)).await;
    assert_eq!(play.lease(ANN, 2).await, [0, 1]);
    play.check(complete(0, [0]), all(1, Verdict::Accepted)).await;
    play.restart().await;
    play.release(ANN, &[1]).await;
    assert_eq!(play.lease(BEN, 9).await, [1, 2]);
    play.check(complete(0, [1, 2]), all(2, Verdict::Accepted)).await;
    play.done(play.fold(0, 3, next_generation())).await;
    play.done(play.enqueue(1, 0, 3)).await;
    play.release(BEN, &[1]).await;
    assert_eq!(play.lease(ANN, 9).await, [0, 1, 2]);
}

/// `results` gives what is DONE from an index on, and ends before the first job that is not.
pub(super) async fn results_end_before_the_first_gap(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue(0, 0, 300)).await;
    // Both sides of 256, where an order of bytes would differ from that of numbers.
    play.check(complete(0, (1..299).rev()), all(298, Verdict::Accepted)).await;
    let indices = async |from, most| {
        let results = play.store().results(RUN, from, most).await.expect("the run is there");
        let outputs: Vec<_> = results.into_iter().map(|result| result.output).collect();
        let n = outputs.len() as u64;
        assert_eq!(outputs, (from..from + n).map(output).collect::<Vec<_>>());
        n
    };
    assert_eq!(indices(0, 9).await, 0);
    play.check(complete(0, [0]), all(1, Verdict::Accepted)).await;
    assert_eq!(indices(0, usize::MAX).await, 299);
    assert_eq!(indices(0, 5).await, 5);
    assert_eq!(indices(0, 0).await, 0);
    assert_eq!(indices(290, 5).await, 5);
    assert_eq!(indices(290, 100).await, 9);
    assert_eq!(indices(299, 9).await, 0);
    play.done(play.end(RunState::Cancelled)).await;
    assert_eq!(indices(0, 9).await, 9);
    play.done(play.reopen()).await;
    play.done(play.fold(0, 100, Then::SameGeneration)).await;
    assert_eq!(indices(99, 9).await, 0);
    assert_eq!(indices(100, 300).await, 199);
}
