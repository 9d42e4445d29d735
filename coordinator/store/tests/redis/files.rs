//! Parts in a directory: the effects of a crash, a loss or another directory.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use hatchery_core::part::PART_CHUNK_BYTES;
use hatchery_core::{Digest, Part};
use hatchery_store::operation::{
    ControlView, CreateRun, DeleteRun, FindParts, FinishPart, ReadPart, ReadPosition, ReadSecret,
    RunForKey, WritePart,
};
use hatchery_store::parts::{read_whole, write_whole};
use hatchery_store::{
    AfterFold, PartDirectoryOptions, PartRetention, RedisOptions, RedisStore, RunId, Store,
    StoreError,
};
use hatchery_test_redis::{PATIENCE, Redis};
use tempfile::TempDir;
use tokio::time::timeout;
use ulid::Ulid;

use super::play::{RUN, begin, chain, fold, until_it_works};

/// A farm whose parts are in a directory.
struct Farm {
    server: Redis,
    folder: TempDir,
}

impl Farm {
    fn start() -> Self {
        let server = Redis::start().expect("redis-server is installed");
        Self { server, folder: tempfile::tempdir().expect("a folder can be made") }
    }

    async fn open(&self) -> Result<Store, StoreError> {
        self.open_in(self.folder.path()).await
    }

    async fn open_in(&self, path: &Path) -> Result<Store, StoreError> {
        let path = path.to_owned();
        let options = PartDirectoryOptions { path, removal_delay: Duration::ZERO };
        RedisStore::open_with(&RedisOptions::new(&self.server.url()).with_parts_in(options))
            .await
            .map(Store::new)
    }

    /// Starts the farm, with a run.
    async fn begin() -> (Self, Store) {
        let farm = Self::start();
        let store = farm.open().await.expect("the directory is fit");
        begin(&store).await;
        (farm, store)
    }

    /// Returns the names of the files of a run.
    fn files(&self, run: RunId) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.folder.path().join(run.to_string())) else {
            return Vec::new();
        };
        entries.map(|entry| entry.expect("it can be read").path()).collect()
    }

    /// Waits until a run has `n` files.
    async fn until_files(&self, run: RunId, n: usize) {
        let there = async {
            while self.files(run).len() != n {
                tokio::task::yield_now().await;
            }
        };
        let in_time = timeout(PATIENCE, there).await;
        assert!(in_time.is_ok(), "{:?} instead of {n} files", self.files(run));
    }

    /// Returns the number of keys with chunks.
    fn n_chunk_keys(&self) -> usize {
        let keys = self.server.cli(&["KEYS", "ht:*:p:*"]).expect("redis-cli is installed");
        keys.lines().filter(|key| !key.is_empty()).count()
    }
}

/// Bytes of several chunks.
fn bytes(tag: u8) -> Bytes {
    vec![tag; 2 * PART_CHUNK_BYTES + 1].into()
}

async fn write(store: &Store, run: RunId, bytes: &Bytes) -> Result<Part, StoreError> {
    write_whole(store.view::<ControlView>(), run, bytes).await
}

async fn read(store: &Store, run: RunId, bytes: &Bytes) -> Result<Option<Bytes>, StoreError> {
    read_whole(store.view::<ControlView>(), run, Digest::of(bytes)).await
}

/// Writes all chunks of a part, but does not finish it.
async fn write_chunks(store: &Store, bytes: &Bytes) -> Part {
    let part = Part::of(bytes);
    for (index, chunk) in (0..).zip(bytes.chunks(PART_CHUNK_BYTES)) {
        let write = WritePart { run: RUN, part, index, chunk: chunk.to_vec() };
        store.execute(write).await.expect("there is room");
    }
    part
}

/// Lets a file or folder be three hours old.
fn age(path: &Path) {
    let then = SystemTime::now() - Duration::from_secs(10_800);
    let file = File::open(path).expect("it is there");
    file.set_modified(then).expect("it is ours");
}

async fn refused(opened: Result<Store, StoreError>) -> String {
    match opened {
        Err(error @ StoreError::PartPlace { .. }) => chain(&error),
        opened => panic!("{opened:?}"),
    }
}

#[tokio::test]
async fn the_server_keeps_names_only() {
    let (farm, store) = Farm::begin().await;
    write(&store, RUN, &bytes(1)).await.unwrap();
    let mut fold = fold(begin(&store).await, 0);
    (fold.fold.parts, fold.fold.then) =
        (vec![b"small".to_vec()], AfterFold::NextGeneration { record: vec![] });
    store.execute(fold).await.unwrap();
    assert_eq!((farm.n_chunk_keys(), farm.files(RUN).len()), (0, 2));
    let small = b"small".as_slice().into();
    assert_eq!(read(&store, RUN, &small).await.unwrap(), Some(small));
    // Another coordinator reads what this one wrote.
    let other = farm.open().await.unwrap();
    assert_eq!(read(&other, RUN, &bytes(1)).await.unwrap(), Some(bytes(1)));
}

