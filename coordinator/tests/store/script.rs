//! A run whose calls are known beforehand, so that what a store must show after any of them is too.

use hatchery_coordinator::store::conformance::{Answer, Call, Model, View};
use hatchery_coordinator::store::{
    AfterFold, EnqueueBatch, FoldCommit, JobId, JobResult, LeaderToken, RunId, Store, StoreError,
    WorkerId,
};
use ulid::Ulid;

const RUN: RunId = RunId(Ulid(1));

/// The calls of a generation.
const CALLS: u64 = 10;

/// Who brings all results.
const WORKER: WorkerId = WorkerId(1);

/// Creates the run and takes its lead.
pub(crate) async fn begin(store: &dyn Store) -> Result<LeaderToken, StoreError> {
    store.create(RUN, b"record", b"checkpoint", b"summary").await?;
    Ok(store.lead(RUN).await?.lead)
}

/// Call number `step`, counted from 0.
pub(crate) fn call(step: u64, lead: &LeaderToken) -> Call {
    let generation = u32::try_from(step / CALLS).expect("tests have few generations");
    let enqueue = |first_index: u64, n: u64| Call::Enqueue {
        lead: lead.clone(),
        enqueue: EnqueueBatch {
            generation,
            first_index,
            jobs: (0..n).map(|job| bytes(step, job)).collect(),
            table: bytes(step, n),
            blobs: vec![bytes(step, n)],
        },
    };
    let complete = |indices: &[u64]| Call::Complete {
        run: RUN,
        results: indices
            .iter()
            .map(|&index| {
                let result =
                    JobResult { worker: WORKER, output: bytes(step, index), cost: vec![1] };
                (JobId { generation, index }, result)
            })
            .collect(),
    };
    let fold = |folded, then| Call::Fold {
        lead: lead.clone(),
        fold: FoldCommit {
            generation,
            folded,
            checkpoint: bytes(step, folded),
            summary: bytes(step, 1),
            then,
        },
    };
    match step % CALLS {
        0 => enqueue(0, 4),
        1 => complete(&[1, 0]),
        2 => Call::AppendEvent { run: RUN, event: bytes(step, 0) },
        3 => fold(2, AfterFold::SameGeneration),
        4 => complete(&[3]),
        5 => Call::Disown { lead: lead.clone(), worker: WORKER },
        6 => complete(&[3]),
        7 => enqueue(4, 2),
        8 => complete(&[2, 5, 4]),
        _ => fold(6, AfterFold::NextGeneration { record: bytes(step, 1) }),
    }
}

/// What a store must show after the first `n` calls.
pub(crate) fn view_after(n: u64) -> View {
    let mut model = Model::default();
    model.answer(Call::Create {
        run: RUN,
        record: b"record".into(),
        checkpoint: b"checkpoint".into(),
        summary: b"summary".into(),
    });
    let Answer::Led(led) = model.answer(Call::Lead { run: RUN }) else { unreachable!() };
    for step in 0..n {
        let answer = model.answer(call(step, &led.lead));
        assert!(!matches!(answer, Answer::Refused(_)), "call {step} gave {answer:?}");
    }
    View::of_model(&model)
}

/// Bytes that tell where they belong; some need pages of their own.
fn bytes(step: u64, what: u64) -> Vec<u8> {
    let length = if (step + what).is_multiple_of(5) { 5000 } else { 20 };
    format!("{step}.{what} ").into_bytes().into_iter().cycle().take(length).collect()
}
