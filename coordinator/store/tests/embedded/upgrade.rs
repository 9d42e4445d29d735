//! A file that the release before wrote is upgraded when it is opened, and its run continues.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use hatchery_core::part::MAX_PART_BYTES;
use hatchery_core::{Digest, Part};
use hatchery_store::conformance::View;
use hatchery_store::operation::{
    CompleteJobs, ControlView, CreateRun, EnqueueAndLease, FoldResults, TakeLead,
};
use hatchery_store::parts::{read_whole, write_whole};
use hatchery_store::{
    AfterFold, CoordinatorId, EmbeddedStore, EnqueueBatch, FoldCommit, JobId, JobResult,
    LeaderToken, PartRetention, RunId, Store, StoreError, StoreVerdict, WorkerId,
};
use redb::{Database, ReadableDatabase as _, ReadableTable as _, StorageBackend, TableDefinition};
use ulid::Ulid;

use super::full::{Limited, root_kind};
use super::media::{Disk, Memory};
use super::reading::{files, reader};

const RUN: RunId = RunId(Ulid(5));

type JobRow = (u128, u64);
type ResultRow = (u128, &'static [u8], &'static [u8], &'static [u8]);
type OldResultRow = (u128, &'static [u8], &'static [u8]);

const META: TableDefinition<'_, &str, u32> = TableDefinition::new("meta");
const PARTS: TableDefinition<'_, (u128, &[u8; 32]), u64> = TableDefinition::new("parts");
const OPEN_PARTS: TableDefinition<'_, (u128, &[u8; 32]), (u64, u32)> =
    TableDefinition::new("open parts");
const CHUNKS: TableDefinition<'_, (u128, &[u8; 32], u32), &[u8]> = TableDefinition::new("chunks");
const RESULTS: TableDefinition<'_, JobRow, ResultRow> = TableDefinition::new("results");
const NEW_RESULTS: TableDefinition<'_, JobRow, ResultRow> = TableDefinition::new("new results");

// As the release before had them.
const BLOBS: TableDefinition<'_, (u128, &[u8; 32]), &[u8]> = TableDefinition::new("blobs");
const OLD_RESULTS: TableDefinition<'_, JobRow, OldResultRow> = TableDefinition::new("results");

/// The states and shared inputs of the run: none, one chunk, several.
fn values() -> [Vec<u8>; 3] {
    [vec![], b"a state".to_vec(), vec![7; 700_000]]
}

fn complete(indices: impl Iterator<Item = u64>, parts: &[Part]) -> CompleteJobs {
    let result = |index: u64| {
        let output = format!("output {index}").into_bytes();
        JobResult { worker: WorkerId(3), output, cost: vec![1], parts: parts.to_owned() }
    };
    let results = indices.map(|index| (JobId { generation: 0, index }, result(index)));
    CompleteJobs { run: RUN, results: results.collect() }
}

fn fold(lead: LeaderToken, folded: u64, then: AfterFold) -> FoldResults {
    let (checkpoint, summary) = (vec![9], vec![8]);
    let (parts, retention) = (vec![], PartRetention::All);
    let fold = FoldCommit { generation: 0, folded, checkpoint, summary, parts, retention, then };
    FoldResults { lead, fold }
}

/// Writes a file as the release before did, with a run in the middle of its first generation;
/// returns what the store showed.
async fn write_old(path: &Path) -> View {
    let store = EmbeddedStore::open(path).map(Store::new).expect("it is new");
    let [record, checkpoint, summary] = ["record", "checkpoint", "summary"].map(Vec::from);
    let create = CreateRun { run: RUN, record, checkpoint, summary, parts: vec![] };
    store.execute(create).await.expect("it is new");
    let lead = store.execute(TakeLead { run: RUN }).await.expect("the run is there").lead;
    let (jobs, parts) = (vec![vec![1]; 5], values().into());
    let enqueue = EnqueueBatch { jobs, parts, ..EnqueueBatch::default() };
    let enqueue = EnqueueAndLease { lead, enqueue, consumer: CoordinatorId(0), most: 0 };
    store.execute(enqueue).await.expect("the run is there");
    store.execute(complete(0..3, &[])).await.expect("the run is there");
    let fold = fold(lead, 1, AfterFold::SameGeneration);
    store.execute(fold).await.expect("all is done");
    let view = View::of(&store).await.expect("it can be read");
    drop(store);
    make_old(path).expect("it is a store");
    view
}

/// Gives the file the layout of the release before.
fn make_old(path: &Path) -> Result<(), redb::Error> {
    let txn = Database::open(path)?.begin_write()?;
    txn.open_table(META)?.insert("format", 2)?;
    let mut blobs = txn.open_table(BLOBS)?;
    let chunks = txn.open_table(CHUNKS)?;
    for row in txn.open_table(PARTS)?.iter()? {
        let (key, _) = row?;
        let (run, hash) = key.value();
        let mut bytes = Vec::new();
        for chunk in chunks.range((run, hash, 0)..=(run, hash, u32::MAX))? {
            bytes.extend_from_slice(chunk?.1.value());
        }
        blobs.insert((run, hash), bytes.as_slice())?;
    }
    drop((blobs, chunks));
    txn.delete_table(PARTS)?;
    txn.delete_table(OPEN_PARTS)?;
    txn.delete_table(CHUNKS)?;
    txn.rename_table(RESULTS, NEW_RESULTS)?;
    let mut results = txn.open_table(OLD_RESULTS)?;
    let new = txn.open_table(NEW_RESULTS)?;
    for row in new.iter()? {
        let (job, result) = row?;
        let (worker, output, cost, _) = result.value();
        results.insert(job.value(), (worker, output, cost))?;
    }
    drop((results, new));
    txn.delete_table(NEW_RESULTS)?;
    Ok(txn.commit()?)
}

/// Checks that the store has the same content as before, and that its run continues to its end.
async fn goes_on(store: Store, before: &View) {
    assert_eq!(View::of(&store).await.expect("it can be read"), *before);
    let view = store.view::<ControlView>();
    for bytes in values() {
        let read = read_whole(view, RUN, Digest::of(&bytes)).await.expect("it can be read");
        assert!(read.is_some_and(|read| read == bytes));
    }
    let tally = write_whole(view, RUN, &vec![6; 300_000].into()).await.expect("there is room");
    let verdicts = store.execute(complete(3..5, &[tally])).await.expect("the run is there");
    assert_eq!(verdicts, [StoreVerdict::Accepted; 2]);
    let lead = store.execute(TakeLead { run: RUN }).await.expect("the run is there").lead;
    let end = fold(lead, 5, AfterFold::Done { record: vec![] });
    store.execute(end).await.expect("all is done");
}

#[tokio::test]
async fn a_run_of_the_release_before_goes_on() {
    let disk = Disk::default();
    let before = write_old(&disk.path()).await;
    // Readers upgrade for themselves, as far as to its end.
    let old = files(&disk.path());
    goes_on(reader(&disk), &before).await;
    assert_eq!(files(&disk.path()), old);
    let open = || EmbeddedStore::open(&disk.path()).map(Store::new).expect("it is upgraded");
    assert_eq!(View::of(&open()).await.expect("it can be read"), before);
    // Once more, in the new layout.
    goes_on(open(), &before).await;
    let database = Database::open(disk.path()).expect("it is a database");
    let old = database.begin_read().expect("it can be read").open_table(BLOBS);
    assert!(old.is_err(), "nothing is left of the old layout");
}

/// Checks that a file whose upgrade was cut off, as by a kill or a full disk, is upgraded again.
#[tokio::test]
async fn an_upgrade_that_is_cut_off_is_repeated() {
    let disk = Disk::default();
    let before = write_old(&disk.path()).await;
    let old = fs::read(disk.path()).expect("it is there");
    let enough = 1 << 30;
    let limited = |room: usize| {
        let memory = Memory::default();
        memory.set_len(old.len() as u64).expect("there is room");
        memory.write(0, &old).expect("there is room");
        Limited::new(memory, room)
    };
    let whole = limited(enough);
    drop(EmbeddedStore::with_backend(whole.clone(), "memory").expect("there is room"));
    let needed = enough - whole.room();
    for tenth in 0..10 {
        let limited = limited(needed * tenth / 10);
        if let Err(error) = EmbeddedStore::with_backend(limited.clone(), "a small disk") {
            assert_eq!(root_kind(&error), Some(ErrorKind::StorageFull), "{error:?}");
        }
        limited.set_room(enough);
        let store = EmbeddedStore::with_backend(limited, "a larger disk");
        goes_on(Store::new(store.expect("it is undamaged")), &before).await;
    }
}

#[tokio::test]
async fn a_value_that_is_too_large_for_a_part_stays_where_it_is() {
    let disk = Disk::default();
    write_old(&disk.path()).await;
    let large = vec![1; MAX_PART_BYTES + 1];
    let insert = || {
        let txn = Database::open(disk.path())?.begin_write()?;
        txn.open_table(BLOBS)?.insert((RUN.0.0, &[1; 32]), large.as_slice())?;
        Ok::<_, redb::Error>(txn.commit()?)
    };
    insert().expect("there is room");
    for _ in 0..2 {
        let error = EmbeddedStore::open(&disk.path()).expect_err("it cannot be upgraded");
        let StoreError::Unsuitable { what, .. } = error else { panic!("{error:?}") };
        assert!(what.contains("67108865 bytes") && what.contains("the release that"), "{what}");
    }
    let read = || {
        let txn = Database::open(disk.path())?.begin_read()?;
        let format = txn.open_table(META)?.get("format")?.map(|format| format.value());
        let kept = txn.open_table(BLOBS)?.get((RUN.0.0, &[1; 32]))?;
        Ok::<_, redb::Error>((format, kept.is_some_and(|kept| kept.value() == large)))
    };
    assert_eq!(read().expect("it is a database"), (Some(2), true));
}
