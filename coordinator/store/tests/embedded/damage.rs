//! A store does not trust its file: it reports damage, and nothing panics.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use hatchery_store::conformance::View;
use hatchery_store::{EmbeddedStore, Store, StoreError};
use redb::{Database, StorageBackend, TableDefinition};

use super::media::{Disk, Memory};
use super::script;

/// The calls that were made when the damage comes.
const CALLS: u64 = 28;

/// The file of a store after [`CALLS`] calls.
#[derive(Debug)]
struct Files {
    /// Closed in order.
    closed: Vec<u8>,
    /// As a kill leaves it.
    killed: Vec<u8>,
}

async fn files() -> Files {
    let disk = Disk::default();
    let store = EmbeddedStore::open(&disk.path()).map(Store::new).expect("it is new");
    let lead = script::begin(&store).await.expect("it is new");
    for step in 0..CALLS {
        store.execute(script::call(step, lead)).await.expect("nothing is wrong yet");
    }
    let killed = fs::read(disk.path()).expect("it is there");
    drop(store);
    Files { closed: fs::read(disk.path()).expect("it is there"), killed }
}

/// The fate of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Damaged,
    /// The store has this number of calls and continues.
    Whole(u64),
}

/// Uses the store, and asserts that it is as it was, up to the last call, or says it is damaged.
async fn outcome(store: Result<EmbeddedStore, StoreError>) -> Outcome {
    let store = match store {
        Ok(store) => Store::new(store),
        Err(StoreError::Damaged { .. }) => return Outcome::Damaged,
        Err(error) => panic!("{error:?}"),
    };
    let view = View::of(&store).await.expect("what opens can be read");
    let n_calls = [CALLS, CALLS - 1].into_iter().find(|n| view == script::view_after(*n));
    let n_calls = n_calls.unwrap_or_else(|| panic!("it is another store: {view:?}"));
    let lead = script::begin(&store).await.expect("what opens can be written");
    for step in n_calls..CALLS + 4 {
        store.execute(script::call(step, lead)).await.expect("what opens can be written");
    }
    Outcome::Whole(n_calls)
}

async fn outcome_on_disk(bytes: &[u8]) -> Outcome {
    let disk = Disk::default();
    fs::write(disk.path(), bytes).expect("there is room");
    outcome(EmbeddedStore::open(&disk.path())).await
}

async fn outcome_in_memory(bytes: &[u8]) -> Outcome {
    let memory = Memory::default();
    memory.set_len(bytes.len() as u64).expect("there is room");
    memory.write(0, bytes).expect("there is room");
    outcome(EmbeddedStore::with_backend(memory, "memory")).await
}

#[tokio::test]
async fn a_truncated_file_is_damaged_or_whole() {
    let Files { closed, killed } = files().await;
    for bytes in [closed, killed] {
        let header = [0, 1, 8, 9, 63, 64, 319, 320, 511, 512, 4095, 4096, 4097];
        let pages = (1..9).map(|eighth| bytes.len() / 8 * eighth / 4096 * 4096 + eighth % 2);
        for length in header.into_iter().chain(pages).chain([bytes.len() - 1]) {
            let outcome = outcome_on_disk(&bytes[..length]).await;
            assert!(
                matches!(outcome, Outcome::Damaged | Outcome::Whole(CALLS)),
                "{outcome:?} with {length} of {} bytes",
                bytes.len()
            );
        }
    }
}

#[tokio::test]
async fn a_flipped_byte_is_found_or_means_nothing() {
    let Files { closed, killed } = files().await;
    for (bytes, fewest) in [(closed, CALLS), (killed, CALLS - 1)] {
        let mut n_damaged = 0;
        // Each byte of the header, and some all over the pages, most of which are free.
        for at in (0..320).chain((320..bytes.len()).step_by(1021)) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            match outcome_in_memory(&flipped).await {
                Outcome::Damaged => n_damaged += 1,
                // A last call that is damaged looks like one that was not finished.
                Outcome::Whole(n_calls) => assert!(fewest <= n_calls, "{n_calls} calls at {at}"),
            }
        }
        assert!(20 < n_damaged, "only {n_damaged} were found");
    }
}

