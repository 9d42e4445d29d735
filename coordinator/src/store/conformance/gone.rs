//! The points about missing runs: never created, or deleted.

use hatchery_core::Digest;
use ulid::Ulid;

use super::call::{Answer, Call, Enroll, Read, Refusal};
use super::medium::Medium;
use super::play::{ANN, BEN, Play, RUN, WORKER, all, complete, job};
use crate::store::{AfterFold, AttemptId, EnqueueBatch, RunId, SteerAction, StoreVerdict};

/// Checks that all operations on a missing run return an error.
pub(super) async fn a_missing_run_is_an_error(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let run = RunId(Ulid(7));
    play.lead.run = run;
    for call in calls_on(&play, run) {
        play.refused(call, Refusal::NoRun).await;
    }
    let hash = Digest::of(b"");
    play.check(Call::Read(Read::Blob { run, hash }), Answer::Blob(None)).await;
    play.done(Call::Delete { run }).await;
}

/// Returns all operations that need an existing run.
fn calls_on(play: &Play<'_>, run: RunId) -> [Call; 29] {
    [
        Call::Lead { run },
        play.enqueue(0, 0, 1),
        play.enqueue_and_lease(0, 0, 1, ANN, 1),
        Call::Lease { run, consumer: ANN, most: 1 },
        Call::Release { run, consumer: ANN, jobs: vec![] },
        Call::Renew { run, consumer: ANN, jobs: vec![] },
        Call::Adopt { run, consumer: ANN, jobs: vec![] },
        Call::Attempt { run, job: job(0, 0), id: AttemptId(0), attempt: vec![] },
        Call::Park { run, consumer: ANN, job: job(0, 0) },
        Call::Retry { run, jobs: vec![] },
        Call::Complete { run, results: vec![] },
        play.fold(0, 0, AfterFold::SameGeneration),
        play.skip(&[]),
        play.pause(),
        play.standing(),
        play.disown(WORKER),
        play.rewind(0, b""),
        play.fail("why"),
        Call::Steer { run, steer: SteerAction::Pause },
        Call::Steer { run, steer: SteerAction::Resume },
        Call::AppendEvent { run, event: vec![] },
        Call::Read(Read::Record { run }),
        Call::Read(Read::Position { run }),
        Call::Read(Read::Checkpoint { run }),
        Call::Read(Read::Jobs { run, jobs: vec![] }),
        Call::Read(Read::Parked { run, from: 0, most: 1 }),
        Call::Read(Read::Results { run, from: 0, most: 1 }),
        Call::Read(Read::Generations { run, from: 0 }),
        Call::Read(Read::Events { run, from: 0 }),
    ]
}

/// Checks that nothing is left of a deleted run, and that others stay.
pub(super) async fn a_deleted_run_is_gone(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let other = RunId(Ulid(RUN.0.0 + 1));
    let create = Call::Create { run: other, record: vec![], checkpoint: vec![], summary: vec![] };
    play.check(create, Answer::Created(true)).await;
    let lead = play.store().lead(other).await.expect("the run is there").lead;
    let enqueue = EnqueueBatch { blobs: vec![b"its".to_vec()], ..EnqueueBatch::default() };
    play.done(Call::Enqueue { lead, enqueue }).await;
    fill(&play).await;
    play.done(Call::Delete { run: RUN }).await;
    for _ in 0..2 {
        play.still(Call::Delete { run: RUN }, Answer::Done).await;
        for call in calls_on(&play, RUN) {
            play.refused(call, Refusal::NoRun).await;
        }
        let blob = Call::Read(Read::Blob { run: RUN, hash: Digest::of(b"a blob") });
        play.check(blob, Answer::Blob(None)).await;
        assert_eq!(play.store().runs().await.expect("a store can be read"), [other]);
        play.restart().await;
    }
    let blob = Call::Read(Read::Blob { run: other, hash: Digest::of(b"its") });
    play.check(blob, Answer::Blob(Some(b"its".to_vec()))).await;
}

/// Checks that a run that is created again after its deletion has nothing of its former content.
pub(super) async fn a_deleted_run_can_be_made_again(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    fill(&play).await;
    play.done(Call::Delete { run: RUN }).await;
    let (record, checkpoint) = (b"new record".to_vec(), b"new".to_vec());
    play.check(
        Call::Create { run: RUN, record, checkpoint, summary: vec![] },
        Answer::Created(true),
    )
    .await;
    for call in [play.enqueue(0, 0, 1), play.fail("why"), play.rewind(0, b"new")] {
        play.refused(call, Refusal::Fenced).await;
    }
    let led = play.store().lead(RUN).await.expect("the run is there");
    assert_eq!((led.checkpoint, led.table), (b"new".to_vec(), vec![]));
    assert_eq!((led.position.revision, led.position.cursor), (0, 0));
    play.lead = led.lead;
    let (_, run) = &play.view().await.runs[0];
    assert_eq!(run.record, b"new record");
    assert!(run.events.is_empty() && run.generations.is_empty() && run.parked.is_empty());
    play.check(complete(1, [0]), all(1, StoreVerdict::Unknown)).await;
    let blob = Call::Read(Read::Blob { run: RUN, hash: Digest::of(b"a blob") });
    play.check(blob, Answer::Blob(None)).await;
    let claimed = Call::Enroll(Enroll::Claimed { run: RUN });
    play.check(claimed, Answer::Claimed(None)).await;

    play.done(play.fold(0, 0, AfterFold::NextGeneration { record: vec![] })).await;
    play.done(play.enqueue(1, 0, 4)).await;
    assert_eq!(play.counts().await, (4, 0));
    assert_eq!(play.lease(BEN, 9).await, [0, 1, 2, 3]);
    let attempt = Call::Attempt { run: RUN, job: job(1, 2), id: AttemptId(2), attempt: vec![2] };
    play.check(attempt, Answer::Many(vec![vec![2]])).await;
}

/// Writes something of everything that a store has of a run: in generation 1, jobs that are DONE,
/// LEASED, PARKED and READY.
async fn fill(play: &Play<'_>) {
    play.done(play.enqueue_with(0, 0, &[b"a blob"])).await;
    play.done(play.fold(0, 0, AfterFold::NextGeneration { record: b"record".to_vec() })).await;
    play.done(play.enqueue(1, 0, 4)).await;
    play.ask(Call::Lease { run: RUN, consumer: ANN, most: 3 }).await;
    play.check(complete(1, [0]), all(1, StoreVerdict::Accepted)).await;
    play.ask(Call::Attempt { run: RUN, job: job(1, 2), id: AttemptId(1), attempt: vec![1] }).await;
    play.done(Call::Park { run: RUN, consumer: ANN, job: job(1, 2) }).await;
    play.done(Call::AppendEvent { run: RUN, event: b"event".to_vec() }).await;
    let progress = b"half".to_vec();
    let claim = Enroll::Claim { run: RUN, coordinator: ANN, progress };
    play.check(Call::Enroll(claim), Answer::Claims(true)).await;
    assert_eq!(play.counts().await, (3, 1));
}