#[tokio::test]
async fn a_crash_before_the_note_leaves_no_part() {
    let (farm, store) = Farm::begin().await;
    write(&store, RUN, &bytes(1)).await.unwrap();
    let part = write_chunks(&store, &bytes(2)).await;
    drop(store);
    assert_eq!(farm.files(RUN).len(), 2);

    let store = farm.open().await.unwrap();
    let parts = vec![part.hash()];
    assert_eq!(store.execute(FindParts { run: RUN, parts }).await.unwrap(), [None]);
    assert!(!store.execute(FinishPart { run: RUN, part }).await.unwrap());
    assert_eq!(write(&store, RUN, &bytes(2)).await.unwrap(), part);
    assert_eq!(farm.files(RUN).len(), 3);

    // The next sweep removes what nothing names, whatever its age says about the others.
    let never = RunId(Ulid(9));
    let folder = farm.folder.path().join(never.to_string());
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("anything"), b"of a run that was never created").unwrap();
    farm.files(RUN).into_iter().chain(farm.files(never)).for_each(|path| age(&path));
    let store = farm.open().await.unwrap();
    farm.until_files(RUN, 2).await;
    for tag in [1, 2] {
        assert_eq!(read(&store, RUN, &bytes(tag)).await.unwrap(), Some(bytes(tag)));
    }
    let gone = async {
        while folder.exists() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, gone).await.expect("an empty folder is removed");
}

#[tokio::test]
async fn young_files_stay_and_so_do_all_beside_a_server_without_runs() {
    let (farm, store) = Farm::begin().await;
    write_chunks(&store, &bytes(1)).await;
    drop(store);
    // The sweep of this one ends before it is asked for anything else about the directory.
    let store = farm.open().await.unwrap();
    write(&store, RUN, &bytes(2)).await.unwrap();
    assert_eq!(farm.files(RUN).len(), 2);
    farm.files(RUN).iter().for_each(|path| age(path));
    farm.server.cli(&["DEL", "ht:runs"]).unwrap();
    drop(store);
    let store = farm.open().await.unwrap();
    write(&store, RUN, &bytes(3)).await.unwrap();
    assert_eq!(farm.files(RUN).len(), 3);
}

#[tokio::test]
async fn a_lost_file_is_reported_and_can_be_written_again() {
    let (farm, store) = Farm::begin().await;
    let part = write(&store, RUN, &bytes(1)).await.unwrap();
    for cut in [0, 5] {
        let path = farm.files(RUN).remove(0);
        match cut {
            0 => fs::remove_file(&path).unwrap(),
            cut => File::options().write(true).open(&path).unwrap().set_len(cut).unwrap(),
        }
        let parts = vec![part.hash()];
        assert_eq!(store.execute(FindParts { run: RUN, parts }).await.unwrap(), [None]);
        for index in [0, 2] {
            let read = ReadPart { run: RUN, hash: part.hash(), index };
            let error = store.execute(read).await.unwrap_err();
            let said = format!(
                "part {part} of run {RUN} is lost: {} is gone, or has another length",
                path.display()
            );
            assert_eq!(error.to_string(), said);
        }
        let error = read(&store, RUN, &bytes(1)).await.unwrap_err();
        assert!(matches!(error, StoreError::PartLost { .. }), "{error}");
        assert_eq!(write(&store, RUN, &bytes(1)).await.unwrap(), part);
        assert_eq!(read(&store, RUN, &bytes(1)).await.unwrap(), Some(bytes(1)));
        farm.files(RUN).into_iter().filter(|old| *old == path).for_each(|old| {
            fs::remove_file(old).unwrap();
        });
    }
}

#[tokio::test]
async fn a_run_gives_up_files_and_a_deleted_one_leaves_none() {
    let (farm, store) = Farm::begin().await;
    for tag in 1..5 {
        write(&store, RUN, &bytes(tag)).await.unwrap();
    }
    write_chunks(&store, &bytes(9)).await;
    let mut fold = fold(begin(&store).await, 0);
    fold.fold.then = AfterFold::NextGeneration { record: vec![] };
    fold.fold.retention = PartRetention::Keep(vec![Digest::of(&bytes(3))]);
    fold.fold.parts = vec![b"own".to_vec()];
    store.execute(fold.clone()).await.unwrap();
    farm.until_files(RUN, 2).await;
    // A repeat writes files, and changes nothing.
    store.execute(fold).await.unwrap();
    farm.until_files(RUN, 2).await;
    assert_eq!(read(&store, RUN, &bytes(3)).await.unwrap(), Some(bytes(3)));

    write_chunks(&store, &bytes(9)).await;
    fs::write(farm.files(RUN)[0].with_file_name("left by a crash"), b"").unwrap();
    store.execute(DeleteRun { run: RUN }).await.unwrap();
    assert!(!farm.folder.path().join(RUN.to_string()).exists(), "{:?}", farm.files(RUN));
    assert!(!store.execute(FinishPart { run: RUN, part: Part::of(&bytes(9)) }).await.unwrap());
}

