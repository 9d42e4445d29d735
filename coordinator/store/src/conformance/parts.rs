//! The points about parts: bytes behind a hash, which arrive in chunks.

use bytes::Bytes;
use hatchery_core::part::PART_CHUNK_BYTES;
use hatchery_core::{Digest, Part};
use ulid::Ulid;

use super::medium::Medium;
use super::play::{ANN, Play, RUN, WORKER, all, claim, complete, job, next_generation, output};
use super::refusal::Refusal;
use crate::operation::{
    CompleteJobs, ControlView, CreateRun, DeleteRun, EnqueueAndLease, FindParts, FinishPart,
    ReadPart, SteerRun, TakeLead, WritePart,
};
use crate::parts::{read_whole, write_whole};
use crate::{
    AfterFold, EnqueueBatch, JobResult, PartRetention, RunId, RunState, SteerAction, StoreError,
    StoreVerdict,
};

/// A run that is not created, or later than [`RUN`].
const OTHER: RunId = RunId(Ulid(RUN.0.0 + 1));

/// Returns bytes of two chunks.
fn two_chunks(tag: u8) -> Vec<u8> {
    [vec![tag; PART_CHUNK_BYTES], vec![tag, 1]].concat()
}

/// Writes a chunk of the part with these bytes.
fn write(run: RunId, bytes: &[u8], index: u32) -> WritePart {
    let chunk = bytes.chunks(PART_CHUNK_BYTES).nth(index as usize).unwrap_or_default().to_vec();
    WritePart { run, part: Part::of(bytes), index, chunk }
}

fn finish(run: RunId, bytes: &[u8]) -> FinishPart {
    FinishPart { run, part: Part::of(bytes) }
}

impl Play<'_> {
    /// Writes a part with one chunk or two.
    async fn write_all(&self, run: RunId, bytes: &[u8]) {
        for index in 0..Part::of(bytes).n_chunks() {
            self.done(write(run, bytes, index)).await;
        }
        self.check(finish(run, bytes), true).await;
    }

    /// Checks that the run has the parts `there`, and has nothing of the parts `gone`.
    async fn has(&self, run: RunId, there: &[&[u8]], gone: &[&[u8]]) {
        let all = || there.iter().chain(gone);
        let parts = all().map(|bytes| Digest::of(bytes)).collect();
        let found = all().enumerate().map(|(i, bytes)| (i < there.len()).then(|| Part::of(bytes)));
        self.check(FindParts { run, parts }, found.collect()).await;
        for bytes in there {
            let read = read_whole(self.parts(), run, Digest::of(bytes)).await;
            assert!(read.expect("a store can be read").is_some_and(|read| read == *bytes));
        }
        for bytes in gone {
            let hash = Digest::of(bytes);
            self.check(ReadPart { run, hash, index: 0 }, None).await;
            let read = read_whole(self.parts(), run, hash).await;
            assert_eq!(read.expect("a store can be read"), None);
        }
    }

    fn parts(&self) -> crate::StoreView<'_, ControlView> {
        self.store().view()
    }
}

/// Checks point 10: a part exists as a whole or not at all, and then no longer changes.
pub(super) async fn a_part_is_whole_when_all_chunks_are_there(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let bytes = two_chunks(7);
    let hash = Digest::of(&bytes);
    play.check(finish(RUN, &bytes), false).await;
    play.done(write(RUN, &bytes, 1)).await;
    play.check(finish(RUN, &bytes), false).await;
    play.done(write(RUN, &bytes, 1)).await;
    play.check(finish(RUN, &bytes), false).await;
    play.has(RUN, &[], &[&bytes]).await;
    let wrong = WritePart { chunk: vec![8; PART_CHUNK_BYTES], ..write(RUN, &bytes, 0) };
    play.done(wrong.clone()).await;
    play.has(RUN, &[], &[&bytes]).await;
    play.done(write(RUN, &bytes, 0)).await;
    for _ in 0..2 {
        play.check(finish(RUN, &bytes), true).await;
        play.has(RUN, &[&bytes], &[b"another"]).await;
        play.check(ReadPart { run: RUN, hash, index: 2 }, None).await;
        play.done(wrong.clone()).await;
        play.has(RUN, &[&bytes], &[]).await;
        play.restart().await;
    }
    play.check(FindParts { run: RUN, parts: vec![] }, vec![]).await;
    let many: Vec<_> = (0..600_u32).map(|tag| Digest::of(&tag.to_le_bytes())).collect();
    let found = [vec![None; 600], vec![Some(Part::of(&bytes))]].concat();
    play.check(FindParts { run: RUN, parts: [many, vec![hash]].concat() }, found).await;
}

