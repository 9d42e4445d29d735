//! Inputs of runs that are not created yet: found in other runs of the store, or sent by the
//! submitter.
//!
//! An input is a part of the new run from the beginning. If the run is never created, its parts
//! expire.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::{Stream, StreamExt as _, stream};
use hatchery_core::{Digest, Part};
use hatchery_proto::MAX_IDEMPOTENCY_KEY_BYTES;
use hatchery_proto::v1::{ByteChunk, InputHead, PutInputRequest, put_input_request};
use hatchery_store::operation::{
    ControlView, FindParts, ListRuns, ReadPart, ReadPosition, RunForKey,
};
use hatchery_store::{RunId, StoreError, StoreView};
use tokio::time::timeout;
use tonic::{Status, Streaming};

use super::new_run::new_id;
use crate::control::refusal;
use crate::coordinator::Coordinator;
use crate::parts::{self, IncomingPart, IncomingPartError};

/// The number of latest runs in which an input is searched: each run costs a call of the store.
const MAX_SEARCHED_RUNS: usize = 1000;

/// The number of runs that are searched at the same time: enough to hide the latency of a distant
/// store.
const SEARCHES_AT_ONCE: usize = 16;

/// The deadline for an input: enough for the largest input over a slow network.
const INPUT_DEADLINE: Duration = Duration::from_secs(600);

/// Returns the parts with these hashes that exist in the farm. A part of another run is copied to
/// `run`, which need not be created yet.
///
/// # Errors
/// If the store cannot be used.
pub(crate) async fn find(
    store: StoreView<'_, ControlView>,
    run: RunId,
    hashes: &BTreeSet<Digest>,
) -> Result<Vec<Part>, Status> {
    let own = FindParts { run, parts: hashes.iter().copied().collect() };
    let own = store.execute(own).await.map_err(refusal::store)?;
    let mut found: Vec<Part> = own.into_iter().flatten().collect();
    let mut missing = hashes.clone();
    missing.retain(|hash| !found.iter().any(|part| part.hash() == *hash));
    if missing.is_empty() {
        return Ok(found);
    }
    let mut others = std::pin::pin!(search(store, Some(run), &missing).await?);
    while let Some(searched) = others.next().await {
        let (other, parts) = searched?;
        for part in parts {
            if missing.contains(&part.hash()) && copy(store, other, run, part).await? {
                missing.remove(&part.hash());
                found.push(part);
            }
        }
        if missing.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// Returns the hashes without a part in the farm. The parts of `begun`, a run that is not created
/// yet, count as well.
///
/// # Errors
/// If the store cannot be used.
pub(crate) async fn missing(
    store: StoreView<'_, ControlView>,
    begun: Option<RunId>,
    mut hashes: BTreeSet<Digest>,
) -> Result<BTreeSet<Digest>, Status> {
    if let Some(run) = begun {
        let own = FindParts { run, parts: hashes.iter().copied().collect() };
        for part in store.execute(own).await.map_err(refusal::store)?.into_iter().flatten() {
            hashes.remove(&part.hash());
        }
    }
    if hashes.is_empty() {
        return Ok(hashes);
    }
    let mut others = std::pin::pin!(search(store, begun, &hashes).await?);
    while !hashes.is_empty()
        && let Some(searched) = others.next().await
    {
        for part in searched?.1 {
            hashes.remove(&part.hash());
        }
    }
    Ok(hashes)
}

/// Searches for parts with these hashes in the latest runs except `run`; returns the parts by run.
async fn search<'a>(
    store: StoreView<'a, ControlView>,
    run: Option<RunId>,
    hashes: &BTreeSet<Digest>,
) -> Result<impl Stream<Item = Result<(RunId, Vec<Part>), Status>> + use<'a>, Status> {
    let others = store.execute(ListRuns).await.map_err(refusal::store)?;
    let others = others.into_iter().rev().filter(move |&other| Some(other) != run);
    let hashes: Vec<_> = hashes.iter().copied().collect();
    let search = move |other| {
        let parts = hashes.clone();
        async move {
            let found = store.execute(FindParts { run: other, parts }).await;
            Ok((other, found.map_err(refusal::store)?.into_iter().flatten().collect()))
        }
    };
    let others = others.take(MAX_SEARCHED_RUNS);
    Ok(stream::iter(others).map(search).buffered(SEARCHES_AT_ONCE))
}

