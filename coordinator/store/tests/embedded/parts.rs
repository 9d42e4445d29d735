//! Parts in a file: the remains after a kill, and the removal of unreferenced parts.

use std::fs;

use bytes::Bytes;
use hatchery_core::part::{MAX_PART_BYTES, PART_CHUNK_BYTES};
use hatchery_core::{Digest, Part};
use hatchery_store::operation::{
    ControlView, CreateRun, DeleteRun, FinishPart, FoldResults, ListRuns, TakeLead, WritePart,
};
use hatchery_store::parts::{read_whole, write_whole};
use hatchery_store::{
    AfterFold, EmbeddedStore, FoldCommit, PartRetention, RunId, Store, StoreError,
};
use redb::{Database, ReadableDatabase as _, ReadableTableMetadata as _, TableDefinition};
use ulid::Ulid;

use super::media::Disk;

const RUN: RunId = RunId(Ulid(5));

fn open(disk: &Disk) -> Store {
    EmbeddedStore::open(&disk.path()).map(Store::new).expect("the store can be opened")
}

/// The file as a kill leaves it now.
fn killed(disk: &Disk) -> Disk {
    let copy = Disk::default();
    fs::copy(disk.path(), copy.path()).expect("there is room");
    copy
}

async fn create(store: &Store) {
    let [record, checkpoint, summary] = [vec![], vec![], vec![]];
    let create = CreateRun { run: RUN, record, checkpoint, summary, parts: vec![] };
    store.execute(create).await.expect("there is room");
}

async fn has(store: &Store, bytes: &Bytes) -> bool {
    let read = read_whole(store.view::<ControlView>(), RUN, Digest::of(bytes)).await;
    read.expect("it can be read").is_some_and(|read| read == *bytes)
}

#[tokio::test]
async fn a_part_is_there_after_a_kill_once_it_is_finished() {
    let disk = Disk::default();
    let store = open(&disk);
    create(&store).await;
    let bytes = Bytes::from(vec![3; 3 * PART_CHUNK_BYTES]);
    let part = Part::of(&bytes);
    for (index, chunk) in (0..).zip(bytes.chunks(PART_CHUNK_BYTES)) {
        // A chunk is not synced: it may be lost, and is written again then.
        let killed_disk = killed(&disk);
        let killed = open(&killed_disk);
        assert!(!killed.execute(FinishPart { run: RUN, part }).await.expect("it can be written"));
        assert!(!has(&killed, &bytes).await);
        let written = write_whole(killed.view::<ControlView>(), RUN, &bytes).await;
        assert_eq!(written.expect("it can be written"), part);
        assert!(has(&killed, &bytes).await);
        let chunk = chunk.to_vec();
        store.execute(WritePart { run: RUN, part, index, chunk }).await.expect("there is room");
    }
    assert!(store.execute(FinishPart { run: RUN, part }).await.expect("it can be written"));
    let killed_disk = killed(&disk);
    assert!(has(&open(&killed_disk), &bytes).await);
}

#[tokio::test]
async fn more_bytes_than_a_part_has_are_refused() {
    let disk = Disk::default();
    let store = open(&disk);
    let bytes = vec![0; MAX_PART_BYTES + 1];
    let [record, checkpoint, summary] = [vec![], vec![], vec![]];
    let parts = vec![vec![], bytes.clone()];
    let create = CreateRun { run: RUN, record, checkpoint, summary, parts };
    let refused = store.execute(create).await;
    assert!(matches!(refused, Err(StoreError::LargePart(_))), "{refused:?}");
    assert_eq!(store.execute(ListRuns).await.expect("it can be read"), []);
    let refused = write_whole(store.view::<ControlView>(), RUN, &bytes.into()).await;
    let StoreError::LargePart(large) = refused.expect_err("it is too large") else {
        panic!("another error");
    };
    assert_eq!(large.n_bytes, MAX_PART_BYTES as u64 + 1);
}

/// The numbers of rows about parts: whole parts, other parts, and chunks.
fn n_rows(disk: &Disk) -> [u64; 3] {
    const PARTS: TableDefinition<'_, (u128, &[u8; 32]), u64> = TableDefinition::new("parts");
    const OPEN_PARTS: TableDefinition<'_, (u128, &[u8; 32]), (u64, u32)> =
        TableDefinition::new("open parts");
    const CHUNKS: TableDefinition<'_, (u128, &[u8; 32], u32), &[u8]> =
        TableDefinition::new("chunks");
    let count = || {
        let txn = Database::open(disk.path())?.begin_read()?;
        let (parts, open) = (txn.open_table(PARTS)?.len()?, txn.open_table(OPEN_PARTS)?.len()?);
        Ok::<_, redb::Error>([parts, open, txn.open_table(CHUNKS)?.len()?])
    };
    count().expect("it is a database")
}

#[tokio::test]
async fn nothing_is_left_of_the_parts_of_runs_that_are_gone() {
    let disk = Disk::default();
    let store = open(&disk);
    create(&store).await;
    let never = RunId(Ulid(6));
    for run in [RUN, never] {
        for n_bytes in [0, 1, 1_000_000] {
            let bytes = vec![1; n_bytes].into();
            write_whole(store.view::<ControlView>(), run, &bytes).await.expect("there is room");
        }
        let part = Part::of(b"not finished");
        let chunk = b"not finished".to_vec();
        store.execute(WritePart { run, part, index: 0, chunk }).await.expect("there is room");
    }
    drop(store);
    assert_eq!(n_rows(&disk), [6, 2, 14]);
    let store = open(&disk);
    store.execute(DeleteRun { run: RUN }).await.expect("it can be written");
    drop(store);
    assert_eq!(n_rows(&disk), [0, 0, 0]);
}

/// A run whose state is new in each generation, and that keeps three states.
#[tokio::test]
async fn a_file_does_not_grow_with_parts_that_are_removed() {
    const N_BYTES: usize = 1_000_000;
    let disk = Disk::default();
    let store = open(&disk);
    create(&store).await;
    let lead = store.execute(TakeLead { run: RUN }).await.expect("the run is there").lead;
    let mut kept: Vec<Digest> = Vec::new();
    for generation in 0..40 {
        let state = vec![u8::try_from(generation).expect("it is small"); N_BYTES].into();
        let state = write_whole(store.view::<ControlView>(), RUN, &state).await;
        kept.push(state.expect("there is room").hash());
        kept.drain(..kept.len().saturating_sub(3));
        let fold = FoldCommit {
            generation,
            folded: 0,
            checkpoint: vec![],
            summary: vec![],
            parts: vec![],
            retention: PartRetention::Keep(kept.clone()),
            then: AfterFold::NextGeneration { record: vec![] },
        };
        store.execute(FoldResults { lead, fold }).await.expect("nothing is unresolved");
    }
    drop(store);
    assert_eq!(n_rows(&disk), [3, 0, 12]);
    let n_bytes = fs::metadata(disk.path()).expect("it is there").len();
    assert!(n_bytes < 12 * N_BYTES as u64, "{n_bytes} bytes for 3 of {N_BYTES}");
}
