//! A store that is opened to read it leaves its file as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hatchery_store::conformance::View;
use hatchery_store::{EmbeddedStore, Store, StoreError};

use super::media::Disk;
use super::script;

/// The calls that were made when the store is read.
const CALLS: u64 = 28;

/// The files beside `path` with their bytes and times.
pub(super) fn files(path: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(path.parent().expect("it has a folder")).expect("it is there");
    let file = |entry: fs::DirEntry| {
        let modified = entry.metadata().and_then(|it| it.modified()).expect("it has a time");
        (entry.path(), (fs::read(entry.path()).expect("it can be read"), modified))
    };
    entries.map(|entry| file(entry.expect("it can be read"))).collect()
}

/// Opens the store of `disk` to read it.
pub(super) fn reader(disk: &Disk) -> Store {
    Store::new(EmbeddedStore::open_to_read(&disk.path()).expect("it can be read"))
}

async fn check(disk: &Disk) {
    let before = files(&disk.path());
    let readers: Vec<_> = (0..6).map(|_| reader(disk)).collect();
    for reader in &readers {
        assert_eq!(View::of(reader).await.expect("it can be read"), script::view_after(CALLS));
    }
    let writer = EmbeddedStore::open(&disk.path());
    assert!(matches!(writer, Err(StoreError::Locked { .. })), "{writer:?}");
    // Changes are the reader's own.
    let lead = script::begin(&readers[0]).await.expect("the run is there");
    for step in CALLS..2 * CALLS {
        readers[0].execute(script::call(step, lead)).await.expect("they need no file");
    }
    let changed = View::of(&readers[0]).await.expect("it can be read");
    assert_ne!(changed, script::view_after(CALLS));
    assert_eq!(View::of(&readers[1]).await.expect("it can be read"), script::view_after(CALLS));
    drop(readers);
    assert_eq!(files(&disk.path()), before);

    let writer = EmbeddedStore::open(&disk.path()).map(Store::new).expect("the readers are gone");
    assert_eq!(View::of(&writer).await.expect("it can be read"), script::view_after(CALLS));
    let second = EmbeddedStore::open_to_read(&disk.path());
    assert!(matches!(second, Err(StoreError::Locked { .. })), "{second:?}");
}

#[tokio::test]
async fn readers_leave_the_file_of_a_closed_or_killed_process_as_it_is() {
    let disk = Disk::default();
    let store = EmbeddedStore::open(&disk.path()).map(Store::new).expect("it is new");
    let lead = script::begin(&store).await.expect("it is new");
    for step in 0..CALLS {
        store.execute(script::call(step, lead)).await.expect("there is room");
    }
    let killed = fs::read(disk.path()).expect("it is there");
    drop(store);
    check(&disk).await;
    fs::write(disk.path(), killed).expect("there is room");
    check(&disk).await;
}

#[test]
fn a_missing_file_is_not_made_to_read_it() {
    let disk = Disk::default();
    let missing = EmbeddedStore::open_to_read(&disk.path());
    assert!(matches!(missing, Err(StoreError::Unavailable { .. })), "{missing:?}");
    assert!(files(&disk.path()).is_empty());
}