/// Checks point 10: of two lengths of a part the last length counts, until the part is whole.
pub(super) async fn a_part_has_one_length(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let bytes = two_chunks(7);
    let hash = Digest::of(&bytes);
    let short = Part::new(hash, 1).expect("it is short");
    let short_write = || WritePart { run: RUN, part: short, index: 0, chunk: vec![7] };
    play.done(write(RUN, &bytes, 0)).await;
    play.done(short_write()).await;
    play.check(finish(RUN, &bytes), false).await;
    play.done(write(RUN, &bytes, 1)).await;
    play.check(FinishPart { run: RUN, part: short }, false).await;
    play.check(finish(RUN, &bytes), false).await;
    play.write_all(RUN, &bytes).await;
    play.done(short_write()).await;
    play.check(FinishPart { run: RUN, part: short }, false).await;
    play.has(RUN, &[&bytes], &[]).await;
}

/// Checks point 10: bytes that are no chunk of the part are refused.
pub(super) async fn other_bytes_are_no_chunk(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let bytes = two_chunks(7);
    let part = Part::of(&bytes);
    for (index, n_bytes) in [(0, 0), (0, PART_CHUNK_BYTES - 1), (1, 1), (1, 3), (2, 0), (9, 2)] {
        let operation = WritePart { run: RUN, part, index, chunk: vec![7; n_bytes] };
        let refused = play.store().execute(operation).await;
        assert!(
            matches!(refused, Err(StoreError::WrongChunk { index: of, n_bytes: n, .. })
                if (of, n) == (index, n_bytes)),
            "{refused:?}"
        );
    }
    play.check(finish(RUN, &bytes), false).await;
}

/// Checks that parts are found by their hash, in their run, and by no other.
pub(super) async fn parts_are_found_by_their_hash(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.check(create(OTHER, &[b"created"]), true).await;
    play.check(create(OTHER, &[b"created again"]), false).await;
    let theirs =
        play.store().execute(TakeLead { run: OTHER }).await.expect("the run is there").lead;
    // With a job, with none, and again.
    play.done(play.enqueue_with(0, 1, &[b"", b"a part"])).await;
    play.done(play.enqueue_with(1, 0, &[b"a part", b"alone"])).await;
    let enqueue = EnqueueBatch { parts: vec![b"its".to_vec()], ..EnqueueBatch::default() };
    play.done(EnqueueAndLease { lead: theirs, enqueue, consumer: ANN, most: 0 }).await;
    play.refused(play.enqueue_with(2, 1, &[b"too far"]), Refusal::OutOfStep).await;
    for _ in 0..2 {
        play.has(RUN, &[b"", b"a part", b"alone"], &[b"its", b"created", b"too far"]).await;
        play.has(OTHER, &[b"its", b"created"], &[b"", b"a part", b"alone", b"created again"]).await;
        play.restart().await;
    }
}

/// Checks that whole parts of any size are written and read, and are not written twice.
pub(super) async fn parts_of_any_size_come_back(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let sizes = [0, 1, PART_CHUNK_BYTES, PART_CHUNK_BYTES + 1, 5 * PART_CHUNK_BYTES - 1];
    let bytes = |n_bytes: usize| -> Bytes {
        (0..n_bytes).map(|i| i.to_le_bytes()[usize::from(n_bytes.is_multiple_of(2))]).collect()
    };
    for n_bytes in sizes {
        for _ in 0..2 {
            let written = write_whole(play.parts(), RUN, &bytes(n_bytes)).await;
            assert_eq!(written.expect("a part can be written"), Part::of(&bytes(n_bytes)));
        }
    }
    play.restart().await;
    for n_bytes in sizes {
        play.has(RUN, &[&bytes(n_bytes)], &[]).await;
    }
    let wrong = WritePart { chunk: vec![8; 3], ..write(RUN, b"abc", 0) };
    play.done(wrong).await;
    play.check(finish(RUN, b"abc"), true).await;
    let read = read_whole(play.parts(), RUN, Digest::of(b"abc")).await;
    assert!(matches!(read, Err(StoreError::PartDamaged { .. })), "{read:?}");
}

