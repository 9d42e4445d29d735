//! A file that somebody else removes, replaces or writes while the store is open: no change counts
//! as stored unless it is in the file at its place.

use std::fs::{self, OpenOptions};
use std::path::Path;

use hatchery_store::conformance::View;
use hatchery_store::{EmbeddedStore, Store, StoreError};

use super::media::Disk;
use super::script;

/// The calls before the file is changed.
const CALLS: u64 = 28;

/// Changes the file at the first path, or puts the second one in its place.
type ForeignChange = fn(&Path, &Path);

/// A store with [`CALLS`] in its file, and its lead; the file is copied to `copy` after half of the
/// calls.
async fn opened(disk: &Disk, copy: &Path) -> (Store, hatchery_store::LeaderToken) {
    let store = EmbeddedStore::open(&disk.path()).map(Store::new).expect("it is new");
    let lead = script::begin(&store).await.expect("it is new");
    for step in 0..CALLS {
        if step == CALLS / 2 {
            fs::copy(disk.path(), copy).expect("there is room");
        }
        store.execute(script::call(step, lead)).await.expect("there is room");
    }
    (store, lead)
}

#[tokio::test]
async fn nothing_counts_as_stored_once_the_file_is_not_the_stores() {
    let changes: [(&str, ForeignChange); 5] = [
        ("removed", |path, _| fs::remove_file(path).expect("it is there")),
        ("moved", |path, copy| fs::rename(path, copy.with_extension("away")).expect("it is there")),
        ("emptied", |path, _| drop(fs::write(path, ""))),
        ("cut", |path, _| {
            let file = OpenOptions::new().write(true).open(path).expect("it is there");
            let n_bytes = file.metadata().expect("it is there").len();
            file.set_len(n_bytes / 2).expect("it can be cut");
        }),
        ("replaced", |path, copy| fs::rename(copy, path).expect("both are there")),
    ];
    for (what, change) in changes {
        let disk = Disk::default();
        let copy = disk.path().with_extension("copy");
        let (store, lead) = opened(&disk, &copy).await;
        change(&disk.path(), &copy);
        let refused = store.execute(script::call(CALLS, lead)).await;
        assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{what}: {refused:?}");
    }
}

/// A copy that was put in the place of the file is what the store has from then on.
#[tokio::test]
async fn a_copy_in_the_place_of_the_file_is_opened() {
    let disk = Disk::default();
    let copy = disk.path().with_extension("copy");
    let (store, lead) = opened(&disk, &copy).await;
    fs::rename(&copy, disk.path()).expect("both are there");
    store.execute(script::call(CALLS, lead)).await.expect_err("its file is another");
    let view = View::of(&store).await.expect("the file is opened again");
    drop(store);
    let anew = EmbeddedStore::open(&disk.path()).map(Store::new).expect("nobody has it open");
    assert_eq!(View::of(&anew).await.expect("it can be read"), view);
}
