//! Whole parts: written chunk by chunk, read chunk by chunk.

use std::num::TryFromIntError;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use hatchery_core::part::{PART_CHUNK_BYTES, PartTooLarge};
use hatchery_core::{Digest, Part, PartSet};

use super::error::StoreError;
use super::ids::RunId;
use super::operation::{AllowedIn, FindParts, FinishPart, LocatePart, ReadPart, WritePart};
use super::part_codec;
use super::view::StoreView;

/// The chunks of a part that are on their way at the same time: enough that a distant server is not
/// waited for, and little memory.
const CHUNKS_AT_ONCE: usize = 4;

/// The most attempts to write a part that other callers remove before it is whole.
const MAX_WRITES: usize = 3;

/// The bytes that are hashed before other tasks get their turn: less than a millisecond of work.
const HASHED_AT_ONCE: usize = 4 * PART_CHUNK_BYTES;

/// Writes `bytes` as a part of `run`, unless the run has the part, and returns the part's name. The
/// run need not be created yet.
///
/// # Errors
/// [`StoreError::LargePart`], [`StoreError::PartRemoved`], or the errors of the operations.
pub async fn write_whole<View>(
    view: StoreView<'_, View>,
    run: RunId,
    bytes: &Bytes,
) -> Result<Part, StoreError>
where
    FindParts: AllowedIn<View>,
    WritePart: AllowedIn<View>,
    FinishPart: AllowedIn<View>,
{
    let part = Part::new(hash(bytes).await, bytes.len() as u64)?;
    if find(view, run, part.hash()).await? == Some(part) {
        return Ok(part);
    }
    for _ in 0..MAX_WRITES {
        let write = |(index, chunk): (u32, &[u8])| {
            view.execute(WritePart { run, part, index, chunk: chunk.to_vec() })
        };
        let chunks = stream::iter((0..).zip(part_codec::chunks(bytes)));
        let writes = chunks.map(write).buffered(CHUNKS_AT_ONCE);
        writes.try_for_each(async |()| Ok(())).await?;
        if view.execute(FinishPart { run, part }).await? {
            return Ok(part);
        }
    }
    Err(StoreError::PartRemoved { run, part })
}

/// Returns the bytes of the run's part with this hash; `None` if it has none that is whole.
///
/// # Errors
/// [`StoreError::PartDamaged`] if the bytes have another hash or length, or the errors of the
/// operations, such as [`StoreError::PartLost`].
pub async fn read_whole<View>(
    view: StoreView<'_, View>,
    run: RunId,
    hash: Digest,
) -> Result<Option<Bytes>, StoreError>
where
    FindParts: AllowedIn<View>,
    ReadPart: AllowedIn<View>,
    LocatePart: AllowedIn<View>,
{
    let Some(part) = find(view, run, hash).await? else {
        // There is none, or the error says where its bytes were lost.
        view.execute(ReadPart { run, hash, index: 0 }).await?;
        return Ok(None);
    };
    let n_bytes = usize::try_from(part.n_bytes());
    let too_large = |_: TryFromIntError| PartTooLarge { n_bytes: part.n_bytes() };
    let mut bytes = Vec::with_capacity(n_bytes.map_err(too_large)?);
    let mut hasher = blake3::Hasher::new();
    let read = |index| view.execute(ReadPart { run, hash, index });
    let mut chunks = stream::iter(0..part.n_chunks()).map(read).buffered(CHUNKS_AT_ONCE);
    while let Some(chunk) = chunks.try_next().await? {
        // Somebody has removed the part meanwhile.
        let Some(chunk) = chunk else { return Ok(None) };
        hasher.update(&chunk);
        bytes.extend_from_slice(&chunk);
    }
    let found = hasher.finalize();
    if found.as_bytes() == hash.as_bytes() && bytes.len() as u64 == part.n_bytes() {
        return Ok(Some(bytes.into()));
    }
    let file = view.execute(LocatePart { run, hash }).await?.map(String::into_boxed_str);
    let what = format!("{} bytes with the hash {found}", bytes.len()).into();
    Err(StoreError::PartDamaged { run, part, file, what })
}

/// Reads the run's parts with these hashes; a part that the run lacks is left out.
///
/// # Errors
/// As for [`read_whole`].
pub async fn read_all<View>(
    view: StoreView<'_, View>,
    run: RunId,
    hashes: &[Digest],
) -> Result<PartSet, StoreError>
where
    FindParts: AllowedIn<View>,
    ReadPart: AllowedIn<View>,
    LocatePart: AllowedIn<View>,
{
    let mut parts = PartSet::default();
    for &hash in hashes {
        if parts.find(hash).is_none()
            && let Some(bytes) = read_whole(view, run, hash).await?
        {
            parts.insert(Part::new(hash, bytes.len() as u64)?, bytes);
        }
    }
    Ok(parts)
}

async fn find<View>(
    view: StoreView<'_, View>,
    run: RunId,
    hash: Digest,
) -> Result<Option<Part>, StoreError>
where
    FindParts: AllowedIn<View>,
{
    let found = view.execute(FindParts { run, parts: vec![hash] }).await?;
    Ok(found.into_iter().next().flatten())
}

/// Returns the hash of `bytes`; other tasks get their turn meanwhile.
async fn hash(bytes: &[u8]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for piece in bytes.chunks(HASHED_AT_ONCE) {
        hasher.update(piece);
        tokio::task::yield_now().await;
    }
    Digest::from_bytes(hasher.finalize().as_bytes()).expect("both have 32 bytes")
}