#[tokio::test]
async fn a_run_drops_files() {
    let (farm, store) = Farm::begin().await;
    for tag in 1..4 {
        write(&store, RUN, &bytes(tag)).await.unwrap();
    }
    write_chunks(&store, &bytes(4)).await;
    write_chunks(&store, &bytes(5)).await;
    assert_eq!(farm.files(RUN).len(), 5);
    let mut fold = fold(begin(&store).await, 0);
    fold.fold.then = AfterFold::NextGeneration { record: vec![] };
    let dropped = [1, 2, 4].map(|tag| Digest::of(&bytes(tag)));
    fold.fold.retention = PartRetention::Drop(dropped.into());
    // This one is written again.
    fold.fold.parts = vec![bytes(2).to_vec()];
    store.execute(fold).await.unwrap();
    farm.until_files(RUN, 3).await;
    assert_eq!(read(&store, RUN, &bytes(1)).await.unwrap(), None);
    assert!(!store.execute(FinishPart { run: RUN, part: Part::of(&bytes(4)) }).await.unwrap());
    assert!(store.execute(FinishPart { run: RUN, part: Part::of(&bytes(5)) }).await.unwrap());
    for tag in [2, 3, 5] {
        assert_eq!(read(&store, RUN, &bytes(tag)).await.unwrap(), Some(bytes(tag)));
    }
}

/// The keys of the run are gone as well; otherwise they would be unusable for another run.
#[tokio::test]
async fn a_run_is_deleted_although_its_files_cannot_be_removed() {
    let (farm, store) = Farm::begin().await;
    let (key, other) = (Digest::of(b"key"), RunId(Ulid(9)));
    assert_eq!(store.execute(RunForKey { key, run: RUN }).await.unwrap(), RUN);
    write(&store, RUN, &bytes(1)).await.unwrap();
    let aside = farm.folder.path().with_extension("aside");
    fs::rename(farm.folder.path(), &aside).unwrap();
    store.execute(DeleteRun { run: RUN }).await.unwrap();
    let gone = store.execute(ReadPosition { run: RUN }).await;
    assert!(matches!(gone, Err(StoreError::NoRun { .. })), "{gone:?}");
    assert_eq!(store.execute(RunForKey { key, run: other }).await.unwrap(), other);

    // The next sweep removes them, as there is a run.
    fs::rename(&aside, farm.folder.path()).unwrap();
    let [record, checkpoint, summary] = [vec![], vec![], vec![]];
    let create = CreateRun { run: other, record, checkpoint, summary, parts: vec![] };
    store.execute(create).await.unwrap();
    assert_eq!(farm.files(RUN).len(), 1);
    farm.files(RUN).iter().for_each(|path| age(path));
    let _store = farm.open().await.unwrap();
    farm.until_files(RUN, 0).await;
}

/// The files that a fold gave up are still there if the server forgets the fold, as in a power cut.
#[tokio::test]
async fn a_server_that_goes_back_finds_its_parts() {
    let farm = Farm::start();
    let options = PartDirectoryOptions::new(farm.folder.path());
    let opened =
        RedisStore::open_with(&RedisOptions::new(&farm.server.url()).with_parts_in(options)).await;
    let store = Store::new(opened.unwrap());
    let lead = begin(&store).await;
    write(&store, RUN, &bytes(1)).await.unwrap();
    let key = format!("ht:{{{RUN}}}:parts");
    let hash = Digest::of(&bytes(1)).to_string();
    let note = farm.server.cli(&["HGET", &key, &hash]).unwrap();
    let mut fold = fold(lead, 0);
    fold.fold.then = AfterFold::NextGeneration { record: vec![] };
    fold.fold.retention = PartRetention::Keep(vec![]);
    store.execute(fold).await.unwrap();
    assert_eq!(read(&store, RUN, &bytes(1)).await.unwrap(), None);
    farm.server.cli(&["HSET", &key, &hash, note.trim()]).unwrap();
    assert_eq!(read(&store, RUN, &bytes(1)).await.unwrap(), Some(bytes(1)));
}

