//! Parts on a server: expiry, removal, and the remains after a kill.

use bytes::Bytes;
use hatchery_core::part::PART_CHUNK_BYTES;
use hatchery_core::{Digest, Part};
use hatchery_store::operation::{
    ControlView, CreateRun, DeleteRun, FindParts, FinishPart, WritePart,
};
use hatchery_store::parts::{read_whole, write_whole};
use hatchery_store::{AfterFold, PartRetention, RunId, Store, StoreError};
use hatchery_test_redis::Redis;
use ulid::Ulid;

use super::play::{RUN, begin, farm, fold, until_it_works};

/// A run that is created later, or never.
const LATER: RunId = RunId(Ulid(9));

/// Bytes of several chunks.
fn bytes(tag: u8) -> Bytes {
    vec![tag; 3 * PART_CHUNK_BYTES + 1].into()
}

async fn write(store: &Store, run: RunId, bytes: &Bytes) -> Result<Part, StoreError> {
    write_whole(store.view::<ControlView>(), run, bytes).await
}

async fn has(store: &Store, run: RunId, bytes: &Bytes) -> bool {
    let read = read_whole(store.view::<ControlView>(), run, Digest::of(bytes)).await;
    read.expect("the server answers").is_some_and(|read| read == *bytes)
}

async fn write_open(store: &Store, run: RunId) {
    let part = Part::of(&bytes(0));
    let chunk = vec![0; PART_CHUNK_BYTES];
    store.execute(WritePart { run, part, index: 0, chunk }).await.expect("there is room");
}

async fn create_later(store: &Store) {
    let [record, checkpoint, summary] = [vec![], vec![], vec![]];
    let create = CreateRun { run: LATER, record, checkpoint, summary, parts: vec![] };
    assert!(store.execute(create).await.expect("there is room"));
}

/// Returns the keys of a run's parts, with the time in ms for which they stay; -1 is for ever.
fn times_left(server: &Redis, run: RunId) -> Vec<(String, i64)> {
    let end = |key: &str| key.rsplit('}').next().is_some_and(|end| end.starts_with(":p"));
    let keys = server.cli(&["KEYS", &format!("ht:{{{run}}}:*")]).expect("redis-cli is installed");
    let of_parts = keys.lines().filter(|key| end(key) || key.ends_with(":open"));
    let left = |key: &str| server.cli(&["PTTL", key]).expect("redis-cli is installed");
    of_parts.map(|key| (key.to_owned(), left(key).trim().parse().expect("a number"))).collect()
}

#[tokio::test]
async fn parts_expire_unless_their_run_is_created() {
    let (server, store) = farm().await;
    for tag in [1, 2] {
        write(&store, LATER, &bytes(tag)).await.unwrap();
    }
    write_open(&store, LATER).await;
    let times = times_left(&server, LATER);
    assert_eq!(times.len(), 5, "{times:?}");
    assert!(times.iter().all(|(_, left)| (1..=3_600_000).contains(left)), "{times:?}");

    // The first part expires, but the names of all do not yet.
    let first = format!("ht:{{{LATER}}}:p:{}", Digest::of(&bytes(1)));
    assert_eq!(server.cli(&["DEL", &first]).unwrap(), "1\n");
    assert!(!has(&store, LATER, &bytes(1)).await);
    create_later(&store).await;
    let times = times_left(&server, LATER);
    assert!(times.len() == 4 && times.iter().all(|(_, left)| *left == -1), "{times:?}");
    assert!(has(&store, LATER, &bytes(2)).await);
    let parts = vec![Digest::of(&bytes(1))];
    assert_eq!(store.execute(FindParts { run: LATER, parts }).await.unwrap(), [None]);
    write(&store, LATER, &bytes(1)).await.unwrap();
    write(&store, LATER, &bytes(0)).await.unwrap();
    for tag in [0, 1, 2] {
        assert!(has(&store, LATER, &bytes(tag)).await);
    }
    let times = times_left(&server, LATER);
    assert!(times.len() == 4 && times.iter().all(|(_, left)| *left == -1), "{times:?}");
}

#[tokio::test]
async fn nothing_is_left_of_removed_parts() {
    let (server, store) = farm().await;
    let used_before = server.bytes_of_keys().unwrap();
    let lead = begin(&store).await;
    for tag in 1..20 {
        write(&store, RUN, &bytes(tag)).await.unwrap();
    }
    write_open(&store, RUN).await;
    assert!(used_before + 19 * bytes(1).len() as u64 <= server.bytes_of_keys().unwrap());
    let mut fold = fold(lead, 0);
    fold.fold.retention = PartRetention::Keep(vec![Digest::of(&bytes(7))]);
    fold.fold.parts = vec![b"own".to_vec()];
    fold.fold.then = AfterFold::NextGeneration { record: vec![] };
    store.execute(fold).await.unwrap();
    let names = times_left(&server, RUN);
    assert_eq!(names.len(), 3, "the names, and the chunks of two parts: {names:?}");
    assert!(has(&store, RUN, &bytes(7)).await);
    assert!(has(&store, RUN, &b"own".as_slice().into()).await);
    store.execute(DeleteRun { run: RUN }).await.unwrap();
    let left = server.cli(&["KEYS", &format!("*{RUN}*")]).unwrap();
    assert_eq!(left.trim(), "", "of a run that is deleted");
    assert!(server.bytes_of_keys().unwrap() < used_before + bytes(1).len() as u64);
}

#[tokio::test]
async fn nothing_is_left_of_dropped_parts() {
    let (server, store) = farm().await;
    let lead = begin(&store).await;
    for tag in 1..4 {
        write(&store, RUN, &bytes(tag)).await.unwrap();
    }
    write_open(&store, RUN).await;
    let mut fold = fold(lead, 0);
    let dropped = [0, 1, 2].map(|tag| Digest::of(&bytes(tag)));
    fold.fold.retention = PartRetention::Drop(dropped.into());
    fold.fold.then = AfterFold::NextGeneration { record: vec![] };
    store.execute(fold).await.unwrap();
    let names = times_left(&server, RUN);
    assert_eq!(names.len(), 2, "the names, and the chunks of one part: {names:?}");
    assert!(has(&store, RUN, &bytes(3)).await);
}

#[tokio::test]
async fn an_upload_goes_on_after_the_server_was_killed() {
    let (mut server, store) = farm().await;
    begin(&store).await;
    let part = Part::of(&bytes(1));
    for (index, chunk) in (0..).zip(bytes(1).chunks(PART_CHUNK_BYTES)).take(2) {
        let chunk = chunk.to_vec();
        store.execute(WritePart { run: RUN, part, index, chunk }).await.unwrap();
    }
    server.wait_until_written().unwrap();
    server.restart().unwrap();
    let finished =
        until_it_works(async || store.execute(FinishPart { run: RUN, part }).await).await;
    assert!(!finished);
    for (index, chunk) in (0..).zip(bytes(1).chunks(PART_CHUNK_BYTES)).skip(2) {
        let chunk = chunk.to_vec();
        store.execute(WritePart { run: RUN, part, index, chunk }).await.unwrap();
    }
    assert!(store.execute(FinishPart { run: RUN, part }).await.unwrap());
    server.wait_until_written().unwrap();
    server.restart().unwrap();
    let read = async || read_whole(store.view::<ControlView>(), RUN, part.hash()).await;
    assert_eq!(until_it_works(read).await, Some(bytes(1)));
}