/// Copies a part chunk by chunk; returns false if the part is damaged or no longer exists.
async fn copy(
    store: StoreView<'_, ControlView>,
    from: RunId,
    to: RunId,
    part: Part,
) -> Result<bool, Status> {
    let mut incoming = IncomingPart::begin(store, to, part).await?;
    for index in 0..part.n_chunks() {
        let read = ReadPart { run: from, hash: part.hash(), index };
        let chunk = store.execute(read).await.map_err(refusal::store)?;
        let Some(chunk) = chunk else { return Ok(false) };
        match incoming.write(&chunk.into()).await {
            Ok(()) => {}
            Err(
                error @ (IncomingPartError::WrongChunk { .. }
                | IncomingPartError::OtherBytes { .. }),
            ) => {
                tracing::error!(%error, %from, "a stored part is damaged");
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

/// Takes an input from the submitter of a run that is not created yet.
///
/// # Errors
/// If the run exists, the bytes are not the announced bytes, or the store refuses the bytes.
pub(crate) async fn take(
    coordinator: &Coordinator,
    mut messages: Streaming<PutInputRequest>,
) -> Result<(), Status> {
    let taken = timeout(INPUT_DEADLINE, take_slowly(coordinator, &mut messages)).await;
    taken.map_err(|_| {
        let seconds = INPUT_DEADLINE.as_secs();
        Status::deadline_exceeded(format!("the input did not arrive within {seconds} s"))
    })?
}

async fn take_slowly(
    coordinator: &Coordinator,
    messages: &mut Streaming<PutInputRequest>,
) -> Result<(), Status> {
    use put_input_request::Message;
    let Some(Message::Head(head)) =
        parts::next_message(messages).await?.and_then(|request| request.message)
    else {
        return Err(refusal::invalid("the head of an input must come first"));
    };
    let (key, part) = parse(&head)?;
    let store = coordinator.views().control();
    let run = store.execute(RunForKey { key, run: new_id(coordinator).await? }).await;
    let run = run.map_err(refusal::store)?;
    match store.execute(ReadPosition { run }).await {
        Err(StoreError::NoRun { .. }) => {}
        Err(error) => return Err(refusal::store(error)),
        Ok(_) => {
            return Err(Status::failed_precondition(format!(
                "the idempotency key stands for run {run}, which has all of its inputs"
            )));
        }
    }
    let mut incoming = IncomingPart::begin(store, run, part).await?;
    while let Some(request) = parts::next_message(messages).await? {
        let Some(Message::Chunk(ByteChunk { data })) = request.message else {
            return Err(refusal::invalid("a chunk must come"));
        };
        incoming.write(&data).await?;
    }
    incoming.end()?;
    tracing::info!(%run, %part, "input taken");
    Ok(())
}

/// Parses the head of an input: the key of its submission, and its name.
fn parse(InputHead { idempotency_key, input }: &InputHead) -> Result<(Digest, Part), Status> {
    let n_bytes = idempotency_key.len();
    if !(1..=MAX_IDEMPOTENCY_KEY_BYTES).contains(&n_bytes) {
        return Err(refusal::invalid(&format!(
            "the idempotency key has {n_bytes} bytes, but must have 1 to \
             {MAX_IDEMPOTENCY_KEY_BYTES}"
        )));
    }
    let input = input.clone().unwrap_or_default();
    let part = Part::from_wire(&input.hash, input.n_bytes);
    let part = part.map_err(|error| refusal::invalid(&error.to_string()))?;
    Ok((Digest::of(idempotency_key.as_bytes()), part))
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::PartRef;
    use hatchery_store::Store;
    use hatchery_store::conformance::ModelStore;
    use hatchery_store::operation::CreateRun;
    use hatchery_store::parts::{read_whole, write_whole};
    use ulid::Ulid;

    use super::*;

    #[test]
    fn heads_are_hostile_until_parsed() {
        let head = |key: &str, hash: &[u8], n_bytes| {
            let input = Some(PartRef { hash: hash.to_vec(), n_bytes });
            parse(&InputHead { idempotency_key: key.to_owned(), input })
        };
        assert!(head("key", &[7; 32], 64 << 20).is_ok());
        for (refused, part) in [
            (head("", &[7; 32], 1), "key has 0 bytes"),
            (head(&"k".repeat(257), &[7; 32], 1), "key has 257 bytes"),
            (head("key", &[7; 31], 1), "hash is 31 bytes long"),
            (head("key", &[7; 32], (64 << 20) + 1), "n_bytes is 67108865, but must be at most"),
            (parse(&InputHead::default()), "key has 0 bytes"),
        ] {
            let status = refused.unwrap_err();
            assert_eq!(status.code(), tonic::Code::InvalidArgument);
            assert!(status.message().contains(part), "{status:?}");
        }
    }

    fn created(run: RunId) -> CreateRun {
        CreateRun { run, record: vec![], checkpoint: vec![], summary: vec![], parts: vec![] }
    }

    /// docs/REFERENCE.md states this number.
    #[tokio::test]
    async fn the_latest_1000_runs_are_searched() {
        let store = Store::new(ModelStore::new());
        let view = store.view::<ControlView>();
        let bytes: bytes::Bytes = vec![7; 10].into();
        let part = write_whole(view, RunId(Ulid(0)), &bytes).await.unwrap();
        let hashes = BTreeSet::from([part.hash()]);
        for number in 0..1000 {
            store.execute(created(RunId(Ulid(number)))).await.unwrap();
        }
        assert_eq!(missing(view, None, hashes.clone()).await.unwrap(), BTreeSet::new());
        store.execute(created(RunId(Ulid(1000)))).await.unwrap();
        assert_eq!(missing(view, None, hashes.clone()).await.unwrap(), hashes);
    }

    /// A part is copied from another run, and later found without that run.
    #[tokio::test]
    async fn an_input_is_found_in_another_run() {
        let store = Store::new(ModelStore::new());
        let view = store.view::<ControlView>();
        let (old, new) = (RunId(Ulid(1)), RunId(Ulid(2)));
        let bytes: bytes::Bytes = vec![7; 600_000].into();
        let part = write_whole(view, old, &bytes).await.unwrap();
        let nowhere = Digest::of(b"nowhere");
        let hashes = BTreeSet::from([part.hash(), nowhere]);
        // A run that is not created is none of those that are searched.
        assert_eq!(find(view, new, &hashes).await.unwrap(), []);
        assert_eq!(missing(view, None, hashes.clone()).await.unwrap(), hashes);
        let rest = missing(view, Some(old), hashes.clone()).await.unwrap();
        assert_eq!(rest, BTreeSet::from([nowhere]));
        store.execute(created(old)).await.unwrap();
        let none = BTreeSet::from([nowhere]);
        assert_eq!(missing(view, None, hashes.clone()).await.unwrap(), none);
        assert_eq!(find(view, new, &hashes).await.unwrap(), [part]);
        assert_eq!(read_whole(view, new, part.hash()).await.unwrap(), Some(bytes));
        assert_eq!(find(view, new, &hashes).await.unwrap(), [part]);
    }
}
