//! Exports a stored run in one piece, for a client of the same build.

use hatchery_proto::PROTOCOL;
use hatchery_proto::v1::{ByteChunk, RunExport};
use hatchery_store::operation::{
    ControlView, ReadCheckpoint, ReadEvents, ReadGenerations, ReadPosition, ReadRecord,
};
use hatchery_store::{RunId, RunPosition, RunState, StoreView};
use prost::Message;
use prost::bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;
use tokio_stream::Stream;
use tonic::Status;

use super::{refusal, status};
use crate::coordinator::Coordinator;
use crate::run::large_value;
use crate::run::record::{Checkpoint, hashes};

/// The most attempts to read a run whose position changes during the read. A read takes
/// milliseconds, a generation rarely less.
const MAX_READS: usize = 32;

/// Returns a consistent export of `run`, without its parts.
pub(super) async fn run(coordinator: &Coordinator, run: RunId) -> Result<RunExport, Status> {
    let store = coordinator.views().control();
    for _ in 0..MAX_READS {
        let before = store.execute(ReadPosition { run }).await.map_err(refusal::store)?;
        let checkpoint = store.execute(ReadCheckpoint { run }).await.map_err(refusal::store)?;
        let Some(state) = state(store, run, &checkpoint).await? else { continue };
        let export = RunExport {
            protocol: PROTOCOL,
            state: state.into(),
            checkpoint,
            status: Some(status::status(coordinator, run).await.map_err(refusal::store)?),
            record: store.execute(ReadRecord { run }).await.map_err(refusal::store)?,
            generations: store
                .execute(ReadGenerations { run, from: 0 })
                .await
                .map_err(refusal::store)?,
            events: texts(
                &store.execute(ReadEvents { run, from: 0 }).await.map_err(refusal::store)?,
            ),
        };
        let after = store.execute(ReadPosition { run }).await.map_err(refusal::store)?;
        if moment(&before) == moment(&after) {
            return Ok(export);
        }
    }
    Err(moving(run))
}

/// Returns the state that a checkpoint names; `None` if the run has replaced it meanwhile.
async fn state(
    store: StoreView<'_, ControlView>,
    run: RunId,
    checkpoint: &[u8],
) -> Result<Option<Bytes>, Status> {
    let checkpoint = Checkpoint::decode(checkpoint)
        .map_err(|error| refusal::unreadable(run, "checkpoint", &error))?;
    if checkpoint.state_parts.is_empty() {
        return Ok(Some(checkpoint.state.into()));
    }
    let parts = hashes(&checkpoint.state_parts);
    large_value::read(store, run, &parts).await.map_err(refusal::store)
}

/// Splits `bytes` into chunks of `chunk_bytes`, at least one, so that an empty value differs from
/// no value. Holds the permit `place` until the last chunk is taken.
pub(super) fn chunks(
    bytes: Bytes,
    chunk_bytes: usize,
    place: OwnedSemaphorePermit,
) -> impl Stream<Item = Result<ByteChunk, Status>> + Send {
    let n_chunks = bytes.len().div_ceil(chunk_bytes).max(1);
    tokio_stream::iter((0..n_chunks).map(move |number| {
        let _place = &place;
        let start = number * chunk_bytes;
        let end = bytes.len().min(start + chunk_bytes);
        Ok(ByteChunk { data: bytes.slice(start..end) })
    }))
}

/// Returns the fields of a position that must not change during a read; the jobs may change.
fn moment(position: &RunPosition) -> (&RunState, u32) {
    (&position.state, position.generation)
}

fn moving(run: RunId) -> Status {
    Status::unavailable(format!("run {run} advances faster than it can be read: try again"))
}

/// Converts events to text: they are JSON.
fn texts(events: &[Vec<u8>]) -> Vec<String> {
    events.iter().map(|event| String::from_utf8_lossy(event).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;
    use tokio_stream::StreamExt;

    use super::*;

    #[tokio::test]
    async fn chunks_are_the_whole_in_order() {
        for n_bytes in [0, 1, 9, 10, 11, 35] {
            let place = Arc::new(Semaphore::new(1)).acquire_owned().await.unwrap();
            let bytes: Bytes = (0..n_bytes).collect();
            let chunks: Vec<_> =
                chunks(bytes.clone(), 10, place).map(Result::unwrap).collect().await;
            assert_eq!(chunks.len(), usize::from(n_bytes).div_ceil(10).max(1));
            assert_eq!(chunks.concat_data(), bytes);
        }
    }

    trait ConcatData {
        fn concat_data(&self) -> Vec<u8>;
    }

    impl ConcatData for Vec<ByteChunk> {
        fn concat_data(&self) -> Vec<u8> {
            self.iter().flat_map(|chunk| chunk.data.iter().copied()).collect()
        }
    }
}