/// Checks point 11: parts are written before their run is created, and are gone unless it is.
pub(super) async fn parts_come_before_their_run(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let never = RunId(Ulid(RUN.0.0 - 1));
    for run in [OTHER, never] {
        play.write_all(run, &two_chunks(1)).await;
        play.done(write(run, &two_chunks(2), 0)).await;
        play.has(run, &[&two_chunks(1)], &[&two_chunks(2)]).await;
        play.has(RUN, &[], &[&two_chunks(1)]).await;
    }
    play.check(create(OTHER, &[b"created"]), true).await;
    play.restart().await;
    play.has(OTHER, &[&two_chunks(1), b"created"], &[]).await;
    if !medium.keeps_open_parts() {
        play.check(finish(OTHER, &two_chunks(2)), false).await;
        play.done(write(OTHER, &two_chunks(2), 0)).await;
    }
    play.done(write(OTHER, &two_chunks(2), 1)).await;
    play.check(finish(OTHER, &two_chunks(2)), true).await;
    play.has(never, &[], &[&two_chunks(1)]).await;
    play.done(write(never, &two_chunks(1), 1)).await;
    play.check(finish(never, &two_chunks(1)), false).await;

    play.write_all(never, b"deleted").await;
    play.done(DeleteRun { run: never }).await;
    play.has(never, &[], &[b"deleted"]).await;
    play.check(finish(never, &two_chunks(1)), false).await;
}

/// Checks point 10: a run that has ended gets no new part.
pub(super) async fn an_ended_run_gets_no_part(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    let ended = async |half: &[u8]| {
        play.refused(write(RUN, b"late", 0), Refusal::OutOfStep).await;
        play.refused(finish(RUN, b"late"), Refusal::OutOfStep).await;
        play.refused(write(RUN, half, 1), Refusal::OutOfStep).await;
        play.refused(finish(RUN, half), Refusal::OutOfStep).await;
        play.still(write(RUN, b"whole", 0), ()).await;
        play.still(finish(RUN, b"whole"), true).await;
        play.has(RUN, &[b"whole"], &[half, b"late"]).await;
    };
    play.write_all(RUN, b"whole").await;
    let half = two_chunks(1);
    play.done(write(RUN, &half, 0)).await;
    play.steer(SteerAction::Pause, RunState::Paused).await;
    play.write_all(RUN, b"paused").await;
    play.steer(SteerAction::Cancel, RunState::Cancelled).await;
    ended(&half).await;
    play.steer(SteerAction::Resume, RunState::Active).await;
    play.done(play.fail("why")).await;
    ended(&half).await;
    play.steer(SteerAction::Resume, RunState::Active).await;
    play.done(write(RUN, &half, 1)).await;
    play.check(finish(RUN, &half), true).await;
    play.done(play.fold(0, 0, AfterFold::Done { record: vec![] })).await;
    ended(&two_chunks(2)).await;
}

/// Completes job 0 with an output that names these parts.
fn naming(output: &[u8], parts: Vec<Part>) -> CompleteJobs {
    let result = JobResult { worker: WORKER, output: output.to_owned(), cost: vec![], parts };
    CompleteJobs { run: RUN, results: vec![(job(0, 0), result)] }
}

