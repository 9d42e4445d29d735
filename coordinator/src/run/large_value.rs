//! Values of any size, kept as parts of a run: states, tallies, outputs of jobs.

use hatchery_core::{Digest, LargeValue, Part, PartMessage};
use hatchery_store::operation::{
    AllowedIn, FindParts, FinishPart, LocatePart, ReadPart, WritePart,
};
use hatchery_store::parts::{read_whole, write_whole};
use hatchery_store::{INLINE_PART_BYTES, JobResult, RunId, StoreError, StoreView};
use prost::Message;
use prost::bytes::Bytes;

use super::record::{Checkpoint, StoredOutput, hashes};

/// Parts are on the wire as they are in stores.
const _: () = assert!(
    hatchery_proto::MAX_PART_BYTES == hatchery_core::part::MAX_PART_BYTES
        && hatchery_proto::PART_CHUNK_BYTES == hatchery_core::part::PART_CHUNK_BYTES
);

/// The largest output of a job that is stored as it is: pages of results stay small.
const MAX_INLINE_OUTPUT_BYTES: usize = 256 << 10;

/// Cuts a value into parts, and returns their names and bytes in order.
pub(crate) fn cut(value: Vec<u8>) -> (Vec<PartMessage>, Vec<Bytes>) {
    let pieces: Vec<_> = LargeValue::pieces(&value.into()).collect();
    (pieces.iter().map(|piece| Part::of(piece).to_message()).collect(), pieces)
}

/// Returns the state of a first checkpoint if it is small. The state's parts come first in `parts`.
pub(crate) fn first_state(checkpoint: &Checkpoint, parts: &[Bytes]) -> Option<Bytes> {
    let [_] = checkpoint.state_parts.as_slice() else { return None };
    parts.first().filter(|state| state.len() <= INLINE_PART_BYTES).cloned()
}

/// Writes the parts that are too large to travel with an operation, and returns the other parts.
///
/// # Errors
/// If the store cannot be written.
pub(crate) async fn write_large<View>(
    view: StoreView<'_, View>,
    run: RunId,
    parts: Vec<Bytes>,
) -> Result<Vec<Vec<u8>>, StoreError>
where
    FindParts: AllowedIn<View>,
    WritePart: AllowedIn<View>,
    FinishPart: AllowedIn<View>,
{
    let (mut small, mut n_bytes) = (Vec::new(), 0);
    for part in parts {
        if n_bytes + part.len() <= INLINE_PART_BYTES {
            n_bytes += part.len();
            small.push(part.to_vec());
        } else {
            write_whole(view, run, &part).await?;
        }
    }
    Ok(small)
}

/// Returns the bytes of the value with these parts; `None` if a part does not exist.
///
/// # Errors
/// If the store cannot be read.
pub(crate) async fn read<View>(
    view: StoreView<'_, View>,
    run: RunId,
    parts: &[Digest],
) -> Result<Option<Bytes>, StoreError>
where
    FindParts: AllowedIn<View>,
    ReadPart: AllowedIn<View>,
    LocatePart: AllowedIn<View>,
{
    if let [part] = parts {
        return read_whole(view, run, *part).await;
    }
    let mut value = Vec::new();
    for part in parts {
        let Some(bytes) = read_whole(view, run, *part).await? else { return Ok(None) };
        value.extend_from_slice(&bytes);
    }
    Ok(Some(value.into()))
}

/// Writes the output of `result` as parts if it is large.
///
/// # Errors
/// If the store cannot be written.
pub(crate) async fn store_output<View>(
    view: StoreView<'_, View>,
    run: RunId,
    mut result: JobResult,
) -> Result<JobResult, StoreError>
where
    FindParts: AllowedIn<View>,
    WritePart: AllowedIn<View>,
    FinishPart: AllowedIn<View>,
{
    if result.output.len() <= MAX_INLINE_OUTPUT_BYTES {
        return Ok(result);
    }
    let (large, pieces) = cut(std::mem::take(&mut result.output));
    for piece in &pieces {
        result.parts.push(write_whole(view, run, piece).await?);
    }
    result.output = StoredOutput { large, ..StoredOutput::default() }.encode_to_vec();
    Ok(result)
}

/// Reads the output of `result` if it is in parts.
///
/// # Errors
/// If the store cannot be read, or has lost a part.
pub(crate) async fn load_output<View>(
    view: StoreView<'_, View>,
    run: RunId,
    result: &mut JobResult,
) -> Result<(), StoreError>
where
    FindParts: AllowedIn<View>,
    ReadPart: AllowedIn<View>,
    LocatePart: AllowedIn<View>,
{
    let Some(large) = StoredOutput::large_of(&result.output) else { return Ok(()) };
    let lost = || lost(run, "a part of a job's output");
    result.output = read(view, run, &hashes(&large)).await?.ok_or_else(lost)?.into();
    Ok(())
}

/// Returns the error of a store that has lost something.
pub(crate) fn lost(run: RunId, what: &str) -> StoreError {
    StoreError::Damaged { place: format!("run {run}"), what: format!("{what} is missing") }
}
