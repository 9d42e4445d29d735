//! A directory that does not answer, and a directory that accepts nothing.

use std::fs::{self, OpenOptions};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use ulid::Ulid;

use super::calls::CALL_DEADLINE;
use super::uploads::IDLE_TTL;
use super::*;

const RUN: RunId = RunId(Ulid(7));

async fn open() -> (TempDir, PartDirectory) {
    let folder = tempfile::tempdir().unwrap();
    let directory = PartDirectory::open(folder.path(), Digest::of(b"farm")).unwrap();
    directory.mark().await.unwrap();
    (folder, directory)
}

fn cause(error: &StoreError) -> Option<DirectoryTrouble> {
    let StoreError::Unavailable { source, .. } = error else { return None };
    DirectoryTrouble::of(source.as_ref())
}

fn files(folder: &TempDir) -> usize {
    fs::read_dir(folder.path().join(RUN.to_string())).map_or(0, Iterator::count)
}

/// A pipe in the place of a file: a process that opens the pipe waits for the other end, which
/// comes when this value is dropped.
struct Pipe(PathBuf);

impl Pipe {
    fn replace(path: PathBuf) -> Self {
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        Self(path)
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // Reading and writing: it opens even if nobody waits.
        OpenOptions::new().read(true).write(true).open(&self.0).unwrap();
    }
}

#[tokio::test]
async fn a_call_that_hangs_ends_in_time_and_keeps_nobody_else_waiting() {
    let (folder, directory) = open().await;
    let [hangs, works] = [b"hangs", b"works"].map(|bytes| (Part::of(bytes), bytes.to_vec()));
    let written = directory.write(RUN, &[hangs, works]).await.unwrap();
    let [hangs, works] = written.try_into().unwrap();
    let _pipe = Pipe::replace(directory.path(RUN, &hangs));
    tokio::time::pause();
    let mut read = std::pin::pin!(directory.read(RUN, &hangs, 0));
    tokio::select! {
        biased;
        read = &mut read => panic!("{read:?}"),
        () = std::future::ready(()) => {}
    }
    assert_eq!(directory.read(RUN, &works, 0).await.unwrap(), Some(b"works".to_vec()));
    // Timers are exact to a millisecond.
    tokio::time::advance(CALL_DEADLINE + Duration::from_millis(1)).await;
    let error = read.await.unwrap_err();
    assert_eq!(cause(&error), Some(DirectoryTrouble::Unusable));
    let place = folder.path().display();
    assert_eq!(error.to_string(), format!("directory {place} cannot be used now"));
    let StoreError::Unavailable { source, .. } = error else { unreachable!() };
    assert_eq!(source.to_string(), "no answer within 10 s");
}

/// Waits until the run has `n` files: the removal of abandoned files takes some time.
async fn until_files(folder: &TempDir, n: usize) {
    while files(folder) != n {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_full_directory_loses_nothing_and_keeps_nothing() {
    let (folder, directory) = open().await;
    let part = Part::of(b"bytes");
    let write = async || directory.write_chunk(RUN, part, 0, b"bytes".to_vec()).await;
    let (upload, _) = directory.uploads.begin(RUN, part);
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    create(&directory.path(RUN, &upload.file)).unwrap();
    upload.handle.set(full).unwrap();
    let error = write().await.unwrap_err();
    assert_eq!(cause(&error), Some(DirectoryTrouble::Full), "{error:?}");
    assert_eq!(directory.seal(RUN, part).await.unwrap(), None);
    until_files(&folder, 0).await;
    // Once there is room, the same calls work.
    write().await.unwrap();
    let file = directory.seal(RUN, part).await.unwrap().unwrap();
    assert_eq!(directory.read(RUN, &file, 0).await.unwrap(), Some(b"bytes".to_vec()));
}

/// As of a read-only directory, which a test that runs as root cannot make.
#[tokio::test]
async fn a_directory_that_takes_no_file_can_be_used_again_later() {
    let (folder, directory) = open().await;
    let parts = [(Part::of(b"bytes"), b"bytes".to_vec())];
    let run = folder.path().join(RUN.to_string());
    fs::write(&run, b"no folder").unwrap();
    let error = directory.write(RUN, &parts).await.unwrap_err();
    assert_eq!(cause(&error), Some(DirectoryTrouble::Unusable), "{error:?}");
    let error = directory.write_chunk(RUN, parts[0].0, 0, b"bytes".to_vec()).await.unwrap_err();
    assert_eq!(cause(&error), Some(DirectoryTrouble::Unusable), "{error:?}");
    fs::remove_file(&run).unwrap();
    directory.write(RUN, &parts).await.unwrap();
    directory.write_chunk(RUN, parts[0].0, 0, b"bytes".to_vec()).await.unwrap();
    assert!(directory.seal(RUN, parts[0].0).await.unwrap().is_some());
}

#[tokio::test]
async fn the_uploads_of_senders_that_are_gone_end() {
    let (folder, directory) = open().await;
    let write = async |tag: u32| {
        let bytes = tag.to_le_bytes().to_vec();
        directory.write_chunk(RUN, Part::of(&bytes), 0, bytes).await.unwrap();
        Part::of(&tag.to_le_bytes())
    };
    // Of too many, the oldest.
    let first = write(0).await;
    for tag in 1..=64 {
        write(tag).await;
    }
    until_files(&folder, 64).await;
    assert_eq!(directory.seal(RUN, first).await.unwrap(), None);
    // A file that may be noted stays.
    let last = directory.seal(RUN, Part::of(&64_u32.to_le_bytes())).await.unwrap().unwrap();
    tokio::time::pause();
    tokio::time::advance(IDLE_TTL).await;
    write(65).await;
    until_files(&folder, 2).await;
    assert!(directory.path(RUN, &last).exists());
}

/// The call of a caller that stops waiting may still change the file: no other caller continues
/// with it.
#[test]
fn an_upload_with_a_call_that_was_dropped_is_given_up() {
    // Calls wait while the only thread that does their work is held.
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        let (folder, directory) = open().await;
        let bytes = vec![7; PART_CHUNK_BYTES + 1];
        let part = Part::of(&bytes);
        let write = |index: u32| {
            let chunk = bytes.chunks(PART_CHUNK_BYTES).nth(index as usize).unwrap().to_vec();
            directory.write_chunk(RUN, part, index, chunk)
        };
        write(0).await.unwrap();
        {
            let (_release, held) = std::sync::mpsc::channel::<()>();
            tokio::task::spawn_blocking(move || held.recv());
            let mut dropped = std::pin::pin!(write(1));
            tokio::select! {
                biased;
                written = &mut dropped => panic!("{written:?}"),
                () = std::future::ready(()) => {}
            }
        }
        write(1).await.unwrap();
        assert_eq!(directory.seal(RUN, part).await.unwrap(), None);
        write(0).await.unwrap();
        assert!(directory.seal(RUN, part).await.unwrap().is_some());
        until_files(&folder, 1).await;
    });
}