/// Damage that comes while the store is open is found when it is read, and closing is no trouble.
#[tokio::test]
async fn damage_under_an_open_store_does_not_panic() {
    for junk in [0x00, 0x55, 0xff] {
        let memory = Memory::default();
        let store = EmbeddedStore::with_backend(memory.clone(), "memory")
            .map(Store::new)
            .expect("it is new");
        let lead = script::begin(&store).await.expect("it is new");
        for step in 0..CALLS {
            store.execute(script::call(step, lead)).await.expect("nothing is wrong yet");
        }
        let length = memory.len().expect("it is there");
        let junk = vec![junk; usize::try_from(length).expect("it fits into memory")];
        memory.write(0, &junk).expect("it is there");
        for _ in 0..2 {
            let read = View::of(&store).await;
            assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
            let write = store.execute(script::call(CALLS, lead)).await;
            assert!(matches!(write, Err(StoreError::Damaged { .. })), "{write:?}");
        }
    }
}

fn check_refused(path: &Path, refused: impl FnOnce(&StoreError) -> bool) {
    let before = fs::read(path).ok();
    let error = EmbeddedStore::open(path).expect_err("it is no store");
    assert!(refused(&error), "{error:?}");
    assert!(fs::read(path).ok() == before, "{} was changed", path.display());
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let disk = Disk::default();
    let path = disk.path();
    for content in [b"".as_slice(), b"[run]\nseed = 1\n", &[0; 100_000]] {
        fs::write(&path, content).expect("there is room");
        check_refused(&path, |error| matches!(error, StoreError::Damaged { .. }));
    }
    let folder = path.parent().expect("it is in a folder");
    check_refused(folder, |error| matches!(error, StoreError::Unavailable { .. }));
    let nowhere = folder.join("no such folder").join("store");
    check_refused(&nowhere, |error| matches!(error, StoreError::Unavailable { .. }));
}

#[test]
fn another_format_is_refused() {
    const META: TableDefinition<'_, &str, u32> = TableDefinition::new("meta");
    let disk = Disk::default();
    drop(EmbeddedStore::open(&disk.path()).expect("it is new"));
    let database = Database::open(disk.path()).expect("it is a database");
    let txn = database.begin_write().expect("it is a database");
    txn.open_table(META)
        .and_then(|mut meta| {
            meta.insert("format", 99)?;
            Ok(())
        })
        .expect("it is a table");
    txn.commit().expect("there is room");
    drop(database);
    let error = EmbeddedStore::open(&disk.path()).expect_err("it has another format");
    assert!(matches!(error, StoreError::WrongFormat { found: 99, expected: 3, .. }), "{error:?}");

    // A database of somebody else.
    fs::remove_file(disk.path()).expect("it is there");
    drop(Database::create(disk.path()).expect("it is new"));
    let error = EmbeddedStore::open(&disk.path()).expect_err("it has no tables");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
}

/// Where a store is while it is being made.
fn draft(disk: &Disk) -> PathBuf {
    disk.path().with_extension("redb.new")
}

/// A process that is killed while it makes a store leaves a draft, in any state.
#[test]
fn a_draft_is_begun_anew() {
    for junk in [b"".as_slice(), b"half a dra", &[0; 100_000]] {
        let disk = Disk::default();
        fs::write(draft(&disk), junk).expect("there is room");
        drop(EmbeddedStore::open(&disk.path()).expect("a draft is no store"));
        assert!(!draft(&disk).exists());
        drop(EmbeddedStore::open(&disk.path()).expect("it was made"));
    }
}

#[test]
fn of_several_who_make_a_store_one_gets_it() {
    let disk = Disk::default();
    let opened: Vec<_> = thread::scope(|scope| {
        let open = || scope.spawn(|| EmbeddedStore::open(&disk.path()));
        let threads: Vec<_> = (0..8).map(|_| open()).collect();
        threads.into_iter().map(|thread| thread.join().expect("nothing panics")).collect()
    });
    let is_locked = |store: &Result<_, _>| matches!(store, Err(StoreError::Locked { .. }));
    assert_eq!(opened.iter().filter(|store| is_locked(store)).count(), 7, "{opened:?}");
    assert_eq!(opened.iter().filter(|store| store.is_ok()).count(), 1, "{opened:?}");
    assert!(!draft(&disk).exists());
}
