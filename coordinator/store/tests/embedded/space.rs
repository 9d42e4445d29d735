//! The file of a store gives the space of deleted runs back.

use std::fs;
use std::time::Instant;

use hatchery_store::conformance::View;
use hatchery_store::operation::{ControlView, CreateRun, DeleteRun, SteerRun};
use hatchery_store::parts::write_whole;
use hatchery_store::{EmbeddedStore, RunId, SteerAction, Store};
use hatchery_test_redis::PATIENCE;
use ulid::Ulid;

use super::media::Disk;

const KEPT: RunId = RunId(Ulid(5));
const DELETED: RunId = RunId(Ulid(6));

/// The bytes of a part that is written.
const PART_BYTES: usize = 6 << 20;

async fn create(store: &Store, run: RunId, part: Vec<u8>) {
    let [record, checkpoint, summary] = ["record", "checkpoint", "summary"].map(Vec::from);
    let part = write_whole(store.view::<ControlView>(), run, &part.into()).await;
    part.expect("there is room");
    let create = CreateRun { run, record, checkpoint, summary, parts: vec![] };
    assert!(store.execute(create).await.expect("there is room"));
}

#[tokio::test]
async fn the_space_of_a_deleted_run_is_given_back_when_no_run_goes_on() {
    let disk = Disk::default();
    let store = EmbeddedStore::open(&disk.path()).map(Store::new).expect("it is new");
    let n_bytes = || fs::metadata(disk.path()).expect("it is there").len();
    create(&store, KEPT, vec![1; 1000]).await;
    create(&store, DELETED, vec![2; PART_BYTES]).await;
    let full = n_bytes();
    store.execute(DeleteRun { run: DELETED }).await.expect("it is there");
    // Other operations work meanwhile.
    let view = View::of(&store).await.expect("it can be read");
    assert!(full / 2 < n_bytes(), "a run goes on");
    let cancel = SteerRun { run: KEPT, steer: SteerAction::Cancel };
    store.execute(cancel).await.expect("it is there");
    let begun = Instant::now();
    while full / 4 < n_bytes() {
        assert!(begun.elapsed() < PATIENCE, "{} of {full} bytes are left", n_bytes());
        View::of(&store).await.expect("it can be read");
        tokio::task::yield_now().await;
    }
    let cancelled = View::of(&store).await.expect("it can be read");
    assert_eq!(cancelled.runs.len(), view.runs.len());

    // A deletion alone is enough where no run goes on; much data that is left keeps its space.
    create(&store, DELETED, vec![2; PART_BYTES]).await;
    let cancel = SteerRun { run: DELETED, steer: SteerAction::Cancel };
    store.execute(cancel).await.expect("it is there");
    store.execute(DeleteRun { run: DELETED }).await.expect("it is there");
    let begun = Instant::now();
    while full / 4 < n_bytes() {
        assert!(begun.elapsed() < PATIENCE, "{} of {full} bytes are left", n_bytes());
        tokio::task::yield_now().await;
    }
    drop(store);
    let store = EmbeddedStore::open(&disk.path()).map(Store::new).expect("it is whole");
    assert_eq!(View::of(&store).await.expect("it can be read"), cancelled);
}
