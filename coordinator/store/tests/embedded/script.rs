//! A run whose calls are known beforehand, so that the expected content of the store after any call
//! is known too.

use hatchery_core::{Digest, Part};
use hatchery_store::conformance::{Model, View};
use hatchery_store::operation::{
    AppendEvent, CompleteJobs, CreateRun, DisownResults, EnqueueAndLease, FoldResults, TakeLead,
};
use hatchery_store::{
    AfterFold, CoordinatorId, EnqueueBatch, FoldCommit, JobId, JobResult, LeaderToken,
    PartRetention, RunId, Store, StoreCall, StoreError, WorkerId,
};
use ulid::Ulid;

const RUN: RunId = RunId(Ulid(1));

/// The calls of a generation.
const CALLS: u64 = 10;

/// The worker that brings all results.
const WORKER: WorkerId = WorkerId(1);

/// Creates the run and takes its lead.
pub(crate) async fn begin(store: &Store) -> Result<LeaderToken, StoreError> {
    store.execute(create()).await?;
    Ok(store.execute(TakeLead { run: RUN }).await?.lead)
}

fn create() -> CreateRun {
    let [record, checkpoint, summary] = ["record", "checkpoint", "summary"].map(Vec::from);
    CreateRun { run: RUN, record, checkpoint, summary, parts: vec![b"part".to_vec()] }
}

/// Call number `step`, counted from 0.
pub(crate) fn call(step: u64, lead: LeaderToken) -> StoreCall {
    let generation = u32::try_from(step / CALLS).expect("tests have few generations");
    let enqueue = |first_index: u64, n: u64| EnqueueAndLease {
        lead,
        enqueue: EnqueueBatch {
            generation,
            first_index,
            jobs: (0..n).map(|job| bytes(step, job)).collect(),
            table: bytes(step, n),
            parts: vec![bytes(step, n)],
        },
        consumer: CoordinatorId(0),
        most: 0,
    };
    let complete = |indices: &[u64]| CompleteJobs {
        run: RUN,
        results: indices
            .iter()
            .map(|&index| {
                let (output, parts) = (bytes(step, index), vec![Part::of(b"part")]);
                let result = JobResult { worker: WORKER, output, cost: vec![1], parts };
                (JobId { generation, index }, result)
            })
            .collect(),
    };
    let fold = |folded, retention, then| FoldResults {
        lead,
        fold: FoldCommit {
            generation,
            folded,
            checkpoint: bytes(step, folded),
            summary: bytes(step, 1),
            parts: vec![b"part".to_vec(), bytes(step, 2)],
            retention,
            then,
        },
    };
    match step % CALLS {
        0 => enqueue(0, 4).into(),
        1 => complete(&[1, 0]).into(),
        2 => AppendEvent { run: RUN, event: bytes(step, 0) }.into(),
        3 => {
            let dropped = PartRetention::Drop(vec![Digest::of(&bytes(step - 3, 4))]);
            fold(2, dropped, AfterFold::SameGeneration).into()
        }
        4 => complete(&[3]).into(),
        5 => DisownResults { lead, workers: vec![WORKER] }.into(),
        6 => complete(&[3]).into(),
        7 => enqueue(4, 2).into(),
        8 => complete(&[2, 5, 4]).into(),
        _ => {
            let then = AfterFold::NextGeneration { record: bytes(step, 1) };
            fold(6, PartRetention::Keep(vec![]), then).into()
        }
    }
}

/// Returns the view of a store after the first `n` calls.
pub(crate) fn view_after(n: u64) -> View {
    let mut model = Model::default();
    model.execute(create()).expect("it is new");
    let led = model.execute(TakeLead { run: RUN }).expect("it is there");
    for step in 0..n {
        let answer = model.execute(call(step, led.lead));
        assert!(answer.is_ok(), "call {step} gave {answer:?}");
    }
    View::of_model(&model)
}

/// Returns bytes that show where they belong; some values need pages of their own.
fn bytes(step: u64, what: u64) -> Vec<u8> {
    let length = if (step + what).is_multiple_of(5) { 5000 } else { 20 };
    format!("{step}.{what} ").into_bytes().into_iter().cycle().take(length).collect()
}