#[tokio::test]
async fn an_upload_goes_on_after_the_server_was_killed() {
    let (mut farm, store) = Farm::begin().await;
    let part = write_chunks(&store, &bytes(1)).await;
    farm.server.wait_until_written().unwrap();
    farm.server.kill().unwrap();
    let lost = store.execute(FinishPart { run: RUN, part }).await;
    assert!(matches!(lost, Err(StoreError::Unavailable { .. })), "{lost:?}");
    farm.server.restart().unwrap();
    let finish = async || store.execute(FinishPart { run: RUN, part }).await;
    assert!(until_it_works(finish).await);
    assert_eq!(read(&store, RUN, &bytes(1)).await.unwrap(), Some(bytes(1)));
    assert_eq!(farm.files(RUN).len(), 1);
}

#[tokio::test]
async fn all_coordinators_agree_on_the_place() {
    let (farm, store) = Farm::begin().await;
    let url = farm.server.url();
    let place = format!("redis://127.0.0.1:{}/0", farm.server.port());
    let said = refused(RedisStore::open(&url).await.map(Store::new)).await;
    let remedy = "give --parts with the directory that the other coordinators use";
    let expected = format!(
        "parts cannot be in Redis: the runs in {place} have theirs in a directory; {remedy}"
    );
    assert_eq!(said, expected);

    // The directory is not mounted, or another one is.
    let empty = tempfile::tempdir().unwrap();
    let said = refused(farm.open_in(empty.path()).await).await;
    let missing = "the file hatchery-parts is missing; mount the directory that the other";
    assert!(said.contains(missing), "{said}");
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0, "nothing was written");
    let said = refused(farm.open_in(&empty.path().join("nowhere")).await).await;
    assert!(said.contains("there is no such directory; make or mount it"), "{said}");
    let file = empty.path().join("file");
    fs::write(&file, b"").unwrap();
    let said = refused(farm.open_in(&file).await).await;
    assert!(said.contains("there is no such directory; make or mount it"), "{said}");
    let other = Farm::start();
    let other_store = other.open().await.unwrap();
    let said = refused(farm.open_in(other.folder.path()).await).await;
    assert!(said.contains("it belongs to another farm than the one in"), "{said}");
    drop(other_store);

    // A coordinator that lives through a loss of all data brings the same place back.
    let secret = store.execute(ReadSecret).await.unwrap();
    farm.server.cli(&["FLUSHALL"]).unwrap();
    assert_eq!(store.execute(ReadSecret).await.unwrap(), secret);
    assert_eq!(farm.server.cli(&["GET", "ht:parts"]).unwrap().trim(), "directory");
    farm.open().await.unwrap();
}

/// A database that has runs, but no record of the place, is from a release that knew one place.
#[tokio::test]
async fn a_database_with_parts_in_redis_stays_so() {
    let farm = Farm::start();
    let store = Store::new(RedisStore::open(&farm.server.url()).await.unwrap());
    begin(&store).await;
    for _ in 0..2 {
        let said = refused(farm.open().await).await;
        let remedy = "start the coordinator without --parts, or give another database number";
        assert!(said.contains("have theirs in Redis;") && said.contains(remedy), "{said}");
        farm.server.cli(&["DEL", "ht:parts"]).unwrap();
    }
    assert!(RedisStore::open(&farm.server.url()).await.is_ok());
}

/// A directory that no longer exists is different from a directory without parts.
#[tokio::test]
async fn what_is_not_mounted_is_not_lost() {
    let (farm, store) = Farm::begin().await;
    let part = write(&store, RUN, &bytes(1)).await.unwrap();
    let [here, aside] = ["here", "aside"].map(|name| farm.folder.path().with_extension(name));
    fs::rename(farm.folder.path(), &aside).unwrap();
    let find = || FindParts { run: RUN, parts: vec![part.hash()] };
    for is_there in [false, true] {
        if is_there {
            fs::create_dir(farm.folder.path()).unwrap();
        }
        let errors = [
            store.execute(find()).await.map(drop).unwrap_err(),
            store.execute(ReadPart { run: RUN, hash: part.hash(), index: 0 }).await.unwrap_err(),
            write(&store, RUN, &bytes(2)).await.unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
            assert!(chain(&error).contains("the parts of this farm are not there"), "{error:?}");
        }
    }
    fs::rename(farm.folder.path(), &here).unwrap();
    fs::rename(&aside, farm.folder.path()).unwrap();
    fs::remove_dir_all(&here).unwrap();
    assert_eq!(store.execute(find()).await.unwrap(), [Some(part)]);
    assert_eq!(read(&store, RUN, &bytes(1)).await.unwrap(), Some(bytes(1)));
    write(&store, RUN, &bytes(2)).await.unwrap();
}