/// Checks point 12: a result is accepted once its parts exist.
pub(super) async fn a_result_waits_for_its_parts(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    let (whole, half) = (Part::of(b"whole"), two_chunks(1));
    let names = vec![whole, Part::of(&half)];
    let missing = async |parts| {
        play.still(naming(&output(0), parts), vec![StoreVerdict::PartsMissing]).await;
    };
    play.check(naming(b"", names.clone()), vec![StoreVerdict::Unknown]).await;
    play.done(play.enqueue(0, 0, 3)).await;
    missing(names.clone()).await;
    play.write_all(RUN, b"whole").await;
    play.done(write(RUN, &half, 0)).await;
    missing(names.clone()).await;
    missing(vec![Part::new(whole.hash(), 1).expect("it is short")]).await;
    play.done(write(RUN, &half, 1)).await;
    missing(names.clone()).await;
    play.check(finish(RUN, &half), true).await;
    // Each result is judged by itself.
    let mut several = naming(&output(0), names.clone());
    several.results.extend(complete(0, [1]).results);
    let of_others = naming(b"other", vec![Part::of(b"nowhere")]).results.remove(0);
    several.results.insert(1, (job(0, 2), of_others.1));
    let verdicts = vec![StoreVerdict::Accepted, StoreVerdict::PartsMissing, StoreVerdict::Accepted];
    play.check(several, verdicts).await;
    // It is resolved: parts that are missing do not matter any more.
    let nowhere = || vec![Part::of(b"nowhere")];
    play.still(naming(&output(0), nowhere()), vec![StoreVerdict::Duplicate]).await;
    play.still(naming(b"another", nowhere()), vec![StoreVerdict::Mismatch]).await;
    play.restart().await;
    let page = play.page().await;
    assert_eq!(page.results[0].parts, names);
    assert!(page.results[1].parts.is_empty() && page.results.len() == 2);
    play.done(play.fold(0, 1, AfterFold::SameGeneration)).await;
    play.still(naming(b"another", nowhere()), vec![StoreVerdict::Duplicate]).await;
    play.check(claim(2, &output(2)), all(1, StoreVerdict::Accepted)).await;
    play.check(play.disown(WORKER), vec![(WORKER, 2)]).await;
    play.check(naming(b"", nowhere()), vec![StoreVerdict::Duplicate]).await;
    play.check(SteerRun { run: RUN, steer: SteerAction::Cancel }, RunState::Cancelled).await;
    play.check(naming(b"", nowhere()), vec![StoreVerdict::Unknown]).await;
}

/// Checks point 13: a fold removes the parts that it does not name, and a repeated fold removes
/// none.
pub(super) async fn a_fold_names_the_parts_that_stay(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.check(create(OTHER, &[b"its"]), true).await;
    let (large, half) = (two_chunks(1), two_chunks(2));
    play.done(play.enqueue_with(0, 4, &[b"first", b"second"])).await;
    play.write_all(RUN, &large).await;
    play.done(write(RUN, &half, 0)).await;
    play.check(complete(0, 0..3), all(3, StoreVerdict::Accepted)).await;

    let mut fold = play.fold(0, 1, AfterFold::SameGeneration);
    fold.fold.parts = vec![b"third".to_vec(), two_chunks(3)];
    play.done(fold).await;
    play.has(RUN, &[b"first", b"second", b"third", &large, &two_chunks(3)], &[&half]).await;

    let mut fold = play.fold(0, 2, AfterFold::SameGeneration);
    let kept = [b"first".as_slice(), &large, &half, b"nowhere"].map(Digest::of);
    fold.fold.retention = PartRetention::Keep(kept.into());
    fold.fold.parts = vec![b"fourth".to_vec()];
    let mut refused = fold.clone();
    refused.fold.folded = 4;
    play.refused(refused, Refusal::OutOfStep).await;
    play.has(RUN, &[b"second", b"third"], &[b"fourth"]).await;
    play.done(fold.clone()).await;
    for _ in 0..2 {
        let gone: [&[u8]; 3] = [b"second", b"third", &two_chunks(3)];
        play.has(RUN, &[b"first", &large, b"fourth"], &gone).await;
        play.has(OTHER, &[b"its"], &[]).await;
        play.restart().await;
    }
    play.write_all(RUN, b"fifth").await;
    play.still(fold, ()).await;
    play.has(RUN, &[b"first", &large, b"fourth", b"fifth"], &[]).await;

    // One that is named is finished later; one that is not is forgotten.
    play.write_all(RUN, &half).await;
    play.done(write(RUN, &two_chunks(4), 0)).await;
    play.check(complete(0, [3]), all(1, StoreVerdict::Accepted)).await;
    let mut fold = play.fold(0, 4, next_generation());
    fold.fold.retention = PartRetention::Keep(vec![]);
    play.done(fold).await;
    play.has(RUN, &[], &[b"first", &large, &half]).await;
    play.done(write(RUN, &two_chunks(4), 1)).await;
    play.check(finish(RUN, &two_chunks(4)), false).await;
}

/// Checks point 13: a fold removes exactly the parts that it drops, and a repeated fold removes no
/// part.
pub(super) async fn a_fold_names_the_parts_that_go(medium: &dyn Medium) {
    let mut play = Play::begin(medium).await;
    play.check(create(OTHER, &[b"first"]), true).await;
    let (large, half, other_half) = (two_chunks(1), two_chunks(2), two_chunks(3));
    play.done(play.enqueue_with(0, 3, &[b"first", b"second", b"third"])).await;
    play.write_all(RUN, &large).await;
    play.done(write(RUN, &half, 0)).await;
    play.done(write(RUN, &other_half, 0)).await;
    play.check(complete(0, 0..2), all(2, StoreVerdict::Accepted)).await;

    let mut fold = play.fold(0, 1, AfterFold::SameGeneration);
    let dropped = [b"first".as_slice(), b"second", &large, &half, b"nowhere"].map(Digest::of);
    fold.fold.retention = PartRetention::Drop(dropped.into());
    fold.fold.parts = vec![b"second".to_vec(), b"fourth".to_vec()];
    let mut refused = fold.clone();
    refused.fold.folded = 3;
    play.refused(refused, Refusal::OutOfStep).await;
    play.has(RUN, &[b"first", b"second", b"third", &large], &[b"fourth"]).await;
    play.done(fold.clone()).await;
    // One that was dropped begins anew; another one is finished.
    for (bytes, is_there) in [(&half, false), (&other_half, true)] {
        play.done(write(RUN, bytes, 1)).await;
        play.check(finish(RUN, bytes), is_there).await;
    }
    for _ in 0..2 {
        let there: [&[u8]; 4] = [b"second", b"third", b"fourth", &other_half];
        play.has(RUN, &there, &[b"first", &large, &half]).await;
        play.has(OTHER, &[b"first"], &[]).await;
        play.restart().await;
    }
    play.write_all(RUN, b"first").await;
    play.still(fold, ()).await;
    play.has(RUN, &[b"first", b"second"], &[]).await;
}

/// Checks point 13: a rewind removes the parts that it does not name, and a repeated rewind removes
/// none.
pub(super) async fn a_rewind_names_the_parts_that_stay(medium: &dyn Medium) {
    let play = Play::begin(medium).await;
    play.done(play.enqueue_with(0, 1, &[b"first", b"second"])).await;
    play.done(write(RUN, &two_chunks(1), 0)).await;
    play.done(play.rewind(0, b"all")).await;
    play.has(RUN, &[b"first", b"second"], &[]).await;
    let mut some = play.rewind(0, b"some");
    some.keep = Some(vec![Digest::of(b"first")]);
    let mut refused = some.clone();
    refused.generation = 1;
    play.refused(refused, Refusal::OutOfStep).await;
    play.has(RUN, &[b"first", b"second"], &[]).await;
    play.done(some.clone()).await;
    play.has(RUN, &[b"first"], &[b"second"]).await;
    play.done(write(RUN, &two_chunks(1), 1)).await;
    play.check(finish(RUN, &two_chunks(1)), false).await;
    play.write_all(RUN, b"third").await;
    play.still(some, ()).await;
    play.has(RUN, &[b"first", b"third"], &[]).await;
}

fn create(run: RunId, parts: &[&[u8]]) -> CreateRun {
    let parts = parts.iter().map(|part| part.to_vec()).collect();
    CreateRun { run, record: vec![], checkpoint: vec![], summary: vec![], parts }
}
